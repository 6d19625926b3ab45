"""Directories of documents, and what the program says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs

FILES = {"docs/a.txt": A, "docs/b.txt": A1, "docs/c.txt": B}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A directory with docs/a.txt and docs/b.txt, which are nearly the same, and docs/c.txt, which is not."""
    return lay(tmp_path, FILES)


@pytest.fixture(scope="session")
def answer(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What `simdocs dedupe docs` prints there."""
    done = simdocs("dedupe", "docs", cwd=lay(tmp_path_factory.mktemp("answer"), FILES))
    assert (done.status, done.err, len(done.rows)) == (0, "", 1)
    return done.out
