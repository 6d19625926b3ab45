"""compare: every measure of two texts is what its definition says, and the same from both doors."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import simdocs
from simdocs.matching import difference, measures
from simdocs.model import comparison
from simdocs.model.result import Look, tables_of
from tests import strategies as some
from tests.amounts import examples
from tests.cli.program import simdocs as program
from tests.twins import shingles, subsequence, text, units
from tests.twins import similarity as twin
from tests.twins.bands import chance

documents = some.batches.map(lambda batch: b"".join(batch[:2]))


def compare(*texts: str | bytes, **keywords: object) -> comparison.Comparison:
    found = simdocs.compare(texts=texts, **keywords)  # type: ignore[arg-type]
    assert isinstance(found, comparison.Comparison)
    return found


def test_nadal_and_nadia_share_two_of_six_pairs_of_letters():
    found = compare("nadal", "nadia", k=2)
    assert (found.shingles.intersection, found.shingles.union) == (2, 6)
    assert found.jaccard == found.similarity == simdocs.similarity("nadal", "nadia", k=2) == 2 / 6
    assert found.shingles.distance == 1 - 2 / 6
    assert (found.shingles.containment_a, found.shingles.containment_b, found.shingles.overlap) == (0.5, 0.5, 0.5)
    assert found.shingles.cosine == 0.5
    assert found.shingles.angle == pytest.approx(60)


def test_half_of_the_words_about_chocolate_are_the_same():
    found = compare("I love chocolate", "I love chocolate and pizza, white", unit="word", k=1)
    assert (found.jaccard, found.shingles.containment_a, found.shingles.containment_b) == (3 / 6, 1.0, 3 / 6)
    assert (found.edits.unit, found.edits.lcs, found.edits.distance, found.edits.similarity) == ("word", 3, 3, 6 / 9)


def test_repeats_count_in_bags_only():
    found = compare("a a a b", "a a b b c", unit="word", k=1)
    assert (found.shingles.bag_intersection, found.shingles.bag_union) == (3, 6)
    assert (found.shingles.bag_jaccard, found.shingles.bag_distance, found.jaccard) == (3 / 6, 3 / 6, 2 / 3)
    assert found.similarity == 2 / 3
    assert compare("a a a b", "a a b b c", unit="word", k=1, multiset=True).similarity == 3 / 6


@examples(10)
@given(a=documents, b=documents, shingling=some.shinglings)
def test_measures_are_those_of_the_twins(a, b, shingling):
    found = measures.shingle_measures(a, b, shingling)
    plain = shingling.but(multiset=False)
    left, right = shingles.tokens(a, plain), shingles.tokens(b, plain)
    assert found.jaccard == twin.jaccard(set(left), set(right))
    assert found.bag_jaccard == twin.multiset_jaccard(left, right)
    assert found.cosine is None if not left or not right else found.cosine == pytest.approx(twin.cosine(left, right))
    edits = measures.edit_measures(a, b, shingling)
    cut = {"char": units.chars, "line": units.lines}.get(shingling.unit, units.words)
    texts = [cut(text.normalised(each, shingling.normalisation, lines=shingling.unit == "line")) for each in (a, b)]
    assert (edits.length_a, edits.length_b) == (len(texts[0]), len(texts[1]))
    numbers = {unit: number for number, unit in enumerate({*texts[0], *texts[1]})}
    lcs = subsequence.lcs_length(*([numbers[unit] for unit in each] for each in texts))
    assert edits.lcs == lcs
    assert edits.distance == len(texts[0]) + len(texts[1]) - 2 * lcs


@examples(10)
@given(a=documents, b=documents, c=documents)
def test_measures_are_symmetric_and_the_distance_keeps_the_triangle_inequality(a, b, c):
    each = {pair: compare(*pair, k=2) for pair in ((a, b), (b, a), (b, c), (a, c))}
    there, back = each[a, b], each[b, a]
    assert (there.jaccard, there.shingles.cosine, there.edits.lcs) == (
        back.jaccard,
        back.shingles.cosine,
        back.edits.lcs,
    )
    assert there.shingles.containment_a == back.shingles.containment_b
    assert there.signatures == back.signatures
    distance = {pair: found.shingles.distance for pair, found in each.items()}
    assert distance[a, c] <= distance[a, b] + distance[b, c] + 1e-12
    assert all(found.shingles.bag_jaccard <= 1 and found.jaccard <= 1 for found in each.values())


def test_a_text_is_as_similar_to_itself_as_can_be_and_an_empty_one_to_nothing():
    same = compare("one two three four", "One  two three four")
    assert (same.jaccard, same.shingles.bag_jaccard, same.shingles.cosine, same.shingles.angle) == (1, 1, 1, 0)
    assert (same.edits.distance, same.edits.similarity) == (0, 1)
    assert (same.signatures.estimate, same.signatures.standard_error, same.signatures.probability) == (1, 0, 1)
    assert same.signatures.equal_bands == same.signatures.bands == 18
    empty = compare("", "one two three four")
    assert (empty.jaccard, empty.shingles.containment_a, empty.shingles.containment_b) == (0, None, 0)
    assert (empty.shingles.overlap, empty.shingles.cosine, empty.shingles.angle) == (None, None, None)
    assert (empty.edits.distance, empty.edits.similarity) == (18, 0)
    both = compare("", "")
    assert (both.edits.similarity, both.jaccard) == (None, 0)
    assert (both.signatures.estimate, both.signatures.equal_bands, both.signatures.probability) == (0, 0, 0)
    traced = simdocs.compare(texts=["", "", "one"], scheme="permutation", trace=True)
    *_, pairs = tables_of(traced, Look())
    assert [pair[2:] for pair in pairs] == [(0, 0, 0)] * 3


def test_signatures_are_those_of_an_index_with_the_same_parameters():
    texts = ["the quick brown fox jumps over the lazy dog", "the quick brown fox jumps over the lazy cat"]
    index = simdocs.index(texts=texts, k=4, num_perm=64, bands=16, rows=4)
    found = compare(*texts, k=4, num_perm=64, bands=16, rows=4).signatures
    signatures = np.asarray(index["signatures"].all())
    agree = signatures[0] == signatures[1]
    assert found.estimate == agree.mean()
    assert found.equal_bands == sum(agree[at : at + 4].all() for at in range(0, 64, 4)) > 0
    similarity = compare(*texts, k=4).jaccard
    assert found.standard_error == math.sqrt(similarity * (1 - similarity) / 64)
    assert found.probability == pytest.approx(chance(similarity, 16, 4))


def test_several_units_and_lengths_give_the_measures_of_each():
    texts = ["the quick brown fox", "the quick brown dog"]
    found = compare(*texts, unit=("word", "char"), k=[1, 2])
    assert [(each.unit, each.k) for each in found.every] == [("word", 1), ("word", 2), ("char", 1), ("char", 2)]
    for each in found.every:
        alone = compare(*texts, unit=each.unit, k=each.k)
        assert alone.every == (each,)
    assert found.jaccard == 3 / 5
    assert compare(*texts, unit=("char", "word", "char")).every[1].k == 5


def test_more_than_two_texts_give_a_symmetric_matrix_of_the_same_similarities():
    texts = ["the quick brown fox", "the quick brown dog", "", "something else"]
    found = simdocs.compare(texts=texts, names=["a", "b", "c", "d"], k=2)
    assert isinstance(found, comparison.SimilarityMatrix)
    assert (found.names, found.similarity.shape, found.similarity.dtype) == (("a", "b", "c", "d"), (4, 4), np.float64)
    assert (found.similarity == found.similarity.T).all()
    assert found.similarity.diagonal().tolist() == [1, 1, 0, 1]
    assert found.similarity[0, 1] == compare(texts[0], texts[1], k=2).jaccard


def test_containment_compares_an_excerpt_with_what_it_is_from():
    texts = ["the quick brown fox jumps", "the quick brown", "something else"]
    found = simdocs.compare(texts=texts, k=3, measure="containment")
    assert isinstance(found, comparison.SimilarityMatrix)
    pairs = {(a, b): compare(texts[a], texts[b], k=3) for a in range(3) for b in range(3)}
    for (a, b), pair in pairs.items():
        assert found.similarity[a, b] == pair.shingles.containment_a
        assert found.similarity[b, a] == pair.shingles.containment_b
    two = compare(*texts[:2], k=3, measure="containment")
    assert (two.similarity, two.is_found, comparison.matrix_of(two)[1, 0]) == (1, True, 1)
    assert two.signatures == pairs[0, 1].signatures
    assert not pairs[0, 1].is_found


def test_texts_that_are_too_long_and_different_say_what_was_not_computed(monkeypatch):
    texts = ["one two three four five\n" * 3, "six seven eight nine ten\n" * 3]
    monkeypatch.setattr(measures, "MOST_CELLS", 300)
    found = compare(*texts)
    assert (found.edits.unit, found.edits.lcs) == ("word", 0)
    bound = "the texts are too long and different (more than 10,000,000,000 pairs of"
    assert found.notes == (f"{bound} characters): the edit distance is of words",)
    monkeypatch.setattr(measures, "MOST_CELLS", 8)
    found = compare(*texts)
    assert (found.edits.unit, found.edits.lcs, found.edits.distance, found.edits.similarity) == ("", None, None, None)
    assert found.notes == (f"{bound} words): there is no edit distance",)
    assert compare(*texts, unit="line").notes == (f"{bound} lines): there is no edit distance",)
    monkeypatch.setattr(difference, "MOST_CELLS", 8)
    both = compare(*texts, diff="words").notes
    assert both == (f"{bound} words): there is no edit distance; they are compared only by how they begin and end",)
    assert dict(found.rows())["edit_distance"] is None
    assert dict(found.rows())["edit_unit"] is None


def test_a_difference_has_a_short_repr():
    assert repr(compare("nadal", "nadia", k=2, diff="words").difference) == "<Difference: unit='words', passages=1>"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("The quick brown fox jumps over the lazy dog.\n")
    Path("b.txt").write_text("The quick brown fox jumps over the lazy cat.\n")
    Path("c.txt").write_text("Something else.\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "keywords"),
    [
        ([], {}),
        (["--unit", "word", "-k", "2", "--num-perm", "64"], {"unit": "word", "k": 2, "num_perm": 64}),
        (["--strip-punctuation", "--multiset"], {"strip_punctuation": True, "multiset": True}),
    ],
)
def test_both_doors_give_the_same_measures(here, words, keywords):
    found = simdocs.compare("a.txt", "b.txt", diff="words", **keywords)
    done = program("compare", "a.txt", "b.txt", *words, "--format", "jsonl", cwd=here)
    rows = [json.loads(line) for line in done.out.splitlines()]
    measured = {row["measure"]: row["value"] for row in rows if "measure" in row}
    expected = {name: round(value, 6) if isinstance(value, float) else value for name, value in found.rows()}
    assert list(measured.items()) == list(expected.items())
    passages = [(row["passage"] == "shared", row["a"], row["b"]) for row in rows if "passage" in row]
    assert passages == [(each.shared, each.a, each.b) for each in found.difference.passages]


@pytest.mark.parametrize(
    ("build", "name"),
    [(simdocs.shingle, "x.shingles"), (simdocs.signature, "x.signatures"), (simdocs.index, "x.index")],
)
def test_documents_of_an_artifact_are_compared_as_it_was_built(here, build, name):
    made = build("a.txt", "b.txt", output=name, unit="word", k=2)
    expected = simdocs.compare("a.txt", "b.txt", unit="word", k=2)
    for artifact in (made, name):
        found = simdocs.compare(artifact, "a.txt", "b.txt")
        assert (found.every, found.signatures, found.names) == (expected.every, expected.signatures, ("a.txt", "b.txt"))


@pytest.mark.parametrize("keywords", [{}, {"multiset": True}, {"template": "c.txt"}, {"ignore_common": 0.7}])
def test_documents_of_an_index_have_the_similarity_that_dedupe_finds(here, keywords):
    for name, end in (("a.txt", "dog"), ("b.txt", "cat")):
        Path(name).write_text(f"Something else. The dog, the {end}, the dog and the quick brown {end}.\n")
    Path("d.txt").write_text("Something else, of other words.\n")
    index = simdocs.index("a.txt", "b.txt", "d.txt", k=4, threshold=0.1, **keywords)
    pair = next(simdocs.pairs(index).rows())
    found = simdocs.compare(index, "a.txt", "b.txt")
    assert pair == ("a.txt", "b.txt", found.similarity, found.signatures.estimate)
    assert 0 < found.similarity < 1
    assert simdocs.compare(index, "a.txt", "b.txt", "d.txt").similarity[0, 1] == found.similarity
    if not {"template", "ignore_common"} & keywords.keys():
        assert found.similarity == simdocs.compare("a.txt", "b.txt", k=4, **keywords).similarity


def test_texts_in_memory_of_an_artifact_are_compared(here):
    index = simdocs.index(texts=["nadal", "nadia"], k=2)
    assert simdocs.compare(index, "0", "1").jaccard == 2 / 6
