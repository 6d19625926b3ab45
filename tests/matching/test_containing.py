"""query --measure containment: the documents of an index that contain a document, without a sketch and with one."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.kernels import fracminhash
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


RANDOM = np.random.default_rng(3)
WORDS = [f"w{number}" for number in range(2000)]
TEXTS = [" ".join(RANDOM.choice(WORDS, 150)) for _ in range(30)]
TEXTS += [TEXTS[0], "", f"{TEXTS[1]} {TEXTS[2]}", f"{TEXTS[0]} and more"]
ASKED = [text[100:600] for text in TEXTS[:12]] + ["", "too short for it", TEXTS[3], " ".join(RANDOM.choice(WORDS, 150))]


@pytest.fixture(scope="module")
def index():
    return simdocs.index(texts=TEXTS, containment=True)


def rows(found):
    return list(found.rows())


def test_a_sketch_finds_what_reading_all_finds_and_compares_far_fewer(index):
    found = simdocs.query(index, texts=ASKED, measure="containment")
    every = simdocs.query(simdocs.index(texts=TEXTS), texts=ASKED, measure="containment")
    assert rows(found) == rows(every)
    assert len(found) > 12
    facts, of_every = found.summary(), every.summary()
    assert facts["compared_with_all"] == 1
    # 32 texts of the index and 15 queries have tokens, and one of these is too short for the sketch.
    assert (facts["verified"], of_every["verified"]) == (facts["candidates"] + 32, 15 * 32)
    assert facts["candidates"] < 100
    assert (facts["probability"], of_every["probability"]) == (0.95, 1)
    assert "compared_with_all" not in of_every
    long = simdocs.query(index, texts=ASKED[:3], measure="containment")
    assert rows(long) == [row for row in rows(found) if row[0] in "012"]
    assert long.summary()["compared_with_all"] == 0
    assert rows(simdocs.query(index, texts=ASKED, measure="containment", exact=True)) == rows(every)


def test_what_is_a_candidate_of_one_query_is_none_of_another(index):
    few = np.array([1]), np.array([0]), np.zeros(2, bool)
    with mock.patch.object(containing, "sketch_candidates", return_value=few):
        found = simdocs.query(index, texts=[TEXTS[0], TEXTS[0]], measure="containment")
    assert {row[0] for row in rows(found)} == {"1"}


@pytest.mark.parametrize("at_once", [1, 3, 20, 1 << 20])
def test_a_document_is_a_candidate_if_it_has_the_least_number_of_hits(index, at_once):
    """Also if its hits are so many that they are counted in several parts."""
    sets = simdocs.shingle(texts=ASKED).tokens
    wanted = set()
    for at in range(len(sets)):
        below = [token for token in sets[at].tolist() if token < 2**32 // fracminhash.SCALE]
        sizes = (np.array([number], np.int64) for number in (len(sets[at]), len(below), -(-3 * len(sets[at]) // 10)))
        (least,) = fracminhash.least_hits(*sizes, 0.95)
        owners = [index["sketch_rows"].all()[index["sketch_tokens"].all() == token] for token in below]
        rows, counts = np.unique(np.concatenate([np.empty(0, np.int64), *owners]), return_counts=True)
        wanted |= {(at, row) for row in rows[counts >= least].tolist() if least}
    with mock.patch.object(containing, "_HITS_AT_ONCE", at_once):
        places, firsts, _ = containing.sketch_candidates(index, sets, 0.3, 0.95)
    assert set(zip(places.tolist(), firsts.tolist(), strict=True)) == wanted
    assert len(wanted) > 10
