"""Directories that Hugging Face `datasets` saved are read as the rows of their data files, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import simdocs
from tests.reading.arrow_files import as_arrow_stream, needs_pyarrow, table

pytestmark = needs_pyarrow

LONG = "The ferry leaves the northern quay at seven every morning except on Sundays, when it leaves at nine"


def saved(place: Path, texts: list[list[str]], **state: Any) -> Path:
    """Save a data set as `save_to_disk` does, a file for each list of texts."""
    place.mkdir(parents=True)
    names = [f"data-{number:05d}-of-{len(texts):05d}.arrow" for number in range(len(texts))]
    for name, each in zip(names, texts, strict=True):
        (place / name).write_bytes(as_arrow_stream(table([(None, text) for text in each])))
    listed = {"_data_files": [{"filename": name} for name in names], "_fingerprint": "f", "_split": None}
    (place / "state.json").write_text(json.dumps(listed | state))
    (place / "dataset_info.json").write_text("{}")
    return place


def names(*arguments: str, **options: Any) -> list[str]:
    return simdocs.dedupe(*arguments, **options).kept_names


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("options", [{}, {"include": ["*.arrow"]}])
def test_only_the_files_with_rows_are_documents(here: Path, options: dict[str, Any]) -> None:
    saved(here / "tree" / "set", [["one", "two"], ["three"]])
    (here / "tree" / "set" / "cache-1234.arrow").write_bytes(as_arrow_stream(table([(None, "cached")])))
    (here / "tree" / "notes.arrow").write_bytes(as_arrow_stream(table([(None, "a note")])))
    found = simdocs.dedupe("tree", **options)
    data = "tree/set/data-0000"
    assert names("tree", **options) == [
        "tree/notes.arrow#1",
        *(f"{data}0-of-00002.arrow#1", f"{data}0-of-00002.arrow#2", f"{data}1-of-00002.arrow#1"),
    ]
    assert not found.skipped.unjudged
    left_out = [name for name, _ in found.skipped.by_reason["described"]]
    assert "tree/set/cache-1234.arrow" in left_out


def test_each_split_of_a_data_set_is_read(here: Path) -> None:
    saved(here / "set" / "train", [[LONG, "other"]])
    saved(here / "set" / "test", [[LONG + "!"]])
    (here / "set" / "dataset_dict.json").write_text(json.dumps({"splits": ["train", "test"]}))
    found = simdocs.dedupe("set")
    (row,) = found.rows()
    assert tuple(row)[:2] == ("set/test/data-00000-of-00001.arrow#1", "set/train/data-00000-of-00001.arrow#1")


def test_missing_files_and_splits_are_reported(here: Path) -> None:
    saved(here / "set" / "train", [["one"], ["two"]])
    (here / "set" / "train" / "data-00001-of-00002.arrow").unlink()
    (here / "set" / "dataset_dict.json").write_text(json.dumps({"splits": ["train", "test"]}))
    found = simdocs.dedupe("set")
    assert [name for name, _ in found.skipped.by_reason["unreadable"]] == [
        "set/test",
        "set/train/data-00001-of-00002.arrow",
    ]


@pytest.mark.parametrize("key", ["_indices_data_files", "_indices_files"])
def test_a_data_set_of_some_rows_is_skipped_as_a_whole(here: Path, key: str) -> None:
    saved(here / "tree" / "set", [["one", "two"]], **{key: [{"filename": "indices.arrow"}]})
    (here / "tree" / "a").write_text("text")
    found = simdocs.dedupe("tree")
    assert found.kept_names == ["tree/a"]
    ((name, why),) = found.skipped.by_reason["malformed"]
    assert (name, "save it again after flatten_indices()" in why) == ("tree/set", True)
    assert simdocs.dedupe("tree/set").skipped.by_reason["malformed"] == [("tree/set", why)]
    saved(here / "all", [["one"]], **{key: []})
    assert names("all") == ["all/data-00000-of-00001.arrow#1"]


@pytest.mark.parametrize(
    "state",
    [
        "[]",
        "{",
        *(json.dumps({"_data_files": files}) for files in (None, [1], [{"filename": "../x"}], [{"filename": 7}])),
    ],
)
def test_a_directory_without_the_facts_of_a_data_set_is_read_as_any_other(here: Path, state: str) -> None:
    place = saved(here / "set", [["one"]])
    (place / "more.arrow").write_bytes(as_arrow_stream(table([(None, "two")])))
    assert "set/more.arrow#1" not in names("set")
    (place / "dataset_info.json").rename(here / "info")
    assert "set/more.arrow#1" in names("set")
    (here / "info").rename(place / "dataset_info.json")
    (place / "state.json").write_text(state)
    assert "set/more.arrow#1" in names("set")
