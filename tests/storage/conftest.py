"""The same places and artifacts as in the tests of artifacts, and an unchanged umask."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.artifacts.conftest import built, memory, place

__all__ = ["built", "memory", "place"]


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Put the umask back that a fault has left."""
    mask = os.umask(0)
    os.umask(mask)
    yield
    os.umask(mask)
