"""A program that is ready to run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.running import Run, forking


@pytest.fixture(scope="session")
def forked() -> Iterator[Run]:
    """Runs the program, quickly."""
    with forking() as run:
        yield run
