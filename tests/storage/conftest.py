"""The same places and artifacts as in the tests of artifacts."""

from __future__ import annotations

from tests.artifacts.conftest import built, place

__all__ = ["built", "place"]
