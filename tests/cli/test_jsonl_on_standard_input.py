"""JSON lines on standard input, and files that are called *.ndjson."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A2, A, B
from tests.cli.program import simdocs

TEXTS = [A, A1, B, A2, A]
LIKE_LINES = "this looks like JSON Lines, but is read as one text"
AS_LINES = ("--input-format", "jsonl")
LINES = b"".join(
    json.dumps({"id": f"x{number}", "text": text.decode()}).encode() + b"\n" for number, text in enumerate(TEXTS)
)


@pytest.mark.parametrize("mode", [(), ("--list", "duplicates"), ("--kept-rows", "-"), ("--exact",)])
def test_standard_input_answers_as_a_file_does(tmp_path: Path, mode: tuple[str, ...]) -> None:
    (tmp_path / "x.jsonl").write_bytes(LINES)
    expected = simdocs("dedupe", "x.jsonl", *mode, cwd=tmp_path)
    done = simdocs("dedupe", "-", *AS_LINES, *mode, cwd=tmp_path, stdin=LINES)
    assert (done.status, done.err) == (expected.status, expected.err) == (0, "")
    assert done.out == expected.out.replace(b"x.jsonl#", b"-#")
    assert done.out


def test_without_a_format_standard_input_is_one_text_and_warned_about(tmp_path: Path) -> None:
    done = simdocs("dedupe", "-", "--summary", cwd=tmp_path, stdin=LINES)
    assert "1 document," in done.err
    assert f"simdocs: warning: -: {LIKE_LINES}: " in done.err


def test_a_named_file_of_json_lines_with_another_name_is_warned_about(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/x.txt").write_bytes(LINES)
    (tmp_path / "d/one.txt").write_bytes(LINES.splitlines()[0] + b"\n")
    (tmp_path / "d/array.txt").write_bytes(b"[\n" + LINES)
    named = simdocs("dedupe", "d/x.txt", "d/one.txt", "d/array.txt", cwd=tmp_path)
    assert (named.status, named.err.count("\n")) == (0, 1)
    assert named.err.startswith(f"simdocs: warning: d/x.txt: {LIKE_LINES}: ")
    assert simdocs("dedupe", "d/x.txt", "--input-format", "text", cwd=tmp_path).err == ""
    assert simdocs("dedupe", "d", cwd=tmp_path).err == named.err


@pytest.mark.parametrize("words", [("-",), ("-", *AS_LINES), ("x.jsonl",), ("x",)], ids=" ".join)
def test_gzip_data_that_is_not_decompressed_is_called_so(tmp_path: Path, words: tuple[str, ...]) -> None:
    data = gzip.compress(LINES)
    (tmp_path / "x").write_bytes(data)
    (tmp_path / "x.jsonl").write_bytes(data)
    done = simdocs("dedupe", *words, cwd=tmp_path, stdin=data)
    why = "gzip data: pipe it through zcat, or give the file a name that ends in .gz"
    assert (done.status, done.err) == (3, f"simdocs: {words[0]}: skipped: {why}\n")


def test_bad_lines_of_standard_input_are_named(tmp_path: Path) -> None:
    bad = LINES + b'{"title": "no text", "body": 1}\n' + b'{"id": "x0", "text": "again"}\nnot json\n'
    done = simdocs("dedupe", "-", *AS_LINES, cwd=tmp_path, stdin=bad)
    assert done.status == 3
    assert "-, line 6: skipped: field 'text' (--text-field) is missing; the line has 'title', 'body'" in done.err
    assert (
        "-, line 7: skipped: an earlier line has the same id or number (-#x0): name a field of unique ids" in done.err
    )
    assert "-, line 8: skipped: not JSON" in done.err


def test_ndjson_files_are_read_as_jsonl_files_are(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(LINES)
    (tmp_path / "y.ndjson").write_bytes(LINES)
    expected = simdocs("dedupe", "x.jsonl", cwd=tmp_path).out
    assert simdocs("dedupe", "y.ndjson", cwd=tmp_path).out == expected.replace(b"x.jsonl", b"y.ndjson") != b""


def test_a_file_that_is_called_like_a_line_of_standard_input_is_no_option(tmp_path: Path) -> None:
    (tmp_path / "-#y").write_bytes(LINES)
    done = simdocs("dedupe", "-", *AS_LINES, "--", "-#y", cwd=tmp_path, stdin=LINES)
    assert [row[1] for row in done.rows][:4] == [b"-#x1", b"-#x3", b"-#x4", b"./-#y#x0"]


def test_an_index_made_of_standard_input_can_be_asked(tmp_path: Path) -> None:
    assert simdocs("index", "-", *AS_LINES, "-o", "x.index", cwd=tmp_path, stdin=LINES).status == 0
    done = simdocs("query", "x.index", "-", *AS_LINES, "--verify", "estimate", cwd=tmp_path, stdin=LINES)
    assert (b"-#x0", b"-#x4") in [tuple(row[:2]) for row in done.rows]
