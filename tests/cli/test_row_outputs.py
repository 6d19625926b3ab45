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


def test_the_summary_says_what_was_written_where(here):
    done = simdocs("dedupe", "in.jsonl", "--kept-rows", "k.jsonl", "--removed-rows", "r.jsonl", "--summary", cwd=here)
    assert (done.status, done.out) == (3, b"")
    assert "in.jsonl, line 4: not compared, and kept: not JSON" in done.err
    assert ", 1 not compared: malformed\n" in done.err
    assert done.err.splitlines()[-2:] == [
        "kept rows: 3, of these 1 that could not be compared, written to k.jsonl",
        "removed rows: 1, written to r.jsonl",
    ]
    assert (here / "k.jsonl").read_bytes() == b"\n".join((LINES[0], LINES[2], b"no JSON")) + b"\n"
    assert (here / "r.jsonl").read_bytes() == LINES[1] + b"\n"


def test_an_option_about_the_answer_asks_for_it(here):
    rows = ("--kept-rows", "k.jsonl", "-q")
    plain = simdocs("dedupe", "in.jsonl", "-q", cwd=here).out
    assert plain
    assert simdocs("dedupe", "in.jsonl", *rows, "--format", "tsv", cwd=here).out == plain
    assert simdocs("dedupe", "in.jsonl", *rows, "-o", "-", cwd=here).out == plain
    assert simdocs("dedupe", "in.jsonl", *rows, "--list", "duplicates", cwd=here).out == b"in.jsonl#b\n"
    assert simdocs("dedupe", "in.jsonl", *rows, "-o", "answer.tsv", cwd=here).out == b""
    assert (here / "answer.tsv").read_bytes() == plain


def test_standard_input_and_output(here):
    data = (here / "in.jsonl").read_bytes()
    kept = b"\n".join((LINES[0], LINES[2], b"no JSON")) + b"\n"
    for path in ("-", "/dev/stdout"):
        done = simdocs("dedupe", "-", "--input-format", "jsonl", "--kept-rows", path, "-q", cwd=here, stdin=data)
        assert done.out == kept
    both = simdocs("dedupe", "in.jsonl", "--kept-rows", "-", "--list", "kept", cwd=here)
    assert (both.status, both.out) == (2, b"")
    assert "rows and the answer cannot both go to standard output: add -o PATH for the answer" in both.err
    assert simdocs("dedupe", "in.jsonl", "--kept-rows", "-", "-o", "x.tsv", "-q", cwd=here).out == kept


def test_files_of_json_lines_go_to_standard_output_together(here):
    mark = b"\xef\xbb\xbf"
    (here / "new.jsonl").write_bytes(mark + LINES[2] + b"\n" + b'{"text": "bread"}')
    done = simdocs("dedupe", "new.jsonl", "in.jsonl", "--kept-rows", "-", "--removed-rows", "gone", "-q", cwd=here)
    assert done.out == b"\n".join((LINES[2], b'{"text": "bread"}', LINES[0], b"no JSON")) + b"\n"
    assert (here / "gone/new.jsonl").read_bytes() == mark
    assert (here / "gone/in.jsonl").read_bytes() == LINES[1] + b"\n" + LINES[2] + b"\n"


def test_rows_cannot_be_written_to_the_file_of_the_answer(here):
    done = simdocs("dedupe", "in.jsonl", "-o", "x.jsonl", "--kept-rows", "./x.jsonl", cwd=here)
    assert done.status == 2
    assert "x.jsonl and ./x.jsonl are not two different places" in done.err
    assert os.listdir(here) == ["in.jsonl"]


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
