"""Rows of Parquet and Arrow files, which may be damaged or named wrongly, and of directories that `datasets` saved."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.options.recipes import Sequences
from simdocs.reading.batches import value_of
from tests.reading.arrow_files import as_arrow_file, as_arrow_stream, as_parquet, needs_pyarrow, table
from tests.reading.reading import read

pytestmark = needs_pyarrow

FORMS: dict[str, tuple[str, Callable[..., bytes]]] = {
    "Parquet": ("x.parquet", as_parquet),
    "an Arrow file": ("x.arrow", as_arrow_file),
    "an Arrow stream": ("x.arrow", as_arrow_stream),
}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Any]:
    monkeypatch.chdir(tmp_path)
    return FORMS[request.param]


def arrow() -> Any:
    return import_module("pyarrow")


def documents(name: str, **fields: Any) -> dict[str, str]:
    """Return the texts of the documents of a file, by their ids or else numbers."""
    found = read(Path(name), name.rpartition(".")[2], Sequences(**fields))
    assert not found.skips
    return {(its_id or b"%d" % number).decode(): text.decode() for number, its_id, text in found.documents}


def skipped(*arguments: str, **options: Any) -> list[tuple[str, str, str]]:
    by_reason = simdocs.dedupe(*arguments, **options).skipped.by_reason
    return [(reason, name, why) for reason, each in by_reason.items() for name, why in each]


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
@pytest.mark.parametrize("id_kind", ["string", "int64", "null"])
def test_every_kind_of_string_is_read(form: Any, kind: str, id_kind: str) -> None:
    name, write = form
    texts = ["a text", "another one", "", "an é", "a text"] * 3
    numbers = arrow().array(range(15), arrow().int64())
    ids = arrow().nulls(15) if id_kind == "null" else numbers.cast(id_kind)
    column = arrow().array(texts)
    column = column.dictionary_encode() if kind == "dictionary" else column.cast(kind)
    Path(name).write_bytes(write(arrow().table({"other": numbers, "id": ids, "text": column})))
    wanted = [str(number + (id_kind == "null")) for number in range(15)]
    assert documents(name) == dict(zip(wanted, texts, strict=True))


def test_rows_without_a_text_are_named_and_the_others_read(form: Any) -> None:
    name, write = form
    binary = arrow().array([b"one", None, b"no UTF-8: \xff", b"four", b"a long text" * 9], arrow().binary())
    ids = ["a", "b", "c", "nul\0", "e"]
    some = arrow().table({"id": ids, "text": binary.view(arrow().string())})
    Path(name).write_bytes(write(some, rows=2))
    assert skipped(name, max_size=50) == [
        ("oversized", name, "row 5: 99 bytes"),
        ("malformed", name, "row 2: field 'text' is null"),
        ("malformed", name, "row 3: field 'text' is not UTF-8"),
        ("malformed", name, "row 4: field 'id' holds a NUL"),
    ]
    assert simdocs.dedupe(name, max_size=50).kept_names == [f"{name}#a"]


def test_empty_tables_and_units_are_read(form: Any) -> None:
    name, write = form
    empty = arrow().table({"text": arrow().array([], arrow().string())})
    Path(name).write_bytes(write(empty))
    assert documents(name) == {}
    assert skipped(name) == []
    some = arrow().table({"text": ["a", "b", "c"]})
    content = io.BytesIO()
    if name == "x.parquet":
        with import_module("pyarrow.parquet").ParquetWriter(content, some.schema) as writer:
            for each in (empty, some.slice(0, 1), empty, some.slice(1, 2), empty):
                writer.write_table(each)
    else:
        with import_module("pyarrow.ipc").new_stream(content, some.schema) as writer:
            for begin, end in ((0, 0), (0, 1), (1, 1), (1, 3), (3, 3)):
                for batch in some.slice(begin, end - begin).to_batches() or empty.to_batches():
                    writer.write_batch(batch)
    Path(name).write_bytes(content.getvalue())
    assert documents(name) == {"1": "a", "2": "b", "3": "c"}


def test_a_file_cut_anywhere_is_named_or_gives_the_rows_before(form: Any) -> None:
    name, write = form
    whole = write(arrow().table({"text": [f"text {number}" for number in range(9)]}))
    for end in range(0, len(whole) - 9, 37):
        Path(name).write_bytes(whole[:end])
        ((reason, _, _),) = skipped(name)
        assert reason == "malformed", end


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("x.parquet", b"PARE" + bytes(20) + b"PARE", "a Parquet file that is damaged, or cannot be read: "),
        ("x.parquet", b"some text", "not a Parquet file, but text: give the file a name that ends as what it is"),
        ("x.parquet", b"\0\1\2\3", "not a Parquet file"),
        ("x.arrow", b"PAR1", "not an Arrow file, but a Parquet file: give the file a name that ends in .parquet"),
        ("x.arrow", b"", "an Arrow file cut short: it is empty"),
    ],
)
def test_a_file_that_is_no_table_is_called_what_it_is(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(data)
    ((reason, _, why),) = skipped(str(tmp_path / name))
    assert (reason, why[: len(said)]) == ("malformed", said)


def test_a_row_that_lacks_the_field_names_those_within_its_columns(form: Any) -> None:
    name, write = form
    Path(name).write_bytes(write(arrow().table({"a": [1], "deep": [{"b": 1, "c": 2}]})))
    found = read(Path(name), name.rpartition(".")[2], Sequences(text_field=("x",)))
    assert found.skips == [(1, "field 'x' (--text-field) is missing; the row has 'a', 'deep', 'deep.b', 'deep.c'")]


def test_streams_of_old_versions_are_read(tmp_path: Path) -> None:
    ipc, some, content = import_module("pyarrow.ipc"), arrow().table({"text": ["a", "b"]}), io.BytesIO()
    with ipc.new_stream(content, some.schema, options=ipc.IpcWriteOptions(use_legacy_format=True)) as writer:
        writer.write_table(some)
    (tmp_path / "x.arrow").write_bytes(content.getvalue())
    assert read(tmp_path / "x.arrow", "arrow").texts == [b"a", b"b"]


def test_bytes_after_the_end_of_a_stream_are_reported_after_its_rows(tmp_path: Path) -> None:
    (tmp_path / "x.arrow").write_bytes(as_arrow_stream(arrow().table({"text": ["a", "b"]})) + b"x")
    found = read(tmp_path / "x.arrow", "arrow")
    assert found.trouble is not None
    assert (found.texts, found.trouble.detail) == ([b"a", b"b"], "bytes after the end of the stream")


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_only_wanted_columns_are_read_and_have_the_values_of_the_file(form: Any, seed: int, compression: str) -> None:
    """The columns differ in the number of their buffers; some cannot be read as Python objects."""
    name, write = form
    pa, draw, rows = arrow(), random.Random(seed), 17
    texts = [draw.choice([None, "", "x" * draw.randrange(40), f"text {draw.random()}"]) for _ in range(rows)]
    columns = {
        "text": pa.array(texts, pa.string()),
        "nested": pa.array([{"a": text, "b": {"c": text}} for text in texts]),
        "words": pa.array([draw.choice(["one", "two", None, "a long word"]) for _ in texts]).dictionary_encode(),
        "tags": pa.array([[text] * draw.randrange(3) for text in texts]),
        "when": pa.array([draw.randrange(1 << 62) for _ in texts]).cast(pa.timestamp("ns")),
        "none": pa.nulls(rows),
    }
    some = pa.table({each: columns[each] for each in draw.sample(sorted(columns), len(columns))})
    Path(name).write_bytes(write(some, compression=compression or ("none" if "parquet" in name else None)))
    wanted = tuple(draw.sample(["text", "nested.a", "nested.b.c", "words"], draw.randrange(1, 4)))
    found = read(Path(name), name.rpartition(".")[2], Sequences(text_field=wanted))
    values = [[value_of(row, each) for each in wanted] for row in some.drop_columns("when").to_pylist()]
    expected = {number: "\n".join(each).encode() for number, each in enumerate(values, 1) if None not in each}
    assert dict(zip(found.numbers, found.texts, strict=True)) == expected
    assert found.count == rows


def test_row_groups_of_which_nothing_is_wanted_are_not_read(tmp_path: Path) -> None:
    path, some = tmp_path / "x.parquet", arrow().table({"text": [f"text number {at}" for at in range(1000)]})
    data = bytearray(as_parquet(some, rows=100, compression="none", use_dictionary=False))
    at = data.index(b"text number 300") - 4
    path.write_bytes(data[:at] + b"\xff" * 1000 + data[at + 1000 :])
    assert read(path, "parquet").count == 300
    assert read(path, "parquet", wanted=[250, 799, 800]).numbers == [250, 799, 800]


def test_nothing_is_read_in_threads_of_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One would release a Python object, perhaps after Python has ended."""
    monkeypatch.chdir(tmp_path)
    Path("x.arrow").write_bytes(as_arrow_file(arrow().table({"text": ["one", "one", "two"]})))
    real, asked = import_module("pyarrow.ipc").open_file, list[Any]()
    monkeypatch.setattr(
        import_module("pyarrow.ipc"), "open_file", lambda *some, **more: asked.append(more) or real(*some, **more)
    )
    assert [one.rows for one in simdocs.dedupe("x.arrow", kept_rows="kept.arrow").written] == [2]
    assert asked
    assert not any(each["options"].use_threads for each in asked)


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
