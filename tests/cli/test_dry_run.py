"""Dry runs of stages: they list what a build would change, end as it would, and write nothing."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.artifacts.tiny import writing
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs

STAGES = {"shingle": "x.shingles", "signature": "x.signatures", "index": "x.index"}

CHANGES = [
    ["new", "docs/0.txt"],
    ["changed", "docs/2.txt"],
    ["new", "docs/z\t.txt"],
    ["removed", "docs/3.txt"],
    ["removed", "docs/4.txt"],
]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that `here` is a copy of."""
    root = tmp_path_factory.mktemp("template")
    lay(root, {f"docs/{number}.txt": A + b" %d" % number for number in range(1, 7)})
    for stage, target in STAGES.items():
        assert simdocs(stage, "docs", "-o", target, cwd=root) == (0, b"", "")
    lay(root, {"docs/0.txt": A1, "docs/2.txt": B, "docs/z\t.txt": A})
    os.remove(root / "docs/3.txt")
    os.remove(root / "docs/4.txt")
    return root


@pytest.fixture
def here(template: Path, tmp_path: Path) -> Path:
    """A directory with artifacts of six documents, of which two are gone and one is another, and with two new ones."""
    for each in template.iterdir():
        shutil.copytree(each, tmp_path / each.name)
    for target in STAGES.values():
        run = tmp_path / target / "run.json"
        run.write_text(json.dumps(json.loads(run.read_bytes()) | {"root": str(tmp_path)}))
    return tmp_path


def state(root: Path) -> dict[str, tuple[int, int, int]]:
    """Every file and directory, with its inode, size and modification time."""
    found = {}
    for path in [root, *root.rglob("*")]:
        met = path.lstat()
        found[str(path)] = (met.st_ino, met.st_size, met.st_mtime_ns)
    return found


@pytest.mark.parametrize("stage", STAGES)
def test_a_dry_run_lists_what_has_changed_and_writes_nothing(here, stage):
    before = state(here)
    done = simdocs(stage, "docs", "-o", STAGES[stage], "--dry-run", "--format", "jsonl", cwd=here)
    assert (done.status, done.err) == (0, "")
    assert [list(json.loads(line).values()) for line in done.out.splitlines()] == CHANGES
    assert state(here) == before


def test_a_dry_run_compares_the_documents_of_an_artifact_too(here):
    simdocs("signature", "docs", "-o", "x.signatures", cwd=here)
    done = simdocs("index", "x.signatures", "-o", "x.index", "--dry-run", "--format", "jsonl", cwd=here)
    assert (done.status, done.err) == (0, "")
    assert [list(json.loads(line).values()) for line in done.out.splitlines()] == CHANGES


def test_a_dry_run_needs_no_lock(here):
    with writing(here / "x.index", "index"):
        assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 75
        done = simdocs("index", "docs", "-o", "x.index", "--dry-run", cwd=here)
    assert (done.status, done.err, len(done.rows)) == (0, "", len(CHANGES))


@pytest.mark.reliability("an argument that lost more than half of its documents")
def test_a_dry_run_of_a_refused_build_is_refused(here):
    lay(here, {"few/1.txt": A})
    os.rename(here / "docs", here / "gone")
    os.rename(here / "few", here / "docs")
    build = ("index", "docs", "-o", "x.index")
    refused = simdocs(*build, cwd=here)
    assert refused.status == 2
    assert "docs had 6 documents at the last build and has 1 now" in refused.err
    assert simdocs(*build, "--dry-run", "--format", "csv", cwd=here) == refused
    allowed = simdocs(*build, "--dry-run", "--allow-shrink", cwd=here)
    assert [row[0] for row in allowed.rows] == [b"changed"] + [b"removed"] * 5


@pytest.mark.parametrize("target", ["docs/1.txt", "nowhere/x.index", "x.shingles"])
def test_a_dry_run_refuses_the_targets_that_the_build_refuses(here, target):
    refused = simdocs("index", "docs", "-o", target, cwd=here)
    assert refused.status == 2
    assert simdocs("index", "docs", "-o", target, "--dry-run", cwd=here) == refused


def test_a_dry_run_exits_as_the_build_if_a_document_cannot_be_judged(here):
    lay(here, {"docs/lines.jsonl": b'{"text": "one"}\nnot JSON\n'})
    done = simdocs("index", "docs", "-o", "x.index", "--dry-run", cwd=here)
    assert done.status == 3
    assert [b"new", b"docs/lines.jsonl#1"] in done.rows
    assert done.err.startswith("simdocs: docs/lines.jsonl, line 2: skipped: not JSON")
    strict = simdocs("index", "docs", "-o", "x.index", "--dry-run", "--strict", "--format", "csv", cwd=here)
    assert (strict.status, strict.out) == (2, b"")


def test_a_dry_run_onto_a_damaged_artifact_says_so_and_lists_every_document_as_new(here):
    path = here / "x.index" / "documents.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    done = simdocs("index", "docs", "-o", "x.index", "--dry-run", cwd=here)
    assert done.status == 0
    assert "; it would be rebuilt from scratch" in done.err
    assert [row[0] for row in done.rows] == [b"new"] * 6
