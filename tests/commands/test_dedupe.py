"""dedupe gives the same answer as a comparison of every pair, one document after the other."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests import strategies as some
from tests.amounts import examples, slow
from tests.commands.deduping import CATCH_ALL, answer, write_texts
from tests.similar_texts import corpora, family
from tests.twins.text_answers import Choices, Row, Text, Twin


def asked(texts: list[Text], choices: Choices, what: str, **options: object) -> list[Row]:
    """Return the answer of dedupe about these texts, in row numbers."""
    with tempfile.TemporaryDirectory() as root:
        row_of = {name: row for row, name in enumerate(write_texts(Path(root), texts))}
        parameters = choices._asdict() | CATCH_ALL | options
        found = answer(Path(root), what, **parameters)
    return [(row_of[left], row_of[right], jaccard) for left, right, jaccard in found]


@some.each("keep")
@some.each("unit")
@examples(3)
@given(texts=corpora(), multiset=st.booleans(), scheme=some.one_of("scheme"))
@example(texts=[Text(b""), Text(b"")], multiset=False, scheme="fss")
def test_groups_are_those_of_the_twin(unit, keep, texts, multiset, scheme):
    choices = Choices(unit, some.small_k(unit), multiset, 0.5, keep)
    assert asked(texts, choices, "groups", scheme=scheme) == Twin(texts, choices).greedy()


@some.each("keep")
@examples(4)
@given(texts=corpora(), unit=some.one_of("unit"), multiset=st.booleans())
def test_components_are_those_of_the_twin(keep, texts, unit, multiset):
    choices = Choices(unit, some.small_k(unit), multiset, 0.5, keep)
    assert asked(texts, choices, "groups", cluster="components") == Twin(texts, choices).components()


@examples(8)
@given(texts=corpora(), unit=some.one_of("unit"), multiset=st.booleans(), keep=some.one_of("keep"))
def test_pairs_are_those_of_the_twin(texts, unit, multiset, keep):
    choices = Choices(unit, some.small_k(unit), multiset, 0.5, keep)
    twin = Twin(texts, choices)
    assert asked(texts, choices, "pairs") == twin.pairs()
    assert asked(texts, choices, "all_pairs") == twin.all_pairs()


@examples(8)
@given(texts=corpora(), threshold=st.sampled_from((0.5, 0.6, 2 / 3, 0.75, 1.0)), k=st.integers(1, 5))
def test_a_similarity_at_the_threshold_counts(texts, threshold, k):
    choices = Choices("char", k, False, threshold, "first")
    twin = Twin(texts, choices)
    assert asked(texts, choices, "groups") == twin.greedy()
    assert asked(texts, choices, "pairs") == twin.pairs()


@pytest.mark.parametrize("seed", [0, 3, *slow(1, 2, 4)])
@some.each("cluster")
def test_answers_about_larger_corpora_are_those_of_the_twin(seed, cluster):
    texts = family(seed, 90)
    choices = Choices("word", 2, bool(seed % 2), 0.5, some.members("keep")[seed])
    twin = Twin(texts, choices)
    expected = twin.greedy() if cluster == "greedy" else twin.components()
    assert len(expected) > 20
    assert asked(texts, choices, "groups", cluster=cluster) == expected


@pytest.mark.reliability("thousands of revisions, each similar to its neighbours")
@pytest.mark.parametrize("options", [{}, {"exact": True, "bands": None, "rows": None}], ids=["bands", "exact"])
def test_revisions_in_their_order_are_those_of_the_twin(options):
    dice = random.Random(1)
    words = [b"w%d" % dice.randrange(10**6) for _ in range(260)]
    texts = [Text(b" ".join(words[2 * at : 2 * at + 20])) for at in range(120)]
    choices = Choices("word", 2, False, 0.8)
    expected = Twin(texts, choices).greedy()
    assert [row[:2] for row in expected] == [(at, at + 1) for at in range(0, 120, 2)]
    assert asked(texts, choices, "groups", **options) == expected
