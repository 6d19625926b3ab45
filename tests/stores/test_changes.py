"""An object that vanishes before it is read, or changes before it is verified, is noticed, as a file is."""

from __future__ import annotations

from pathlib import Path

import pytest

import simdocs
from tests.stores.laid import BUCKET, sentences
from tests.stores.server import LONG_AGO, ObjectStore


@pytest.mark.parametrize("what", ["HEAD", "GET"])
def test_an_object_that_vanishes_before_it_is_read_is_named(store: ObjectStore, what: str) -> None:
    for name, data in sentences(2, copies=1).items():
        store.put(BUCKET, name, data)
    gone = "docs/below/t001-0.txt"
    store.before = lambda asked, _, key: store.buckets[BUCKET].pop(gone, None) if (asked, key) == (what, gone) else None
    found = simdocs.signature("s3://bucket/docs/")
    assert found.skipped.by_reason == {"vanished": [(f"s3://bucket/{gone}", "")]}


@pytest.mark.reliability("an object that is replaced or gone before it is verified")
def test_a_document_that_changed_before_it_is_verified_is_named(store: ObjectStore, tmp_path: Path) -> None:
    for name, data in sentences(3).items():
        store.put(BUCKET, name, data)
    simdocs.index("s3://bucket/docs", output=str(tmp_path / "x.index"))
    store.put(BUCKET, "docs/t000-0.txt", b"something else", LONG_AGO + 7)
    touched = store.buckets[BUCKET]["docs/t002-0.txt"].data
    store.put(BUCKET, "docs/t002-0.txt", touched, LONG_AGO + 7)
    del store.buckets[BUCKET]["docs/below/t001-1.txt"]
    found = simdocs.dedupe(str(tmp_path / "x.index"))
    pairs = zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True)
    assert [found.documents.name(row) for pair in pairs for row in pair] == [
        "s3://bucket/docs/t002-0.txt",
        "s3://bucket/docs/t002-1.txt",
    ]
    assert [name for name, _ in found.skipped.by_reason["unverified"]] == [
        "s3://bucket/docs/below/t001-1.txt",
        "s3://bucket/docs/t000-0.txt",
    ]
    store.buckets[BUCKET].clear()
    found = simdocs.dedupe(str(tmp_path / "x.index"))
    assert [line.partition(" are gone")[0] for line in found.warnings] == ["6 of 6 documents"]
