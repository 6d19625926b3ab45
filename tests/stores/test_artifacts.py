"""Artifacts of objects: the same as those of files but for names and times, and updated by their stamps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simdocs
from tests.commands.building import content, damages
from tests.stores.laid import BUCKET, lay_both, sentences
from tests.stores.server import LONG_AGO, ObjectStore, Refused
from tests.stores.test_reading import json_lines, parquet

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


def test_rows_that_were_added_to_an_object_are_the_only_ones_that_are_parsed(
    store: ObjectStore, tmp_path: Path
) -> None:
    store.put(BUCKET, "docs/rows.jsonl", json_lines(3000))
    store.put(BUCKET, "docs/table.parquet", parquet(900))
    target = tmp_path / "x.index"
    simdocs.index("s3://bucket/docs", output=str(target))
    store.put(BUCKET, "docs/rows.jsonl", json_lines(3300), LATER)
    store.put(BUCKET, "docs/table.parquet", parquet(1100), LATER)
    simdocs.index("s3://bucket/docs", output=str(target))
    assert content(target) == built_anew(tmp_path, "index")


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
