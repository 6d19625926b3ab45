"""How much of the tests runs: the short form, and the long form (`make test-slow`)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

SHORT_EXAMPLES = 75
"""Examples of a Hypothesis test in the short form."""


def slow(*cases: Any) -> list[Any]:
    """Return parameters that only the long form uses. A tuple is a case of several parameters."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]


def amount(count: int) -> int:
    """This number in the short form, and proportionally more in the long form."""
    return max(1, count * settings.default.max_examples // SHORT_EXAMPLES)


def examples(count: int) -> settings:
    """Run this number of examples in the short form, and proportionally more in the long form."""
    return settings(max_examples=amount(count))
