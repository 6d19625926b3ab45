"""Updates with keep_unreadable keep the rows of a file whose damage shows, in whatever format it is."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import simdocs
from tests.commands.building import built
from tests.commands.test_update import HOUR, Clock
from tests.corpora.arrow_files import as_arrow_file, as_arrow_stream, as_parquet, needs_pyarrow, table
from tests.corpora.small_chunks import cut_small
from tests.corpora.test_containers import Document, delimited, json_array, json_lines
from tests.packing import needs_zstd, packed

X = Path("x.index")
ROWS: list[Document] = [(None, f"the ferry number {number} leaves the {number * 7919} quay") for number in range(60)]
MORE: list[Document] = [(None, "a new row before the others"), *ROWS]
TEXT = b"one long text that is compressed " * 40

WRITERS: dict[str, Callable[[list[Document]], bytes]] = {
    "rows.jsonl.gz": lambda rows: packed("gzip", json_lines(rows)),
    "rows.csv.gz": lambda rows: packed("gzip", delimited(",", rows)),
    "rows.json": json_array,
    "rows.json.gz": lambda rows: packed("gzip", json_array(rows)),
    "rows.jsonl.zst": lambda rows: packed("zstd", json_lines(rows)),
    "rows.parquet": lambda rows: as_parquet(table(rows)),
    "rows.arrow": lambda rows: as_arrow_file(table(rows)),
    "stream.arrow": lambda rows: as_arrow_stream(table(rows)),
}
MARKS = {"zst": needs_zstd, "parquet": needs_pyarrow, "arrow": needs_pyarrow}
EACH = [pytest.param(name, marks=MARKS.get(name.rpartition(".")[2], ())) for name in WRITERS]


@pytest.fixture(autouse=True)
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.chdir(tmp_path)
    cut_small(monkeypatch, 256)
    clock = Clock(monkeypatch)
    clock.ahead = HOUR
    Path("docs").mkdir()
    Path("docs/a").write_bytes(b"another document")
    return clock


def names() -> list[str]:
    """The names of the documents of the index."""
    documents = simdocs.open(X).documents
    return [documents.name(row) for row in range(len(documents))]


def update(**options: bool) -> simdocs.DryRun:
    """Update the index, and return what a dry run said before."""
    told = simdocs.index("docs", output=X, dry_run=True, **options)
    built(X, ["docs"], **options)
    assert json.loads((X / "run.json").read_bytes())["skipped"] == told.skipped.counts
    return told


def middle_altered(data: bytes) -> bytes:
    at = len(data) // 2
    return data[:at] + bytes(byte ^ 0x55 for byte in data[at : at + 8]) + data[at + 8 :]


@pytest.mark.reliability("unreadable documents with --keep-unreadable")
@pytest.mark.parametrize("share", [0.4, 0.7, 0.97])
@pytest.mark.parametrize("name", EACH)
def test_all_rows_of_a_file_that_is_cut_short_are_kept_and_are_not_new_when_it_is_whole(
    name: str, share: float
) -> None:
    path, write = Path("docs", name), WRITERS[name]
    path.write_bytes(write(ROWS))
    built(X, ["docs"])
    before = names()
    whole = write(MORE)
    path.write_bytes(whole[: int(len(whole) * share)])
    told = update(keep_unreadable=True)
    assert told.skipped.counts == {"kept": 1}
    assert (told.counts.kept, told.counts.new, told.counts.removed) == (len(ROWS), 0, 0)
    assert names() == before
    path.write_bytes(whole)
    told = update(keep_unreadable=True)
    assert (told.skipped.counts, told.counts.removed) == ({}, 0)
    assert told.counts.new + told.counts.renamed + told.counts.changed <= len(MORE)
    assert len(names()) == len(MORE) + 1


@pytest.mark.parametrize("name", ["rows.jsonl.gz", "rows.json.gz"])
def test_rows_of_a_file_with_altered_bytes_are_kept(name: str) -> None:
    path, write = Path("docs", name), WRITERS[name]
    path.write_bytes(write(ROWS))
    built(X, ["docs"])
    before = names()
    path.write_bytes(middle_altered(write(ROWS)))
    assert update(keep_unreadable=True).counts.kept == len(ROWS)
    assert names() == before
    path.write_bytes(write(ROWS))
    told = update(keep_unreadable=True)
    assert (told.counts.new, told.counts.changed, told.counts.removed) == (0, 0, 0)


@pytest.mark.parametrize("name", EACH)
def test_rows_of_a_damaged_file_are_removed_without_the_option(name: str) -> None:
    path, write = Path("docs", name), WRITERS[name]
    path.write_bytes(write(ROWS))
    built(X, ["docs"])
    path.write_bytes(write(ROWS)[:-20])
    told = update(allow_shrink=True)
    assert told.skipped.counts == {"malformed": 1}
    assert (told.counts.kept, len(names())) == (0, 1 + len(ROWS) - told.counts.removed)
    assert told.counts.removed > 0


def test_a_compressed_text_that_is_cut_short_is_kept() -> None:
    path = Path("docs/long.txt.gz")
    path.write_bytes(gzip.compress(TEXT))
    built(X, ["docs"])
    path.write_bytes(gzip.compress(TEXT)[:-9])
    told = update(keep_unreadable=True)
    assert (told.skipped.counts, told.counts.kept) == ({"kept": 1}, 1)
    assert names() == ["docs/a", "docs/long.txt.gz"]


@pytest.mark.parametrize(
    ("name", "write"), [("rows.jsonl", json_lines), ("rows.csv", lambda rows: delimited(",", rows))]
)
def test_plain_lines_that_end_earlier_are_a_shorter_file(name: str, write: Callable[[list[Document]], bytes]) -> None:
    """Nothing tells a file that was cut at the end of a line from one out of which rows were taken."""
    path = Path("docs", name)
    path.write_bytes(write(ROWS))
    built(X, ["docs"])
    path.write_bytes(write(ROWS[:40]))
    told = update(keep_unreadable=True)
    assert (told.skipped.counts, told.counts.kept, told.counts.removed) == ({}, 0, 20)


def test_csv_that_ends_within_quotes_is_kept() -> None:
    path = Path("docs/rows.csv")
    path.write_bytes(b'id,text\n1,"the first, text"\n2,"another, text"\n')
    built(X, ["docs"])
    path.write_bytes(b'id,text\n1,"the first, text"\n2,"another')
    told = update(keep_unreadable=True)
    assert (told.skipped.counts, told.counts.kept) == ({"kept": 1}, 2)
    assert names() == ["docs/a", "docs/rows.csv#1", "docs/rows.csv#2"]


def test_a_table_that_has_become_a_text_is_not_kept() -> None:
    """It can be read, and says what it holds now."""
    path = Path("docs/rows.json")
    path.write_bytes(json_array(ROWS))
    built(X, ["docs"])
    path.write_bytes(b'{"setting": "no rows any more"}')
    assert update(keep_unreadable=True, allow_shrink=True).counts.kept == 0
    assert names() == ["docs/a", "docs/rows.json"]
