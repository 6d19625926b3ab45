"""Lines that are no documents, and fields that no line has; tests/transcripts/sequences.txt has what is said else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs

LINES = [
    b'{"text": "%s", "id": "first"}' % A,
    b"",
    b' {"id":"\\u0062\\u00e9/#2" , "text":"%s"}\t\r' % A1,
    b'{"text": "%s"}' % B,
    '{"id": 17, "other": "ä\u2028", "text": "'.encode() + A2.replace(b"T", b"\\u0054") + b'"}',
    b'{"id": -1, "text": ""}',
]
"""Five documents, of which the first, third and fifth are nearly the same; the last has no end of line."""

DATA = b"\n".join(LINES)

AS_LINES = ("--input-format", "jsonl")

GROUPS = [("data.jsonl#first", "data.jsonl#bé/#2"), ("data.jsonl#first", "data.jsonl#17")]


@pytest.fixture
def there(tmp_path, monkeypatch) -> Path:
    """The directory itself, with data.jsonl."""
    monkeypatch.chdir(tmp_path)
    return lay(tmp_path, {"data.jsonl": DATA})


@pytest.mark.reliability("malformed JSON")
def test_malformed_lines_are_named_and_left_out(there):
    bad = [b"{", b"[1]", b'{"text": 1}', b'{"id": "first", "text": "again"}', b'{"text": "\xff"}', b'{"text": "a"']
    lay(there, {"data.jsonl": DATA + b"\n" + b"\n".join(bad)})
    done = simdocs("dedupe", "data.jsonl", "--summary-json", "note", cwd=there)
    assert (done.status, done.names) == (3, GROUPS)
    lines = done.err.splitlines()
    assert len(lines) == len(bad)
    named = {line.split(": ")[1]: line for line in lines}
    assert set(named) == {f"data.jsonl, line {at}" for at in range(7, 13)}
    assert "not JSON" in named["data.jsonl, line 7"]
    why = "an earlier line has the same id or number (data.jsonl#first): name a field of unique ids"
    assert why in named["data.jsonl, line 10"]
    assert json.loads((there / "note").read_bytes())["skipped"] == {"malformed": 6}
    assert simdocs("dedupe", "data.jsonl", "--strict", "-q", cwd=there)[:2] == (2, b"")
    ask = ("index", "-", *AS_LINES, "-o", "x.index")
    index = simdocs(*ask, cwd=there, stdin=(there / "data.jsonl").read_bytes())
    assert index.status == 3
    assert index.err.replace("-, line", "data.jsonl, line").replace("-#", "data.jsonl#").startswith(done.err)


@pytest.mark.reliability("a line with the name of an earlier line")
def test_a_line_whose_number_is_the_id_of_an_earlier_line_is_malformed(there):
    """Names lead to one line each."""
    lay(there, {"two.jsonl": b'{"id": "2", "text": "one of them"}\n{"text": "and another"}'})
    done = simdocs("dedupe", "two.jsonl", cwd=there)
    assert done.status == 3
    why = "an earlier line has the same id or number (two.jsonl#{}): name a field of unique ids, or '', with --id-field"
    assert done.err == f"simdocs: two.jsonl, line 2: skipped: {why.format(2)}\n"
    lay(there, {"two.jsonl": b'{"text": "one of them"}\n{"id": 1, "text": "and another"}\n{"id": 1, "text": "third"}'})
    done = simdocs("dedupe", "two.jsonl", cwd=there)
    why = why.format(1)
    assert done.err == "".join(f"simdocs: two.jsonl, line {line}: skipped: {why}\n" for line in (2, 3))
    assert simdocs("dedupe", "two.jsonl", "--id-field", "", cwd=there).status == 0


@pytest.mark.reliability("a line with the name of an earlier line")
def test_a_line_that_repeats_an_id_and_its_text_is_a_duplicate_named_by_its_number(there):
    lines = b'{"id": "a", "text": "%s"}\n{"id": "a", "text": "%s"}\n{"id": "a", "text": "%s"}\n' % (A, A1, A)
    lay(there, {"two.jsonl": lines})
    done = simdocs("dedupe", "two.jsonl", "--list", "duplicates", cwd=there)
    assert (done.status, done.out) == (3, b"two.jsonl#3\n")
    assert done.err.startswith(
        "simdocs: two.jsonl, line 2: skipped: an earlier line has the same id or number (two.jsonl#a)"
    )
    done = simdocs("dedupe", "two.jsonl", "--removed-rows", "-", "-q", cwd=there)
    assert (done.status, done.out) == (3, lines.splitlines(keepends=True)[2])


ASKS_OF_LINES = ("dedupe", "index -o x.index")


@pytest.mark.reliability("an --id-field that no line has")
@pytest.mark.parametrize("ask", ASKS_OF_LINES)
def test_an_id_field_that_no_line_has_is_an_error_that_lists_the_fields(there, ask):
    command, *output = ask.split()
    why = "no line has an id in the field 'uid' (--id-field); the first has 'text', 'id'"
    said = f"simdocs: error: {why}: name one of them, or leave the option out\n"
    assert simdocs(command, "data.jsonl", *output, "--id-field", "uid", "-j2", cwd=there) == (2, b"", said)
    assert os.listdir(there) == ["data.jsonl"]
    done = simdocs(command, "-", "--input-format", "jsonl", *output, "--id-field", "uid", stdin=DATA, cwd=there)
    assert done == (2, b"", said)
    assert simdocs(command, "data.jsonl", *output, "--id-field", "other", cwd=there).status in (0, 3)


TEXTLESS = b"".join(b'{"uid": %d, "body": "some words"}\n' % number for number in range(30))
NO_TEXT = "no line has the field 'text'; the first has 'uid', 'body': name one of them with --text-field"


@pytest.mark.reliability("a --text-field that some rows lack")
@pytest.mark.parametrize("ask", ASKS_OF_LINES)
def test_a_text_field_that_no_line_has_is_an_error_that_lists_the_fields(tmp_path, ask):
    command, *output = ask.split()
    lay(tmp_path, {"b.jsonl": TEXTLESS, "text": A})
    for names in (["b.jsonl"], ["text", "b.jsonl"]):
        done = simdocs(command, *names, *output, "-j2", cwd=tmp_path)
        assert done == (2, b"", f"simdocs: error: b.jsonl: {NO_TEXT}\n")
    done = simdocs(command, "-", "--input-format", "jsonl", *output, stdin=TEXTLESS, cwd=tmp_path)
    assert done == (2, b"", f"simdocs: error: -: {NO_TEXT}\n")
    assert sorted(os.listdir(tmp_path)) == ["b.jsonl", "text"]
    assert simdocs(command, "b.jsonl", *output, "--text-field", "body", cwd=tmp_path).status == 0
