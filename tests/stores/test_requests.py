"""Requests grow with objects and with bytes, and never with documents. What is no place for an object is refused."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

import simdocs
from tests.cli.missing_library import environment_without
from tests.cli.program import simdocs as program
from tests.stores.laid import BUCKET, sentences
from tests.stores.server import ObjectStore
from tests.stores.test_reading import json_lines


def test_a_small_object_takes_one_get_and_two_heads(store: ObjectStore) -> None:
    for name, data in sentences(10, copies=1).items():
        store.put(BUCKET, name, data)
    simdocs.signature("s3://bucket/docs/")
    assert store.counts() == {"LIST": 4, "HEAD": 20, "GET": 10}
    assert sum(each.sent for each in store.asked if each.what == "GET") == sum(
        len(each.data) for each in store.buckets[BUCKET].values()
    )


def test_verification_asks_whether_a_held_object_has_changed(store: ObjectStore) -> None:
    for name, data in sentences(10).items():
        store.put(BUCKET, name, data)
    found = simdocs.dedupe("s3://bucket/docs/", unit="word")
    assert len(found.pairs.left) == 10
    assert store.counts() == {"LIST": 7, "HEAD": 60, "GET": 20}


def test_requests_for_a_container_do_not_grow_with_its_documents(store: ObjectStore) -> None:
    documents = 1000
    data = json_lines(documents)
    store.put(BUCKET, "rows.jsonl", data + b" " * (1_000_000 - len(data)))
    found = simdocs.dedupe("s3://bucket/rows.jsonl", unit="word")
    assert len(found.pairs.left) == documents - -(-documents // 3)
    assert store.counts()["GET"] <= 12
    assert store.counts()["HEAD"] <= 14


def wide_table(rows: int) -> bytes:
    """A Parquet file of which nearly all bytes are in a column that nobody asks for."""
    pyarrow = pytest.importorskip("pyarrow")
    tables = pytest.importorskip("pyarrow.parquet")
    values: dict[str, Any] = {
        "id": [f"id{row}" for row in range(rows)],
        "image": [os.urandom(4000) for _ in range(rows)],
        "text": [f"a text of some words {row % 10} and more" for row in range(rows)],
    }
    out = io.BytesIO()
    tables.write_table(pyarrow.table(values), out, row_group_size=rows // 4, compression="none")
    return out.getvalue()


def test_of_a_table_only_the_columns_that_are_wanted_are_fetched(store: ObjectStore, tmp_path: Path) -> None:
    data = wide_table(4000)
    store.put(BUCKET, "rows.parquet", data)
    simdocs.signature("s3://bucket/rows.parquet", output=str(tmp_path / "x.signatures"))
    assert sum(each.sent for each in store.asked) < len(data) / 8
    assert store.counts()["GET"] < 50
    assert store.counts()["HEAD"] < 30


@pytest.mark.reliability("an artifact in a store")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("index", "rows.jsonl", "-o", "s3://b/x.index"), "-o must be a path on this machine"),
        (("dedupe", "rows.jsonl", "-o", "s3://b/x.answer"), "must be "),
        (("dedupe", "rows.jsonl", "--kept-rows", "hdfs://b/x.jsonl"), "--kept-rows must be a path on this machine"),
        (("dedupe", "rows.jsonl", "--summary-json", "s3://b/x"), "--summary-json must be a path on this machine"),
        (("dedupe", "--files-from", "s3://b/list"), "--files-from must be a path on this machine"),
        (("query", "s3://b/x.index", "rows.jsonl"), "or its path on this machine"),
        (("check", "s3://b/x.index"), "an artifact must be on this machine"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_place_in_a_store_is_refused_where_it_must_be_on_this_machine(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b'{"text": "a text"}\n')
    for given in (arguments, [word.replace("://", "://KEY:SECRET@") for word in arguments]):
        done = program(*given, cwd=tmp_path)
        assert done.status == 2
        assert said in done.err
        assert "SECRET" not in done.err
        assert not done.out
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


def test_an_artifact_in_a_store_is_no_directory_of_texts(store: ObjectStore) -> None:
    store.put(BUCKET, "x.index/manifest.json", b"{}")
    with pytest.raises(simdocs.InputError, match="artifacts are read from a disk only"):
        simdocs.dedupe("s3://bucket/x.index")


def test_without_pyarrow_one_line_says_what_to_install(tmp_path: Path) -> None:
    env = environment_without(tmp_path, "pyarrow", "pyarrow.fs")
    done = program("dedupe", "s3://bucket/docs", cwd=tmp_path, env=env)
    assert done.status == 2
    assert done.err == ("simdocs: error: reading s3:// needs pyarrow: pip install 'simdocs[datasets]'\n")
