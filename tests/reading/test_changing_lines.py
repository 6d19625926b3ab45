"""JSON Lines files that have holes, or that change while they are read."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

import simdocs
from simdocs.model.skipped import DocumentSkipped
from simdocs.reading import files
from simdocs.reading.files import Stamp
from simdocs.reading.formats.lines import blocks_of, read_block
from tests.reading.reading import FIELDS, MIB
from tests.reading.small_chunks import cut_small

LINES = [b'{"text": "line %d", "id": %d}' % (number, number) for number in range(11, 31)]
CONTENT = b"".join(line + b"\n" for line in LINES)
IDS = list(range(11, 31))
BLOCK = 64
"""Bytes of a block: two lines."""

Change = Callable[[Path], object]


def names(path: Path, change: Change, after: int, times: int = 1) -> tuple[list[int], tuple[str, str] | None, int]:
    """Read a file that changes after this number of reads, and then this number of times.

    Return the ids of the lines that were given, the reason and detail if the rest was skipped, and the number of reads.
    """
    reads, real, inode = 0, os.pread, path.stat().st_ino

    def pread(descriptor: int, size: int, at: int) -> bytes:
        nonlocal reads
        data = real(descriptor, size, at)
        if os.fstat(descriptor).st_ino == inode:
            reads += 1
            if after <= reads < after + times:
                change(path)
        return data

    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, BLOCK)
        patch.setattr(os, "pread", pread)
        found = simdocs.signature(path, jobs=1)
    ids = [int(found.documents.name(row).rpartition("#")[2]) for row in range(len(found.documents))]
    (why,) = next(iter(found.skipped.by_reason.values()), [None])
    reason = next(iter(found.skipped.by_reason), "")
    return ids, why and (reason, why[1]), reads


moments = count(1)


def write(path: Path, content: bytes) -> None:
    """Write a file with a new modification time, however coarse the clock of the file system is."""
    path.write_bytes(content)
    os.utime(path, ns=(0, next(moments)))


def append(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b'{"text": "a new one", "id": 99}\n')


def rewrite(path: Path) -> None:
    write(path, CONTENT.replace(b'"id": ', b'"id":9'))


def shrink(path: Path) -> None:
    os.truncate(path, 100)


def write_one_line(path: Path) -> None:
    """It is shorter than a block then."""
    write(path, b'{"text": "x", "id": 99}\n')


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b'{"text": "quite another", "id": 77}\n' * 30)
    other.replace(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    write(path, CONTENT)
    return path


@pytest.mark.reliability("JSON Lines rewritten or cut short while they are read")
@pytest.mark.parametrize("change", [rewrite, shrink, write_one_line, replace, os.unlink])
def test_a_file_that_changes_meanwhile_gives_only_lines_of_the_old_one(path: Path, change: Change) -> None:
    """Whole lines are read from the beginning of the old file, and no line of the new one."""
    _, _, reads = names(path, change, 1 << 30)
    partial = 0
    for after in range(1, reads, 3):
        write(path, CONTENT)
        given, why, _ = names(path, change, after)
        assert given == IDS[: len(given)]
        if 0 < len(given) < len(IDS):
            partial += 1
            assert why == ("named" if change == os.unlink else "changed", f"from line {len(given) + 1} on")
        assert why is not None or len(given) == len(IDS)
    assert partial > 5


@pytest.mark.reliability("JSON Lines that grow")
@pytest.mark.parametrize("times", [1, 20])
def test_lines_appended_meanwhile_are_left_to_the_next_run(path: Path, times: int) -> None:
    for after in range(1, len(CONTENT) // BLOCK):
        write(path, CONTENT)
        assert names(path, append, after, times)[:2] == (IDS, None)


@pytest.mark.reliability("JSON Lines that grow")
@pytest.mark.parametrize("cut", [1, 10, len(LINES[-1])])
def test_a_last_line_that_is_being_written_waits_for_the_next_run(path: Path, cut: int) -> None:
    write(path, CONTENT[:-cut])
    assert names(path, lambda path: path.write_bytes(CONTENT), 3)[:2] == (IDS[:-1], None)


@pytest.mark.reliability("JSON Lines that grow")
def test_a_file_of_one_unfinished_line_has_none_yet(path: Path) -> None:
    for content in (LINES[0][:10], LINES[0] + b"\n" + LINES[1][:9]):
        write(path, content)
        stamp = Stamp.of(path.stat())
        write(path, CONTENT)
        (block,) = blocks_of("jsonl", os.fsencode(path), MIB, 0, stamp, 0, follow=True)
        assert len(read_block(block, FIELDS)[0].texts) == content.count(b"\n")


@pytest.mark.reliability("JSON Lines rewritten or cut short while they are read")
@pytest.mark.parametrize("change", [rewrite, shrink])
def test_a_file_of_one_block_that_changes_is_read_again(path: Path, change: Change) -> None:
    stamp = Stamp.of(path.stat())
    change(path)
    (block,) = blocks_of("jsonl", os.fsencode(path), MIB, 0, stamp, 0, follow=True)
    ids = read_block(block, FIELDS)[0].ids
    assert ids == {rewrite: [b"9%d" % number for number in IDS], shrink: [b"11", b"12", b"13"]}[change]


@pytest.mark.reliability("JSON Lines rewritten or cut short while they are read")
def test_the_last_of_several_blocks_is_not_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_small(monkeypatch, BLOCK)
    *_, last = blocks_of("jsonl", os.fsencode(path), MIB, 0, Stamp.of(path.stat()), 0, follow=True)
    write_one_line(path)
    with pytest.raises(DocumentSkipped, match="changed"):
        read_block(last, FIELDS)


@pytest.mark.reliability("JSON Lines rewritten or cut short while they are read")
def test_a_compressed_file_that_changes_is_read_no_further_or_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At first it may have none of its bytes. That is no reason to call it damaged if it has changed since."""
    monkeypatch.setattr(files, "_COMPRESSED_AT_ONCE", 16)
    path, more = tmp_path / "a.jsonl.gz", CONTENT + CONTENT.replace(b'"id": ', b'"id": 1')
    for old in (CONTENT, b""):
        given = list[int]()
        for after in range(1, 23):
            write(path, gzip.compress(old) if old else b"not gzip yet")
            ids, why, _ = names(path, lambda path: write(path, gzip.compress(more)), after)
            if len(ids) < 40 and ids:
                assert why == ("changed", f"from line {len(ids) + 1} on")
            given.append(len(ids))
            assert ids == [*IDS, *(100 + number for number in IDS)][: len(ids)]
        assert given[0] == 40
        assert not old or min(given) < 20
