"""Formats: tsv, csv, jsonl, and the table in a pipe."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import product

import pytest

from simdocs.options.families import FORMATS
from tests.amounts import slow
from tests.cli.corpus import A1, A, jaccard, lay
from tests.cli.every import TABULATING
from tests.cli.program import environment, simdocs

COLUMNS = {
    "groups": ([], ["kept", "duplicate", "jaccard", "estimate"]),
    "kept": (["--list", "kept"], ["name"]),
}


@pytest.mark.parametrize("what", ["groups", "kept"])
def test_every_format_has_the_same_rows(here, what):
    lay(here, {"docs/d,e.txt": A, 'docs/"q"': A1, "docs/é": A})
    arguments, columns = COLUMNS[what]
    ask = ("dedupe", "docs", *arguments)
    tsv = simdocs(*ask, "--header", cwd=here).out.decode()
    header, *rows = [line.split("\t") for line in tsv.splitlines()]
    assert header == columns
    assert len(rows) > 1
    assert simdocs(*ask, cwd=here).out.decode() == "".join("\t".join(row) + "\n" for row in rows)
    comma = simdocs(*ask, "--format", "csv", cwd=here).out.decode()
    assert comma.count("\r\n") == len(rows) + 1
    assert list(csv.reader(io.StringIO(comma, newline=""), strict=True)) == [header, *rows]
    lines = simdocs(*ask, "--format", "jsonl", cwd=here).out.decode().split("\n")
    assert lines.pop() == ""
    found = [json.loads(line) for line in lines]
    assert all(list(one) == columns for one in found)
    as_text = [[f"{one[key]:.6f}" if key in columns[2:] else one[key] for key in columns] for one in found]
    assert as_text == rows


def test_similarities_have_six_digits(here):
    row = simdocs("dedupe", "docs", cwd=here).rows[0]
    assert row[2].decode() == jaccard(A, A1)
    assert all(re.fullmatch(rb"0\.\d{6}", number) for number in row[2:])
    lay(here, {"docs/b.txt": A.upper()})
    assert simdocs("dedupe", "docs", cwd=here).rows[0][2:] == [b"1.000000", b"1.000000"]


def test_a_similarity_that_was_not_computed_is_left_empty(here):
    lay(here, {"docs/copy": A})
    ask = ("dedupe", "docs", "--verify", "estimate")
    for row in simdocs(*ask, cwd=here).rows:
        assert row[2] == b""
        assert re.fullmatch(rb"[01]\.\d{6}", row[3])
    for line in simdocs(*ask, "--format", "jsonl", cwd=here).out.splitlines():
        assert json.loads(line)["jaccard"] is None
    for row in csv.DictReader(simdocs(*ask, "--format", "csv", cwd=here).out.decode().splitlines()):
        assert row["jaccard"] == ""


@pytest.mark.parametrize(
    ("name", "form"),
    [("x.csv", "csv"), ("x.CSV", "csv"), ("x.jsonl", "jsonl"), ("./csv", "tsv"), ("x.txt", "tsv"), (".csv", "tsv")],
)
def test_the_suffix_of_the_output_decides_the_format(here, name, form):
    assert simdocs("dedupe", "docs", "-o", name, cwd=here) == (0, b"", "")
    assert (here / name).read_bytes() == simdocs("dedupe", "docs", "--format", form, cwd=here).out != b""


OTHER_SUFFIXES = ["JSON", "ndjson", "xlsx"]


@pytest.mark.parametrize(
    ("command", "suffix"),
    [
        *product([*TABULATING, "names"], ["json"]),
        *product(["dedupe"], [*OTHER_SUFFIXES, "npy", "html"]),
        *slow(*product([*(name for name in TABULATING if name != "dedupe"), "names"], OTHER_SUFFIXES)),
    ],
)
def test_a_suffix_of_a_format_that_is_not_offered_is_refused(built, command, suffix):
    words = ("dedupe", "docs", "--list", "kept") if command == "names" else TABULATING[command]
    done = simdocs(*words, "-o", f"x.{suffix}", cwd=built)
    assert (done.status, done.out) == (2, b"")
    assert f"simdocs: error: -o x.{suffix}: simdocs cannot write .{suffix.lower()} here: use " in done.err
    assert [name for name in (*FORMATS, "or choose with --format") if name not in done.err] == []
    assert not (built / f"x.{suffix}").exists()
    quiet = ["-q"] * (command == "tune")  # which says what to run next
    assert simdocs(*words, "-o", f"x.{suffix}", "--format", "tsv", *quiet, cwd=built) == (0, b"", "")


@pytest.mark.parametrize("suffix", ["bz2", "xz", "ZIP", "zip"])
def test_a_suffix_of_compressed_files_that_are_not_written_is_refused(here, suffix):
    done = simdocs("dedupe", "docs", "-o", f"x.tsv.{suffix}", "--format", "tsv", cwd=here)
    why = f"-o x.tsv.{suffix}: simdocs cannot write .{suffix.lower()}: use .gz or .zst"
    assert (done.status, done.out, why in done.err) == (2, b"", True)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "xlsx"])
def test_nul_ended_names_cannot_be_combined_with_a_suffix_of_another_format(here, suffix):
    done = simdocs("dedupe", "docs", "--list", "kept", "-0", "-o", f"x.{suffix}", cwd=here)
    assert (done.status, done.out, "-0 writes plain names" in done.err) == (2, b"", True)
    assert simdocs("dedupe", "docs", "--list", "kept", "-0", "-o", "x.txt", cwd=here) == (0, b"", "")


def test_format_overrides_the_suffix_of_the_output(here):
    assert simdocs("dedupe", "docs", "-o", "x.csv", "--format", "jsonl", cwd=here).status == 0
    assert (here / "x.csv").read_bytes() == simdocs("dedupe", "docs", "--format", "jsonl", cwd=here).out


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_binary_file_has_the_rows_of_json_lines(here, form):
    pytest.importorskip("pyarrow", reason="no pyarrow here")
    from pyarrow import ipc, parquet

    lay(here, {"docs/d,e.txt": A, "docs/é": A})
    name = f"x.{form}"
    for words in (["dedupe", "docs"],):
        assert simdocs(*words, "-o", name, cwd=here) == (0, b"", "")
        written = (here / name).read_bytes()
        table = parquet.read_table(here / name) if form == "parquet" else ipc.open_file(written).read_all()
        lines = simdocs(*words, "--format", "jsonl", cwd=here).out.splitlines()
        rows = [
            {key: round(one, 6) if isinstance(one, float) else one for key, one in row.items()}
            for row in table.to_pylist()
        ]
        assert rows == list(map(json.loads, lines)) != []
        for again in (["-o", name, "-j3"], ["-o", "-", "--format", form]):
            done = simdocs(*words, *again, cwd=here)
            assert (done.status, done.err) == (0, "")
            assert (done.out or (here / name).read_bytes()) == written


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_every_format_can_be_empty(tmp_path, form):
    out = simdocs("dedupe", tmp_path, "--format", form, "--header").out
    header = b"kept,duplicate,jaccard,estimate\r\n"
    assert out == {"csv": header, "tsv": header.replace(b",", b"\t").replace(b"\r", b"")}.get(form, b"")


@pytest.mark.parametrize("variable", [{"TERM": "xterm-256color"}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}])
def test_a_table_in_a_pipe_has_no_escape_sequences(here, variable):
    done = simdocs("dedupe", "docs", "--format", "table", cwd=here, env=environment(**variable))
    assert done.status == 0
    assert b"\x1b" not in done.out
    text = done.out.decode()
    for word in ("kept", "duplicate", "jaccard", "estimate", "docs/a.txt", "docs/b.txt", jaccard(A, A1)):
        assert word in text


def test_a_group_in_a_table_names_its_kept_document_once(here):
    lay(here, {"docs/b2.txt": A1, "docs/b3.txt": A})
    text = simdocs("dedupe", "docs", "--format", "table", cwd=here).out.decode()
    assert text.count("docs/a.txt") == 1
    assert len([line for line in text.splitlines() if "docs/b" in line]) == 3
