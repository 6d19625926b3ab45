"""Tables that are small on the disk and large in memory, or damaged in a column that is not compared."""

from __future__ import annotations

import json
import resource
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import simdocs as library
from simdocs.reading.formats import table_rows
from simdocs.reading.formats import tables as containers
from tests.cli.program import Done, simdocs
from tests.cli.test_memory import MIB, peak
from tests.reading.arrow_files import as_arrow_file, as_parquet, needs_pyarrow

pytestmark = needs_pyarrow

HONEST = ["an honest text of some length, here", "and another one of its own"]


def arrow() -> Any:
    return import_module("pyarrow")


def parquet() -> Any:
    return import_module("pyarrow.parquet")


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A directory with a table of two texts."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/y.parquet").write_bytes(as_parquet(arrow().table({"text": HONEST, "x": HONEST})))
    return tmp_path


@pytest.mark.reliability("A column without a type")
def test_a_column_of_nulls_is_reported_once_and_takes_no_memory(tables: Path) -> None:
    rows = arrow().RecordBatch.from_arrays([arrow().nulls(2 * 10**8)], names=["text"])
    with arrow().ipc.new_file(tables / "in/x.arrow", rows.schema) as writer:
        writer.write_batch(rows)
    assert peak(tables, tables / "in", status=3) < 120 * MIB
    done = simdocs("dedupe", "in", "--list", "kept", cwd=tables)
    assert (done.status, done.out) == (3, b"in/y.parquet#1\nin/y.parquet#2\n")
    assert done.err.count("in/x.arrow") == 1
    assert "the column 'text' has the type null, not strings: name another with --text-field" in done.err


def kept(where: Path, done: Done, name: str = "x.parquet") -> int:
    """The number of rows that were written; -1 if nothing was published."""
    if not (where / "out").exists():
        assert (done.status, "not enough memory" in done.err) == (2, True)
        return -1
    return int(parquet().read_metadata(where / "out" / name).num_rows)


@pytest.mark.reliability("Memory runs out later")
def test_too_little_memory_for_a_page_is_not_called_damage(tables: Path) -> None:
    rows = arrow().table({"text": HONEST, "x": ["a" * (1 << 28), "b"]})
    options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    (tables / "in/x.parquet").write_bytes(as_parquet(rows, 2, **options))
    found = []
    for mebibytes in (500, 800, 1000):
        limits = {resource.RLIMIT_AS: (mebibytes * MIB, mebibytes * MIB)}
        done = simdocs("dedupe", "in", "--kept-rows", "out", "-j1", cwd=tables, limits=limits)
        found.append(kept(tables, done))
    assert set(found) <= {-1, 2}
    assert found[0] == -1


def test_a_row_group_of_many_bytes_is_written_in_pieces(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tables)
    table = arrow().table({"text": [f"A text, number {at}" for at in range(9)], "x": ["x" * 20_000] * 4 + ["y"] * 5})
    parquet().write_table(table, "x.parquet")
    for size, groups in ((table_rows._GROUP_BYTES, 1), (30_000, 3)):
        monkeypatch.setattr(containers, "_MOST_ROWS", 1)
        monkeypatch.setattr(table_rows, "_GROUP_BYTES", size)
        library.dedupe("x.parquet", kept_rows="out.parquet", threshold=1.0)
        assert parquet().read_table("out.parquet") == table
        assert parquet().read_metadata("out.parquet").num_row_groups == groups


@pytest.mark.reliability("A table damaged in a column that is not compared")
@pytest.mark.parametrize(("form", "unit"), [("parquet", 0), ("parquet", 2), ("arrow", 1)])
def test_rows_are_written_up_to_damage_in_a_column_that_is_not_compared(tables: Path, form: str, unit: int) -> None:
    texts = [f"row number {number} has a text of its own {number * 7}" for number in range(600)]
    table = arrow().table({"text": texts, "x": [f"{number * 0.37} and more" * 3 for number in range(600)]})
    name = f"x.{form}"
    if form == "parquet":
        content = bytearray(as_parquet(table, 200, use_dictionary=False, compression="zstd"))
        column = parquet().ParquetFile(arrow().BufferReader(bytes(content))).metadata.row_group(unit).column(1)
        at = column.data_page_offset
    else:
        content = bytearray(as_arrow_file(table, 200, compression="zstd"))
        frames = [at for at in range(len(content)) if content.startswith(b"\x28\xb5\x2f\xfd", at)]
        at = frames[4 * unit + 3]  # each column has offsets and bytes
    content[at : at + 60] = b"\xff" * 60
    (tables / "in" / name).write_bytes(content)
    words = ("--kept-rows", "out", "--removed-rows", "gone", "--summary-json", "s.json")
    done = simdocs("dedupe", "in", *words, cwd=tables)
    assert done.status == 3
    some = f"only {200 * unit} of its rows can be read, so the rest is in no output"
    none = "cannot be read, so none of its rows is in an output"
    assert f"in/{name}: {some if unit else none}\n" in done.err
    assert f"in/{name}: skipped: a" in done.err
    assert json.loads((tables / "s.json").read_bytes())["kept_rows"]["rows"] == 200 * unit + 2
    read = parquet().read_table if form == "parquet" else lambda path: arrow().ipc.open_file(path).read_all()
    assert read(tables / "out" / name).to_pylist() == table.slice(0, 200 * unit).to_pylist()
    assert read(tables / "gone" / name).num_rows == 0
    strict = simdocs("dedupe", "in", "--kept-rows", "strict", "--strict", "-q", cwd=tables)
    assert (strict.status, (tables / "strict").exists()) == (2, False)
