"""dedupe says before any work why rows cannot be written where they should be, and afterwards how many were not."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import simdocs
from simdocs.reading.formats import table_rows, tables

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


@pytest.mark.parametrize("name", ["all.v1", "all.1"])
def test_a_directory_may_have_another_suffix(here: Path, name: str) -> None:
    simdocs.dedupe("in", kept_rows=name)
    assert Path(name, "x.jsonl").is_file()


def test_a_directory_to_which_files_were_added_is_not_replaced(here: Path) -> None:
    simdocs.dedupe("in", kept_rows="out")
    Path("out/mine.txt").touch()
    with pytest.raises(
        simdocs.UsageError, match=r"out: has files that simdocs did not write, such as mine\.txt, so it"
    ):
        simdocs.dedupe("in", kept_rows="out")
    Path("out/mine.txt").unlink()
    simdocs.dedupe("in", kept_rows="out")


def test_the_summary_says_how_many_kept_rows_could_not_be_compared(here: Path) -> None:
    Path("in/x.jsonl").write_bytes(ROWS + b"no JSON\n\n\n[1]\n")
    kept, removed = simdocs.dedupe("in", kept_rows="out", removed_rows="gone").written
    assert kept.in_words() == "kept rows: 4, of these 2 that could not be compared, written to 1 file in out"
    assert removed.in_words() == "removed rows: 1, written to 1 file in gone"


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


@pytest.mark.parametrize("output", ["k.parquet", "k.json"])
def test_half_of_a_surrogate_pair_is_called_so(here: Path, output: str) -> None:
    if output.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="needs simdocs[datasets]")
    Path("in.jsonl").write_bytes(b'{"text": "a ship", "x": "\\ud800"}\n')
    with pytest.raises(
        simdocs.InputError, match=r"in\.jsonl, line 1 .*has no place in .*: it has half of a surrogate pair"
    ):
        simdocs.dedupe("in.jsonl", kept_rows=output)


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


def test_a_table_that_cannot_be_read_is_explained_once(here: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs simdocs[datasets]")
    Path("in/y.parquet").write_bytes(b"PAR1" + bytes(20))
    found = simdocs.dedupe("in", kept_rows="out")
    ((name, why),) = found.skipped.by_reason["malformed"]
    (warning,) = found.warnings
    assert warning == f"{name}: cannot be read, so none of its rows is in an output"
    assert why
    assert why not in warning


def test_a_row_group_of_many_bytes_is_written_in_pieces(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs simdocs[datasets]")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs simdocs[datasets]")
    table = pa.table({"text": [f"{FOX} {number}" for number in range(9)], "more": ["x" * 20_000] * 4 + ["y"] * 5})
    parquet.write_table(table, "y.parquet")
    for size, groups in ((table_rows._GROUP_BYTES, 1), (30_000, 3)):
        monkeypatch.setattr(tables, "_MOST_ROWS", 1)
        monkeypatch.setattr(table_rows, "_GROUP_BYTES", size)
        simdocs.dedupe("y.parquet", kept_rows="out.parquet", threshold=1.0)
        assert parquet.read_table("out.parquet") == table
        assert parquet.read_metadata("out.parquet").num_row_groups == groups


CSV = b"id,text,more\n1,A ferry leaves at nine,2\n2,Bread and butter,3\n"
LIKE = {
    "x.csv": (b'{"id": 1, "text": "A ferry"}\n{"id": 2, "text": "Bread"}\n', "JSON Lines", "jsonl"),
    "x.jsonl": (CSV, "CSV", "csv"),
    "y.jsonl": (CSV.replace(b",", b";"), "CSV with semicolons", "csv and --delimiter ';'"),
}


@pytest.mark.parametrize("name", LIKE)
def test_a_table_with_the_suffix_of_another_says_which_option_reads_it(here: Path, name: str) -> None:
    data, alike, option = LIKE[name]
    Path(name).write_bytes(data)
    with pytest.raises(simdocs.UsageError, match=f"this looks like {alike}.*: give --input-format {option}"):
        simdocs.dedupe(name, kept_rows="out.csv")
    assert not Path("out.csv").exists()


def test_lines_that_are_a_table_are_kept_as_they_are_beside_others(here: Path) -> None:
    Path("new").mkdir()
    Path("new/a.jsonl").write_bytes(b'{"text": "Bread"}\n')
    Path("new/b.jsonl").write_bytes(CSV)
    found = simdocs.dedupe("new", kept_rows="out")
    assert found.skipped.counts == {"malformed": 1}
    assert Path("out/b.jsonl").read_bytes() == CSV


@pytest.mark.parametrize("suffix", ["JSONL", "Csv", "csv.GZ", "CSV.gz"])
def test_capital_letters_in_a_suffix_make_no_difference(here: Path, suffix: str) -> None:
    data = b'{"text": "A ferry"}\n' if suffix == "JSONL" else b"text\nA ferry\n"
    packed = suffix.lower().endswith("gz")
    Path(f"x.{suffix}").write_bytes(gzip.compress(data) if packed else data)
    found = simdocs.dedupe(f"x.{suffix}", kept_rows=f"out.{suffix}")
    assert found.kept_names == [f"x.{suffix}#1"]
    written = Path(f"out.{suffix}").read_bytes()
    assert (gzip.decompress(written) if packed else written) == data


def test_a_table_that_is_compressed_by_itself_has_no_suffix_of_a_compression(here: Path) -> None:
    Path("x.jsonl").write_bytes(b'{"text": "A ferry"}\n')
    with pytest.raises(simdocs.UsageError, match=r"out.parquet.GZ: Parquet is compressed by itself: leave out .GZ"):
        simdocs.dedupe("x.jsonl", kept_rows="out.parquet.GZ")


def test_an_empty_mark_of_success_is_no_text_beside_rows(here: Path) -> None:
    Path("made").mkdir()
    Path("made/part-0.jsonl").write_bytes(b'{"text": "A ferry"}\n')
    Path("made/_SUCCESS").touch()
    found = simdocs.dedupe("made", kept_rows="out")
    assert (found.skipped.counts, sorted(os.listdir("out"))[1:]) == ({"described": 1}, ["part-0.jsonl"])
    Path("made/_SUCCESS").write_bytes(b"A text")
    with pytest.raises(simdocs.UsageError, match="1 file is one text"):
        simdocs.dedupe("made", kept_rows="other")
