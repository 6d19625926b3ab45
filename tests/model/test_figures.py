"""Figures as they are shown: probabilities, percentages, intervals, sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model import figures


@given(st.floats(0, 1))
def test_only_certain_events_have_probability_one_and_only_impossible_ones_zero(probability):
    shown = figures.shown_probability(probability)
    assert (shown == "1.0000") == (probability == 1)
    assert (shown == "0.0000") == (probability == 0)
    sign, digits = shown.rstrip(".0123456789"), shown.lstrip("<>")
    if sign:
        assert probability > float(digits) if sign == ">" else probability < float(digits)
    else:
        assert abs(float(shown) - probability) <= 0.00005 + 1e-12


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(0.98553, "0.9855"), (0.99989, "0.9999"), (0.99991, ">0.9999"), (0.00011, "0.0001"), (0.00009, "<0.0001")],
)
def test_probabilities_have_four_digits(probability, shown):
    assert figures.shown_probability(probability) == shown


@given(st.floats(0, 1))
def test_a_share_is_at_least_its_percentage_and_less_than_a_hundredth_of_a_percent_above(share):
    shown = figures.least_percentage(share)
    assert (shown == "100%") == (share == 1)
    least = float(shown.removesuffix("%")) / 100
    assert -1e-9 <= share - least < 0.0001 + 1e-9


# Sizes and counts in summaries, as people read them.

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
UNITS = {"byte": 1, "bytes": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB}


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (KIB, "1 KiB"),
        (1536, "1.5 KiB"),
        (1000 * KIB, "1,000 KiB"),
        (MIB, "1 MiB"),
        (123 * MIB, "123 MiB"),
        (5000 * GIB, "5,000 GiB"),
    ],
)
def test_a_size_is_said_in_its_largest_unit(number, words):
    assert figures.size(number) == words


@pytest.mark.parametrize(("number", "words"), [(0, "0 matches"), (1, "1 match"), (1234, "1,234 matches")])
def test_counts_agree_with_their_noun(number, words):
    assert figures.counted(number, "match", "matches") == words
