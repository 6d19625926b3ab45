"""What options say about how texts stand in files: as plain lines, in another encoding, with escapes, in lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simdocs import similarity
from tests.cli.corpus import A1, A, B
from tests.cli.program import simdocs

WORDS = " Größer, schöner, älter"
"""What other encodings write otherwise."""

LATIN = ["--encoding", "latin-1"]
LINES = ["--input-format", "lines", *LATIN]

TEXTS = [text.decode() + WORDS for text in (A, B, A1)]


FILES: dict[str, tuple[str, list[str], list[str], str, list[str]]] = {
    "lines": ("x.txt", TEXTS, ["1", "2", "4"], "latin-1", LINES),
    "encoding of JSON": (
        "x.jsonl",
        [json.dumps({"text": text}, ensure_ascii=False) for text in TEXTS],
        ["1", "2", "4"],
        "latin-1",
        LATIN,
    ),
    "encoding of CSV": ("x.csv", [f'"{text}"' for text in TEXTS], ["1", "2", "3"], "latin-1", [*LATIN, "--no-header"]),
    "escapes": (
        "x.csv",
        [f'"{text}\\", he said, \\"and closed the door"' for text in TEXTS],
        ["1", "2", "3"],
        "utf-8",
        ["--escape", "\\", "--no-header"],
    ),
    "lists": (
        "x.jsonl",
        [json.dumps({"messages": [{"content": text[:99]}, {}, {"content": text[99:]}]}) for text in TEXTS],
        ["1", "2", "4"],
        "utf-8",
        ["--text-field", "messages.content"],
    ),
}
"""A file with texts that are nearly the same, a blank line before the last: its name, its rows, their names, the
encoding, and the options that read it."""


@pytest.mark.parametrize("kind", FILES)
def test_texts_are_compared_and_updated_as_they_are_read(tmp_path: Path, kind: str) -> None:
    name, rows, numbers, encoding, options = FILES[kind]
    options = [*options, *(["--text-field", "1"] if "--no-header" in options else [])]
    data = "".join(f"{row}\n" for row in (*rows[:2], "", rows[2])).encode(encoding)
    (tmp_path / name).write_bytes(data)
    found = simdocs("dedupe", name, *options, cwd=tmp_path)
    assert (found.status, found.err) == (0, "")
    assert found.names == [(f"{name}#{numbers[0]}", f"{name}#{numbers[2]}")]
    assert 0.8 < float(found.rows[0][2]) < 1
    assert simdocs("index", name, *options, "-o", "x.index", cwd=tmp_path).status == 0
    asked = simdocs("query", "x.index", name, cwd=tmp_path)
    assert (asked.status, {row[2] for row in asked.rows}) == (0, {found.rows[0][2]}), asked.err
    (tmp_path / name).write_bytes(data + f"{rows[0]}\n".encode(encoding))
    for index in ("x.index", "fresh.index"):
        assert simdocs("index", name, *options, "-o", index, cwd=tmp_path).status == 0
    for array in ("documents.npy", "files.npy", "names.npy", "signatures.npy"):
        assert (tmp_path / "x.index" / array).read_bytes() == (tmp_path / "fresh.index" / array).read_bytes()


def test_an_encoding_makes_a_text_the_same_as_its_copy_in_utf_8(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(TEXTS[0], encoding="utf-8")
    (tmp_path / "b").write_text(TEXTS[0], encoding="cp1252")
    near = TEXTS[2].encode("cp1252")
    (tmp_path / "near").write_bytes(near)
    alike = f"{similarity(TEXTS[0], TEXTS[2]):.6f}".encode()
    for ask in (("dedupe", "a", "near"), ("dedupe", "a", "-"), ("compare", "a", "near"), ("compare", "a", "-")):
        assert alike in simdocs(*ask, "--encoding", "cp1252", cwd=tmp_path, stdin=near).out.split()
    done = simdocs("dedupe", "a", "b", "--encoding", "cp1252", cwd=tmp_path)
    assert (done.status, done.out, done.err) == (0, b"a\tb\t1.000000\t1.000000\n", "")
    unknown = simdocs("dedupe", "a", "b", "--encoding", "klingon", cwd=tmp_path)
    assert (unknown.status, "--encoding must be an encoding that Python knows" in unknown.err) == (2, True)


def test_lines_are_written_byte_for_byte(tmp_path: Path) -> None:
    lines = [text.encode("latin-1") + b"\r\n" for text in (*TEXTS[:2], "", TEXTS[2], "no end")]
    lines[-1] = lines[-1].removesuffix(b"\r\n")
    (tmp_path / "x.txt").write_bytes(b"".join(lines))
    rows = ["--kept-rows", "kept.txt", "--removed-rows", "removed.txt"]
    assert simdocs("dedupe", "x.txt", *LINES, *rows, cwd=tmp_path) == (0, b"", "")
    assert (tmp_path / "kept.txt").read_bytes() == b"".join(lines[:3] + lines[4:])
    assert (tmp_path / "removed.txt").read_bytes() == lines[3]
    piped = simdocs("dedupe", "-", *LINES, "--kept-rows", "-", cwd=tmp_path, stdin=b"".join(lines))
    assert (piped.status, piped.out) == (0, (tmp_path / "kept.txt").read_bytes())
