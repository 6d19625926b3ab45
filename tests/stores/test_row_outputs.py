"""Rows of objects are written to this machine as those of the same files are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import simdocs
from tests.stores.laid import lay_both
from tests.stores.server import ObjectStore
from tests.stores.test_reading import arrow, delimited, json_lines, parquet

STATE = json.dumps({"_data_files": [{"filename": "data.arrow"}]}).encode()
SPLITS = json.dumps({"splits": ["train"]}).encode()

FILES = {
    "rows.jsonl": {"rows.jsonl": lambda: json_lines(300)},
    "rows.parquet": {"rows.parquet": lambda: parquet(300)},
    "docs": {
        "docs/a.jsonl": lambda: json_lines(30),
        "docs/below/b.csv": lambda: delimited(30),
        "docs/below/c.arrow": lambda: arrow(30),
    },
    "saved": {
        "saved/dataset_dict.json": lambda: SPLITS,
        "saved/train/dataset_info.json": lambda: b"{}",
        "saved/train/state.json": lambda: STATE,
        "saved/train/data.arrow": lambda: arrow(30),
        "saved/train/cache-1.arrow": lambda: arrow(20),
    },
}


def files_in(path: Path) -> dict[str, bytes]:
    """The contents of a file, or of the files of a directory."""
    if path.is_file():
        return {"": path.read_bytes()}
    return {str(each.relative_to(path)): each.read_bytes() for each in sorted(path.rglob("*")) if each.is_file()}


@pytest.mark.parametrize("what", FILES)
def test_rows_of_objects_are_written_as_those_of_files(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.chdir(tmp_path)
    lay_both(store, tmp_path, {name: data() for name, data in FILES[what].items()})
    ending = Path(what).suffix
    disk = simdocs.dedupe(what, unit="word", kept_rows=f"disk{ending}")
    stored = simdocs.dedupe(f"s3://bucket/{what}", unit="word", kept_rows=f"store{ending}")
    assert len(disk.documents) == len(stored.documents)
    on_disk, of_store = files_in(tmp_path / f"disk{ending}"), files_in(tmp_path / f"store{ending}")
    assert on_disk.keys() == of_store.keys()
    for each in (on_disk, of_store):  # the list of files has the times when they were written
        if written := each.get(".simdocs-files.json"):
            each[".simdocs-files.json"] = " ".join(json.loads(written)["files"]).encode()
    assert on_disk == of_store
