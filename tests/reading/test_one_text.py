"""Files that are named like containers, but are no tables with the text field."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.errors import UsageError
from simdocs.model.documents import ONE_TEXT
from simdocs.model.result import lines_of
from tests.amounts import slow
from tests.commands.building import built
from tests.commands.test_update import HOUR, Clock, compare
from tests.reading.small_chunks import cut_small

WORDS = "The ferry leaves the northern quay at seven every morning except on Sundays, when it leaves at nine"

_JSON = b'{"id": "a", "text": "%b"},\n {"id": "b", "text": "%b"}' % (WORDS.encode(), WORDS.encode())

KINDS: dict[str, tuple[str, bytes, bytes]] = {
    "json": (".json", b"[%b]" % _JSON, b'{"name": "%b"}' % WORDS.encode()),
    "csv": (".csv", b'id,text\na,"%b"\nb,"%b"\n' % (WORDS.encode(), WORDS.encode()), WORDS.encode() + b"\n" * 3),
    "tsv": (".tsv", b"text\tid\n%b\ta\n%b\tb\n" % (WORDS.encode(), WORDS.encode()), b"\tid\n" + WORDS.encode()),
}
"""For each container that has such files: its suffix, a table with the ids a and b, and a file that is no table."""


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    cut_small(monkeypatch, 64)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(monkeypatch)
    clock.ahead = HOUR
    return clock


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def path(kind: str) -> Path:
    suffix, _, other = KINDS[kind]
    Path("docs").mkdir()
    path = Path(f"docs/x{suffix}")
    path.write_bytes(other)
    Path("docs/plain.txt").write_bytes(other + b"!")
    return path


def flags_of(found: object) -> list[bool]:
    return [bool(flags & ONE_TEXT) for flags in found.documents.facts["flags"].tolist()]  # type: ignore[attr-defined]


@pytest.mark.reliability("a table without the text field")
def test_a_file_in_a_walk_is_read_as_one_text_and_counted(path: Path) -> None:
    found = simdocs.dedupe("docs")
    assert [row[:2] for row in found.rows()] == [("docs/plain.txt", str(path))]
    assert flags_of(found) == [False, True]
    assert not found.skipped.counts
    assert found.summary(0)["read_as_one_text"] == 1
    assert "1 read as one text each (no rows with the text field)" in "\n".join(lines_of(found, 0))
    asked = path.suffix.removeprefix(".")
    assert simdocs.dedupe("docs", input_format=asked).skipped.counts == {"malformed": 2}


@pytest.mark.reliability("a --text-field that no row has")
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_given_field_that_no_row_of_a_directory_has_is_an_error(suffix: str) -> None:
    Path("x.csv").write_text("id,body\n1,x\n")
    with pytest.raises(UsageError, match=r"\./x\.csv: no row has the field 'boddy'; the first has 'id', 'body': name"):
        simdocs.dedupe(".", text_field="boddy")
    rows = [{"id": 1, "body": "x"}]
    os.mkdir("docs")
    Path("docs/plain.txt").write_text(WORDS)
    for name in ("docs/a", "docs/b"):
        if suffix == "jsonl":
            Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        else:
            arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
            pytest.importorskip("pyarrow.parquet").write_table(arrow.Table.from_pylist(rows), f"{name}.parquet")
    there = rf"docs/a.{suffix}: no \w+ has the field 'boddy'; the first has 'id', 'body': name one of them with --text-"
    runs: tuple[tuple[Any, dict[str, str]], ...] = ((simdocs.dedupe, {}), (simdocs.shingle, {"output": "x.shingles"}))
    for run, options in runs:
        with pytest.raises(UsageError, match=there):
            run("docs", text_field="boddy", **options)
    assert not Path("x.shingles").exists()
    assert len(simdocs.dedupe("docs").skipped.by_reason["malformed"]) == 2
    Path("docs/c.jsonl").write_text('{"boddy": "x"}')
    assert len(simdocs.dedupe("docs", text_field="boddy").skipped.by_reason["malformed"]) == 2


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
def test_an_update_has_the_bytes_of_a_build_from_scratch(clock: Clock, kind: str, seed: int) -> None:
    """Files become tables, stop being tables, are renamed, touched, and left alone."""
    suffix, table, other = KINDS[kind]
    Path("docs").mkdir()
    drawn = random.Random(seed)
    contents = [table, other, other + b" ", b"", b"{"]
    for at in range(6):
        Path(f"docs/{at}{suffix}").write_bytes(drawn.choice(contents[:3]))
    for _ in range(10):
        one, two = (f"docs/{drawn.randrange(6)}{suffix}" for _ in range(2))
        match drawn.randrange(4):
            case 0:
                Path(one).write_bytes(drawn.choice(contents))
            case 1 if os.path.exists(one):
                os.rename(one, two)
            case 2 if os.path.exists(one):
                os.utime(one)
            case 3 if os.path.exists(one):
                os.rename(one, "docs/a.txt")
        clock.ahead += HOUR
        built(Path("old.shingles"), ["docs"], allow_shrink=True)
        compare(Path("old.shingles"))
