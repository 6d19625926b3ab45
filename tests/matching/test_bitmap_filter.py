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
from simdocs.kernels import jaccard
from simdocs.matching import verify
from simdocs.model.ragged import Ragged
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
    """Bitmaps are made after one comparison without a match. The filter is asked after every second pair."""
    documents = [text.data for text in texts]
    ask, more = way
    options = more if {"exact", "measure"} & set(more) else {"bands": 128, "rows": 1, **more}
    small = {"_TRIES": 1, "_MOST_BYTES": room}
    with mock.patch.multiple(verify, **small, _TOGETHER=2):
        found, verified = answer(ask, documents, threshold=threshold, **options)
    with mock.patch.object(verify.BitmapFilter, "learn"):
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
    with mock.patch.object(verify.BitmapFilter, "learn"):
        expected, every = answer(ask, texts, **means)
    assert rows == expected
    assert len(rows) == 1
    assert every > 9000
    assert verified < 800


@pytest.mark.parametrize("measure", ["jaccard", "containment"])
def test_the_filter_drops_pairs_of_two_documents_that_were_read_and_are_below_the_threshold(measure):
    rows = [(0, 400), (0, 100), (500, 900), (0, 400)]
    sets = Ragged.from_rows([np.arange(*row) for row in rows], np.uint32)
    found = verify.BitmapFilter(6, 0.5, measure)
    left, right = np.array([0, 0, 1, 3, 4, 0]), np.array([1, 2, 2, 2, 2, 0])
    assert not found.below(left, right).any()
    found.bits = 4096
    loaded = np.array([True, True, True, False])
    found.add(np.array([0, 1, 2, 3]), jaccard.bitmaps(sets, 4096), sets.lengths, loaded)
    assert found.below(left, right).tolist() == [measure == "jaccard", True, True, False, False, False]
    found.learn(np.array([0, 3, 4]), np.array([4, 4, 5]))
    assert found.lacking(np.array([4, 0]), np.array([5, 4])).tolist() == []
    found.learn(np.array([0, 3, 5]), np.array([4, 4, 3]))
    assert found.lacking(np.array([4, 0, 4]), np.array([5, 4, 3])).tolist() == [4, 5]


# Pairs to verify are cut into blocks whose documents fit in memory together.

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30)


SIZES = st.lists(st.integers(1, 40), min_size=9, max_size=9)


@given(PAIRS, SIZES, st.sampled_from([1, 60, 1000]), st.integers(1, 9))
def test_every_pair_is_in_one_block_of_bounded_size(pairs, sizes, most, most_pairs):
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    with mock.patch.multiple(verify, _BLOCK_BYTES=most, _TILE_BYTES=most, _MOST_PAIRS=most_pairs):
        blocks = verify.blocks_of_pairs(left, right, np.array(sizes))
    assert sorted(number for block in blocks for number in block.tolist()) == list(range(len(pairs)))
    for block in blocks:
        some = [pairs[number] for number in block.tolist()]
        held = {place for pair in some for place in pair}
        assert len(some) == 1 or (len(some) <= most_pairs and sum(sizes[place] for place in held) <= most)
