"""Advice from lengths: a k that is too small for long documents, or too large for short ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.advice.length_advice import larger_k, length_advice, next_larger_k, smaller_k
from simdocs.errors import spelled
from simdocs.model.documents import Documents
from simdocs.recipes import Shingling


def documents(*texts: str, unit: str = "char", k: int = 9) -> Documents:
    return simdocs.shingle(texts=texts, unit=unit, k=k).documents


@pytest.mark.parametrize("unit", ["char", "word"])
@pytest.mark.parametrize("k", [999, 1000])
def test_the_largest_k_has_no_larger_one(unit, k):
    made = documents("x" * 3000, unit=unit, k=k)
    assert larger_k(made, Shingling(unit=unit, k=k)) is None
    assert len(list(length_advice(made, Shingling(unit=unit, k=k)))) == 1


@pytest.mark.parametrize(("k", "better"), [(1, 4), (3, 4), (4, None), (9, None)])
def test_a_larger_k_suits_a_thousand_characters(k, better):
    assert larger_k(documents("ab " * 333, k=k), Shingling(k=k)) == better


def test_no_larger_k_is_advised_that_is_too_large_for_the_short_documents():
    made = documents(*["x" * 9_000] * 3, "x" * 12, k=2)
    assert larger_k(made, Shingling(k=2)) is None
    (line,) = length_advice(made, Shingling(k=2))
    assert spelled(line).endswith("no k suits all of them, because k 5 would be too large for the short ones")


@pytest.mark.parametrize(("k", "larger"), [(4, 6), (9, 13), (15, 20), (20, None), (30, None)])
def test_the_next_larger_k_is_half_larger_at_most_and_suits_the_lengths(k, larger):
    assert next_larger_k(documents("x" * 100, k=k), Shingling(k=k)) == larger
    assert next_larger_k(documents("x\n" * 100, unit="line", k=1), Shingling(unit="line", k=1)) is None


def test_units_of_which_nothing_is_known_and_no_documents_have_no_larger_k():
    assert larger_k(documents("a\nb\n" * 500, unit="line", k=1), Shingling(unit="line", k=1)) is None
    assert larger_k(documents(), Shingling(k=1)) is None


def test_short_documents_lead_to_the_advice_of_a_smaller_k():
    (line,) = length_advice(documents("rather a short text", "a short text, too"), Shingling())
    assert spelled(line).endswith("so an edit changes most of their shingles; k 3 would do")


def test_no_smaller_k_is_advised_with_which_unrelated_documents_look_alike():
    for made in (documents("too short", "too short as well"), documents("too short", *["x " * 10_000] * 2)):
        (line,) = length_advice(made, Shingling())
        assert spelled(line).endswith("so an edit changes most of their shingles; no smaller k suits all of them")
        assert smaller_k(made, Shingling()) is None


@given(st.lists(st.integers(0, 400) | st.integers(0, 40_000), max_size=12), st.integers(1, 30))
def test_nothing_more_is_advised_about_a_k_that_was_advised(lengths, k):
    made = documents(*("x" * length for length in lengths), k=k)
    smaller, larger = smaller_k(made, Shingling(k=k)), larger_k(made, Shingling(k=k))
    if smaller is not None:
        assert larger is None and smaller < k
        assert list(length_advice(made, Shingling(k=smaller))) == []
    if larger is not None:
        assert smaller_k(made, Shingling(k=larger)) is None is larger_k(made, Shingling(k=larger))


def test_empty_documents_do_not_count_as_short():
    (line,) = length_advice(documents("too short", ""), Shingling())
    assert spelled(line).startswith("k = 9 is large: 1 of 1 non-empty documents (100%) have fewer than 45 chars")


def test_dedupe_gives_the_advice_that_index_gives():
    texts = ["a text of some words", "a text of many words"]
    made = simdocs.dedupe(texts=texts).advice
    assert made == simdocs.dedupe(texts=texts, pairs=True).advice != ()
    assert made[0].startswith("k = 9 is large: 2 of 2 documents (100%)")
    assert simdocs.dedupe(simdocs.shingle(texts=texts)).advice == ()
