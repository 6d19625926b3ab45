"""Requests grow with objects and with bytes, and never with documents; no more is fetched than is needed."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

import simdocs
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
