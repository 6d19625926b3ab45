"""compare and similarity: every measure of two texts is what its definition says."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import simdocs
from simdocs.commands import question
from simdocs.matching import measures
from simdocs.model import comparison
from simdocs.options.families import SIMILARITIES
from tests import strategies as some
from tests.amounts import examples
from tests.twins import shingles, subsequence, text, units
from tests.twins import similarity as twin
from tests.twins.bands import chance
from tests.twins.decoding import utf8
from tests.twins.similarity import jaccard

documents = some.batches.map(lambda batch: b"".join(batch[:2]))


def compare(*texts: str | bytes, **keywords: object) -> comparison.Comparison:
    found = simdocs.compare(texts=texts, **keywords)  # type: ignore[arg-type]
    assert isinstance(found, comparison.Comparison)
    return found


EDITS = ("edit_unit", "lcs", "edit_distance", "edit_similarity")


def of(found: comparison.Comparison, *names: str) -> tuple[object, ...]:
    """The measures with these names."""
    return tuple(found.measures[name] for name in names)


def test_nadal_and_nadia_share_two_of_six_pairs_of_letters():
    found = compare("nadal", "nadia", k=2)
    assert of(found, "intersection", "union") == (2, 6)
    assert found.jaccard == found.similarity == simdocs.similarity("nadal", "nadia", k=2) == 2 / 6
    assert of(found, "distance", "containment_a", "containment_b", "overlap") == (1 - 2 / 6, 0.5, 0.5, 0.5)
    assert of(found, "cosine", "angle") == (0.5, pytest.approx(60))


def test_half_of_the_words_about_chocolate_are_the_same():
    found = compare("I love chocolate", "I love chocolate and pizza, white", unit="word", k=1)
    assert of(found, "jaccard", "containment_a", "containment_b") == (3 / 6, 1.0, 3 / 6)
    assert of(found, *EDITS) == ("word", 3, 3, 6 / 9)


def test_repeats_count_in_bags_only():
    found = compare("a a a b", "a a b b c", unit="word", k=1)
    assert of(found, "bag_jaccard", "bag_distance", "jaccard") == (3 / 6, 3 / 6, 2 / 3)
    assert found.similarity == 2 / 3
    assert compare("a a a b", "a a b b c", unit="word", k=1, multiset=True).similarity == 3 / 6


@examples(10)
@given(a=documents, b=documents, shingling=some.shinglings)
def test_measures_are_those_of_the_twins(a, b, shingling):
    found = measures.shingle_measures(a, b, shingling)
    plain = shingling.but(multiset=False)
    left, right = shingles.tokens(a, plain), shingles.tokens(b, plain)
    assert found["jaccard"] == twin.jaccard(set(left), set(right))
    assert found["bag_jaccard"] == twin.multiset_jaccard(left, right)
    cosine = pytest.approx(twin.cosine(left, right)) if left and right else None
    assert found["cosine"] == cosine
    edits = measures.edit_measures(a, b, shingling)
    cut = {"char": units.chars, "line": units.lines}.get(shingling.unit, units.words)
    texts = [cut(text.normalised(each, shingling.normalisation, lines=shingling.unit == "line")) for each in (a, b)]
    numbers = {unit: number for number, unit in enumerate({*texts[0], *texts[1]})}
    lcs = subsequence.lcs_length(*([numbers[unit] for unit in each] for each in texts))
    assert edits["lcs"] == lcs
    assert edits["edit_distance"] == len(texts[0]) + len(texts[1]) - 2 * lcs


def test_a_text_is_as_similar_to_itself_as_can_be_and_an_empty_one_to_nothing():
    same = compare("one two three four", "One  two three four")
    assert of(same, "jaccard", "bag_jaccard", "cosine", "angle") == (1, 1, 1, 0)
    assert of(same, "edit_distance", "edit_similarity") == (0, 1)
    assert of(same, "estimate", "standard_error", "probability") == (1, 0, 1)
    assert of(same, "equal_bands", "bands") == (18, 18)
    empty = compare("", "one two three four")
    assert of(empty, "jaccard", "containment_a", "containment_b") == (0, None, 0)
    assert of(empty, "overlap", "cosine", "angle") == (None, None, None)
    assert of(empty, "edit_distance", "edit_similarity") == (18, 0)
    both = compare("", "")
    assert of(both, "edit_similarity", "jaccard", "estimate", "equal_bands", "probability") == (None, 0, 0, 0, 0)


def test_signatures_are_those_of_an_index_with_the_same_parameters():
    texts = ["the quick brown fox jumps over the lazy dog", "the quick brown fox jumps over the lazy cat"]
    index = simdocs.index(texts=texts, k=4, num_perm=64, bands=16, rows=4)
    found = compare(*texts, k=4, num_perm=64, bands=16, rows=4).measures
    signatures = np.asarray(index["signatures"].all())
    agree = signatures[0] == signatures[1]
    assert found["estimate"] == agree.mean()
    assert found["equal_bands"] == sum(agree[at : at + 4].all() for at in range(0, 64, 4)) > 0
    similarity = compare(*texts, k=4).jaccard
    assert found["standard_error"] == math.sqrt(similarity * (1 - similarity) / 64)
    assert found["probability"] == pytest.approx(chance(similarity, 16, 4))


def test_more_than_two_texts_give_a_symmetric_matrix_of_the_same_similarities():
    texts = ["the quick brown fox", "the quick brown dog", "", "something else"]
    found = simdocs.compare(texts=texts, names=["a", "b", "c", "d"], k=2)
    assert isinstance(found, comparison.SimilarityMatrix)
    assert (found.names, found.similarity.shape, found.similarity.dtype) == (("a", "b", "c", "d"), (4, 4), np.float64)
    assert (found.similarity == found.similarity.T).all()
    assert found.similarity.diagonal().tolist() == [1, 1, 0, 1]
    assert found.similarity[0, 1] == compare(texts[0], texts[1], k=2).jaccard


def test_texts_that_are_too_long_and_different_say_what_was_not_computed(monkeypatch):
    texts = ["one two three four five\n" * 3, "six seven eight nine ten\n" * 3]
    monkeypatch.setattr(measures, "MOST_CELLS", 300)
    found = compare(*texts)
    assert of(found, "edit_unit", "lcs") == ("word", 0)
    bound = "the texts are too long and different (more than 10,000,000,000 pairs of"
    assert found.notes == (f"{bound} characters): the edit distance is of words",)
    monkeypatch.setattr(measures, "MOST_CELLS", 8)
    found = compare(*texts)
    assert of(found, *EDITS) == (None, None, None, None)
    assert found.notes == (f"{bound} words): there is no edit distance",)
    monkeypatch.setattr("simdocs.matching.difference.MOST_CELLS", 1)
    so = "there is no edit distance; they are compared only by how they begin and end"
    assert compare(*texts, diff="words").notes == (f"{bound} words): {so}",)


STOP_WORDS = Path(__file__).with_name("stop_words.txt")
"""A list: the, and, of."""

KNOWN: list[tuple[str, str, dict[str, Any], Fraction]] = [
    # na ad da al | na ad di ia
    ("nadal", "nadia", {"k": 2}, Fraction(2, 6)),
    # abc bcd | abc bce
    ("abcd", "abce", {"k": 3}, Fraction(1, 3)),
    # The whole text is the only shingle where it is shorter than k.
    ("abcd", "abcd", {"k": 9}, Fraction(1)),
    ("abcd", "abce", {"k": 9}, Fraction(0)),
    # a rose, rose is, is a | a rose, rose was, was a
    ("A rose is a rose", "A rose was a rose", {"unit": "word", "k": 2}, Fraction(1, 5)),
    # one, two, three | two, three, four
    ("one\ntwo\nthree", "two\nthree\nfour", {"unit": "line"}, Fraction(2, 4)),
    # the cat | the dog: shingles of two words that begin with a stop word
    ("the cat sat", "the dog sat", {"unit": "stopword", "k": 2}, Fraction(0)),
    ("cat of tin", "dog of tin", {"unit": "stopword", "k": 2}, Fraction(1)),
    ("Katze und Hund", "Maus und Hund", {"unit": "stopword", "k": 2, "language": "de"}, Fraction(1)),
    # cat sat | cat sat: without stop words, which are left out before the shingles are made
    ("the cat sat", "a cat then sat", {"unit": "word", "k": 2, "ignore_stop_words": True}, Fraction(1)),
    (
        "the cat sat",
        "cat sat the",
        {"unit": "word", "k": 2, "ignore_stop_words": True, "language": "de"},
        Fraction(1, 3),
    ),
    ("the cat and Tom", "cat of Tom", {"unit": "word", "k": 2, "stop_words": STOP_WORDS}, Fraction(1)),
    ("the cat or Tom", "cat Tom", {"unit": "word", "k": 2, "stop_words": STOP_WORDS}, Fraction(0)),
    # the cat
    ("is the cat", "the cat is", {"unit": "stopword", "k": 2, "stop_words": STOP_WORDS}, Fraction(1)),
    # nothing is left, which matches nothing
    ("the and", "the and", {"unit": "word", "ignore_stop_words": True}, Fraction(0)),
    # {a b} | {a b}, but of multisets {a a a b} | {a b b}: 2 of 5
    ("aaab", "abb", {"k": 1}, Fraction(1)),
    ("aaab", "abb", {"k": 1, "multiset": True}, Fraction(2, 5)),
    # a b | a b: two of the three
    ("ab", "aB", {"k": 1, "keep_case": True}, Fraction(1, 3)),
    ("ab", "aB", {"k": 1}, Fraction(1)),
    ("x²", "x2", {"k": 1}, Fraction(1, 3)),
    ("x²", "x2", {"k": 1, "nfkc": True}, Fraction(1)),
    ("MASSE", "Ma\u00adße", {"k": 1}, Fraction(1)),
    ("née", "nee", {"k": 1}, Fraction(2, 3)),
    ("née", "nee", {"k": 1, "strip_accents": True}, Fraction(1)),
    # a b ! | a b
    ("ab!", "ab", {"k": 1}, Fraction(2, 3)),
    ("ab!", "ab", {"k": 1, "strip_punctuation": True}, Fraction(1)),
    ("a1", "a2", {"k": 1}, Fraction(1, 3)),
    ("a1", "a2", {"k": 1, "mask_digits": True}, Fraction(1)),
    # nothing to compare
    ("", "", {}, Fraction(0)),
    ("", "abc", {}, Fraction(0)),
    (" \n\t", "abc", {"k": 1}, Fraction(0)),
    ("!!!", "!!!", {"unit": "word"}, Fraction(0)),
]


@pytest.mark.parametrize(("a", "b", "keywords", "expected"), KNOWN)
def test_similarities_worked_out_by_hand(a, b, keywords, expected):
    assert simdocs.similarity(a, b, **keywords) == simdocs.similarity(b, a, **keywords) == float(expected)
    assert simdocs.similarity(a.encode(), b.encode(), **keywords) == float(expected)


texts = some.batches.filter(lambda batch: len(batch) >= 2).map(lambda batch: (batch[0], batch[1]))


shinglings = some.shinglings.map(lambda each: each.but(stop_word_list=""))


def keywords_of(shingling: some.Shingling) -> dict[str, Any]:
    """A shingling as keywords; what says the stop words where it matters."""
    of_stop_words = ("language", "ignore_stop_words", "stop_word_list")
    found = {
        name: getattr(shingling, name)
        for name in some.Shingling.defaults
        if name not in ("normalisation", *of_stop_words)
    }
    found |= {name: getattr(shingling.normalisation, name) for name in some.SWITCHES}
    if shingling.unit == "word" and shingling.ignore_stop_words:
        found["ignore_stop_words"] = True
    if shingling.unit == "stopword" or "ignore_stop_words" in found:
        found |= {"language": shingling.language}
    return found


MEASURED: list[tuple[str, str, dict[str, Any], Fraction]] = [
    # ab bc cd | ab bc cd de ef
    ("abcd", "abcdef", {"measure": "containment", "k": 2}, Fraction(1)),
    ("abcdef", "abcd", {"measure": "containment", "k": 2}, Fraction(3, 5)),
    ("abcdef", "abcd", {"measure": "overlap", "k": 2}, Fraction(1)),
    ("abcdef", "abcd", {"measure": "jaccard", "k": 2}, Fraction(3, 5)),
    # {a a a b} | {a b b}: two of four, two of three
    ("aaab", "abb", {"measure": "containment", "k": 1, "multiset": True}, Fraction(2, 4)),
    ("aaab", "abb", {"measure": "overlap", "k": 1, "multiset": True}, Fraction(2, 3)),
    # (3, 0) and (4, 3): 12 of 3 times 5
    ("aaa", "aaaabbb", {"measure": "cosine", "k": 1}, Fraction(12, 15)),
    # nada of nadal and nadia: 2 times 4 of 10
    ("nadal", "nadia", {"measure": "edit"}, Fraction(8, 10)),
    ("a b c", "a x c", {"measure": "edit", "unit": "word"}, Fraction(4, 6)),
    *(("", text, {"measure": each}, Fraction(0)) for each in SIMILARITIES for text in ("", "abc")),
]


@pytest.mark.parametrize(("a", "b", "keywords", "expected"), MEASURED)
def test_measures_worked_out_by_hand(a, b, keywords, expected):
    assert simdocs.similarity(a, b, **keywords) == simdocs.similarity(a.encode(), b, **keywords) == float(expected)


@examples(20)
@given(texts, shinglings)
def test_each_measure_is_that_of_compare(pair, shingling):
    keywords = keywords_of(shingling)
    two, multiset = simdocs.compare(texts=list(pair), **keywords).measures, shingling.multiset
    expected = {"jaccard": two["bag_jaccard" if multiset else "jaccard"], "cosine": two["cosine"] or 0.0}
    expected |= {"edit": two["edit_similarity"] or 0.0}
    if not multiset:
        expected |= {"containment": two["containment_a"] or 0.0, "overlap": two["overlap"] or 0.0}
    assert {each: simdocs.similarity(*pair, measure=each, **keywords) for each in expected} == expected


def test_texts_that_are_too_long_for_an_edit_distance_are_refused(monkeypatch):
    monkeypatch.setattr("simdocs.matching.measures.MOST_CELLS", 0)
    with pytest.raises(simdocs.UsageError, match=r"^--measure edit: the texts are too long and different for it: use"):
        simdocs.similarity("one two", "three four", measure="edit")


def test_every_parameter_of_similarity_has_an_effect_that_is_known():
    tried = {name for _, _, keywords, _ in (*KNOWN, *MEASURED) for name in keywords}
    assert tried | {"seed"} == set(question("similarity")[0].options)


@given(texts, shinglings)
def test_similarity_is_that_of_the_twin_whichever_text_comes_first(pair, shingling):
    keywords = keywords_of(shingling)
    first, second = (set(shingles.tokens(utf8(each), shingling)) for each in pair)
    assert simdocs.similarity(*pair, **keywords) == jaccard(first, second)
    assert simdocs.similarity(*reversed(pair), **keywords) == jaccard(first, second)
    assert simdocs.similarity(pair[0], pair[0], **keywords) == (1.0 if first else 0.0)
