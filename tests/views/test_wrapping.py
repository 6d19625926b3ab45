"""Lines end between words."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from simdocs.views.messages import flowed, width_of

PIECES = st.lists(st.text("ab-é漢  \t\n", max_size=12) | st.sampled_from(["\x1b[31;9m", "\x1b[0m"]), max_size=20)


@given(PIECES, st.integers(1, 30))
def test_pieces_flow_into_lines_that_fit_or_are_one_word(pieces, columns):
    """Only spaces change. Colours stay where they are between words, and take no columns."""
    lines = "".join(flowed(pieces, columns))
    assert "".join(lines.split()) == "".join("".join(pieces).split())
    for line in re.sub(r"\x1b[^m]*m", "", lines).split("\n"):
        assert width_of(line.expandtabs()) <= columns or len(line.split()) == 1
    kept = [line.split() for line in "".join(pieces).split("\n")]
    assert [word for line in lines.split("\n") for word in line.split()] == [word for line in kept for word in line]


def test_text_that_fits_flows_as_it_is():
    text = "  one [-two\tthree-]{+four+},  \n\n\x1b[2mfive\x1b[0m \n"
    assert "".join(flowed([text], 40)) == text
    assert (
        "".join(flowed(["one [-two", " ", "th", "ree-]", "{+four+}, five"], 12)) == "one [-two\nthree-]{+four+},\nfive"
    )


def test_wide_and_combining_characters_are_counted_as_terminals_do():
    assert (width_of("漢字"), width_of("e\u0301"), width_of("abc")) == (4, 1, 3)
