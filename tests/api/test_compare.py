"""compare: every measure of two texts is what its definition says, and the same from both doors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

import simdocs
from simdocs.matching import measures
from simdocs.model import comparison
from tests import strategies as some
from tests.amounts import examples
from tests.twins import shingles, subsequence, text, units
from tests.twins import similarity as twin
from tests.twins.bands import chance

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
