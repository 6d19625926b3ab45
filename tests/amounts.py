"""How much of a test runs: a short form in `make test`, all of it in `make test-slow`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings


def slow(*cases: Any) -> list[Any]:
    """Parameters that belong to the long form only; a tuple stands for several."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]


def examples(count: int) -> settings:
    """So many examples in the short form, and as many more in the long one as elsewhere."""
    return settings(max_examples=max(1, count * settings.default.max_examples // 60))
