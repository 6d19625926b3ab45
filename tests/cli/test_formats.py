"""Formats: tsv, csv, jsonl, and the table in a pipe."""

from __future__ import annotations

import json
from io import BytesIO
from itertools import product

import pytest

from simdocs.options.families import FORMATS
from tests.cli.corpus import A, lay
from tests.cli.every import TABULATING
from tests.cli.program import simdocs


@pytest.mark.parametrize(
    ("name", "form"),
    [("x.CSV", "csv"), ("x.jsonl", "jsonl"), ("./csv", "tsv"), (".csv", "tsv")],
)
def test_the_suffix_of_the_output_decides_the_format(here, name, form):
    assert simdocs("dedupe", "docs", "-o", name, cwd=here) == (0, b"", "")
    assert (here / name).read_bytes() == simdocs("dedupe", "docs", "--format", form, cwd=here).out != b""


@pytest.mark.parametrize(
    ("command", "suffix"), [*product(TABULATING, ["json"]), ("dedupe", "xlsx"), ("names", "npy"), ("dedupe", "html")]
)
def test_a_suffix_of_a_format_that_is_not_offered_is_refused(built, command, suffix):
    words = ("dedupe", "docs", "--list", "kept") if command == "names" else TABULATING[command]
    done = simdocs(*words, "-o", f"x.{suffix}", cwd=built)
    assert (done.status, done.out) == (2, b"")
    assert f"simdocs: error: -o x.{suffix}: simdocs cannot write .{suffix} here: use " in done.err
    assert [name for name in (*FORMATS, "or choose with --format") if name not in done.err] == []
    assert not (built / f"x.{suffix}").exists()


def test_format_overrides_the_suffix_of_the_output(here):
    assert simdocs("dedupe", "docs", "-o", "x.json", "--format", "csv", cwd=here).status == 0
    assert (here / "x.json").read_bytes() == simdocs("dedupe", "docs", "--format", "csv", cwd=here).out


@pytest.mark.parametrize("suffix", ["bz2", "ZIP"])
def test_a_suffix_of_compressed_files_that_are_not_written_is_refused(here, suffix):
    done = simdocs("dedupe", "docs", "-o", f"x.tsv.{suffix}", "--format", "tsv", cwd=here)
    why = f"-o x.tsv.{suffix}: simdocs cannot write .{suffix.lower()}: use .gz or .zst"
    assert (done.status, done.out, why in done.err) == (2, b"", True)


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_nul_ended_names_cannot_be_combined_with_a_suffix_of_another_format(here, suffix):
    done = simdocs("dedupe", "docs", "--list", "kept", "-0", "-o", f"x.{suffix}", cwd=here)
    assert (done.status, done.out, "-0 writes plain names" in done.err) == (2, b"", True)
    assert simdocs("dedupe", "docs", "--list", "kept", "-0", "-o", "x.txt", cwd=here) == (0, b"", "")


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_binary_file_has_the_rows_of_json_lines(here, form):
    pytest.importorskip("pyarrow", reason="no pyarrow here")
    from pyarrow import ipc, parquet

    lay(here, {"docs/d,e.txt": A, "docs/é": A})
    written = simdocs("dedupe", "docs", "-j3", "-o", "-", "--format", form, cwd=here).out
    source = BytesIO(written)
    table = parquet.read_table(source) if form == "parquet" else ipc.open_file(source).read_all()
    rows = [
        {key: round(one, 6) if isinstance(one, float) else one for key, one in row.items()} for row in table.to_pylist()
    ]
    assert rows == list(map(json.loads, simdocs("dedupe", "docs", "--format", "jsonl", cwd=here).out.splitlines()))
    assert len(rows) == 3
    assert simdocs("dedupe", "docs", "-o", f"x.{form}", cwd=here) == (0, b"", "")
    assert (here / f"x.{form}").read_bytes() == written


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_every_format_can_be_empty(tmp_path, form):
    out = simdocs("dedupe", tmp_path, "--format", form, "--header").out
    header = b"kept,duplicate,jaccard,estimate\r\n"
    assert out == {"csv": header, "tsv": header.replace(b",", b"\t").replace(b"\r", b"")}.get(form, b"")
