"""Documents that change, vanish or are replaced during a run are reported, and never compared half old, half new."""

from __future__ import annotations

import gzip
import os
import tracemalloc

import pytest

from tests.commands.building import built
from tests.commands.deduping import Work, sketched

TEXT = b"a fairly long text about nothing much, so that one word more leaves it similar enough"


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A directory with three near-duplicates: a, b and c."""
    for name, end in ((b"a", b"."), (b"b", b"!"), (b"c", b"?")):
        (tmp_path / os.fsdecode(name)).write_bytes(TEXT + end)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def grouped(work: Work) -> list[tuple[bytes, bytes]]:
    return [row[:2] for row in work.groups()]


def append(path):
    with path.open("ab") as stream:
        stream.write(b".")


def rewrite_in_place(path):
    before = path.stat()
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace(path):
    before = path.stat()
    other = path.with_name("new")
    other.write_bytes(path.read_bytes()[::-1])
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def make_directory(path):
    path.unlink()
    path.mkdir()


def make_fifo(path):
    path.unlink()
    os.mkfifo(path)


def make_binary(path):
    path.write_bytes(b"\0" + path.read_bytes()[1:])


def vanish(path):
    path.unlink()


CHANGES = (append, rewrite_in_place, replace, make_directory, make_fifo, make_binary, vanish)


@pytest.mark.reliability("a change while a document is verified")
@pytest.mark.reliability("a change before it is verified")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_a_document_that_cannot_be_read_again_is_not_removed(docs, change, name):
    with sketched(["a", "b", "c"]) as work:
        change(docs / name)
        found = grouped(work)
        counts = work.skipped.counts
        skips = work.skipped.kept("unverified")
    others = [one.encode() for one in "abc" if one != name]
    assert found == [(others[0], others[1])]
    assert counts == {"unverified": 1}
    assert [skip.name for skip in skips] == [name.encode()]


@pytest.mark.reliability("a change before it is verified")
@pytest.mark.reliability("a file that became a gzip bomb since the build")
def test_a_file_that_has_become_a_gzip_bomb_is_not_decompressed(docs):
    for name in "abc":
        (docs / f"{name}.gz").write_bytes(gzip.compress((docs / name).read_bytes()))
    index = built(docs / "x.index", ["a.gz", "b.gz", "c.gz"])
    (docs / "b.gz").write_bytes(gzip.compress(b"a" * (1 << 26)))
    # This is the same text, but compressed less.
    (docs / "c.gz").write_bytes(gzip.compress((docs / "c").read_bytes() + b" " * 9999, 0))
    with sketched([index]) as work:
        tracemalloc.start()
        try:
            assert grouped(work) == [(b"a.gz", b"c.gz")]
            assert tracemalloc.get_traced_memory()[1] < 1 << 25
        finally:
            tracemalloc.stop()
    assert work.skipped.by_reason == {"unverified": [("b.gz", "changed")]}


def growing(monkeypatch, path, times: int) -> None:
    """Append to this file after each of the first reads of it. times: the number of those reads."""
    inode, read = path.stat().st_ino, os.pread
    left = [times]

    def and_grow(descriptor, size, at):
        data = read(descriptor, size, at)
        if left[0] and os.fstat(descriptor).st_ino == inode:
            left[0] -= 1
            append(path)
        return data

    monkeypatch.setattr(os, "pread", and_grow)


@pytest.mark.reliability("a change while a file is read")
def test_a_file_that_changes_once_while_it_is_read_is_read_again(docs, monkeypatch):
    growing(monkeypatch, docs / "b", 1)
    with sketched(["a", "b", "c"]) as work:
        assert grouped(work) == [(b"a", b"b"), (b"a", b"c")]
        assert work.skipped.counts == {}
        assert int(work.corpus.documents.facts["size"][1]) == len(TEXT) + 2


@pytest.mark.reliability("a change while it is read again")
def test_a_file_that_keeps_changing_while_it_is_read_is_reported(docs, monkeypatch):
    growing(monkeypatch, docs / "b", 1000)
    with sketched(["a", "b", "c"]) as work:
        assert grouped(work) == [(b"a", b"c")]
        assert work.skipped.by_reason == {"changed": [("b", "")]}
