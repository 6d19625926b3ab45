"""Probabilities and shares for people: four digits, and neither certain nor impossible unless they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model.figures import least_percentage, shown_probability


@given(st.floats(0, 1))
def test_only_certain_events_have_probability_one_and_only_impossible_ones_zero(probability):
    shown = shown_probability(probability)
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
    assert shown_probability(probability) == shown


@given(st.floats(0, 1))
def test_a_share_is_at_least_its_percentage_and_less_than_a_hundredth_of_a_percent_above(share):
    shown = least_percentage(share)
    assert (shown == "100%") == (share == 1)
    least = float(shown.removesuffix("%")) / 100
    assert -1e-9 <= share - least < 0.0001 + 1e-9


@pytest.mark.parametrize("hundredths", range(0, 10_000, 7))
def test_whole_hundredths_of_a_percent_are_not_rounded_down(hundredths):
    assert least_percentage(hundredths / 10_000) == f"{hundredths / 100:.2f}%"
