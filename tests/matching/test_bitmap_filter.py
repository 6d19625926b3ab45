"""The bitmap filter changes no answer, and leaves few pairs of a crowd to compare exactly."""

from __future__ import annotations

import random
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.kernels.compare import bitmaps, jaccard
from simdocs.matching.verification import bitmap_filter, verify
from simdocs.matching.verification.bitmap_filter import BitmapFilter
from simdocs.matching.verification.verification_blocks import MadeBitmaps
from simdocs.model.ragged import Ragged
from tests.amounts import examples
from tests.similar_texts import corpora

WAYS = [{"pairs": True}, {"pairs": True, "exact": True}, {}, {"cluster": "components"}]


def crowd(documents: int, common: int, own: int) -> list[str]:
    """Return texts that share so many words, and have so many words of their own."""
    template = [f"t{word}" for word in range(common)]
    return [" ".join(template + [f"{document}w{word}" for word in range(own)]) for document in range(documents)]


def answer(texts: list[str], **options: object) -> tuple[list[tuple[object, ...]], int]:
    """Return the rows of an answer, and the number of pairs whose similarity was computed."""
    found = simdocs.dedupe(texts=texts, unit="word", k=1, **options)
    return sorted(found.rows()), found.comparison.verified


@examples(30)
@given(texts=corpora(14), way=st.sampled_from(WAYS), threshold=st.sampled_from([0.3, 0.5, 0.8]))
def test_answers_are_the_same_without_the_filter(texts, way, threshold):
    """A bitmap is made after one comparison without a match, and the filter is asked after every second pair."""
    documents = [text.data for text in texts]
    options = {"bands": 128, "rows": 1, **way} if "exact" not in way else way
    with mock.patch.object(bitmap_filter, "_TRIES", 1), mock.patch.object(verify, "_TOGETHER", 2):
        found, verified = answer(documents, threshold=threshold, **options)
    with mock.patch.object(BitmapFilter, "learn"):
        expected, every = answer(documents, threshold=threshold, **options)
    assert found == expected
    assert verified <= every


@pytest.mark.parametrize("way", [{"pairs": True}, {}])
def test_few_pairs_of_a_crowd_are_compared_exactly(way):
    """150 texts, any two of which have a similarity of 0.6, and one pair of near-duplicates."""
    texts = crowd(150, 90, 30)
    random.Random(1).shuffle(texts)
    texts.append(texts[40] + " more")
    means = {"num_perm": 60, "bands": 20, "rows": 3, "threshold": 0.75, **way}  # too few places for a prefilter
    with mock.patch.object(verify, "_TOGETHER", 256):
        rows, verified = answer(texts, **means)
    with mock.patch.object(BitmapFilter, "learn"):
        expected, every = answer(texts, **means)
    assert rows == expected
    assert len(rows) == 1
    assert every > 9000
    assert verified < 800


def made(sets: list[set[int]], threshold: float) -> MadeBitmaps:
    """Return the bitmaps of sets. An empty one counts as a document that could not be read."""
    ragged = Ragged.from_rows([np.array(sorted(one), np.uint32) for one in sets], np.uint32)
    sizes = ragged.lengths
    return MadeBitmaps(bitmaps.bitmaps(ragged, bitmaps.bits_of(sizes, threshold)), sizes, sizes > 0)


def test_pairs_of_sets_of_all_sizes_are_dropped_only_if_they_are_below_the_threshold():
    rng, threshold = np.random.default_rng(3), 0.5
    sets = [set(rng.integers(0, 3000, size).tolist()) for size in (0, 1, 30, 300, 1500, 3000, 9000, 3000, 3100)]
    asked = BitmapFilter(len(sets), threshold)
    rows = np.arange(len(sets))
    asked.add(rows[:4], made(sets[:4], threshold))
    asked.add(rows[4:], made(sets[4:], threshold))
    left, right = (side.ravel() for side in np.meshgrid(rows, rows))
    below = asked.below(left, right)
    for one, other, dropped in zip(left.tolist(), right.tolist(), below.tolist(), strict=True):
        common, either = len(sets[one] & sets[other]), len(sets[one] | sets[other])
        if not sets[one] or not sets[other] or common / either >= threshold:
            assert not dropped
    assert below.sum() > 20
    assert jaccard.of_overlaps(np.array([1]), np.array([1]), np.array([1])) == 1


def test_a_bitmap_is_made_of_both_documents_after_two_comparisons_without_a_match_once_and_while_there_is_room():
    asked = BitmapFilter(4, 0.8)
    assert asked.lacking(np.array([0, 0]), np.array([1, 2])).tolist() == []
    asked.learn(np.array([0, 0]), np.array([1, 2]))
    assert asked.lacking(np.array([0, 0]), np.array([1, 2])).tolist() == []
    asked.learn(np.array([0]), np.array([1]))
    assert asked.lacking(np.array([0, 0]), np.array([1, 2])).tolist() == [0, 1]
    asked.add(np.array([0]), made([{1, 2, 3}], 0.8))
    assert asked.lacking(np.array([0, 0]), np.array([1, 2])).tolist() == [1]
    with mock.patch.object(bitmap_filter, "_MOST_BYTES", 8):
        assert asked.lacking(np.array([0]), np.array([1])).tolist() == []
    asked.add(np.array([1]), made([set()], 0.8))
    assert asked.lacking(np.array([0]), np.array([1])).tolist() == []
    assert asked.below(np.array([0, 0]), np.array([1, 0])).tolist() == [False, False]
