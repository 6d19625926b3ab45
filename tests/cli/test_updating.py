"""Stages that are run onto their old artifact: what they read, what they say, and what they refuse."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import bound_by_modes, simdocs
from tests.commands.building import build, content
from tests.runs import without_sync

STAGES = {"shingle": "x.shingles", "signature": "x.signatures", "index": "x.index"}

MANY = {f"docs/{number}.txt": A + b" %d" % number for number in range(10)}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with ten documents, and an artifact of each kind."""
    monkeypatch.chdir(lay(tmp_path, MANY))
    without_sync(monkeypatch)
    for target in STAGES.values():
        build(Path(target), ["docs"])
    return tmp_path


def summary(here: Path, stage: str, *more: str) -> list[str]:
    """Run a stage onto its artifact, and return the lines of its summary."""
    done = simdocs(stage, "docs", "-o", STAGES[stage], "--summary", *more, cwd=here)
    assert done.status == 0
    return done.err.splitlines()


@pytest.mark.parametrize("stage", STAGES)
def test_the_summary_says_what_has_changed(here, stage):
    assert "10 unchanged, 0 changed, 0 new, 0 removed" in summary(here, stage)
    lay(here, {"docs/1.txt": B, "docs/new.txt": A1})
    os.remove(here / "docs/2.txt")
    os.rename(here / "docs/3.txt", here / "docs/other.txt")
    assert "7 unchanged, 1 changed, 1 new, 1 removed, 1 renamed" in summary(here, stage)
    run = json.loads((here / STAGES[stage] / "run.json").read_bytes())
    assert run["changed"] == "1,8"
    assert run["given"] == [["docs", 10]]


@pytest.mark.reliability("an update with other options")
@pytest.mark.parametrize("stage", STAGES)
def test_an_update_with_other_options_needs_rebuild(here, stage):
    path = here / STAGES[stage]
    before, ask = content(path), (stage, "docs", "-o", STAGES[stage], "--unit", "word", "--nfkc")
    for more in ((), ("--dry-run",)):
        done = simdocs(*ask, *more, cwd=here)
        assert (done.status, done.out) == (2, b"")
        for what in ("--unit char, not word", "-k 9, not 5", "without --nfkc", "--rebuild"):
            assert what in done.err
        assert content(path) == before
    assert simdocs(*ask, "--rebuild", cwd=here) == (0, b"", "")
    rebuilt = content(path)
    shutil.rmtree(path)
    assert simdocs(*ask, cwd=here) == (0, b"", "")
    assert content(path) == rebuilt


@pytest.mark.reliability("an update with other directories")
def test_an_update_with_other_directories_warns(here):
    lay(here, {"more/a.txt": B})
    warned = "simdocs: warning: x.index was built from other directories: {}\n".format
    assert simdocs("index", "docs", "more", "-o", "x.index", cwd=here) == (0, b"", warned("more is new"))
    assert simdocs("index", "docs", "more", "-o", "x.index", cwd=here) == (0, b"", "")
    os.rename(here / "more", here / "other")
    gone = warned("more is not given any more")
    assert simdocs("index", "docs", "-o", "x.index", "--dry-run", cwd=here).err == gone
    assert simdocs("index", "docs", "-o", "x.index", cwd=here).err == gone
    new = warned(f"docs is not given any more; {here}/docs, other are new")
    assert simdocs("index", here / "docs", "other", "-o", "x.index", cwd=here).err == new
    assert simdocs("index", "docs", "-o", "x.index", "-q", cwd=here) == (0, b"", "")
    assert simdocs("index", "x.shingles", "-o", "x.index", cwd=here) == (0, b"", "")
    assert simdocs("index", "docs", "-o", "x.index", cwd=here) == (0, b"", "")


@pytest.mark.reliability("an argument that lost more than half of its documents")
@pytest.mark.parametrize(
    ("stage", "left", "more"), [("shingle", 0, ()), ("signature", 4, ("--rebuild",)), ("index", 4, ())]
)
def test_an_artifact_is_not_replaced_by_one_that_lost_most_documents(here, stage, left, more):
    for name in list(MANY)[left:]:
        os.remove(here / name)
    before = (here / STAGES[stage] / "manifest.json").read_bytes()
    done = simdocs(stage, "docs", "-o", STAGES[stage], *more, cwd=here)
    said = f"docs had 10 documents at the last build and has {left} now, so it is not replaced:"
    assert (done.status, done.out) == (2, b"")
    mounted = "" if left else " (is it mounted?)"
    assert f"simdocs: error: {STAGES[stage]}: {said} check that docs is complete{mounted}, or accept" in done.err
    assert done.err.endswith("accept the loss with --allow-shrink\n")
    assert (here / STAGES[stage] / "manifest.json").read_bytes() == before
    assert simdocs(stage, "docs", "-o", STAGES[stage], "--allow-shrink", *more, cwd=here).status == 0


SKETCHED = {"containment": True, "unit": "word", "k": 1}


@pytest.mark.reliability("an update from or to no documents")
@pytest.mark.parametrize(("target", "how"), [*((name, {}) for name in STAGES.values()), ("x.index", SKETCHED)])
@pytest.mark.parametrize("what", ["no file", "skipped", "without tokens"])
def test_an_artifact_may_begin_and_end_without_documents(here, target, how, what):
    path = here / target
    shutil.rmtree(path)
    nothing = {"no file": {}, "skipped": {"docs/0": b"\0\1"}, "without tokens": {"docs/0": b" "}}[what]
    for files in (nothing, MANY, nothing, {"docs/lines.jsonl": b'{"text": "one"}\n{"text": "two"}\n'}, nothing, MANY):
        shutil.rmtree(here / "docs")
        os.mkdir(here / "docs")
        lay(here, files)
        build(path, ["docs"], allow_shrink=True, **how)
        updated = content(path)
        shutil.rmtree(path)
        build(path, ["docs"], **how)
        assert updated == content(path)


@pytest.mark.reliability("a damaged or older artifact as the output")
@pytest.mark.parametrize(
    ("stage", "more"), [("shingle", ()), ("signature", ()), ("index", ("--rebuild", "--seed", "5"))]
)
def test_a_damaged_artifact_is_built_from_scratch(here, stage, more):
    path = here / STAGES[stage] / "documents.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    done = simdocs(stage, "docs", "-o", STAGES[stage], *more, cwd=here)
    assert (done.status, done.out) == (0, b"")
    assert "damaged: block 0 does not match its checksum; it is rebuilt from scratch now" in done.err
    assert simdocs(stage, "docs", "-o", f"new{STAGES[stage]}", *more, cwd=here).status == 0
    for file in (here / f"new{STAGES[stage]}").iterdir():
        if file.name != "run.json":
            assert (here / STAGES[stage] / file.name).read_bytes() == file.read_bytes()


@pytest.mark.reliability("a directory of the artifact's documents that cannot be listed")
@pytest.mark.parametrize("stage", ["shingle", "index"])
def test_an_artifact_stays_if_a_directory_of_its_documents_cannot_be_listed(here, stage):
    lay(here, {"docs/sub/a.txt": A, "docs/sub/below/b.txt": B, "docs/none/hidden/.c": B})
    assert simdocs(stage, "docs", "-o", STAGES[stage], cwd=here).status == 0
    before = (here / STAGES[stage] / "run.json").read_bytes()
    os.chmod(here / "docs/none/hidden", 0)
    assert simdocs(stage, "docs", "-o", STAGES[stage], "--dry-run", cwd=here, before=bound_by_modes).status == 3
    os.chmod(here / "docs/sub", 0)
    ask = (stage, "docs", "-o", STAGES[stage])
    done = simdocs(*ask, cwd=here, before=bound_by_modes)
    assert (done.status, done.err.splitlines()[-1]) == (
        2,
        f"simdocs: error: {STAGES[stage]}: it has documents of docs/sub, which cannot be read now, so it is not"
        " replaced: make docs/sub readable, or accept the loss with --allow-shrink",
    )
    assert (here / STAGES[stage] / "run.json").read_bytes() == before
    lost = simdocs(*ask, "--allow-shrink", "--summary", cwd=here, before=bound_by_modes)
    os.chmod(here / "docs/sub", 0o700)
    os.chmod(here / "docs/none/hidden", 0o700)
    assert (lost.status, "10 unchanged, 0 changed, 0 new, 2 removed" in lost.err) == (3, True)


@pytest.mark.reliability("a file of the artifact that cannot be read")
@pytest.mark.parametrize("stage", ["shingle", "index"])
def test_a_file_that_cannot_be_read_leaves_the_artifact(here, stage):
    assert simdocs(stage, "docs", "-o", STAGES[stage], cwd=here).status == 0
    (here / "docs/1.txt").chmod(0)
    done = simdocs(stage, "docs", "-o", STAGES[stage], "--summary", cwd=here, before=bound_by_modes)
    assert done.status == 3
    assert "simdocs: docs/1.txt: skipped: cannot be read (Permission denied)" in done.err
    assert "9 unchanged, 0 changed, 0 new, 1 removed" in done.err
