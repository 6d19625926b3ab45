"""Sizes and counts in summaries, as people read them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.model.figures import counted, size

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
    assert size(number) == words


@given(st.integers(0, 1 << 50))
@example(999 * KIB + KIB // 2)
@example(MIB - 1)
def test_a_size_in_words_is_right_to_three_digits(number):
    figure, unit = size(number).split(" ")
    assert set(figure) <= set("0123456789.,")
    assert float(figure.replace(",", "")) * UNITS[unit] == pytest.approx(number, rel=0.005)


@pytest.mark.parametrize(("number", "words"), [(0, "0 matches"), (1, "1 match"), (1234, "1,234 matches")])
def test_counts_agree_with_their_noun(number, words):
    assert counted(number, "match", "matches") == words
