"""dedupe --against gives the same answer as sequential greedy grouping that keeps all documents of the index first."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies as some
from tests.amounts import examples
from tests.commands.building import built
from tests.commands.deduping import CATCH_ALL, Work, sketched, write_texts
from tests.reading.changing import CHANGES, change
from tests.similar_texts import corpora
from tests.twins import bands
from tests.twins import groups as sequential
from tests.twins.text_answers import Choices, Row, Text, Twin


def twin(ours: list[Text], theirs: list[Text], choices: Choices) -> list[Row]:
    """Return the groups in which theirs are always kept. Ours are numbered after theirs."""
    return Twin([*theirs, *ours], choices, len(theirs)).greedy()


def laid(place: Path, ours: list[Text], theirs: list[Text], choices: Choices, **options: object) -> Any:
    """Write two directories of texts, and return an index of `theirs`."""
    for name, texts in (("theirs", theirs), ("yours", ours)):
        (place / name).mkdir()
        write_texts(place / name, texts)
    return built(place / "y.index", [place / "theirs"], **parameters(choices), **options)


def parameters(choices: Choices) -> dict[str, object]:
    return {"unit": choices.unit, "k": choices.k, "multiset": choices.multiset, "threshold": choices.threshold}


@contextmanager
def against(index: Any, *given_: Path | str | Any, jobs: int = 1, **options: object) -> Iterator[Work]:
    """Read and sign the new documents, so that they can be compared with those of the index."""
    with sketched(given_, jobs, against=index, threshold=0.5, **options) as work:
        yield work


def rows_of(work: Work, theirs: int) -> list[Row]:
    """Return the answer in row numbers."""
    return [(number(left, theirs), number(right, theirs), jaccard) for left, right, jaccard, _ in work.groups()]


def number(name: bytes, theirs: int) -> int:
    return int(name[-4:]) + (theirs if b"/yours/" in name else 0)


def asked(ours: list[Text], theirs: list[Text], choices: Choices, **options: object) -> list[Row]:
    """Write and index texts, and return the answer of dedupe --against in row numbers."""
    with tempfile.TemporaryDirectory() as place:
        index = laid(Path(place), ours, theirs, choices, **CATCH_ALL, **options)
        with against(index, Path(place, "yours"), keep=choices.keep) as work:
            rows = rows_of(work, len(theirs))
        assert work.skipped.counts == {}
        assert work.facts()["duplicates"] == len(rows)
        return rows


@some.each("keep")
@some.each("unit")
@examples(2)
@given(texts=corpora(18), share=st.floats(0, 1), multiset=st.booleans(), scheme=some.one_of("scheme"))
def test_groups_against_an_index_are_those_of_the_twin(unit, keep, texts, share, multiset, scheme):
    cut, choices = int(share * len(texts)), Choices(unit, some.small_k(unit), multiset, 0.5, keep)
    assert asked(texts[cut:], texts[:cut], choices, scheme=scheme) == twin(texts[cut:], texts[:cut], choices)


@examples(10)
@given(
    texts=corpora(24),
    share=st.floats(0, 1),
    keep=some.one_of("keep"),
    most=st.integers(1, 4),
    cut=st.sampled_from([(1, 1), (2, 1), (1, 2), (4, 3)]),
)
def test_max_candidates_caps_the_comparisons_of_a_bucket(texts, share, keep, most, cut):
    choices = Choices("word", 1, False, 0.5, keep)
    places = {"num_perm": 12, "bands": cut[0], "rows": cut[1]}
    theirs, ours = distinct(texts, int(share * len(texts)), choices)
    every = Twin([*theirs, *ours], choices, len(theirs))
    order = every.in_keep_order()
    with tempfile.TemporaryDirectory() as place:
        index = laid(Path(place), ours, theirs, choices, **places)
        with against(index, Path(place, "yours"), keep=keep, max_candidates=most) as work:
            found = [row[:2] for row in rows_of(work, len(theirs))]
        signatures = np.concatenate((index["signatures"].all(), work.corpus.signatures.all())).tolist()
        shared = bands.buckets([signatures[row] for row in order], *cut)
        given_ = sum(row < len(theirs) for row in order)
        expected = sequential.greedy(
            len(order), shared, lambda a, b: every.jaccard(order[a], order[b]), 0.5, most, given_
        )
        assert found == sorted((order[kept], order[one]) for one, kept in expected.under.items())
        capped = [number(skip.name, len(theirs)) for skip in work.skipped.kept("capped")]
        assert capped == sorted(order[one] for one in expected.capped)


@pytest.mark.reliability("documents changed or gone since the build")
@pytest.mark.parametrize("both", [False, True], ids=["yours", "theirs and yours"])
@examples(6)
@given(texts=corpora(20), share=st.floats(0, 1), dice=st.randoms(use_true_random=False), keep=some.one_of("keep"))
def test_changed_files_of_the_index_are_new_documents_or_ignored(both, texts, share, dice, keep):
    """Unchanged files are kept. A changed file is a new document if it is among the documents given."""
    choices, cut = Choices("word", 2, False, 0.5, keep), int(share * len(texts))
    theirs, ours = texts[:cut], texts[cut:]
    standing, changed = dict[bytes, Text](), dict[bytes, Text]()
    with tempfile.TemporaryDirectory() as place:
        index = laid(Path(place), ours, theirs, choices, **CATCH_ALL)
        for row, text in enumerate(theirs):
            name, what, other = f"theirs/{row:04}", dice.choice(CHANGES), dice.choice(texts)
            change(Path(place, name), what, other.data)
            one, another = Twin([text, other], choices).normalised
            if what in ("rewritten", "replaced") and one != another:
                os.utime(Path(place, name), ns=(text.mtime_ns, text.mtime_ns))
                changed[name.encode()] = Text(other.data, text.mtime_ns)
            elif what != "removed":
                standing[name.encode()] = text
        given_ = [Path(place, "theirs"), Path(place, "yours")] if both else [Path(place, "yours")]
        with against(index, *given_, keep=keep) as work:
            found = [(left[-11:], right[-11:], jaccard) for left, right, jaccard, _ in work.groups()]
        assert work.skipped.counts.get("known", 0) == (len(standing) if both else 0)
    new = {b"/yours/%04d" % row: text for row, text in enumerate(ours)}
    every = standing | (changed if both else {}) | new
    names = [name[-11:] for name in every]
    rows = Twin(list(every.values()), choices, len(standing)).greedy()
    assert sorted(found) == sorted((names[left], names[right], jaccard) for left, right, jaccard in rows)


def distinct(texts: list[Text], cut: int, choices: Choices) -> tuple[list[Text], list[Text]]:
    """Return the texts before the cut and after it, without copies."""
    normalised = Twin(texts, choices).normalised
    rows = [row for row, text in enumerate(normalised) if text not in normalised[:row]]
    return [texts[row] for row in rows if row < cut], [texts[row] for row in rows if row >= cut]
