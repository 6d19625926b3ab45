"""The program writes rows of files, and nothing to standard output unless an option asks for an answer."""

from __future__ import annotations

import json
import os

import pytest

from tests.cli.program import simdocs

FOX = "the quick brown fox jumps over the lazy dog and then runs home"
LINES = [json.dumps({"id": name, "text": text}).encode() for name, text in (("a", FOX), ("b", FOX), ("c", "a ship"))]


@pytest.fixture
def here(tmp_path):
    (tmp_path / "in.jsonl").write_bytes(b"\n".join((*LINES, b"no JSON")) + b"\n")
    return tmp_path


@pytest.mark.parametrize("beside", [-1, 0, 1, 2])
@pytest.mark.parametrize("size", [1 << 19, 1 << 20])
def test_a_row_that_is_too_long_to_compare_is_written_whole(here, size, beside):
    """A row that is not held in memory is copied in pieces: here it ends where a piece ends, or near it."""
    long = b"x" * (size + beside)
    rows = b"\n".join((LINES[0], long, LINES[1], LINES[2], long[1:]))
    (here / "in.jsonl").write_bytes(rows)
    done = simdocs("dedupe", "in.jsonl", "--max-size", "1000", "--kept-rows", "k.jsonl", "-q", cwd=here)
    assert done.status == 3
    assert (here / "k.jsonl").read_bytes() == rows.replace(LINES[1] + b"\n", b"")


@pytest.mark.reliability("A directory of rows whose files were edited since")
@pytest.mark.parametrize("edit", ["append", "same size", "replace"])
def test_a_directory_whose_files_were_edited_is_not_replaced(here, edit):
    (here / "in").mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (here / "in" / name).write_bytes(b"\n".join(LINES) + b"\n")
    words = ("dedupe", "in", "--kept-rows", "out", "-q")
    assert [simdocs(*words, cwd=here).status for _ in range(2)] == [0, 0]
    edited = here / "out/a.jsonl"
    if edit == "append":
        time = edited.stat().st_mtime_ns
        edited.write_bytes(edited.read_bytes() + b'{"id": "mine"}\n')
        os.utime(edited, ns=(0, time))
    elif edit == "same size":
        edited.write_bytes(edited.read_bytes().replace(b"fox", b"dog"))
    else:
        (here / "new").write_bytes(edited.read_bytes())
        os.utime(here / "new", (1, 1))
        (here / "new").replace(edited)
    before = edited.read_bytes()
    done = simdocs(*words, cwd=here)
    said = "out: a.jsonl in it was edited since simdocs wrote it, so the directory is not replaced"
    assert (done.status, done.err) == (2, f"simdocs: error: {said}: choose another name, or move that file away\n")
    assert edited.read_bytes() == before
    edited.unlink()
    assert simdocs(*words, cwd=here).status == 0
