"""dedupe writes the rows of JSON arrays, and turns rows of other formats into them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import simdocs

FOX = "the quick brown fox jumps over the lazy dog and then runs home"
ROWS = [
    '{"id": "a", "text": "' + FOX + '",\n  "n": 1.50}',
    '{ "text": "' + FOX + '", "id": "b" }',
    "17",
    '{"id": "c", "text": "a ship at sea"}',
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.json").write_text(f" [{ROWS[0]} , {ROWS[1]},\n\n{ROWS[2]},{ROWS[3]}] ")
    return tmp_path


def test_each_object_keeps_its_bytes(here: Path) -> None:
    simdocs.dedupe("in.json", kept_rows="kept.json", removed_rows="removed.json.gz", flagged_rows="all.json")
    assert Path("kept.json").read_text() == f"[\n{ROWS[0]},\n{ROWS[2]},\n{ROWS[3]}\n]\n"
    flagged = json.loads(Path("all.json").read_bytes())
    assert [row if row == 17 else (row["duplicate_of"], row["group"]) for row in flagged] == [
        (None, 0),
        ("in.json#a", 0),
        17,
        (None, 1),
    ]
    simdocs.dedupe("removed.json.gz", removed_rows="none.json", kept_rows="all.json")
    assert json.loads(Path("none.json").read_bytes()) == []
    assert Path("all.json").read_text() == f"[\n{ROWS[1]}\n]\n"
