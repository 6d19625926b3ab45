"""Sequences: documents that are the lines of a file, through every command; and files that are folded."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A2, A, B, jaccard, lay
from tests.cli.program import simdocs
from tests.commands.building import built, names_on

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

NAMES = ["data.jsonl#first", "data.jsonl#bé/#2", "data.jsonl#4", "data.jsonl#17", "data.jsonl#-1"]

GROUPS = [(NAMES[0], NAMES[1], jaccard(A, A1)), (NAMES[0], NAMES[3], jaccard(A, A2))]


def test_a_file_without_rows_is_reported_only_if_it_was_named(tmp_path):
    empty = {"e.jsonl": b"", "f.csv": b"id,text\n", "g.json": b"[]", "h.jsonl.gz": gzip.compress(b"\n")}
    lay(tmp_path, {"docs/a": A, "docs/b": A1} | {f"docs/{name}": data for name, data in empty.items()})
    lay(tmp_path, {"rows.jsonl": DATA, "bad.jsonl": b"no JSON", "bad.jsonl.gz": b"no gzip"})
    for name in empty:
        told = f"simdocs: warning: docs/{name}: no documents were found in this file\n"
        for words in ([f"docs/{name}"], [f"docs/{name}", "docs"], ["rows.jsonl", f"docs/{name}"]):
            done = simdocs("dedupe", *words, cwd=tmp_path)
            assert (done.status, done.err) == (0, told)
    assert simdocs("dedupe", "docs", cwd=tmp_path).err == ""
    for name in ("bad.jsonl", "bad.jsonl.gz"):
        done = simdocs("dedupe", name, cwd=tmp_path)
        assert (done.status, done.err.count("\n"), "no documents" in done.err) == (3, 1, False)


@pytest.fixture
def there(tmp_path, monkeypatch) -> Path:
    """The directory itself, with data.jsonl."""
    monkeypatch.chdir(tmp_path)
    return lay(tmp_path, {"data.jsonl": DATA})


def rows(done) -> list[tuple[str, ...]]:
    assert (done.status, done.err) == (0, "")
    return [tuple(field.decode() for field in fields[:3]) for fields in done.rows]


def test_lines_are_documents_named_by_id_or_number(there):
    assert rows(simdocs("dedupe", "data.jsonl", cwd=there)) == GROUPS
    listed = simdocs("dedupe", ".", "--list", "kept", cwd=there)
    assert listed.out.decode().splitlines() == [f"./{NAMES[at]}" for at in (0, 2, 4)]
    assert listed == simdocs("dedupe", ".", "--list", "kept", "-j2", cwd=there)
    (there / "data.jsonl").rename(there / "data.ndjson")
    assert simdocs("dedupe", ".", "--list", "kept", cwd=there).out == listed.out.replace(b"jsonl", b"ndjson")


def test_lines_keep_their_names_in_artifacts(there):
    # The document of no text is not one from which k could be advised.
    assert simdocs("index", "data.jsonl", "-o", "x.index", cwd=there) == (0, b"", "")
    assert rows(simdocs("dedupe", "x.index", cwd=there)) == GROUPS
    assert names_on(Path("x.index")) == [name.encode() for name in NAMES]


@pytest.mark.reliability("malformed JSON")
def test_malformed_lines_are_named_and_left_out(there):
    bad = [b"{", b"[1]", b'{"text": 1}', b'{"id": "first", "text": "again"}', b'{"text": "\xff"}', b'{"text": "a"']
    lay(there, {"data.jsonl": DATA + b"\n" + b"\n".join(bad)})
    done = simdocs("dedupe", "data.jsonl", "--summary-json", "note", cwd=there)
    assert (done.status, done.names) == (3, [group[:2] for group in GROUPS])
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


def test_malformed_lines_are_named_in_order(here):
    lay(here, {"docs/a10.jsonl": b"{\n" * 3, "docs/a9.jsonl": b"{\n" * 12})
    a9, a10 = (
        [f"docs/a{file}.jsonl, line {line}" for line in range(1, lines + 1)] for file, lines in ((9, 12), (10, 3))
    )
    for options, expected, more in ((("-v",), a10 + a9, 0), ((), (a10 + a9)[:10], 5)):
        done = simdocs("dedupe", "docs", *options, cwd=here)
        assert [line.split(": ")[1] for line in done.err.splitlines() if "skipped: not JSON" in line] == expected
        assert ("simdocs: and 5 more: malformed (-v names all)\n" in done.err) == (more == 5)


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


def test_a_line_that_has_changed_when_it_is_verified_is_in_no_answer(there):
    built(Path("x.index"), ["data.jsonl"])
    os.utime("data.jsonl")
    assert rows(simdocs("dedupe", "x.index", cwd=there)) == GROUPS
    lay(there, {"data.jsonl": DATA.replace(b"third", b"fifth")})
    changed = simdocs("dedupe", "x.index", cwd=there)
    assert (changed.status, changed.names) == (3, [GROUPS[1][:2]])
    assert f"{NAMES[1]}: skipped: its text has changed since it was read" in changed.err
    os.remove("data.jsonl")
    gone = simdocs("dedupe", "x.index", cwd=there)
    assert (gone.status, gone.out) == (3, b"")
    assert "its file is gone" in gone.err


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


@pytest.mark.parametrize("policy", ["newest", "longest"])
def test_it_is_said_that_lines_have_only_the_time_of_their_file(there, policy):
    done = simdocs("dedupe", "data.jsonl", "--keep", policy, cwd=there)
    assert done.status == 0
    why = "compares the times of files, and no document has a file of its own: of near-duplicates in the same file the"
    said = f"simdocs: warning: --keep {policy} {why} first is kept\n" if policy == "newest" else ""
    assert done.err == said
    lay(there, {"text": A})
    assert simdocs("dedupe", "data.jsonl", "text", "--keep", policy, cwd=there).err == ""


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


def test_lines_without_the_text_field_are_named_if_a_line_of_another_block_has_it(tmp_path):
    lay(tmp_path, {"b.jsonl": TEXTLESS + b" " * (1 << 20) + b'\n{"text": "much later"}\n'})
    done = simdocs("dedupe", "b.jsonl", "-v", cwd=tmp_path)
    assert done.status == 3
    why = "field 'text' (--text-field) is missing; the line has 'uid', 'body'"
    for number in range(1, 31):
        assert f"simdocs: b.jsonl, line {number}: skipped: {why}\n" in done.err
    assert done.err.count(why) == 30


@pytest.mark.parametrize("mode", [("--exact",), ("--kept-rows", "-")])
def test_standard_input_answers_as_a_file_does(there, mode):
    data = b"\n".join(LINES[:-1])
    lay(there, {"data.jsonl": data})
    expected = simdocs("dedupe", "data.jsonl", *mode, cwd=there)
    done = simdocs("dedupe", "-", *AS_LINES, *mode, cwd=there, stdin=data)
    assert (done.status, done.err) == (expected.status, expected.err) == (0, "")
    assert done.out == expected.out.replace(b"data.jsonl#", b"-#") != b""


@pytest.mark.parametrize("words", [("-", *AS_LINES), ("x.jsonl",), ("x",)], ids=" ".join)
def test_gzip_data_that_is_not_decompressed_is_called_so(there, words):
    data = gzip.compress(DATA)
    lay(there, {"x": data, "x.jsonl": data})
    done = simdocs("dedupe", *words, cwd=there, stdin=data)
    why = "gzip data: pipe it through zcat, or give the file a name that ends in .gz"
    assert (done.status, done.err) == (3, f"simdocs: {words[0]}: skipped: {why}\n")


def test_a_file_that_is_called_like_a_line_of_standard_input_is_no_option(there):
    lay(there, {"-#y": DATA})
    done = simdocs("dedupe", "-", *AS_LINES, "--", "-#y", cwd=there, stdin=DATA)
    assert [row[1] for row in done.rows][:3] == ["-#bé/#2".encode(), b"-#17", b"./-#y#first"]


def test_an_index_made_of_standard_input_can_be_asked(there):
    assert simdocs("index", "-", *AS_LINES, "-o", "x.index", cwd=there, stdin=DATA).status == 0
    done = simdocs("query", "x.index", "-", *AS_LINES, "--verify", "estimate", cwd=there, stdin=DATA)
    assert ("-#first", "-#17") in done.names
