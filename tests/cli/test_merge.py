"""simdocs merge: damaged artifacts, more of them than open files, and a merge that is ended."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import FEW_FILES, running, simdocs
from tests.cli.traps import trap
from tests.commands.building import build, content
from tests.runs import without_sync

LINES = b"".join(json.dumps({"id": name, "text": B.decode() + name}).encode() + b"\n" for name in "xyz")


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The indexes of two directories, and of both in one run."""
    monkeypatch.chdir(lay(tmp_path, {"a/1.txt": A, "a/2.txt": B, "b/1.txt": A1, "b/lines.jsonl": LINES}))
    without_sync(monkeypatch)
    for name, documents in (("a", ["a"]), ("b", ["b"]), ("once", ["a", "b"])):
        build(Path(f"{name}.index"), documents)
    return tmp_path


def test_each_damaged_file_is_named_and_nothing_is_written(ground):
    for file in sorted((ground / "b.index").glob("*.npy")):
        data = file.read_bytes()
        if len(data) <= 128:  # an empty array
            continue
        file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        done = simdocs("merge", "a.index", "b.index", "-o", "new.index", cwd=ground)
        assert (done.status, done.out, (ground / "new.index").exists()) == (4, b"", False)
        assert done.err.startswith(f"simdocs: error: b.index/{file.name}: damaged: ")
        file.write_bytes(data)
    assert simdocs("merge", "a.index", "b.index", "-o", "new.index", cwd=ground) == (0, b"", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_merge_that_is_ended_leaves_the_old_artifact(ground, number):
    """It is ended when the signatures of the second artifact are copied."""
    shutil.copytree(ground / "a.index", ground / "new.index")
    before = content(ground / "new.index")
    action = "import time\nopen('reached', 'w').close()\ntime.sleep(60)"
    env = trap(ground, action, "open", "sketch_rows.npy", at=4)
    with running("merge", "a.index", "b.index", "-q", "-o", "new.index", cwd=ground, env=env) as process:
        while not (ground / "reached").exists():
            assert process.poll() is None
        process.send_signal(number)
        process.wait()
    assert content(ground / "new.index") == before
    drafts = [name for name in os.listdir(ground) if name.startswith(".simdocs-tmp-")]
    assert bool(drafts) == (number == signal.SIGKILL)
    assert simdocs("merge", "a.index", "b.index", "-q", "-o", "new.index", cwd=ground) == (0, b"", "")
    assert content(ground / "new.index") == content(ground / "once.index")
    assert not any(name.startswith(".simdocs-tmp-") for name in os.listdir(ground))


def test_more_artifacts_than_open_files_are_merged(ground):
    names = [f"s{number:03}" for number in range(70)]
    lay(ground, {f"{name}/x": b"%d " % number * 9 + A for number, name in enumerate(names)})
    for name in names:
        build(Path(f"{name}.index"), [name], num_perm=16, threshold=0.5)
    build(Path("all.index"), names, num_perm=16, threshold=0.5)
    done = simdocs("merge", *(f"{name}.index" for name in names), "-o", "new.index", cwd=ground, limits=FEW_FILES)
    assert done == (0, b"", "")
    assert content(ground / "new.index") == content(ground / "all.index")
