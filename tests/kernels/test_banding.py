"""The choice of bands and rows, and their S-curve."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from simdocs.errors import UnreachableRecallError, UsageError
from simdocs.kernels import banding
from simdocs.options.recipes import MAX_NUM_PERM, Banding, Bands, ChoosingBands
from tests import strategies as some
from tests.twins import bands as twin

hundredths = st.integers(1, 99).map(lambda n: n / 100)
recalls = hundredths | st.sampled_from([0.999, 0.9999])
num_perms = st.integers(1, 64) | st.sampled_from([100, 128, 200, 256])
counts = st.integers(1, 300)
either_or_both = st.tuples(counts, counts) | st.tuples(counts, st.none()) | st.tuples(st.none(), counts)


@given(st.floats(0, 1), st.integers(1, 256), st.integers(1, 256))
@example(1.0, 18, 7)
@example(0.0, 18, 7)
@example(1e-300, 256, 256)
def test_the_probability_of_a_candidate_is_exact_to_rounding(similarity, bands, rows):
    assert Bands(bands, rows).chance(similarity) == pytest.approx(
        float(twin.probability(similarity, bands, rows)), rel=1e-12
    )


@given(st.floats(0, 1), st.integers(1, 256), st.integers(1, 256))
@example(0.8, 8, 16)
@example(0.8, 1, 1)
@example(0.0, 18, 7)
@example(1e-300, 256, 256)
def test_the_least_probability_is_exact_to_rounding_and_never_above_the_curve(similarity, bands, rows):
    found = banding.least_probability(similarity, bands, rows)
    assume(abs(twin.probability(similarity, bands, rows) - Decimal(2) / 3) > Decimal("1e-12"))
    assert found == pytest.approx(float(twin.least_probability(similarity, bands, rows)), rel=1e-9)
    assert found <= Bands(bands, rows).chance(similarity)


@given(hundredths, recalls, num_perms)
@example(1.0, 0.99, 128)
def test_the_recall_rule_takes_the_most_rows_that_reach_the_recall(at, recall, num_perm):
    assume(not reached_exactly(at, recall, num_perm))
    expected = twin.by_recall(at, recall, num_perm)
    request = ChoosingBands(threshold=at, recall=recall, rule="recall")
    if expected is None:
        with pytest.raises(UnreachableRecallError):
            banding.choose(request, num_perm)
    else:
        assert banding.choose(request, num_perm) == expected


def reached_exactly(at: float, recall: float, num_perm: int) -> bool:
    """Whether some number of rows reaches the recall to the last digit, where one bit of a float decides."""
    every = [
        found(at, num_perm // rows, rows)
        for rows in range(1, num_perm + 1)
        for found in (twin.probability, twin.least_probability)
    ]
    return any(abs(found - Decimal(repr(recall))) < 1e-12 for found in every)


@pytest.mark.parametrize(
    ("at", "recall", "num_perm"),
    [
        (0.5, 0.5, 1),
        (0.5, 0.75, 2),
        (0.9, 0.99, 2),
        (0.25, 0.25, 1),
        (0.67, 0.67, 1),
        (0.5, 0.4375, 4),
        (1.0, 1.0, 128),
    ],
)
def test_a_recall_that_is_met_exactly_is_enough(at, recall, num_perm):
    assert banding.by_recall(at, recall, num_perm) == twin.by_recall(at, recall, num_perm) is not None


@given(st.integers(5, 99).map(lambda n: n / 100), recalls)
def test_an_unreachable_recall_names_the_least_num_perm_that_would_do(at, recall):
    least = twin.least_num_perm(at, recall)
    assume(least > 1 and not reached_exactly(at, recall, least))
    with pytest.raises(UnreachableRecallError, match=f"use --num-perm {least} or more"):
        banding.by_recall(at, recall, 1)
    assert banding.by_recall(at, recall, least) == (least, 1)
    with pytest.raises(UnreachableRecallError):
        banding.by_recall(at, recall, least - 1)


@pytest.mark.parametrize("at", [1e-9, 1e-300, 1e-320])
def test_a_threshold_next_to_nothing_is_unreachable(at):
    with pytest.raises(UnreachableRecallError, match="use a larger --threshold"):
        banding.by_recall(at, 0.95, 128)


@given(hundredths, num_perms)
def test_the_nearest_rule_comes_nearest_to_the_threshold(at, num_perm):
    made = banding.choose(ChoosingBands(threshold=at, rule="nearest"), num_perm)
    expected = twin.by_nearest(at, num_perm)
    assert made[0] * made[1] == num_perm
    # Two choices may be as near as each other but for the last bit of a float.
    assert made == expected or twin.distance_to(at, *made) == pytest.approx(twin.distance_to(at, *expected), abs=1e-15)


@given(either_or_both, num_perms, some.one_of("rule"))
def test_bands_and_rows_can_be_set_by_hand(given_counts, num_perm, rule):
    bands, rows = given_counts
    request = ChoosingBands(bands=bands, rows=rows, rule=rule)
    expected = twin.by_hand(bands, rows, num_perm)
    if expected is None:
        with pytest.raises(
            UsageError,
            match=f"need --num-perm {bands * rows if bands and rows else bands or rows} or more, not {num_perm}:",
        ):
            banding.choose(request, num_perm)
    else:
        assert banding.choose(request, num_perm) == expected


def test_what_is_proposed_is_just_enough():
    for at, num_perm, recall in ((0.5, 128, "0.9999"), (0.9, 1, "0.9"), (0.1, 8, "0.5695")):
        with pytest.raises(UnreachableRecallError, match=rf"use --recall {recall} or less"):
            banding.by_recall(at, 1.0, num_perm)
    for num_perm, found in ((MAX_NUM_PERM, MAX_NUM_PERM), (1.01 * MAX_NUM_PERM, None)):
        assert banding.least_num_perm(-math.expm1(math.log(0.05) / num_perm), 0.95) == found
    assert banding.longer_signature(0.8, 0.95, 64, lambda bands: float(bands.rows), 7) == (128, 7.0)
    assert banding.longer_signature(0.8, 0.95, 64, lambda bands: 7.5, 7) is None
    # 2 to 16 values do not reach this recall.
    assert banding.longer_signature(0.3, 0.9999, 1, lambda bands: float(bands.bands), 1000) == (32, 32.0)


def test_only_a_threshold_below_that_of_the_index_is_warned_of():
    chosen = Banding(threshold=0.8, recall=0.95, rule="recall", bands=1, rows=10)
    assert list(banding.threshold_warning(0.8, chosen)) == []
    (warning,) = banding.threshold_warning(0.79, chosen)
    assert warning.startswith("the index was built for threshold 0.8 and finds only ")
    (warning,) = banding.low_recall(chosen, 128)
    assert warning.startswith("1 band of 10 rows finds only ")
    assert list(banding.low_recall(chosen.but(bands=18, rows=7), 128)) == []
