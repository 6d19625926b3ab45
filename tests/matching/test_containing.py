"""query --measure containment: the documents of an index that contain a document."""

from __future__ import annotations

from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.matching import containing
from tests.twins import similarity as twin

LINES = [f"line {letter}" for letter in "abcdefgh"]
documents = st.lists(st.lists(st.sampled_from(LINES), max_size=9), min_size=1, max_size=7)


@given(documents, documents, st.sampled_from([0.3, 0.5, 0.75, 1.0]), st.sampled_from([1, 30, 1 << 20]))
def test_a_query_finds_every_document_that_contains_it(indexed, asked, threshold, at_once):
    index = simdocs.index(texts=["\n".join(lines) for lines in indexed], unit="line")
    with mock.patch.object(containing, "_BYTES_AT_ONCE", at_once):
        found = simdocs.query(
            index, texts=["\n".join(lines) for lines in asked], measure="containment", threshold=threshold
        )
    a, b = ([{LINES.index(line) for line in lines} for lines in some] for some in (asked, indexed))
    expected = {
        (left, right): (twin.jaccard(a[left], b[right]), twin.containment(a[left], b[right]))
        for left in range(len(a))
        for right in range(len(b))
        if twin.containment(a[left], b[right]) >= threshold
    }
    pairs = list(zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True))
    assert sorted(pairs) == sorted(expected)
    figures = zip(found.pairs.jaccard.tolist(), found.pairs.containment.tolist(), strict=True)
    assert [expected[pair] for pair in pairs] == list(figures)
    order = [(left, -expected[left, right][1]) for left, right in pairs]
    assert order == sorted(order)


def test_the_estimate_is_that_of_the_similarity_and_top_keeps_the_best():
    texts = ["a\nb\nc\nd", "a\nb\nc", "x\ny"]
    index = simdocs.index(texts=texts, names=["long", "short", "other"], unit="line")
    found = simdocs.query(index, texts=["a\nb\nc\nz"], names=["mine"], measure="containment", threshold=0.5)
    assert [row[:2] for row in found.rows()] == [("mine", "long"), ("mine", "short")]
    nearest = simdocs.query(index, texts=["a\nb\nc\nz"], names=["mine"], nearest=2)
    assert {row[:4] for row in found.rows()} == set(nearest.rows())
    best = simdocs.query(index, texts=["a\nb\nc\nz"], measure="containment", threshold=0.5, top=1)
    assert best.pairs.right.tolist() == [0]
    assert [found.summary()[name] for name in ("measure", "bands", "probability")] == ["containment", None, 1]
    assert found.is_found
