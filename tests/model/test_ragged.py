"""Ragged arrays behave like lists of lists."""

from __future__ import annotations

import errno
import itertools
import mmap
import os
import tempfile
import tracemalloc
import types
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simdocs.model import ragged
from tests import strategies as some


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=6), st.data())
def test_rows_can_be_taken_in_any_order(rows, data):
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9) if rows else st.just([]))
    made = some.ragged(rows, np.uint32)
    assert some.rows_of(made.take(np.array(wanted, np.int64))) == [rows[row] for row in wanted]


@given(st.lists(st.integers(0, 9) | st.just(2**62), max_size=30), st.integers(0, 12), st.integers(1, 5))
def test_batches_are_as_large_as_they_may_be(sizes, most_bytes, most_documents):
    expected = list[list[int]]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ragged, "BATCH_DOCUMENTS", most_documents)
        cuts = [list(cut) for cut in ragged.batches(np.array(sizes, np.int64), most_bytes)]
    for row, size in enumerate(sizes):
        here = expected[-1] if expected else []
        if here and len(here) < most_documents and sum(sizes[at] for at in here) + size <= most_bytes:
            here.append(row)
        else:
            expected.append([row])
    assert cuts == expected


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_code_points_have_as_many_bytes_as_in_utf8_and_escaped_bytes_one(dtype):
    known = {0: 1, 0x7F: 1, 0x80: 2, 0xFF: 2, 0x7FF: 2, 0x800: 3, 0xDC7F: 3, 0xDC80: 1, 0xDCFF: 1, 0xDD00: 3}
    known |= {0xFFFF: 3, 0x10000: 4, 0x10FFFF: 4}
    some = [point for point in known if point <= np.iinfo(dtype).max]
    assert ragged.utf8_widths(np.array(some, dtype)).tolist() == [known[point] for point in some]


# A growing array holds what was added, and byte strings end to end are those that went in.

NAMES = st.lists(st.sampled_from([b"", b"a", b"\0", b"ab", b"c" * 20]), max_size=9)


TEMPORARY_FILE = tempfile.TemporaryFile


@pytest.fixture(params=["room", "no directory", "little room", "full from the third time on"])
def small_arrays_move(request, monkeypatch):
    """Arrays of a page move to a file, where there is room for it. Return the files that were made."""
    monkeypatch.setattr(ragged, "_IN_MEMORY", mmap.PAGESIZE)
    made, reserve, calls = list[Any](), os.posix_fallocate, itertools.count(1)

    def temporary(**given: Any) -> Any:
        if request.param == "no directory":
            raise FileNotFoundError(errno.ENOENT, "no usable temporary directory")
        made.append(TEMPORARY_FILE(**given))
        return made[-1]

    def reserved(file: int, begin: int, size: int) -> None:
        if request.param.startswith("full") and next(calls) >= 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        reserve(file, begin, size)

    free = 0 if request.param == "little room" else 1 << 30
    room = types.SimpleNamespace(f_bavail=free, f_frsize=1)
    monkeypatch.setattr(tempfile, "TemporaryFile", temporary)
    monkeypatch.setattr(os, "posix_fallocate", reserved)
    monkeypatch.setattr(os, "fstatvfs", lambda _file: room)
    return request.param, made


@given(parts=st.lists(st.integers(0, 3 * mmap.PAGESIZE // 12), max_size=9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_large_array_holds_all_rows_whether_or_not_there_is_room_for_a_file(small_arrays_move, parts) -> None:
    case, made = small_arrays_move
    growing, pieces = ragged.GrowingArray(np.uint32, 3), [np.empty((0, 3), np.uint32)]
    for number, size in enumerate(parts):
        pieces.append(np.arange(3 * size).reshape(size, 3) + number)
        growing.add(pieces[-1])
        if size:
            growing.all()[-1:] += 1  # what is in it can be changed
            pieces[-1][-1:] += 1
    ragged.let_go(growing.all())
    np.testing.assert_array_equal(growing.all(), np.concatenate(pieces))
    if case == "room" and sum(parts) * 12 > mmap.PAGESIZE:
        file = made[-1]
        assert os.fstat(file.fileno()).st_nlink == 0, "no name is left if the program is killed"
        assert os.pread(file.fileno(), sum(parts) * 12, 0) == growing.all().tobytes()


def test_a_growing_array_is_not_copied_as_a_whole() -> None:
    growing, piece = ragged.GrowingArray(np.uint64), np.zeros(1 << 13, np.uint64)
    tracemalloc.start()
    try:
        for _ in range(100):
            growing.add(piece)
        assert tracemalloc.get_traced_memory()[1] < 1.3 * growing.all().nbytes
    finally:
        tracemalloc.stop()


@given(blocks=st.lists(NAMES, max_size=5), begin=st.integers(0, 30), end=st.integers(0, 30))
def test_byte_strings_are_a_sequence_of_what_went_in(blocks: list[list[bytes]], begin: int, end: int) -> None:
    growing = ragged.GrowingByteStrings()
    for block in blocks:
        growing.add(block)
    every, expected = growing.all(), [name for block in blocks for name in block]
    assert list(every) == list(ragged.ByteStrings(ragged.joined(expected))) == expected
    assert [every[at] for at in range(len(every))] == expected
    assert every[begin:end] == expected[begin:end]


ENDINGS = (b".gz", b".csv", b".csv.gz", b"v", b".txt")


PIECES = (b"a", b"/b.", b".CSV", b".csv", b"v", b".gz", b".GZ", b".tgz", b"\xff", b"gz", b"txt")


@given(
    st.lists(st.lists(st.sampled_from(PIECES), max_size=4).map(b"".join), max_size=6),
    st.sets(st.sampled_from(ENDINGS)).map(sorted),
    st.integers(0, 6),
)
def test_names_are_known_by_their_endings(names, endings, begin):
    every = ragged.ByteStrings(ragged.joined(names))
    expected = [at for at, name in enumerate(names) if name.lower().endswith(tuple(endings))]
    assert every.that_end_with(endings).tolist() == expected
    begin = min(begin, len(names))
    part = every.part(begin, len(names))
    assert list(part) == names[begin:]
    assert part.that_end_with(endings).tolist() == [at - begin for at in expected if at >= begin]
