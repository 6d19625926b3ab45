"""dedupe says before any work why rows cannot be written where they should be, and afterwards how many were not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import simdocs

FOX = "the quick brown fox jumps over the lazy dog and then runs home"
ROWS = b"\n".join(json.dumps({"text": text}).encode() for text in (FOX, "a ship", FOX)) + b"\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("in/x.jsonl", "other.jsonl"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(ROWS)
    return tmp_path


@pytest.mark.parametrize("name", ["all.jsonl", "all.parquet", "all.csv.gz", "all.gz", "all.xlsx"])
def test_a_directory_is_not_called_as_a_file_would_be(here: Path, name: str) -> None:
    before = os.listdir()
    with pytest.raises(simdocs.UsageError, match=f"{name} would be a directory, because more than one file or a"):
        simdocs.dedupe("in", kept_rows=name)
    with pytest.raises(simdocs.UsageError, match=f"{name} would be a directory, because more than one file or a"):
        simdocs.dedupe("in/x.jsonl", "other.jsonl", kept_rows=name)
    assert os.listdir() == before


def test_a_directory_to_which_files_were_added_is_not_replaced(here: Path) -> None:
    simdocs.dedupe("in", kept_rows="out")
    Path("out/mine.txt").touch()
    with pytest.raises(
        simdocs.UsageError, match=r"out: has files that simdocs did not write, such as mine\.txt, so it"
    ):
        simdocs.dedupe("in", kept_rows="out")
    Path("out/mine.txt").unlink()
    simdocs.dedupe("in", kept_rows="out")


@pytest.mark.parametrize("output", ["k.parquet", "k.arrow", "k.jsonl", "k.json"])
def test_bytes_that_are_not_utf8_are_called_so(here: Path, output: str) -> None:
    if output.endswith(("parquet", "arrow")):
        pytest.importorskip("pyarrow", reason="needs simdocs[datasets]")
    Path("in.csv").write_bytes(b"text,x\na ship,\xff\n")
    with pytest.raises(
        simdocs.InputError,
        match=r"in\.csv, row 1 .*has no place in .*: it has bytes that are not UTF-8: write \.csv, which",
    ):
        simdocs.dedupe("in.csv", kept_rows=output)
    simdocs.dedupe("in.csv", kept_rows="k.csv")
    assert Path("k.csv").read_bytes() == Path("in.csv").read_bytes()


def test_a_damaged_table_says_how_many_of_its_rows_were_written(here: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs simdocs[datasets]")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs simdocs[datasets]")
    Path("tables").mkdir()
    for name in ("x", "y"):
        texts = [f"{name} {number} {os.urandom(40).hex()}" for number in range(510)]
        parquet.write_table(
            pa.table({"text": texts}), f"tables/{name}.parquet", row_group_size=170, write_page_checksum=True
        )
    place = parquet.read_metadata("tables/y.parquet").row_group(1).column(0).dictionary_page_offset
    content = bytearray(Path("tables/y.parquet").read_bytes())
    content[place + 500 : place + 700] = bytes(200)
    Path("tables/y.parquet").write_bytes(content)
    found = simdocs.dedupe("tables", kept_rows="out", threshold=1.0)
    written = parquet.read_metadata("out/y.parquet").num_rows
    assert written == 170
    warning = "tables/y.parquet: only 170 of its rows can be read, so the rest is in no output"
    assert [one for one in found.warnings if "in no output" in one] == [warning]


def test_an_empty_mark_of_success_is_no_text_beside_rows(here: Path) -> None:
    Path("made").mkdir()
    Path("made/part-0.jsonl").write_bytes(b'{"text": "A ferry"}\n')
    Path("made/_SUCCESS").touch()
    found = simdocs.dedupe("made", kept_rows="out")
    assert (found.skipped.counts, sorted(os.listdir("out"))[1:]) == ({"described": 1}, ["part-0.jsonl"])
    Path("made/_SUCCESS").write_bytes(b"A text")
    with pytest.raises(simdocs.UsageError, match="1 file is one text"):
        simdocs.dedupe("made", kept_rows="other")
