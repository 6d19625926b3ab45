"""Probabilities for people: four digits, and neither certain nor impossible unless they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.views.probabilities import shown_probability


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
