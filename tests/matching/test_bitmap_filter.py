"""The bitmap filter changes no answer, and leaves few pairs of a crowd to compare exactly."""

from __future__ import annotations

import random
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.kernels import bitmaps, jaccard
from simdocs.matching import bitmap_filter, verify
from tests import strategies as some
from tests.amounts import examples
from tests.similar_texts import corpora

WAYS = [
    (simdocs.pairs, {}),
    (simdocs.pairs, {"exact": True}),
    (simdocs.pairs, {"measure": "containment"}),
    (simdocs.dedupe, {}),
    (simdocs.dedupe, {"cluster": "components"}),
]


def crowd(documents: int, common: int, own: int) -> list[str]:
    """Return texts that share so many words, and have so many words of their own."""
    template = [f"t{word}" for word in range(common)]
    return [" ".join(template + [f"{document}w{word}" for word in range(own)]) for document in range(documents)]


def answer(ask: Any, texts: list[str], **options: object) -> tuple[list[tuple[object, ...]], int]:
    """Return the rows of an answer, and the number of pairs whose similarity was computed."""
    found = ask(texts=texts, unit="word", k=1, **options)
    return sorted(found.rows()), found.summary()["verified"]


@examples(30)
@given(corpora(14), st.sampled_from(WAYS), st.sampled_from([0.3, 0.5, 0.8]), st.sampled_from([1000, 1 << 25]))
def test_answers_are_the_same_without_the_filter(texts, way, threshold, room):
    """Bitmaps are made after one and two comparisons without a match. The filter is asked after every second pair."""
    documents = [text.data for text in texts]
    ask, more = way
    options = more if {"exact", "measure"} & set(more) else {"bands": 128, "rows": 1, **more}
    small = {"_TRIES": (1, 2), "_MOST_BYTES": room}
    with mock.patch.multiple(bitmap_filter, **small), mock.patch.multiple(verify, _TOGETHER=2, _MOST_TOGETHER=2):
        found, verified = answer(ask, documents, threshold=threshold, **options)
    with mock.patch.object(bitmap_filter.BitmapFilter, "learn"):
        expected, every = answer(ask, documents, threshold=threshold, **options)
    assert found == expected
    assert verified <= every


@pytest.mark.parametrize("ask", [simdocs.pairs, simdocs.dedupe])
def test_few_pairs_of_a_crowd_are_compared_exactly(ask):
    """150 texts, any two of which have a similarity of 0.6, and one pair of near-duplicates."""
    texts = crowd(150, 90, 30)
    random.Random(1).shuffle(texts)
    texts.append(texts[40] + " more")
    means = {"num_perm": 60, "bands": 20, "rows": 3, "threshold": 0.75}  # too few places for a prefilter
    with mock.patch.object(verify, "_TOGETHER", 256):
        rows, verified = answer(ask, texts, **means)
    with mock.patch.object(bitmap_filter.BitmapFilter, "learn"):
        expected, every = answer(ask, texts, **means)
    assert rows == expected
    assert len(rows) == 1
    assert every > 9000
    assert verified < 800


@pytest.mark.parametrize(("ask", "way"), [(simdocs.pairs, {}), (simdocs.dedupe, {}), (simdocs.pairs, {"exact": True})])
def test_few_pairs_of_a_crowd_just_below_the_threshold_are_compared_exactly(ask, way):
    """200 texts, any two of which have a similarity of 0.78: the usual bitmaps drop hardly any pair."""
    texts = crowd(200, 700, 100)
    texts.append(texts[40] + " more")
    means = {"threshold": 0.8, **way}
    with mock.patch.multiple(verify, _TOGETHER=256, _MOST_TOGETHER=256):
        rows, verified = answer(ask, texts, **means)
        with mock.patch.object(bitmap_filter, "LARGE_BITS", 1):
            _, usual = answer(ask, texts, **means)
    assert [row[2] for row in rows] == pytest.approx([800 / 801])
    assert verified < 4000
    if "exact" not in way:  # whose prefixes leave no pair of them
        assert usual > 1.5 * verified


def test_few_pairs_of_a_small_vocabulary_are_compared_exactly():
    """Each of 300 texts has 20 of 100 words, so that most pairs share some of their rarest words."""
    draw = random.Random(1)
    texts = [" ".join(draw.sample([f"w{word}" for word in range(100)], 20)) for _ in range(300)]
    texts += [" ".join(texts[40].split()[:9]), texts[41] + " more"]
    ask, means = simdocs.pairs, {"measure": "containment", "threshold": 0.8}
    with mock.patch.multiple(verify, _TOGETHER=256, _MOST_TOGETHER=256):
        rows, verified = answer(ask, texts, **means)
    with mock.patch.object(bitmap_filter.BitmapFilter, "learn"):
        expected, every = answer(ask, texts, **means)
    assert rows == expected
    assert len(rows) >= 2
    assert every > 10_000
    assert verified < every / 8


def made(sets: list[set[int]], threshold: float, large: int = 0) -> tuple[some.Ragged, np.ndarray, np.ndarray]:
    """Return the bitmaps of sets. An empty one counts as a document that could not be read."""
    ragged = some.Ragged.from_rows([np.array(sorted(one), np.uint32) for one in sets], np.uint32)
    sizes = ragged.lengths
    return bitmaps.bitmaps(ragged, bitmaps.bits_of(sizes, threshold, large)), sizes, sizes > 0


@pytest.mark.parametrize("measure", ["jaccard", "containment"])
def test_pairs_of_sets_of_all_sizes_are_dropped_only_if_they_are_below_the_threshold(measure):
    rng, threshold = np.random.default_rng(3), 0.5
    sets = [set(rng.integers(0, 3000, size).tolist()) for size in (0, 1, 30, 300, 1500, 3000, 9000, 3000, 3100)]
    sets += [set(sorted(sets[4])[:200]), set(sorted(sets[7])[:1800])]
    sets += [{0, 1}, {0}, {0, 2}]  # at the threshold, with bitmaps without collisions
    asked = bitmap_filter.BitmapFilter(len(sets), threshold, measure)
    rows = np.arange(len(sets))
    asked.add(rows[:4], *made(sets[:4], threshold))
    asked.add(rows[4:], *made(sets[4:], threshold))
    left, right = (side.ravel() for side in np.meshgrid(rows, rows))
    below = asked.below(left, right)
    for one, other, dropped in zip(left.tolist(), right.tolist(), below.tolist(), strict=True):
        either = sets[one] | sets[other] if measure == "jaccard" else min(sets[one], sets[other], key=len)
        if not sets[one] or not sets[other] or len(sets[one] & sets[other]) / len(either) >= threshold:
            assert not dropped
    assert below.sum() > (20 if measure == "jaccard" else 1)
    assert jaccard.of_overlaps(np.array([1]), np.array([1]), np.array([1])) == 1


def test_a_bitmap_is_made_of_both_documents_after_two_comparisons_without_a_match_once_and_while_there_is_room():
    asked = bitmap_filter.BitmapFilter(4, 0.8)
    assert asked.lacking(np.array([0, 0]), np.array([1, 2])).tolist() == []
    asked.learn(np.array([0, 0]), np.array([1, 2]))
    assert asked.lacking(np.array([0, 0]), np.array([1, 2])).tolist() == []
    asked.learn(np.array([0]), np.array([1]))
    assert asked.lacking(np.array([0, 0]), np.array([1, 2])).tolist() == [0, 1]
    asked.add(np.array([0]), *made([{1, 2, 3}], 0.8))
    assert asked.lacking(np.array([0, 0]), np.array([1, 2])).tolist() == [1]
    with mock.patch.object(bitmap_filter, "_MOST_BYTES", 8):
        assert asked.lacking(np.array([0]), np.array([1])).tolist() == []
    asked.add(np.array([1]), *made([set()], 0.8))
    assert asked.lacking(np.array([0]), np.array([1])).tolist() == []
    assert asked.below(np.array([0, 0]), np.array([1, 0])).tolist() == [False, False]


def test_a_larger_bitmap_is_made_after_more_comparisons_without_a_match():
    asked, one, other = bitmap_filter.BitmapFilter(2, 0.8), np.array([0]), np.array([1])
    sets = [set(range(1000)), set(range(100, 1100))]
    rows, needed = np.arange(2), []
    for _ in range(25):
        asked.learn(one, other)
        if len(lacking := asked.lacking(one, other)):
            assert lacking.tolist() == [0, 1]
            needed.append(asked.large_bits(rows).tolist())
            asked.add(rows, *made(sets, 0.8, needed[-1][0]))
    assert needed == [[0, 0], [bitmaps.LARGE_BITS] * 2]


def test_large_bitmaps_become_smaller_when_there_is_no_more_room():
    """But not smaller than twice the usual size, and those that could not be read stay without one."""
    rng, threshold = np.random.default_rng(1), 0.8
    sets = [set(rng.integers(0, 2**32, size).tolist()) for size in (20, 800, 801, 9000, 0, 800)]
    rows = np.arange(len(sets))
    asked = bitmap_filter.BitmapFilter(len(sets), threshold)
    asked.add(rows, *made(sets, threshold))
    asked.make_room()
    large = asked.large_bits(rows)
    assert set(large.tolist()) == {bitmaps.LARGE_BITS}
    asked.add(rows[:5], *made(sets[:5], threshold, bitmaps.LARGE_BITS))
    left, right = (side.ravel() for side in np.meshgrid(rows, rows))
    before = asked.below(left, right)
    usual = bitmaps.bits_of(np.array(list(map(len, sets))), threshold)
    for room, wanted in ((1 << 20, [1024, 16384, 16384, 32768]), (5000, [1024, 2048, 2048, 32768])):
        with mock.patch.object(bitmap_filter, "_MOST_BYTES", room):
            asked.make_room()
        assert [64 << int(asked._width[row]) for row in range(4)] == wanted
        assert (asked._width[4], 64 << int(asked._width[5])) == (-1, usual[5])
        after = asked.below(left, right)
        assert not (after & ~before).any()
        assert after[(left == 1) & (right == 2)].all()
        assert not after[left == right].any()
    with mock.patch.object(bitmap_filter, "_MOST_BYTES", 1):
        asked.make_room()
    assert [64 << int(asked._width[row]) for row in range(4)] == [*(2 * usual[:4])]
