"""dedupe writes the rows of Parquet and Arrow files with their schema, metadata and compression."""

from __future__ import annotations

import csv
import datetime
import decimal
import json
import os
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.reading.formats import rows as of_text
from simdocs.reading.formats import table_rows

pa = pytest.importorskip("pyarrow", reason="needs simdocs[datasets]")
parquet = pytest.importorskip("pyarrow.parquet", reason="needs simdocs[datasets]")
ipc = pytest.importorskip("pyarrow.ipc", reason="needs simdocs[datasets]")

FOX = "the quick brown fox jumps over the lazy dog and then runs home"
TEXTS = [FOX, "a ship", FOX, None, "a wholly different sentence about harbours", f"{FOX}.", "a ship at sea again"] * 3
REMOVED = [2, 5, *(row for row in range(7, 21) if TEXTS[row] is not None)]
KEPT = [row for row in range(21) if row not in REMOVED]


def table(**more: Any) -> Any:
    rows = len(TEXTS)
    columns = {
        "id": pa.array([f"r{row}" for row in range(rows)]),
        "nested": pa.array([{"a": [row, None], "b": None if row % 2 else b"\xff"} for row in range(rows)]),
        "text": pa.array(TEXTS, pa.large_string()),
        "when": pa.array(range(rows), pa.timestamp("ms", "Europe/Berlin")),
        "kind": pa.array([f"kind {row % 3}" for row in range(rows)]).dictionary_encode(),
    }
    return pa.table(columns | more).replace_schema_metadata({"made": "by hand"})


def write_parquet(path: Path, some: Any, **options: Any) -> None:
    parquet.write_table(some, path, row_group_size=5, **options)


def write_arrow(path: Path, some: Any, *, stream: bool, compression: str | None) -> None:
    options = ipc.IpcWriteOptions(compression=compression)
    with (ipc.new_stream if stream else ipc.new_file)(path, some.schema, options=options) as writer:
        writer.write_table(some, 5)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(found: Any, suffix: str, read: Any) -> None:
    kept, removed, every = (read(f"{name}{suffix}") for name in ("kept", "removed", "all"))
    given = read(f"in{suffix}")
    for some, rows in ((kept, KEPT), (removed, REMOVED)):
        assert some.schema.equals(given.schema, check_metadata=True)
        assert some.to_pylist() == given.take(rows).to_pylist()
    assert every.drop_columns(["duplicate_of", "similarity", "group"]).to_pylist() == given.to_pylist()
    assert every.schema.metadata == given.schema.metadata
    assert [str(every.schema.field(name).type) for name in ("duplicate_of", "similarity", "group")] == [
        "string",
        "double",
        "int64",
    ]
    duplicate_of = every["duplicate_of"].to_pylist()
    assert [row for row, name in enumerate(duplicate_of) if name is not None] == REMOVED
    assert every["group"].to_pylist()[:5] == [0, 1, 0, None, 2]
    assert duplicate_of[5] == f"in{suffix}#r0"
    assert every["similarity"].to_pylist()[5] == simdocs.similarity(FOX, f"{FOX}.")
    assert [one.rows for one in found.written] == [len(KEPT), len(REMOVED), 21]


def outputs(suffix: str) -> dict[str, str]:
    return {
        f"{long}_rows": f"{name}{suffix}"
        for long, name in (("kept", "kept"), ("removed", "removed"), ("flagged", "all"))
    }


@pytest.mark.parametrize("codec", ["snappy", "zstd", "gzip", "none"])
def test_parquet_keeps_schema_metadata_row_groups_and_compression(here: Path, codec: Any) -> None:
    write_parquet(Path("in.parquet"), table(), compression=codec)
    found = simdocs.dedupe("in.parquet", **outputs(".parquet"))
    assert found.skipped.counts == {"malformed": 3}
    check(found, ".parquet", parquet.read_table)
    given, kept, every = (parquet.read_metadata(f"{name}.parquet") for name in ("in", "kept", "all"))
    assert [kept.row_group(unit).num_rows for unit in range(kept.num_row_groups)] == [4, 1, 1, 1]
    assert every.num_row_groups == given.num_row_groups
    for place in range(given.num_columns):
        before, after = (each.row_group(0).column(place) for each in (given, kept))
        assert (after.path_in_schema, after.compression) == (before.path_in_schema, before.compression)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
def test_arrow_keeps_schema_metadata_batches_and_compression(here: Path, stream: bool, codec: str | None) -> None:
    write_arrow(Path("in.arrow"), table(), stream=stream, compression=codec)
    found = simdocs.dedupe("in.arrow", **outputs(".arrow"))

    def read(name: str) -> Any:
        return (ipc.open_stream if stream else ipc.open_file)(name).read_all()

    check(found, ".arrow", read)
    sizes = [Path(name).stat().st_size for name in ("in.arrow", "all.arrow")]
    assert sizes[0] < sizes[1] < 2 * sizes[0]


def test_rows_go_from_json_lines_to_tables_and_back(here: Path) -> None:
    records: list[dict[str, Any]] = [
        {"id": f"r{row}", "text": f"{FOX} {row}", "n": row, "x": 1.5, "yes": row > 3, "deep": {"a": [row]}}
        for row in range(9)
    ]
    records[3] = {"id": "r3", "text": "another text altogether, about the sea", "n": None, "later": "only here"}
    records[5]["text"] = records[0]["text"]
    records[8]["n"] = 2.5
    Path("in.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n\n")
    kept = [record for row, record in enumerate(records) if row != 5]
    for name in ("kept.parquet", "kept.arrow"):
        simdocs.dedupe("in.jsonl", kept_rows=name, threshold=0.99)
        read = parquet.read_table if name.endswith("parquet") else lambda path: ipc.open_file(path).read_all()
        found = read(name)
        names = ("id", "text", "n", "x", "yes", "deep", "later")
        assert found.column_names == list(names)
        assert found.to_pylist() == [{column: record.get(column) for column in names} for record in kept]
        simdocs.dedupe(name, kept_rows="back.jsonl", flagged_rows="all.jsonl", threshold=1)
        back = list(map(json.loads, Path("back.jsonl").read_bytes().splitlines()))
        assert back == found.to_pylist()
        flagged = list(map(json.loads, Path("all.jsonl").read_bytes().splitlines()))
        assert flagged == [row | {"duplicate_of": None, "similarity": None, "group": at} for at, row in enumerate(back)]


def test_rows_of_other_formats_become_row_groups_of_a_size(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_text, "BATCH_BYTES", 1)
    monkeypatch.setattr(table_rows, "_GROUP_ROWS", 3)
    Path("in.jsonl").write_text("".join(f'{{"text": "{at}"}}\n' for at in range(8)))
    simdocs.dedupe("in.jsonl", kept_rows="k.parquet")
    made = parquet.read_metadata("k.parquet")
    assert [made.row_group(unit).num_rows for unit in range(made.num_row_groups)] == [3, 3, 2]


def test_values_without_a_place_in_a_table_are_named(here: Path) -> None:
    Path("in.jsonl").write_text('{"text": "a b c", "x": 1}\n{"text": "d e f", "x": "1"}')
    problem = r"in\.jsonl, line 1 or one after it has no place in a table: Could not convert"
    with pytest.raises(simdocs.InputError, match=problem):
        simdocs.dedupe("in.jsonl", kept_rows="k.parquet")
    assert os.listdir() == ["in.jsonl"]
    for values, problem in (
        (pa.array([b"x"]), "1 has no place in JSON: a value of the type bytes: write .parquet or .arrow"),
        (pa.array([1], pa.time64("ns")), "1 or one after it has no place in another format: times of day with nano"),
    ):
        write_parquet(Path("in.parquet"), pa.table({"text": ["a ship"], "x": values}))
        with pytest.raises(simdocs.InputError, match=rf"^in\.parquet, row {problem}"):
            simdocs.dedupe("in.parquet", kept_rows="k.jsonl")
    write_parquet(Path("in.parquet"), pa.table([["a ship"], [1], [2]], ["text", "y", "y"]))
    with pytest.raises(simdocs.InputError, match=r"^in\.parquet: has the field 'y' twice"):
        simdocs.dedupe("in.parquet", kept_rows="k.jsonl")


UTC = datetime.UTC
TIMES = {
    "day": (pa.array([datetime.date(2026, 11, 23)]), "2026-11-23"),
    "hour": (pa.array([datetime.time(7, 5)]), "07:05:00"),
    "at": (pa.array([datetime.datetime(2026, 11, 23, 7, 5, 0, 120)]), "2026-11-23T07:05:00.000120"),
    "zone": (pa.array([datetime.datetime(2026, 11, 23, 7, tzinfo=UTC)]), "2026-11-23T07:00:00+00:00"),
    "price": (pa.array([decimal.Decimal("-1.50")]), "-1.50"),
    "large": (pa.array([decimal.Decimal("1200")], pa.decimal128(38, 20)), "1200." + "0" * 20),
}


@pytest.mark.parametrize("column", TIMES)
def test_dates_times_and_decimals_are_text_in_formats_of_text(here: Path, column: str) -> None:
    values, text = TIMES[column]
    write_parquet(Path("in.parquet"), pa.table({"text": ["a ship"], column: values}))
    simdocs.dedupe("in.parquet", kept_rows="k.csv")
    assert list(csv.DictReader(Path("k.csv").read_text().splitlines())) == [{"text": "a ship", column: text}]
    nested = pa.table(
        {
            "text": ["a ship"],
            "deep": pa.array([[{column: values[0].as_py()}]], pa.list_(pa.struct([(column, values.type)]))),
        }
    )
    write_parquet(Path("deep.parquet"), nested)
    for name in ("k.jsonl", "k.json"):
        simdocs.dedupe("in.parquet", kept_rows=name)
        assert simdocs.dedupe(name).kept_names == [f"{name}#1"]
        assert f'"{column}": "{text}"' in Path(name).read_text()
        simdocs.dedupe("deep.parquet", kept_rows=name)
        assert f'"deep": [{{"{column}": "{text}"}}]' in Path(name).read_text()


@pytest.mark.parametrize(
    "column",
    [
        {"text": pa.array([FOX.encode()] * 21)},
        {"text": pa.array([7] * 21)},
    ],
    ids=lambda column: f"{next(iter(column))}, {next(iter(column.values())).type}",
)
def test_rows_of_a_file_without_documents_are_kept(here: Path, column: dict[str, Any]) -> None:
    Path("in").mkdir()
    odd, twice = table(**column), table().rename_columns(["id", "id", "text", "when", "kind"])
    write_parquet(Path("in/a.parquet"), table())
    write_parquet(Path("in/b.parquet"), odd)
    write_parquet(Path("in/c.parquet"), twice)
    write_arrow(Path("in/d.arrow"), odd, stream=False, compression=None)
    write_arrow(Path("in/e.arrow"), odd, stream=True, compression="zstd")
    found = simdocs.dedupe("in", kept_rows="kept", removed_rows="removed", flagged_rows="all")
    assert [name for name, _ in found.skipped.by_reason["malformed"] if "a.parquet" not in name] == [
        "in/b.parquet",
        "in/c.parquet",
        "in/d.arrow",
        "in/e.arrow",
    ]
    assert [one.rows for one in found.written] == [4 * 21 + len(KEPT), len(REMOVED), 5 * 21]
    assert not found.skipped.warnings
    for output in ("kept", "all"):
        for name, some in (("b", odd), ("c", twice)):
            assert parquet.ParquetFile(f"{output}/{name}.parquet").read().select(range(5)).equals(some)
        assert ipc.open_file(f"{output}/d.arrow").read_all().select(range(5)).equals(odd)
        assert ipc.open_stream(f"{output}/e.arrow").read_all().select(range(5)).equals(odd)
    assert parquet.ParquetFile("all/b.parquet").read()["group"].null_count == 21
