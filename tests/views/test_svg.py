"""Numbers and names in images, on both sides of where they are shortened."""

from __future__ import annotations

import pytest

from simdocs.views import svg

KNOWN = {
    "amount_ticks": {
        (1,): [0, 1],
        (4,): [0, 1, 2, 3, 4],
        (5,): [0, 2, 4, 6],
        (9,): [0, 5, 10],
        (20,): [0, 5, 10, 15, 20],
        (21,): [0, 10, 20, 30],
        (81,): [0, 50, 100],
        (201,): [0, 100, 200, 300],
    },
    "_short": {(999,): "999", (1000,): "1k", (99_999,): "99k", (100_000,): ".1M", (1_250_000,): "1.2M"},
    "_shortened": {("abcd", 4): "abcd", ("abcde", 4): "…cde"},
    "log_share": {(0, 2): 0.0, (1, 1): 0.15 / 1.15, (100, 2): 1.0, (10, 2): 1.15 / 2.15},
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_number_or_name_is_shown_as_known(name):
    assert {given: getattr(svg, name)(*given) for given in KNOWN[name]} == KNOWN[name]
