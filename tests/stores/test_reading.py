"""Objects are read as files with the same bytes are: answers about them are the same but for names, and so are rows."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simdocs
from tests.api.asking import decided
from tests.packing import packed
from tests.stores.laid import BUCKET, as_on_disk, lay_both, sentences
from tests.stores.server import ObjectStore


def rows(number: int) -> list[dict[str, str]]:
    """Rows of which every third is a near-duplicate of the first one before it."""
    texts = [" ".join(f"word{(row * 31 + at * at) % 997}" for at in range(60)) for row in range(number)]
    return [{"id": f"id{at}", "text": texts[at - at % 3] + (f" end{at}" if at % 3 else "")} for at in range(number)]


def json_lines(number: int) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows(number))


def delimited(number: int) -> bytes:
    return b"id,text\r\n" + b"".join(f'{row["id"]},"{row["text"]}"\r\n'.encode() for row in rows(number))


def parquet(number: int) -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    tables = pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    tables.write_table(pyarrow.Table.from_pylist(rows(number)), out, row_group_size=100)
    return out.getvalue()


def arrow(number: int) -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    table, out = pyarrow.Table.from_pylist(rows(number)), io.BytesIO()
    with pyarrow.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table, 100)
    return out.getvalue()


SAMPLES: dict[str, Callable[[], dict[str, bytes]]] = {
    "texts": lambda: sentences(8),
    "none": lambda: {"docs/empty.txt": b"", "docs/blank.txt": b" \n"},
    "unusual": lambda: {
        "docs/binary": b"\0\1\2" * 100,
        "docs/utf16.txt": "a text of some words in another encoding".encode("utf-16"),
        "docs/bad.txt.gz": b"no gzip",
        "docs/t.txt": b"a text of some words in another encoding",
    },
    "gzip": lambda: {f"{name}.gz": gzip.compress(data, mtime=0) for name, data in sentences(8).items()},
    "jsonl": lambda: {"docs/rows.jsonl": json_lines(3000)},
    "jsonl.gz": lambda: {"docs/rows.jsonl.gz": gzip.compress(json_lines(300), mtime=0)},
    "jsonl.zst": lambda: {"docs/rows.jsonl.zst": packed("zstd", json_lines(300))},
    "csv": lambda: {"docs/rows.csv": delimited(300)},
    "json": lambda: {"docs/rows.json": json.dumps(rows(300)).encode(), "docs/settings.json": b'{"a": 1}'},
    "parquet": lambda: {"docs/rows.parquet": parquet(1000)},
    "arrow": lambda: {"docs/rows.arrow": arrow(1000)},
    "all": lambda: sentences(3) | {"docs/rows.jsonl": json_lines(30), "docs/rows.csv": delimited(30)},
}


def answer(where: str, **options: Any) -> bytes:
    """The groups of the documents below a directory or prefix, and what was skipped, as text."""
    found = simdocs.dedupe(where, unit="word", **options)
    said = [*map("\t".join, decided(found)), str(len(found.documents)), str(found.skipped.by_reason)]
    return "\n".join(said).encode()


@pytest.mark.parametrize("sample", SAMPLES)
def test_answers_about_objects_are_those_about_the_same_files(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: str
) -> None:
    monkeypatch.chdir(tmp_path)
    lay_both(store, tmp_path, SAMPLES[sample]())
    on_disk = answer("docs")
    assert as_on_disk(answer(f"s3://{BUCKET}/docs")) == on_disk


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
