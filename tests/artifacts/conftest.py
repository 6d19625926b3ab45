"""Directories and artifacts for tests."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs


@pytest.fixture(scope="session")
def memory() -> str | None:
    """A directory in memory, where a thousand fsyncs take no time; None if there is none."""
    memory = "/dev/shm"
    return memory if os.access(memory, os.W_OK | os.X_OK) else None


@pytest.fixture
def place(memory: str | None) -> Iterator[Path]:
    """An empty directory, in memory if possible."""
    with tempfile.TemporaryDirectory(prefix="simdocs-test-", dir=memory) as name:
        yield Path(name)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with docs/, and docs.shingles, docs.signatures and docs.index that the program built from it."""
    root = lay(tmp_path_factory.mktemp("built"), {"docs/a": A, "docs/b": A1, "docs/c": B, "docs/d": A, "docs/e": b""})
    for stage, kind in (("shingle", "shingles"), ("signature", "signatures"), ("index", "index")):
        done = simdocs(stage, "docs", "-j1", "-q", "--seed", "7", "-o", f"docs.{kind}", cwd=root)
        assert (done.status, done.err) == (0, "")
    return root
