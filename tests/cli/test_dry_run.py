"""Dry runs of stages: they list what a build would change, end as it would, and write nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import simdocs as library
from tests.artifacts.tiny import writing
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs

STAGES = {"shingle": "x.shingles", "signature": "x.signatures", "index": "x.index"}

CHANGES = [
    [b"new", b"docs/0.txt"],
    [b"changed", b"docs/2.txt"],
    [b"new", b"docs/z\\t.txt"],
    [b"removed", b"docs/3.txt"],
    [b"removed", b"docs/4.txt"],
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with artifacts of six documents, of which two are gone and one is another, and with two new ones."""
    monkeypatch.chdir(tmp_path)
    lay(tmp_path, {f"docs/{number}.txt": A + b" %d" % number for number in range(1, 7)})
    library.index("docs", output="x.index")
    library.signature("docs", output="x.signatures")
    library.shingle("docs", output="x.shingles")
    lay(tmp_path, {"docs/0.txt": A1, "docs/2.txt": B, "docs/z\t.txt": A})
    os.remove("docs/3.txt")
    os.remove("docs/4.txt")
    return tmp_path


def state(root: Path) -> list[tuple[str, int, int]]:
    """Every file and directory, with its inode and modification time."""
    return sorted((str(path), path.lstat().st_ino, path.lstat().st_mtime_ns) for path in [root, *root.rglob("*")])


@pytest.mark.parametrize("stage", STAGES)
def test_a_dry_run_lists_what_has_changed_and_writes_nothing(here, stage):
    before = state(here)
    done = simdocs(stage, "docs", "-o", STAGES[stage], "--dry-run", cwd=here)
    assert (done.status, done.err, done.rows) == (0, "", CHANGES)
    assert state(here) == before


def test_a_dry_run_needs_no_lock(here):
    with writing(here / "x.index", "index"):
        assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 75
        done = simdocs("index", "docs", "-o", "x.index", "--dry-run", cwd=here)
    assert (done.status, done.err, done.rows) == (0, "", CHANGES)


@pytest.mark.reliability("an argument that lost more than half of its documents")
def test_a_dry_run_of_a_refused_build_is_refused(here):
    shutil.rmtree("docs")
    lay(here, {"docs/1.txt": A})
    build = ("index", "docs", "-o", "x.index")
    refused = simdocs(*build, cwd=here)
    assert refused.status == 2
    assert "docs had 6 documents at the last build and has 1 now" in refused.err
    assert simdocs(*build, "--dry-run", cwd=here) == refused
    allowed = simdocs(*build, "--dry-run", "--allow-shrink", cwd=here)
    assert [row[0] for row in allowed.rows] == [b"changed"] + [b"removed"] * 5
