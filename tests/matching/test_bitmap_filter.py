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
from simdocs.matching import verification_blocks, verify
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
    """Bitmaps are made after one comparison without a match. The filter is asked after every second pair."""
    documents = [text.data for text in texts]
    ask, more = way
    options = more if {"exact", "measure"} & set(more) else {"bands": 128, "rows": 1, **more}
    small = {"_TRIES": 1, "_MOST_BYTES": room}
    with mock.patch.multiple(verification_blocks, **small), mock.patch.object(verify, "_TOGETHER", 2):
        found, verified = answer(ask, documents, threshold=threshold, **options)
    with mock.patch.object(verification_blocks.BitmapFilter, "learn"):
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
    with mock.patch.object(verification_blocks.BitmapFilter, "learn"):
        expected, every = answer(ask, texts, **means)
    assert rows == expected
    assert len(rows) == 1
    assert every > 9000
    assert verified < 800


@pytest.mark.parametrize(("ask", "way"), [(simdocs.pairs, {}), (simdocs.dedupe, {}), (simdocs.pairs, {"exact": True})])
def test_few_pairs_of_a_crowd_just_below_the_threshold_are_compared_exactly(ask, way):
    """200 texts, any two of which have a similarity of 0.78."""
    texts = crowd(200, 700, 100)
    texts.append(texts[40] + " more")
    means = {"threshold": 0.8, **way}
    with mock.patch.object(verify, "_TOGETHER", 256):
        rows, verified = answer(ask, texts, **means)
    assert [row[2] for row in rows] == pytest.approx([800 / 801])
    assert verified < 4000


def filled(sets: list[set[int]], threshold: float, measure: str = "jaccard") -> verification_blocks.BitmapFilter:
    """Return a filter with the bitmaps of sets. An empty one counts as a document that could not be read."""
    asked = verification_blocks.BitmapFilter(len(sets), threshold, measure)
    asked.bits = 1 << 14
    add(asked, np.arange(len(sets) // 2), sets)
    add(asked, np.arange(len(sets) // 2, len(sets)), sets)
    return asked


def add(asked: verification_blocks.BitmapFilter, rows: np.ndarray, sets: list[set[int]]) -> None:
    ragged = some.Ragged.from_rows([np.array(sorted(sets[row]), np.uint32) for row in rows], np.uint32)
    asked.add(rows, jaccard.bitmaps(ragged, asked.bits), ragged.lengths, ragged.lengths > 0)


@pytest.mark.parametrize("measure", ["jaccard", "containment"])
def test_pairs_of_sets_of_all_sizes_are_dropped_only_if_they_are_below_the_threshold(measure):
    rng, threshold = np.random.default_rng(3), 0.5
    sets = [set(rng.integers(0, 3000, size).tolist()) for size in (0, 1, 30, 300, 1500, 3000, 9000, 3000, 3100)]
    sets += [set(sorted(sets[4])[:200]), set(sorted(sets[7])[:1800])]
    sets += [{0, 1}, {0}, {0, 2}]  # at the threshold, with bitmaps without collisions
    asked, rows = filled(sets, threshold, measure), np.arange(len(sets))
    left, right = (side.ravel() for side in np.meshgrid(rows, rows))
    below = asked.below(left, right)
    for one, other, dropped in zip(left.tolist(), right.tolist(), below.tolist(), strict=True):
        either = sets[one] | sets[other] if measure == "jaccard" else min(sets[one], sets[other], key=len)
        if not sets[one] or not sets[other] or len(sets[one] & sets[other]) / len(either) >= threshold:
            assert not dropped
    assert below.sum() > (20 if measure == "jaccard" else 1)
    assert jaccard.of_overlaps(np.array([1]), np.array([1]), np.array([1])) == 1
