"""Files whose times tell nothing: rewritten within one tick of the clock, or by a write that has not ended."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simdocs.corpora import read_file, stamp, walked_files
from simdocs.corpora.stamp import Stamp
from simdocs.model.skipped import DocumentSkipped
from tests.corpora.json_lines import parts, rows
from tests.corpora.small_chunks import cut_small

MIB = 1 << 20
LINES = [b'{"text": "line %d"}' % number for number in range(10, 30)]
OLD = b"".join(line + b"\n" for line in LINES)
NEW = OLD.replace(b"line", b"LINE")
BLOCK = 64


@pytest.fixture(autouse=True)
def moments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait between two readings, as the program does."""
    monkeypatch.setattr(stamp, "_MOMENTS_NS", 100_000_000)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file whose status says that it was changed just now, whatever happens to it. Only its size is true."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(OLD)
    status, instant = os.fstat, time.time_ns()

    def frozen(descriptor: int) -> os.stat_result:
        real = status(descriptor)
        return os.stat_result(tuple(real), {"st_mtime_ns": instant, "st_ctime_ns": instant})

    monkeypatch.setattr(os, "fstat", frozen)
    cut_small(monkeypatch, BLOCK)
    return path


def rewritten(monkeypatch: pytest.MonkeyPatch, path: Path, after: int, content: Callable[[int], bytes]) -> list[int]:
    """Rewrite a file in place after this read of it and every later one, as long as content(0), content(1) ... differ.

    A read gives 64 bytes at most. Return a list of the sizes that were read.
    """
    reads: list[int] = []
    real, inode = os.read, path.stat().st_ino

    def read_some(descriptor: int, size: int) -> bytes:
        mine = os.stat(descriptor).st_ino == inode
        data = real(descriptor, min(size, BLOCK) if mine else size)
        if mine:
            reads.append(len(data))
            if len(reads) >= after:
                with path.open("r+b") as stream:
                    stream.write(content(len(reads) - after))
        return data

    monkeypatch.setattr(os, "read", read_some)
    return reads


def once(_: int) -> bytes:
    return NEW


def always(time: int) -> bytes:
    return OLD.replace(b"line", b"%04d" % time)


@pytest.mark.reliability("a file rewritten too quickly for its times to show it")
@pytest.mark.parametrize("after", range(1, 9))
def test_a_file_rewritten_within_a_tick_is_never_a_mixture(
    path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    rewritten(monkeypatch, path, after, once)
    assert read_file.read(os.fsencode(path), MIB)[0] in (OLD, NEW)


@pytest.mark.reliability("a file rewritten too quickly for its times to show it")
def test_a_file_rewritten_all_the_time_is_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rewritten(monkeypatch, path, 1, always)
    with pytest.raises(DocumentSkipped, match="changed"):
        read_file.read(os.fsencode(path), MIB)


def texts(path: Path) -> tuple[list[bytes], str]:
    """Return the texts of a JSON Lines file, and why there are no more."""
    found: list[bytes] = []
    try:
        for part in parts(os.fsencode(path), MIB):
            found += rows(part).texts
    except DocumentSkipped as skip:
        return found, f"{skip.reason} {skip.detail}"
    return found, ""


@pytest.mark.reliability("a file rewritten too quickly for its times to show it")
@pytest.mark.parametrize("content", [once, always])
@pytest.mark.parametrize("after", range(1, 18))
def test_lines_rewritten_within_a_tick_are_of_one_version(
    path: Path, monkeypatch: pytest.MonkeyPatch, after: int, content: Callable[[int], bytes]
) -> None:
    rewritten(monkeypatch, path, after, content)
    found, why = texts(path)
    assert len({text[:4] for text in found}) <= 1
    assert [text[4:] for text in found] == [b" %d" % number for number in range(10, 10 + len(found))]
    assert why == ("" if len(found) == 20 else f"changed from line {len(found) + 1} on" if found else "changed ")


def test_a_recent_file_that_grows_gives_its_lines(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rewritten(monkeypatch, path, 9, lambda time: OLD + NEW[: BLOCK * (time + 1)])
    found, why = texts(path)
    assert found[:20] == [b"line %d" % number for number in range(10, 30)]
    assert why.startswith("changed from line ")


@pytest.mark.parametrize("age", [0, 1, 3])
def test_only_files_changed_in_the_last_two_seconds_are_read_twice(
    path: Path, monkeypatch: pytest.MonkeyPatch, age: int
) -> None:
    monkeypatch.setattr(stamp, "now", lambda: time.time_ns() + age * 10**9)
    reads = rewritten(monkeypatch, path, 1 << 30, once)
    assert texts(path)[1] == ""
    assert sum(reads) == len(OLD) * (1 if age == 3 else 2)


@pytest.mark.parametrize("end", [b"", b"garbage after the end"])
def test_a_recent_gzip_file_gives_its_lines(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(OLD) + end)
    found, why = texts(path)
    assert (len(found), why.partition(" ")[0]) == (20, "malformed" if end else "")


def test_a_file_is_opened_when_its_times_are_older_than_a_tick(tmp_path: Path) -> None:
    """So whoever writes to it later gives it another time."""
    path = tmp_path / "a"
    for _ in range(3):
        path.write_bytes(OLD)
        descriptor, status = walked_files.open_file(os.fsencode(path))
        assert time.time_ns() - Stamp.of(status).ctime_ns >= 10_000_000
        os.close(descriptor)


@pytest.mark.parametrize("ahead", [0, 3600])
def test_a_clock_that_stands_still_or_is_behind_is_not_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch, ahead: int
) -> None:
    waits: list[float] = []
    instant = Stamp.of(os.fstat(os.open(path, os.O_RDONLY))).ctime_ns
    monkeypatch.setattr(stamp, "now", lambda: instant - ahead * 10**9)
    monkeypatch.setattr(time, "sleep", waits.append)
    assert read_file.read(os.fsencode(path), MIB)[0] == OLD
    assert len(waits) == (0 if ahead else 4)


def test_the_status_of_a_file_that_was_waited_for_is_that_after_the_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    monkeypatch.setattr(time, "sleep", lambda _seconds: path.write_bytes(NEW + OLD))
    monkeypatch.setattr(stamp, "now", lambda: path.stat().st_mtime_ns + 1)
    with path.open("rb") as stream:
        status = stamp.settled(stream.fileno(), os.fstat(stream.fileno()))
    assert status.st_size == len(NEW + OLD)


@pytest.mark.reliability("a file rewritten too quickly for its times to show it")
def test_a_second_reading_that_ends_early_does_not_agree(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the file was shorter for a moment."""
    real = os.pread
    monkeypatch.setattr(os, "pread", lambda descriptor, size, at: real(descriptor, size, at) if at < 64 else b"")
    monkeypatch.setattr(read_file, "_PIECE", 32)
    with pytest.raises(DocumentSkipped, match="changed"):
        read_file.read(os.fsencode(path), MIB)


@pytest.fixture
def simulated(path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], list[float]]:
    """Let time pass by waiting alone, from 20 ms after the change of the file on. Returns the waits, in seconds."""
    waits: list[float] = []
    changed = Stamp.of(os.fstat(os.open(path, os.O_RDONLY))).mtime_ns
    monkeypatch.setattr(stamp, "now", lambda: changed + 20_000_000 + round(sum(waits) * 1e9))

    def simulate(meanwhile: Callable[[], object]) -> list[float]:
        def sleep(seconds: float) -> None:
            meanwhile()
            waits.append(seconds)

        monkeypatch.setattr(time, "sleep", sleep)
        return waits

    return simulate


@pytest.mark.reliability("a file rewritten too quickly for its times to show it")
@pytest.mark.parametrize("reader", ["text", "lines"])
def test_a_write_that_goes_on_between_two_readings_is_noticed(path: Path, simulated: Any, reader: str) -> None:
    """The writer is in the middle when the file is read, and goes on while the reader waits for the second reading."""
    path.write_bytes(NEW[:30] + OLD[30:])
    waits = simulated(lambda: path.write_bytes(NEW))
    if reader == "text":
        assert read_file.read(os.fsencode(path), MIB)[0] == NEW
    else:
        assert texts(path) == ([b"LINE %d" % number for number in range(10, 30)], "")
    assert waits == [0.08]


def test_many_files_of_the_same_moment_are_waited_for_once(path: Path, simulated: Any) -> None:
    waits = simulated(lambda: None)
    for number in range(100):
        other = path.with_name(f"{number}.txt")
        other.write_bytes(OLD)
        assert read_file.read(os.fsencode(other), MIB)[0] == OLD
    assert waits == [0.08]
