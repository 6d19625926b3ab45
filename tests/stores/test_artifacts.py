"""Artifacts of objects: those of files but for names and times, and updated by their stamps. Changes are noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simdocs
from tests.commands.building import content, damages
from tests.stores.laid import BUCKET, lay_both, sentences
from tests.stores.server import LONG_AGO, ObjectStore, Refused
from tests.stores.test_reading import json_lines

KINDS = {"shingles": simdocs.shingle, "signatures": simdocs.signature, "index": simdocs.index}

LATER = LONG_AGO + 1000


def corpus() -> dict[str, bytes]:
    return sentences(6) | {"docs/rows.jsonl": json_lines(3000), "docs/settings.json": b'{"a": "some words of a text"}'}


@pytest.mark.parametrize("kind", KINDS)
def test_artifacts_of_objects_are_those_of_the_same_files(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    lay_both(store, tmp_path, corpus())
    monkeypatch.chdir(tmp_path)
    KINDS[kind]("docs", output=f"disk.{kind}")
    KINDS[kind]("s3://bucket/docs", output=f"store.{kind}")
    disk, stored = content(Path(f"disk.{kind}")), content(Path(f"store.{kind}"))
    assert disk.keys() == stored.keys()
    differ = {name for name in disk if disk[name] != stored[name]}
    assert differ == {"documents.npy", "files.npy", "names.npy", "name_offsets.npy", "manifest.json"}
    names = stored["names.npy"].split(b"\n", 1)[1], disk["names.npy"].split(b"\n", 1)[1]
    assert names[0].replace(b"s3://bucket/", b"") == names[1]
    ours, theirs = (np.load(f"{where}.{kind}/documents.npy") for where in ("disk", "store"))
    same = set(ours.dtype.names or ()) - {"inode", "ctime_ns", "container"}
    assert all((ours[name] == theirs[name]).all() for name in same)
    assert damages(f"store.{kind}") == []


def built_anew(tmp_path: Path, kind: str) -> dict[str, bytes]:
    other = tmp_path / f"other.{kind}"
    KINDS[kind]("s3://bucket/docs", output=str(other))
    return content(other)


def fetched(store: ObjectStore) -> set[str]:
    return {each.key for each in store.asked if each.what in ("GET", "HEAD")}


@pytest.mark.parametrize("kind", ["shingles", "index"])
def test_an_update_reads_only_what_has_changed(store: ObjectStore, tmp_path: Path, kind: str) -> None:
    for name, data in corpus().items():
        store.put(BUCKET, name, data)
    target = tmp_path / f"x.{kind}"
    KINDS[kind]("s3://bucket/docs/", output=str(target))
    store.clear()
    KINDS[kind]("s3://bucket/docs/", output=str(target))
    assert fetched(store) == set()

    store.put(BUCKET, "docs/t000-0.txt", b"a new text of some words", LATER)
    store.put(BUCKET, "docs/new.txt", b"another new text of some words", LATER)
    del store.buckets[BUCKET]["docs/below/t001-0.txt"]
    store.clear()
    KINDS[kind]("s3://bucket/docs/", output=str(target))
    assert fetched(store) == {"docs/t000-0.txt", "docs/new.txt"}
    assert content(target) == built_anew(tmp_path, kind)


def test_a_store_that_is_down_loses_no_documents_of_an_artifact(store: ObjectStore, tmp_path: Path) -> None:
    for name, data in sentences(4).items():
        store.put(BUCKET, name, data)
    target = tmp_path / "x.index"
    simdocs.index("s3://bucket/docs", output=str(target))
    before = content(target)

    def refuse(*_: str) -> None:
        raise Refused(403, "AccessDenied")

    store.before = refuse
    with pytest.raises(simdocs.SimdocsError, match="it has documents of s3://bucket/docs, which cannot be read now"):
        simdocs.index("s3://bucket/docs", output=str(target))
    assert content(target) == before


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
