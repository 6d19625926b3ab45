"""Compressed files, read and written: texts, lines, damage, limits, and a library that is missing."""

from __future__ import annotations

import json

import pytest

from simdocs.options.families import COMPRESSIONS
from tests.cli.corpus import A1, A2, A, B, jaccard, lay
from tests.cli.missing_library import environment_without
from tests.cli.program import simdocs
from tests.packing import SUFFIXES, each, needs_zstd, packed, unpacked, written

LINES = [b'{"text": "%s", "id": "%d"}\n' % (text, number) for number, text in enumerate((A, B, A1, B + A, A2))]
DATA = b"".join(LINES)
INSTALL = "pip install 'simdocs[datasets]'"


def rows(done) -> list[tuple[str, ...]]:
    assert (done.status, done.err) == (0, "")
    return [tuple(field.decode() for field in fields[:3]) for fields in done.rows]


@each
def test_lines_are_read_from_several_frames(tmp_path, name):
    """A frame may end anywhere, also within a line."""
    file = f"deep/data.jsonl{SUFFIXES[name]}"
    lay(tmp_path, {file: packed(name, DATA[:300]) + packed(name, b"") + packed(name, DATA[300:]), "plain.jsonl": DATA})
    found = rows(simdocs("dedupe", file, cwd=tmp_path))
    plain = rows(simdocs("dedupe", "plain.jsonl", cwd=tmp_path))
    assert found == [tuple(cell.replace("plain.jsonl", file) for cell in row) for row in plain]
    assert len(found) == 2
    lines = simdocs("dedupe", file, "--removed-rows", "-", cwd=tmp_path)
    assert lines == (0, LINES[2] + LINES[4], "")


@each
def test_texts_are_indexed_queried_compared_and_updated(tmp_path, name):
    suffix = SUFFIXES[name]
    a, c = f"docs/a.txt{suffix}", f"docs/c{suffix}"
    lay(tmp_path, {a: packed(name, A), "docs/b": A1, c: packed(name, B) + packed(name, b"")})
    assert rows(simdocs("dedupe", "docs", cwd=tmp_path)) == [(a, "docs/b", jaccard(A, A1))]
    lay(tmp_path, {f"docs/lines.jsonl{suffix}": packed(name, LINES[4])})
    assert simdocs("index", "docs", "-o", "x.index", cwd=tmp_path) == (0, b"", "")
    assert rows(simdocs("query", "x.index", "-", cwd=tmp_path, stdin=B)) == [("-", c, "1.000000")]
    lay(tmp_path, {f"docs/lines.jsonl{suffix}": packed(name, LINES[4] + LINES[1])})
    assert simdocs("index", "docs", "-o", "x.index", cwd=tmp_path) == (0, b"", "")
    assert (c, f"docs/lines.jsonl{suffix}#1", "1.000000") in rows(simdocs("dedupe", "x.index", cwd=tmp_path))
    compared = simdocs("compare", a, f"docs/lines.jsonl{suffix}#4", cwd=tmp_path)
    assert jaccard(A, A2).encode() in compared.out


@each
@pytest.mark.reliability("damaged gzip")
@pytest.mark.parametrize("damage", ["cut", "more data"])
def test_damaged_files_are_named(tmp_path, name, damage):
    def spoilt(data: bytes) -> bytes:
        whole = written(name, data)
        return whole[:-9] if damage == "cut" else whole + b"more"

    a, d = f"docs/a{SUFFIXES[name]}", f"docs/d.jsonl{SUFFIXES[name]}"
    lay(tmp_path, {a: spoilt(A), "docs/b": A1, "docs/c": A2, d: spoilt(DATA)})
    done = simdocs("dedupe", "docs", cwd=tmp_path)
    assert done.status == 3
    assert ("docs/b", "docs/c") in done.names
    assert sorted(line.split(": ")[1] for line in done.err.splitlines()) == [a, d]
    assert done.err.count(f" {name} file") == 2
    alone = simdocs("show", a, cwd=tmp_path)
    assert alone.status == 2
    assert f"{a}: malformed (" in alone.err


@each
@pytest.mark.reliability("gzip data that becomes larger than --max-size")
def test_files_that_decompress_to_more_than_max_size_are_named(tmp_path, name):
    bomb, lines = f"docs/bomb{SUFFIXES[name]}", f"docs/bomb.jsonl{SUFFIXES[name]}"
    data = {bomb: packed(name, b"\0" * (1 << 24)), lines: packed(name, b'{"text": "' + b"x" * (1 << 24))}
    lay(tmp_path, data | {"docs/a": A})
    done = simdocs("dedupe", "docs", lines, "--max-size", "1M", cwd=tmp_path)
    assert (done.status, done.out) == (3, b"")
    assert {tuple(line.split(": ")[1:4]) for line in done.err.splitlines()} == {
        (bomb, "skipped", "larger than --max-size (more than 1048576 bytes decompressed)"),
        (f"{lines}, line 1", "skipped", f"larger than --max-size ({10 + (1 << 24)} bytes)"),
    }


@needs_zstd
def test_data_under_the_name_of_another_compression_is_called_so(tmp_path):
    lay(tmp_path, {"a.gz": packed("zstd", A), "b.txt": packed("gzip", A)})
    done = simdocs("dedupe", "a.gz", "b.txt", cwd=tmp_path)
    assert done.status == 3
    assert "a.gz: skipped: not a gzip file, but zstd data: pipe it through zstdcat, or give the file a name" in done.err
    assert "b.txt: skipped: gzip data: pipe it through zcat, or give the file a name that ends in .gz\n" in done.err


def test_without_the_library_files_that_a_walk_finds_are_skipped_and_counted(tmp_path):
    absent = environment_without(tmp_path, COMPRESSIONS["zstd"].module)
    magic = b"\x28\xb5\x2f\xfd" + bytes(9)
    lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/c.zst": magic, "docs/d.jsonl.zst": magic})
    found = simdocs("dedupe", "docs", cwd=tmp_path, env=absent)
    why = f"reading Zstandard needs {COMPRESSIONS['zstd'].module}: {INSTALL}"
    assert (found.status, found.err) == (0, f"simdocs: warning: docs/c.zst and 1 more file skipped: {why}\n")
    assert rows(found._replace(err="")) == [("docs/a", "docs/b", jaccard(A, A1))]
    told = simdocs("dedupe", "docs", "docs/c.zst", cwd=tmp_path, env=absent)
    assert told == (2, b"", f"simdocs: error: docs/c.zst: {why}\n")


# Outputs: a name says by its suffix that they are compressed


@each
def test_an_output_that_has_only_the_suffix_of_a_compression_is_tsv_unless_a_format_is_given(here, name):
    file = f"x{SUFFIXES[name]}"
    for options in ((), ("--format", "csv"), ("--list", "kept", "-0")):
        plain = simdocs("dedupe", "docs", *options, cwd=here)
        assert simdocs("dedupe", "docs", *options, "-o", file, cwd=here) == (0, b"", "")
        assert unpacked(name, (here / file).read_bytes()) == plain.out != b""
    lines = simdocs("dedupe", "docs", "--format", "jsonl", cwd=here)
    note = f"note.json{SUFFIXES[name]}"
    ask = ("dedupe", "docs", "-o", f"x.jsonl{SUFFIXES[name]}", "--summary-json", note)
    assert simdocs(*ask, cwd=here) == (0, b"", "")
    assert unpacked(name, (here / f"x.jsonl{SUFFIXES[name]}").read_bytes()) == lines.out
    assert json.loads(unpacked(name, (here / note).read_bytes()))["documents"] == 3


@each
def test_an_empty_answer_is_a_compressed_file_too(here, name):
    file = f"x.tsv{SUFFIXES[name]}"
    assert simdocs("dedupe", "docs", "--exclude", "a.txt", "-o", file, cwd=here) == (0, b"", "")
    assert unpacked(name, (here / file).read_bytes()) == b""
    assert (here / file).stat().st_size > 0


@each
def test_equal_answers_have_equal_bytes(here, name):
    """The header of gzip has neither a time nor a name."""
    suffix = SUFFIXES[name]
    found = set()
    for number, jobs in enumerate(("-j1", "-j2")):
        file = here / f"{number}.tsv{suffix}"
        assert simdocs("dedupe", "docs", jobs, "-o", file.name, cwd=here).status == 0
        found.add(file.read_bytes())
    assert len(found) == 1
    if name == "gzip":
        (data,) = found
        assert data[3:8] == bytes(5)


@each
def test_a_binary_format_is_not_compressed_again(here, name):
    file = f"x.parquet{SUFFIXES[name]}"
    done = simdocs("dedupe", "docs", "-o", file, cwd=here)
    assert (done.status, done.out, f"leave {SUFFIXES[name]} out" in done.err) == (2, b"", True)
