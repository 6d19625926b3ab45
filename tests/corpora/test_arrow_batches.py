"""Record batches are read with some of their columns, from files and streams alike, as pyarrow itself reads them."""

from __future__ import annotations

import io
import random
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.corpora.containers import arrow
from simdocs.corpora.containers.messages import DICTIONARY
from simdocs.corpora.containers.tables import RowsTooLarge
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.texts import Sequences
from tests.corpora.arrow_files import as_arrow_file, as_arrow_stream, needs_pyarrow

pytestmark = needs_pyarrow

NAMES = ("text", "nested", "words", "view", "none", "tags", "number", "union")


def table(seed: int, rows: int = 17) -> Any:
    """Columns whose buffers differ in number, with random values."""
    pa, draw = import_module("pyarrow"), random.Random(seed)
    texts = [draw.choice([None, "", "x" * draw.randrange(40), f"text {draw.random()}"]) for _ in range(rows)]
    words = [draw.choice(["one", "two", None, "a long word of a dictionary"]) for _ in range(rows)]
    numbers = [draw.randrange(100) for _ in range(rows)]
    columns = {
        "text": pa.array(texts, pa.string()),
        "nested": pa.array([{"a": text, "b": {"c": text}} for text in texts]),
        "words": pa.array(words).dictionary_encode(),
        "view": pa.array([text and text * 3 for text in texts], pa.string_view()),
        "none": pa.nulls(rows),
        "tags": pa.array([[text] * (number % 3) for text, number in zip(texts, numbers, strict=True)]),
        "number": pa.array(numbers),
        "union": pa.UnionArray.from_sparse(
            pa.array([number % 2 for number in numbers], pa.int8()), [pa.array(numbers), pa.array(texts, pa.string())]
        ),
    }
    names = draw.sample(NAMES, len(NAMES))
    return pa.table({name: columns[name] for name in names})


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("write", [as_arrow_file, as_arrow_stream])
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_wanted_columns_are_those_of_the_file(
    monkeypatch: pytest.MonkeyPatch, seed: int, write: Any, compression: str | None
) -> None:
    monkeypatch.setattr(arrow, "_SMALL", 0)
    pa, some, draw = import_module("pyarrow"), table(seed), random.Random(seed)
    data = write(some, compression=compression, emit_dictionary_deltas=seed % 2 == 1)
    fields = {"text": ("text",), "nested": ("nested.a", "nested.b.c"), "words": ("words",), "view": ("view",)}
    wanted = draw.sample(sorted(fields), draw.randrange(1, 4))
    opened = arrow.open_table(
        pa.BufferReader(data), Sequences(text_field=tuple(name for each in wanted for name in fields[each])), 1 << 26
    )
    batches = some.to_batches(5)
    for unit in [*range(len(batches)), *draw.choices(range(len(batches)), k=6)]:
        (batch,) = opened.batches(unit)
        batch.validate(full=True)
        assert (
            batch.to_pylist()
            == batches[unit].select([name for name in some.schema.names if name in wanted]).to_pylist()
        )


@pytest.mark.parametrize("write", [as_arrow_file, as_arrow_stream])
def test_a_column_that_is_not_wanted_does_not_count(write: Any) -> None:
    pa = import_module("pyarrow")
    some = pa.table({"picture": [random.Random(row).randbytes(1 << 20).hex() for row in range(6)], "text": ["a"] * 6})
    opened = arrow.open_table(pa.BufferReader(write(some, rows=3)), Sequences(), 1 << 20)
    assert [batch.to_pylist() for unit in (0, 1) for batch in opened.batches(unit)] == [[{"text": "a"}] * 3] * 2
    opened = arrow.open_table(pa.BufferReader(write(some, rows=3)), Sequences(text_field=("picture",)), 1 << 20)
    with pytest.raises(RowsTooLarge):
        opened.batches(0)


def test_damage_in_one_record_batch_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    pa = import_module("pyarrow")
    some = pa.table({"text": [f"text {row}" * 9 for row in range(15)]})
    data = bytearray(as_arrow_stream(some, compression="zstd"))
    opened: Any = arrow.open_table(pa.BufferReader(bytes(data)), Sequences(), 1 << 26)
    message = opened._batches.batches[1]
    data[message.body + 16 : message.end] = b"\xff" * (message.end - message.body - 16)
    opened = arrow.open_table(pa.BufferReader(bytes(data)), Sequences(), 1 << 26)
    for _ in range(2):
        with pytest.raises((OSError, ValueError)):
            list(opened.batches(1))
        for unit in (0, 2):
            (batch,) = opened.batches(unit)
            assert batch.to_pylist() == some.to_batches(5)[unit].to_pylist()


def test_a_file_with_a_dictionary_twice_is_damaged() -> None:
    pa = import_module("pyarrow")
    words = [pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([word])) for word in ("one", "two")]
    schema = pa.schema([("text", words[0].type)])
    content = io.BytesIO()
    with pa.ipc.new_stream(content, schema) as writer:
        for each in words:
            writer.write_batch(pa.record_batch([each], schema=schema))
    stream = arrow.open_table(pa.BufferReader(content.getvalue()), Sequences(), 1 << 26)
    assert [row for unit in (0, 1) for batch in stream.batches(unit) for row in batch.to_pylist()] == [
        {"text": "one"},
        {"text": "two"},
    ]
    whole = as_arrow_file(pa.table({"text": words[0], "other": words[1]}))
    opened: Any = arrow.open_table(pa.BufferReader(whole), Sequences(), 1 << 26)
    first, second = (message.start for message in opened._batches.messages if message.kind == DICTIONARY)
    footer = len(whole) - 10 - int.from_bytes(whole[-10:-6], "little")
    forged = whole[:footer] + whole[footer:].replace(second.to_bytes(8, "little"), first.to_bytes(8, "little"))
    with pytest.raises(DocumentSkipped) as caught:
        arrow.open_table(pa.BufferReader(forged), Sequences(), 1 << 26)
    assert "it has a dictionary twice" in caught.value.detail


def test_nothing_is_read_in_threads_of_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a thread of pyarrow would release a Python object, perhaps after Python has ended")

    monkeypatch.chdir(tmp_path)
    Path("x.arrow").write_bytes(as_arrow_file(import_module("pyarrow").table({"text": ["one", "one", "two"]})))
    monkeypatch.setattr(import_module("pyarrow.ipc"), "open_file", refuse)
    found = simdocs.dedupe("x.arrow", kept_rows="kept.arrow")
    assert [one.rows for one in found.written] == [2]
