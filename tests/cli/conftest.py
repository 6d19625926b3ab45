"""Directories of documents, and what the program says of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A2, A, B, lay
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


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that `built` is a copy of."""
    root = lay(tmp_path_factory.mktemp("templates"), FILES | {"more/d.txt": A2, "more/e.txt": B[::-1]})
    for command, target in (("shingle", "x.shingles"), ("signature", "x.signatures"), ("index", "x.index")):
        assert simdocs(command, "docs", "-o", target, cwd=root) == (0, b"", "")
    assert simdocs("dedupe", "docs", "-o", "x.answer", cwd=root) == (0, b"", "")
    for command in (("act", "x.answer", "--move", "away"), ("undo", "x.answer.journal.jsonl")):
        assert simdocs(*command, "--yes", cwd=root).status == 0
    return root


@pytest.fixture
def built(templates: Path, tmp_path: Path) -> Path:
    """A directory with docs as `here` has it, x.shingles, x.signatures, x.index and x.answer of docs, the journal of a
    run of act that was undone, and more/d.txt, which is nearly the same as docs/a.txt, and more/e.txt, which is not."""
    return Path(shutil.copytree(templates, tmp_path / "built"))
