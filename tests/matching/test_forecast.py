"""What tune expects counts every pair, also those of different texts that have the same tokens."""

from __future__ import annotations

import numpy as np
import pytest

from simdocs.matching.sampling import sampled_pairs
from simdocs.model.tuning import PairSample, SampledRange
from tests import strategies as some

SIMILARITIES = np.array([0.0, 0.04, 0.05, 0.5, 0.79, 0.8, 0.95, 1.0, 1.0])
ONES = np.ones(len(SIMILARITIES))
SAMPLE = PairSample(
    SIMILARITIES,
    ONES,
    ONES,
    (SampledRange(0.0, np.inf, 0, len(ONES), len(ONES), not_drawn=0.0, largest_weight=1.0),),
    len(ONES),
    random=SIMILARITIES,
    left=np.arange(len(ONES)),
    right=np.arange(1, len(ONES) + 1),
)


def test_pairs_at_1_are_similar():
    assert sampled_pairs.corpus_facts(SAMPLE, 5, 0.8, 5).similar == (4, 4, 4)
    assert sampled_pairs.corpus_facts(SAMPLE, 5, 1.0, 5).similar == (2, 2, 2)


def test_each_pair_is_counted_at_one_point_of_the_curve():
    points = list(sampled_pairs.curve(some.banding(), SAMPLE))
    pairs = {round(point.similarity, 2): point.pairs.value for point in points if point.pairs.value}
    assert pairs == {0.0: 2, 0.05: 1, 0.5: 1, 0.75: 1, 0.8: 1, 0.95: 1, 1.0: 2}
    assert points[-1].misses.value == pytest.approx(0)
