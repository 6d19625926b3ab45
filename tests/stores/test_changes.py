"""An object that changes or vanishes while it is read is noticed, as a file is; the digest of its text decides."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.corpora.containers.container import ContainerFile, Locator
from simdocs.corpora.containers.jsonl import JSON_LINES
from simdocs.corpora.containers.reopened import Reopened
from simdocs.corpora.files import read
from simdocs.corpora.stamp import Stamp, status_of
from simdocs.corpora.stores.object_file import ObjectFile
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.texts import Sequences
from tests.stores.laid import BUCKET, sentences
from tests.stores.server import LONG_AGO, ObjectStore
from tests.stores.test_reading import json_lines

NAME = b"s3://bucket/x"


def at_request(store: ObjectStore, what: str, number: int, act: Callable[[], Any]) -> None:
    """Do something before the server makes the answer to the request of this kind with this number, from 1."""
    seen = 0

    def before(asked: str, *_: str) -> None:
        nonlocal seen
        seen += asked == what
        if asked == what and seen == number:
            act()

    store.before = before


@pytest.mark.reliability("an object that is replaced while it is read")
def test_an_object_that_is_replaced_before_it_is_fetched_is_read_again(store: ObjectStore) -> None:
    store.put(BUCKET, "x", b"an old text")
    at_request(store, "GET", 1, lambda: store.put(BUCKET, "x", b"a longer new text", LONG_AGO + 7))
    data, stamp = read(NAME, 1000)
    assert data == b"a longer new text"
    assert stamp == Stamp.of(status_of(NAME))


def test_an_object_that_is_replaced_by_one_of_the_same_size_and_time_is_read_again(store: ObjectStore) -> None:
    store.put(BUCKET, "x", b"an old text" * 10)
    at_request(store, "GET", 1, lambda: store.put(BUCKET, "x", b"a new texts" * 10))
    data, stamp = read(NAME, 1000)
    assert data == b"a new texts" * 10
    assert stamp != Stamp.of(status_of(NAME))  # so that an update reads it again


def test_an_object_that_changes_all_the_time_is_skipped(store: ObjectStore) -> None:
    store.put(BUCKET, "x", b"a text")
    store.before = lambda what, *_: store.put(BUCKET, "x", b"text %d" % len(store.asked), LONG_AGO + len(store.asked))
    with pytest.raises(DocumentSkipped) as raised:
        read(NAME, 1000)
    assert raised.value.reason == "changed"


@pytest.mark.parametrize("what", ["HEAD", "GET"])
def test_an_object_that_vanishes_before_it_is_read_is_named(store: ObjectStore, what: str) -> None:
    for name, data in sentences(2, copies=1).items():
        store.put(BUCKET, name, data)
    gone = "docs/below/t001-0.txt"
    store.before = lambda asked, _, key: store.buckets[BUCKET].pop(gone, None) if (asked, key) == (what, gone) else None
    found = simdocs.signature("s3://bucket/docs/")
    assert found.skipped.by_reason == {"vanished": [(f"s3://bucket/{gone}", "")]}


def parts(limit: int = 1 << 26) -> list[Any]:
    return list(JSON_LINES.parts(ContainerFile(b"s3://bucket/rows.jsonl", limit), Sequences()))


@pytest.mark.reliability("an object that is replaced while it is read")
def test_a_container_that_is_replaced_while_it_is_read_gives_no_mixture(store: ObjectStore) -> None:
    old, new = json_lines(20_000), json_lines(20_000).replace(b"word", b"term")
    store.put(BUCKET, "rows.jsonl", old)
    at_request(store, "GET", 5, lambda: store.put(BUCKET, "rows.jsonl", new, LONG_AGO + 7))
    read = list[bytes]()
    with pytest.raises(DocumentSkipped) as raised:
        read += (part.data for part in JSON_LINES.parts(ContainerFile(b"s3://bucket/rows.jsonl", 1 << 26), Sequences()))
    assert raised.value.reason == "changed"
    assert raised.value.detail.startswith("from line ")
    assert b"term" not in b"".join(read)


def test_a_container_that_is_replaced_at_once_is_read_anew(store: ObjectStore) -> None:
    new = json_lines(20_000).replace(b"word", b"term")
    store.put(BUCKET, "rows.jsonl", json_lines(20_000))
    at_request(store, "GET", 1, lambda: store.put(BUCKET, "rows.jsonl", new, LONG_AGO + 7))
    assert b"".join(part.data for part in parts()) == new


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_rows_of_an_object_that_was_replaced_are_of_the_new_version(store: ObjectStore, suffix: str) -> None:
    """A reader that has the old version open sees the new one as soon as it fetches anything."""
    pack = gzip.compress if suffix else bytes
    name = f"rows.jsonl{suffix}"
    lines = [b'{"text": "%07d"}' % number for number in range(100_000)]
    store.put(BUCKET, name, pack(b"\n".join(lines)))
    wanted = [Locator(20 * at, 19, at + 1) for at in (0, 99_999)]
    reader = Reopened()
    (first,) = reader.read(f"s3://bucket/{name}".encode(), wanted[:1], Sequences())
    assert isinstance(first, tuple)
    assert first[0] == lines[0]
    other = [line.replace(b"0", b"1") for line in lines]
    store.put(BUCKET, name, pack(b"\n".join(other)), LONG_AGO + 7)
    (last,) = reader.read(f"s3://bucket/{name}".encode(), wanted[1:], Sequences())
    assert isinstance(last, tuple)
    assert last[0] == other[-1]
    assert last[1].mtime_ns == (LONG_AGO + 7) * 10**9
    reader.close()


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


def test_a_status_asks_the_store_only_if_bytes_were_fetched(store: ObjectStore) -> None:
    store.put(BUCKET, "x", b"a text")
    file = ObjectFile(NAME)
    for _ in range(3):
        file.status()
    assert store.counts() == {"HEAD": 1}
    for _ in range(3):
        file.pread(3, 1)
        file.status()
    assert store.counts() == {"HEAD": 2, "GET": 1}
