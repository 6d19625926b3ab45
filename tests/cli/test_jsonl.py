"""Sequences: documents that are the lines of a file, through every command; and files that are folded."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from tests.amounts import slow
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

NAMES = ["data.jsonl#first", "data.jsonl#bé/#2", "data.jsonl#4", "data.jsonl#17", "data.jsonl#-1"]

GROUPS = [(NAMES[0], NAMES[1], jaccard(A, A1)), (NAMES[0], NAMES[3], jaccard(A, A2))]


def test_a_file_without_rows_is_reported_only_if_it_was_named(tmp_path):
    lay(tmp_path, {"docs/e.jsonl": b"", "docs/a": A, "docs/b": A1})
    told = "simdocs: warning: docs/e.jsonl: no documents were found in this file\n"
    for words in (["docs/e.jsonl"], ["docs/e.jsonl", "docs"]):
        done = simdocs("dedupe", *words, cwd=tmp_path)
        assert (done.status, done.err) == (0, told)
    assert simdocs("dedupe", "docs", cwd=tmp_path).err == ""


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


@pytest.mark.parametrize("kind", ["shingles", "signatures", "index"])
def test_lines_keep_their_names_in_artifacts(there, kind):
    command = {"shingles": "shingle", "signatures": "signature"}.get(kind, kind)
    # The document of no text is not one from which k could be advised.
    assert simdocs(command, "data.jsonl", "-o", f"x.{kind}", cwd=there) == (0, b"", "")
    assert rows(simdocs("dedupe", f"x.{kind}", cwd=there)) == GROUPS
    assert names_on(Path(f"x.{kind}")) == [name.encode() for name in NAMES]


def test_query_takes_lines_and_finds_lines(there):
    built(Path("x.index"), ["data.jsonl"])
    lay(there, {"a.txt": A, "more.jsonl": b'{"id": "x", "text": "%s"}' % A.upper()})
    found = rows(simdocs("query", "x.index", "a.txt", "more.jsonl", cwd=there))
    assert found[:3] == [("a.txt", NAMES[0], "1.000000"), *(("a.txt", *group[1:]) for group in found_of(GROUPS))]
    assert found[3:] == [("more.jsonl#x", *one[1:]) for one in found[:3]]
    own = rows(simdocs("query", "x.index", "data.jsonl", cwd=there))
    assert [one for one in own if one[0] == NAMES[0]] == found_of(GROUPS)
    assert all(left != right for left, right, _ in own)


def found_of(groups):
    """Most similar first."""
    return sorted(groups, key=lambda group: (-float(group[2]), group[1]))


def test_compressed_json_lines_are_documents(there):
    name = "deep/data.jsonl.gz"
    lay(there, {name: gzip.compress(DATA[:300]) + gzip.compress(DATA[300:])})
    found = rows(simdocs("dedupe", name, cwd=there))
    assert found == [(*(one.replace("data.jsonl", name) for one in group[:2]), group[2]) for group in GROUPS]
    lines = simdocs("dedupe", name, "--removed-rows", "-", cwd=there)
    assert lines == (0, b"\n".join((LINES[2], LINES[4], b"")), "")


def test_compressed_texts_are_documents(there):
    lay(there, {"docs/a.gz": gzip.compress(A), "docs/b": A1, "docs/c.gz": gzip.compress(B) + gzip.compress(b"")})
    assert rows(simdocs("dedupe", "docs", cwd=there)) == [("docs/a.gz", "docs/b", jaccard(A, A1))]
    built(Path("x.index"), ["docs"])
    assert rows(simdocs("query", "x.index", "-", cwd=there, stdin=B)) == [("-", "docs/c.gz", "1.000000")]


def test_the_fields_of_text_and_id_can_be_chosen(there):
    lay(there, {"data.jsonl": DATA.replace(b'"text"', b'"body"').replace(b'"id"', b'"key"')})
    fields = ("--text-field", "body", "--id-field", "key")
    assert rows(simdocs("dedupe", "data.jsonl", *fields, cwd=there)) == GROUPS
    assert simdocs("index", "data.jsonl", *fields, "-o", "x.index", cwd=there) == (0, b"", "")
    assert rows(simdocs("dedupe", "x.index", cwd=there)) == GROUPS
    numbered = rows(simdocs("dedupe", "data.jsonl", *fields[:2], cwd=there))
    assert numbered[0][:2] == ("data.jsonl#1", "data.jsonl#3")
    assert simdocs("dedupe", "data.jsonl", cwd=there).status == 2


def test_files_of_text_are_read_as_they_are(there):
    lay(there, {"copy.jsonl": DATA, "more.jsonl.gz": gzip.compress(DATA)})
    found = rows(simdocs("dedupe", ".", "--input-format", "text", cwd=there))
    assert [one[:2] for one in found] == [
        ("./copy.jsonl", "./data.jsonl"),
        ("./copy.jsonl", "./more.jsonl.gz"),
    ]
    built(Path("x.index"), ["."], input_format="text")
    assert len(rows(simdocs("dedupe", "x.index", cwd=there))) == 2
    assert len(rows(simdocs("query", "x.index", "data.jsonl", cwd=there))) == 2


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
    index = simdocs("index", "data.jsonl", "-o", "x.index", cwd=there)
    assert (index.status, index.err.splitlines()) == (3, lines)
    assert rows(simdocs("dedupe", "x.index", cwd=there)) == GROUPS


def test_malformed_lines_are_named_in_order(here):
    lay(here, {"docs/a10.jsonl": b"{\n" * 3, "docs/a9.jsonl": b"{\n" * 12})
    a9, a10 = (
        [f"docs/a{file}.jsonl, line {line}" for line in range(1, lines + 1)] for file, lines in ((9, 12), (10, 3))
    )
    for options, expected, more in ((("-v",), a10 + a9, 0), ((), a9[:10], 5)):
        done = simdocs("dedupe", "docs", *options, cwd=here)
        assert [line.split(": ")[1] for line in done.err.splitlines() if "skipped: not JSON" in line] == expected
        assert ("simdocs: and 5 more: malformed (-v names all)\n" in done.err) == (more == 5)


@pytest.mark.reliability("a line with the name of an earlier line or of a file")
@pytest.mark.parametrize("at", [1, 2])
def test_a_line_that_has_the_name_of_a_file_is_malformed(here, at):
    """A name leads to one document: whoever removes it removes no other."""
    lay(here, {"d/s.jsonl": b'{"text": "%s"}\n{"text": "%s"}\n' % (A, B), f"d/s.jsonl#{at}": A1})
    done = simdocs("dedupe", "d", cwd=here)
    assert (done.status, done.names) == (3, [("d/s.jsonl#1", "d/s.jsonl#2")] if at == 2 else [])
    why = f"a file has the name d/s.jsonl#{at}: give it an id of its own"
    assert done.err == f"simdocs: d/s.jsonl, line {at}: skipped: {why}\n"


def test_a_json_array_is_malformed(here):
    lay(here, {"d/one.jsonl": b'[{"text": "a"}, {"text": "b"}]', "d/two.jsonl": b'[\n{"text": "a"}\n]'})
    done = simdocs("dedupe", "d", cwd=here)
    array = "an array: JSON Lines have one object on each line, and --input-format json reads an array"
    whole, begin, end = (line.rpartition("skipped: ")[2] for line in done.err.splitlines())
    assert (done.status, whole) == (3, array)
    assert begin == f"the beginning of {array}"
    assert end.startswith("not JSON: ")


@pytest.mark.reliability("a line with the name of an earlier line or of a file")
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
    many = b'{"id": 1, "text": "one of them"}\n' + b'{"id": 1, "text": "and another"}\n' * 3
    lay(there, {"two.jsonl": many})
    done = simdocs("dedupe", "two.jsonl", cwd=there)
    assert done.err == "".join(f"simdocs: two.jsonl, line {line}: skipped: {why}\n" for line in (2, 3, 4))
    lay(there, {"two.jsonl": many + b"\n" * (4 << 20) + b'{"id": 1, "text": "read much later"}\n'})
    assert simdocs("dedupe", "two.jsonl", cwd=there).err.splitlines()[-1].endswith(why)


@pytest.mark.reliability("a line with the name of an earlier line or of a file")
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


def test_a_line_larger_than_max_size_is_named(there):
    done = simdocs("dedupe", "data.jsonl", "--max-size", str(len(LINES[4]) - 1), cwd=there)
    assert (done.status, done.names) == (3, [GROUPS[0][:2]])
    assert "data.jsonl, line 5: skipped: larger than --max-size" in done.err


@pytest.mark.parametrize("output", ["kept.jsonl", "kept.txt", ""])
def test_lines_come_back_byte_for_byte(there, output):
    expected = {"--kept-rows": (0, 1, 3, 5), "--removed-rows": (2, 4)}
    for option, numbers in expected.items():
        done = simdocs("dedupe", "data.jsonl", option, output or "-", "-j2", cwd=there)
        assert (done.status, done.err) == (0, "")
        written = (there / output).read_bytes() if output else done.out
        assert written == b"".join(DATA.splitlines(keepends=True)[at] for at in numbers)


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "table"])
def test_lists_of_names_have_names_in_every_format(there, form):
    for listed, others in (("kept", (0, 2, 4)), ("duplicates", (1, 3))):
        ask = ("dedupe", "data.jsonl", "--list", listed)
        names = [NAMES[at] for at in others]
        printed = simdocs(*ask, "--format", form, cwd=there)
        assert (printed.status, printed.err) == (0, "")
        assert all(name in printed.out.decode() for name in names)
        assert simdocs(*ask, "-o", f"names.{form}", cwd=there) == (0, b"", "")
        assert (there / f"names.{form}").read_bytes() == printed.out
        if form == "jsonl":
            assert [json.loads(line) for line in printed.out.splitlines()] == [{"name": name} for name in names]


def test_names_of_lines_and_of_texts_are_listed_together(there):
    raw = simdocs("dedupe", "data.jsonl", "--list", "duplicates", "-0", cwd=there)
    assert raw.out.decode() == f"{NAMES[1]}\0{NAMES[3]}\0"
    lay(there, {"z.txt": A})
    names = simdocs("dedupe", "data.jsonl", "z.txt", "--list", "duplicates", cwd=there).out.decode().splitlines()
    assert [json.dumps(name) for name in names] == [json.dumps(name) for name in (NAMES[1], NAMES[3], "z.txt")]


def test_a_line_that_has_changed_when_it_is_verified_is_in_no_answer(there):
    built(Path("x.index"), ["data.jsonl"])
    os.utime("data.jsonl")
    assert rows(simdocs("dedupe", "x.index", cwd=there)) == GROUPS
    lay(there, {"data.jsonl": DATA.replace(b"third", b"fifth")})
    changed = simdocs("dedupe", "x.index", cwd=there)
    assert (changed.status, changed.names) == (3, [GROUPS[1][:2]])
    assert f"{NAMES[1]}: skipped: its text has changed since it was read" in changed.err
    lay(there, {"data.jsonl": b'{"text": "one more"}\n' + DATA})
    assert simdocs("dedupe", "x.index", "-q", cwd=there) == (3, b"", "")
    os.remove("data.jsonl")
    gone = simdocs("dedupe", "x.index", cwd=there)
    assert (gone.status, gone.out) == (3, b"")
    assert "its file is gone" in gone.err
    assert simdocs("query", "x.index", "-", cwd=there, stdin=A2).status == 3


@pytest.mark.reliability("an output that is an input")
def test_the_answer_does_not_overwrite_its_json_lines(there):
    for how in (("--list", "kept", "-o", "data.jsonl"), ("--kept-rows", "data.jsonl")):
        done = simdocs("dedupe", "data.jsonl", *how, cwd=there)
        assert (done.status, (there / "data.jsonl").read_bytes()) == (2, DATA)


@pytest.mark.reliability("gzip data that becomes larger than --max-size")
def test_files_that_decompress_to_more_than_max_size_are_named(there):
    bomb = gzip.compress(b"\0" * (1 << 24), 9)
    lay(
        there,
        {"docs/bomb.gz": bomb, "docs/bomb.jsonl.gz": gzip.compress(b'{"text": "' + b"x" * (1 << 24)), "docs/a": A},
    )
    done = simdocs("dedupe", "docs", "docs/bomb.jsonl.gz", "--max-size", "1M", cwd=there)
    assert (done.status, done.out) == (3, b"")
    assert [line.split(": ")[1:4] for line in done.err.splitlines()] == [
        ["docs/bomb.gz", "skipped", "larger than --max-size (more than 1048576 bytes decompressed)"],
        ["docs/bomb.jsonl.gz, line 1", "skipped", f"larger than --max-size ({10 + (1 << 24)} bytes)"],
    ]


@pytest.mark.reliability("damaged gzip")
@pytest.mark.parametrize("damage", ["cut", "flipped", "not gzip"])
def test_damaged_gzip_files_are_named(there, damage):
    def spoilt(data: bytes) -> bytes:
        whole = gzip.compress(data)
        return {"cut": whole[:-9], "flipped": whole[:-6] + b"\0\0" + whole[-4:], "not gzip": data}[damage]

    lay(there, {"docs/a.gz": spoilt(A), "docs/b": A1, "docs/c": A2, "docs/d.jsonl.gz": spoilt(DATA)})
    done = simdocs("dedupe", "docs", cwd=there)
    assert done.status == 3
    assert ("docs/b", "docs/c") in done.names
    named = [line.split(": ")[1] for line in done.err.splitlines()]
    assert sorted(named) == ["docs/a.gz", "docs/d.jsonl.gz"]
    assert done.err.count("gzip") == 2


ASKS_OF_LINES = ("dedupe", "shingle -o x.shingles", "signature -o x.signatures", "index -o x.index", "tune", "audit")


@pytest.mark.reliability("an --id-field that no line has")
@pytest.mark.parametrize("ask", ASKS_OF_LINES)
def test_an_id_field_that_no_line_has_is_an_error_that_lists_the_fields(there, ask):
    command, *output = ask.split()
    why = "no line has an id in the field 'uid' (--id-field); the first has 'text', 'id'"
    said = f"simdocs: error: {why}: name one of them, or leave the option out\n"
    for how in (("-j1",), ("-j2",)):
        done = simdocs(command, "data.jsonl", *output, "--id-field", "uid", *how, cwd=there)
        assert done == (2, b"", said)
    assert os.listdir(there) == ["data.jsonl"]
    done = simdocs(command, "-", "--input-format", "jsonl", *output, "--id-field", "uid", stdin=DATA, cwd=there)
    assert done == (2, b"", said)
    assert simdocs(command, "data.jsonl", *output, "--id-field", "other", cwd=there).status in (0, 3)


def test_a_query_and_a_comparison_need_a_line_with_the_id_field(there):
    assert simdocs("index", "data.jsonl", "-o", "x.index", cwd=there).status == 0
    for ask in (["query", "x.index", "data.jsonl"], ["compare", "data.jsonl#1", "data.jsonl#4"]):
        done = simdocs(*ask, "--id-field", "uid", cwd=there)
        assert (done.status, done.out) == (2, b"")
        assert "no line has an id in the field 'uid' (--id-field); the first has 'text', 'id'" in done.err
        assert simdocs(*ask, "--id-field", "other", cwd=there).status == 0


@pytest.mark.parametrize("policy", ["newest", "oldest", "first", "longest"])
def test_it_is_said_that_lines_have_only_the_time_of_their_file(there, policy):
    done = simdocs("dedupe", "data.jsonl", "--keep", policy, cwd=there)
    assert done.status == 0
    why = "compares the times of files, and no document has a file of its own: of near-duplicates in the same file the"
    said = f"simdocs: warning: --keep {policy} {why} first is kept\n" if policy in ("newest", "oldest") else ""
    assert done.err == said
    lay(there, {"text": A})
    assert simdocs("dedupe", "data.jsonl", "text", "--keep", policy, cwd=there).err == ""
    assert simdocs("dedupe", "data.jsonl", "--keep", policy, "-q", cwd=there).err == ""


TEXTLESS = b"".join(b'{"uid": %d, "body": "some words"}\n' % number for number in range(30))
NO_TEXT = "no line has the field 'text'; the first has 'uid', 'body': name one of them with --text-field"


@pytest.mark.reliability("a --text-field that some rows lack")
@pytest.mark.parametrize("ask", ASKS_OF_LINES)
def test_a_text_field_that_no_line_has_is_an_error_that_lists_the_fields(tmp_path, ask):
    command, *output = ask.split()
    lay(tmp_path, {"b.jsonl": TEXTLESS, "text": A})
    for names in (["b.jsonl"], ["text", "b.jsonl"]):
        for workers in ("-j1", "-j2"):
            done = simdocs(command, *names, *output, workers, cwd=tmp_path)
            assert done == (2, b"", f"simdocs: error: b.jsonl: {NO_TEXT}\n")
    done = simdocs(command, "-", "--input-format", "jsonl", *output, stdin=TEXTLESS, cwd=tmp_path)
    assert done == (2, b"", f"simdocs: error: -: {NO_TEXT}\n")
    assert sorted(os.listdir(tmp_path)) == ["b.jsonl", "text"]
    assert simdocs(command, "b.jsonl", *output, "--text-field", "body", cwd=tmp_path).status == 0


def test_the_first_ten_rows_without_the_text_field_are_named_beside_others(tmp_path):
    lay(tmp_path, {"d/b.jsonl": TEXTLESS, "d/c.jsonl": DATA, "e/b.jsonl": TEXTLESS, "e/text": A})
    for names in (["d/b.jsonl", "d/c.jsonl"], ["d"], ["e"]):
        done = simdocs("index", *names, "-o", "x.index", "--allow-shrink", "-q", cwd=tmp_path)
        assert (done.status, done.err) == (3, "")
        done = simdocs("dedupe", *names, cwd=tmp_path)
        file = f"{names[0][0]}/b.jsonl"
        why = "field 'text' (--text-field) is missing; the line has 'uid', 'body'"
        named = [f"simdocs: {file}, line {number}: skipped: {why}\n" for number in range(1, 11)]
        assert done.status == 3
        assert done.err.startswith("".join(named))
        assert done.err.count("\n") == 11
        assert "20 more" in done.err


LATER = b'{"text": "much later"}\n'


@pytest.mark.parametrize(("line", "last"), [(LATER, True), *slow((LATER, False))])
def test_lines_without_the_text_field_are_named_if_another_line_has_it(tmp_path, line, last):
    gap = b"\n" * (4 << 20)
    lay(tmp_path, {"b.jsonl": TEXTLESS + gap + line if last else line + gap + TEXTLESS})
    done = simdocs("dedupe", "b.jsonl", "-v", cwd=tmp_path)
    assert done.status == 3
    why = "field 'text' (--text-field) is missing; the line has 'uid', 'body'"
    first = 1 if last else (4 << 20) + 2
    for number in range(first, first + 30):
        assert f"simdocs: b.jsonl, line {number}: skipped: {why}\n" in done.err
    assert done.err.count(why) == 30
