"""The examples in the docstrings of figures are true."""

from __future__ import annotations

import doctest

from simdocs.model import figures


def test_figures_are_shown_as_their_examples_say():
    failed, attempted = doctest.testmod(figures)
    assert failed == 0 < attempted
