"""dedupe of the changed documents of an index: what the whole answer says about them, found with less work."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.model.artifact import as_ranges
from tests import strategies
from tests.amounts import examples
from tests.commands.deduping import write_texts
from tests.reading.changing import CHANGES, change
from tests.similar_texts import corpora
from tests.twins.text_answers import Text

WORDS = {"unit": "word", "k": 2, "threshold": 0.5}
CUTS = [{"bands": 128, "rows": 1}, {"bands": 12, "rows": 4}, {"num_perm": 6, "bands": 2, "rows": 3}]
"""Bands by which everything, many or few documents are linked with each other."""

MEANS: list[dict[str, Any]] = [{}, {"verify": "estimate"}, {"exact": True}]


def updated(index: simdocs.BandIndex, rows: Sequence[int]) -> simdocs.BandIndex:
    """The same index, as if its last update had found these rows new or changed."""
    return index.but(run={**index.run, "changed": as_ranges(np.array(sorted(rows), np.int64))})


def built(place: str, texts: list[Text], **options: Any) -> simdocs.BandIndex:
    """Write texts as files, and index them."""
    write_texts(Path(place), texts)
    return simdocs.index(place, **WORDS, **options)


def mask(index: simdocs.BandIndex) -> Any:
    """Which documents of an index are new or changed."""
    found = np.zeros(index.n_documents, bool)
    found[index.changed] = True
    return found


def some_of(pairs: Any, documents: Any) -> list[tuple[Any, ...]]:
    """The pairs with one of these documents, each as a row."""
    columns = (pairs.left, pairs.right, pairs.jaccard, pairs.estimate)
    rows = zip(*(map(str, column.tolist()) for column in columns), strict=True)
    wanted = documents[pairs.left] | documents[pairs.right]
    return [row for row, is_wanted in zip(rows, wanted.tolist(), strict=True) if is_wanted]


def assert_groups_are_filtered(index: simdocs.BandIndex, **options: Any) -> None:
    """Groups, lists and facts about changed documents are those parts of the whole answer that are about them."""
    changed = mask(index)
    whole, found = simdocs.dedupe(index, **options), simdocs.dedupe(index, changed=True, **options)
    assert some_of(found.pairs, np.ones_like(changed)) == some_of(whole.pairs, changed)
    assert list(map(str, found.rows())) == [
        str(row)
        for row, left, right in zip(whole.rows(), whole.pairs.left, whole.pairs.right, strict=True)
        if changed[left] or changed[right]
    ]
    assert found.kept.tolist() == [row for row in whole.kept.tolist() if changed[row]]
    facts = found.summary()
    assert facts["groups"] == len(set(found.pairs.left.tolist()))
    assert (len(found.documents), facts["changed"]) == (len(changed), changed.sum())
    names = [found.documents.name(row) for row in range(len(changed))]
    assert found.kept_names == [name for name in whole.kept_names if changed[names.index(name)]]
    assert [name for (name,) in found.rows("duplicates")] == [names[row] for row in sorted(found.pairs.right.tolist())]


def assert_pairs_are_filtered(index: simdocs.BandIndex, **options: Any) -> None:
    """Pairs with changed documents are those of the whole answer, and what their chains leave out is counted."""
    changed = mask(index)
    counts = []
    for all_copies in (False, True):
        whole = simdocs.pairs(index, all_copies=all_copies, **options)
        found = simdocs.pairs(index, all_copies=all_copies, changed=True, **options)
        assert some_of(found.pairs, np.ones_like(changed)) == some_of(whole.pairs, changed)
        assert found.summary()["pairs"] == len(found.pairs)
        counts.append((len(found), found.summary()["pairs_left_out"]))
    (chained, left_out), (every, none) = counts
    assert (left_out, none) == (every - chained, 0)


subsets = st.floats(0, 1).flatmap(lambda share: st.tuples(st.just(share), st.randoms(use_true_random=False)))


def drawn(index: simdocs.BandIndex, subset: tuple[float, Any]) -> simdocs.BandIndex:
    """An index of which a random part has changed."""
    share, dice = subset
    return updated(index, [row for row in range(index.n_documents) if dice.random() < share])


@examples(6)
@given(
    texts=corpora(20),
    subset=subsets,
    cut=st.sampled_from(CUTS),
    means=st.sampled_from(MEANS),
    keep=strategies.one_of("keep"),
    cluster=strategies.one_of("cluster"),
)
def test_groups_with_changed_documents_are_those_of_the_whole_answer(texts, subset, cut, means, keep, cluster):
    with tempfile.TemporaryDirectory() as place:
        index = drawn(built(place, texts, **cut), subset)
        assert_groups_are_filtered(index, keep=keep, cluster=cluster, **means)


@examples(6)
@given(texts=corpora(20), subset=subsets, cut=st.sampled_from(CUTS), means=st.sampled_from(MEANS))
def test_pairs_with_changed_documents_are_those_of_the_whole_answer(texts, subset, cut, means):
    with tempfile.TemporaryDirectory() as place:
        assert_pairs_are_filtered(drawn(built(place, texts, **cut), subset), **means)


@pytest.mark.reliability("documents changed or gone since the build")
@examples(4)
@given(texts=corpora(16), subset=subsets, dice=st.randoms(use_true_random=False), keep=strategies.one_of("keep"))
def test_documents_that_have_changed_since_the_build_are_left_out_as_in_the_whole_answer(texts, subset, dice, keep):
    with tempfile.TemporaryDirectory() as place:
        index = drawn(built(place, texts, **CUTS[1]), subset)
        for row, text in enumerate(texts):
            change(Path(place, f"{row:04}"), dice.choice(CHANGES), dice.choice([text, *texts]).data)
        assert_groups_are_filtered(index, keep=keep)
        assert_pairs_are_filtered(index)


@pytest.fixture
def families(tmp_path) -> simdocs.BandIndex:
    """Three families of five similar texts each, in row order. The last one of each is a copy of its first one."""
    texts = list[Text]()
    for head in "abc":
        for row in (0, 1, 2, 3, 0):
            words = [f"{head}{place}" for place in range(20)]
            words[4 * row] = f"{head}{head}{row}"
            texts.append(Text(" ".join(words).encode()))
    return built(str(tmp_path), texts, **CUTS[0])


def test_only_documents_linked_with_a_changed_one_are_compared(families):
    one = updated(families, [7])
    whole, found = simdocs.dedupe(one), simdocs.dedupe(one, changed=True)
    assert (len(whole.pairs), len(found.pairs)) == (12, 1)
    assert (whole.summary()["verified"], found.summary()["verified"]) == (9, 3)
    every, some = simdocs.pairs(one), simdocs.pairs(one, changed=True)
    assert (len(every.pairs), len(some.pairs)) == (21, 3)
    assert (every.summary()["verified"], some.summary()["verified"]) == (18, 3)
    assert simdocs.query(one, changed=True).summary()["verified"] == 3


def test_an_empty_document_that_has_changed_is_in_no_pair():
    index = updated(simdocs.index(texts=["one two three", "one two three four", ""], **WORDS), [2])
    assert list(simdocs.pairs(index, changed=True).rows()) == []
