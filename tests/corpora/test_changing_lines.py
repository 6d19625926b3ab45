"""JSON Lines files that have holes, or that change while they are read."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model.skipped import DocumentSkipped, Skip
from tests.corpora.json_lines import names_in, parts, rows
from tests.corpora.small_chunks import cut_small

MIB = 1 << 20
LINES = [b'{"text": "line %d", "id": %d}' % (number, number) for number in range(1, 21)]
CONTENT = b"".join(line + b"\n" for line in LINES)
BLOCK = 64
"""Bytes of a block: a little more than two lines."""

Change = Callable[[Path], object]


def names(path: Path, change: Change, after: int, times: int = 1) -> tuple[list[int], tuple[str, str] | None]:
    """Read a file that changes after this number of reads, and then this number of times.

    Return the numbers of the lines that were given, and the reason and detail if the rest was skipped.
    """
    reads, real, inode = 0, os.read, path.stat().st_ino

    def read(descriptor: int, size: int) -> bytes:
        nonlocal reads
        data = real(descriptor, size)
        if os.fstat(descriptor).st_ino == inode:
            reads += 1
            if after <= reads < after + times:
                change(path)
        return data

    given: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, BLOCK)
        patch.setattr(os, "read", read)
        try:
            for part in parts(os.fsencode(path), MIB):
                given += [int(name.rpartition(b"#")[2]) for name in names_in(part)]
        except DocumentSkipped as skip:
            return given, (skip.reason, skip.detail)
    return given, None


moments = count(1)


def write(path: Path, content: bytes) -> None:
    """Write a file with a new modification time, however coarse the clock of the file system is."""
    path.write_bytes(content)
    os.utime(path, ns=(0, next(moments)))


def append(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b'{"text": "a new one", "id": 99}\n')


def rewrite(path: Path) -> None:
    write(path, CONTENT.replace(b"line", b"LINE"))


def shrink(path: Path) -> None:
    os.truncate(path, 100)


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b'{"text": "quite another", "id": 77}\n')
    other.replace(path)


def link(path: Path) -> None:
    os.link(path, path.with_name(f"link{path.stat().st_nlink}"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    write(path, CONTENT)
    return path


@pytest.mark.reliability("JSON Lines rewritten or cut short while they are read")
@pytest.mark.parametrize("change", [rewrite, shrink])
@pytest.mark.parametrize("after", range(4, 9))
def test_a_file_rewritten_meanwhile_gives_only_lines_of_the_old_one(path: Path, change: Change, after: int) -> None:
    """Whole lines are read from the beginning of the old file, and no line of the new one."""
    given, why = names(path, change, after)
    assert given == list(range(1, len(given) + 1))
    assert 0 < len(given) < len(LINES)
    assert why == ("changed", f"from line {len(given) + 1} on")


@pytest.mark.reliability("JSON Lines that grow")
@pytest.mark.parametrize("times", [1, 20])
def test_lines_appended_meanwhile_are_left_to_the_next_run(path: Path, times: int) -> None:
    for after in range(1, len(CONTENT) // BLOCK):
        write(path, CONTENT)
        assert names(path, append, after, times) == (list(range(1, 21)), None)


@pytest.mark.reliability("JSON Lines that grow")
@pytest.mark.parametrize("cut", [1, 10, len(LINES[-1])])
def test_a_last_line_that_is_being_written_waits_for_the_next_run(path: Path, cut: int) -> None:
    write(path, CONTENT[:-cut])
    assert names(path, lambda path: path.write_bytes(CONTENT), 3) == (list(range(1, 20)), None)


@pytest.mark.reliability("JSON Lines that grow")
def test_a_file_of_one_unfinished_line_has_none_yet(path: Path) -> None:
    write(path, LINES[0][:10])
    assert names(path, lambda path: path.write_bytes(LINES[0] + b"\n"), 1) == ([], None)


@pytest.mark.reliability("JSON Lines rewritten or cut short while they are read")
@pytest.mark.parametrize("change", [rewrite, shrink])
def test_a_file_that_changes_before_its_first_block_is_read_again(path: Path, change: Change) -> None:
    given, why = names(path, change, 1)
    assert given == {rewrite: list(range(1, 21)), shrink: [1, 2, 3]}[change]
    assert why is None


@pytest.mark.reliability("JSON Lines rewritten or cut short while they are read")
def test_a_file_that_keeps_changing_is_given_up(path: Path) -> None:
    assert names(path, rewrite, 1, times=1000) == ([], ("changed", ""))


@pytest.mark.reliability("JSON Lines renamed, linked or removed")
@pytest.mark.parametrize("change", [replace, link, os.unlink])
def test_a_file_that_is_renamed_or_removed_is_read_to_its_end(path: Path, change: Change) -> None:
    for after in (1, 5):
        write(path, CONTENT)
        assert names(path, change, after) == (list(range(1, 21)), None)


def test_a_gzip_file_that_grows_is_read_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(CONTENT))
    cut_small(monkeypatch, BLOCK)
    blocks = parts(os.fsencode(path), MIB)
    assert next(blocks).first == 1
    with path.open("ab") as stream:
        stream.write(gzip.compress(CONTENT))
    with pytest.raises(DocumentSkipped, match="changed"):
        next(blocks)


def seen(path: Path, limit: int) -> tuple[list[tuple[bytes, bytes, int, int]], list[Skip]]:
    """Return the documents and the skips of a file."""
    cut = list(parts(os.fsencode(path), limit))
    read = [rows(part) for part in cut]
    documents = [
        (name, text, where.start, where.extent)
        for part, some in zip(cut, read, strict=True)
        for name, text, where in zip(names_in(part), some.texts, some.locators, strict=True)
    ]
    return documents, [skip for some in read for skip in some.skips]


between_holes = st.lists(st.sampled_from([b"", CONTENT[:100], CONTENT, b"\n"]), min_size=1, max_size=3)
limits = st.sampled_from([1, 5000, 20_000, MIB])


@given(between_holes, st.booleans(), limits, st.sampled_from([500, 6000, MIB]))
def test_a_file_with_holes_gives_the_same_documents_as_one_with_zeros(
    tmp_path_factory: pytest.TempPathFactory, data: list[bytes], ended: bool, limit: int, block: int
) -> None:
    path, hole = tmp_path_factory.getbasetemp() / "holes.jsonl", 1 << 14
    with path.open("wb") as stream:
        for piece in data:
            stream.write(piece)
            stream.seek(hole - stream.tell() % hole + hole, os.SEEK_CUR)
        stream.write(b"end\n" * ended)
        stream.truncate()
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, block)
        sparse = seen(path, limit)
        path.write_bytes(path.read_bytes())
        assert seen(path, limit) == sparse


def test_a_hole_of_a_terabyte_is_jumped_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINES[0] + b"\n")
    with path.open("r+b") as stream:
        stream.seek(1 << 40)
        stream.write(b"\n" + LINES[1])
    tracemalloc.start()
    try:
        found = seen(path, MIB)
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()
    dropped = (1 << 40) - len(LINES[0]) - 1
    assert [row[1] for row in found[0]] == [b"line 1", b"line 2"]
    assert found[1] == [Skip("oversized", os.fsencode(path), f"{dropped} bytes", 2)]


@pytest.mark.reliability("JSON Lines rewritten or cut short while they are read")
def test_a_gzip_file_that_is_still_being_written_is_read_again(tmp_path: Path) -> None:
    """At first it has none of its bytes. That is no reason to call it damaged if it has changed since."""
    path = tmp_path / "a.jsonl.gz"
    whole = gzip.compress(CONTENT)
    write(path, b"not gzip yet")
    assert names(path, lambda path: write(path, whole), 1) == (list(range(1, len(LINES) + 1)), None)
