"""Parts of tests that run only in `make test-slow`, and the number of examples in the short form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

SHORT_EXAMPLES = 25
"""Examples of a Hypothesis test in the short form."""


def slow(*cases: Any) -> list[Any]:
    """Return parameters that only the long form uses. A tuple is a case of several parameters."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]


def examples(count: int) -> settings:
    """Run this number of examples in the short form, and proportionally more in the long form."""
    return settings(max_examples=max(1, count * settings.default.max_examples // SHORT_EXAMPLES))
