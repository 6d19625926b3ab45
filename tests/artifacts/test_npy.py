"""NumPy reads the arrays on disk, and exactly the blocks that are read are checked. No value breaks a rule."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.artifacts import formats, npy, reader
from simdocs.artifacts.npy import MOST_TEXT_IN_BYTE, ArrayWriter, header
from simdocs.errors import ArtifactError
from simdocs.model.documents import AMOUNTS, DOCUMENT, EMPTY, FILE
from tests.amounts import examples
from tests.artifacts.tiny import KINDS, arrays, arrays_of, checksums_of, save

EVERY = {f"{kind}-{array.name}": array for kind in KINDS for array in arrays_of(kind)}
BY_NAME = list({array.name: array for array in EVERY.values()}.values())


@contextmanager
def blocks_of(size: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(npy, "BLOCK", size)
        yield


@contextmanager
def opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def written(
    place: Path, array: formats.ArrayFormat, pieces: list[np.ndarray], width: tuple[int, ...] = ()
) -> ArrayWriter:
    """Write a new array from pieces, each of which is overwritten after it was appended."""
    with opened(place) as directory:
        writer = ArrayWriter(directory, array, width)
        for piece in pieces:
            own = piece.copy()
            writer.append(own)
            own.view(np.uint8)[...] = 0xAA
        writer.finish()
    return writer


def made(array: formats.ArrayFormat, shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of this format, of random bytes."""
    size = array.dtype.itemsize * int(np.prod(shape))
    return np.random.default_rng(size).integers(0, 256, size, np.uint8).view(array.dtype).reshape(shape)


def stored(place: Path, array: formats.ArrayFormat, values: np.ndarray) -> npy.MappedColumn:
    checksums = written(place, array, [values], values.shape[1:]).checksums
    with opened(place) as directory:
        return npy.map_file(directory, "it", array, values.shape, checksums, {})


@pytest.mark.parametrize("array", BY_NAME, ids=lambda array: array.name)
@pytest.mark.parametrize("length", [0, 12345, (1 << 48) - 1])
def test_numpy_reads_our_headers(array, length):
    shape = (length, 128)[: len(array.shape)]
    data = header(array.dtype, shape)
    assert len(data) % 64 == 0
    assert len(data) == len(header(array.dtype, (0, *shape[1:])))
    stream = io.BytesIO(data)
    assert np.lib.format.read_magic(stream) == (1, 0)
    assert np.lib.format.read_array_header_1_0(stream) == (shape, False, array.dtype)
    assert stream.tell() == len(data)


@given(st.sampled_from(BY_NAME), st.lists(st.integers(0, 40), max_size=8), st.sampled_from([1, 8, 64, 200, 1 << 18]))
def test_an_array_written_in_pieces_equals_the_whole(tmp_path_factory, array, lengths, block):
    place = tmp_path_factory.mktemp("pieces")
    (place / "whole").mkdir()
    width = (3,) * (len(array.shape) - 1)
    whole = made(array, (sum(lengths), *width))
    pieces = np.split(whole, np.cumsum(lengths)[:-1]) if lengths else []
    with blocks_of(block), pytest.MonkeyPatch.context() as patch:
        patch.setattr(npy.syscalls, "sync", os.fstat)
        one, other = written(place, array, pieces, width), written(place / "whole", array, [whole], width)
    assert (one.shape, one.checksums) == (other.shape, other.checksums)
    assert one.shape == whole.shape
    data = (place / array.file).read_bytes()
    assert data == (place / "whole" / array.file).read_bytes() == header(array.dtype, whole.shape) + whole.tobytes()
    raw = whole.tobytes()
    assert one.checksums == [npy.checksum(raw[at : at + block]) for at in range(0, len(raw), block)]


CASES = {
    "rows smaller than a block": ((50,), 64),
    "rows that cross blocks": ((40, 3), 20),
    "rows of several blocks": ((9, 30), 32),
    "a block a row": ((16, 4), 16),
    "one block": ((10,), 1 << 10),
}
LETTERS = formats.ArrayFormat("letters", np.dtype("<u4"), ("N",), "")


RECORDS = formats.ArrayFormat(
    "records", np.dtype([(f"field{at}", *each[1:]) for at, each in enumerate(FILE.descr)]), ("N",), ""
)


@pytest.mark.parametrize("name", [*CASES, "documents"])
@examples(20)
@given(data=st.data())
def test_only_the_blocks_that_are_read_are_checked(tmp_path_factory, name, data):
    """Results equal those of plain indexing, and a damaged block is reported only if it is read."""
    place = tmp_path_factory.mktemp("stored")
    array = RECORDS if name == "documents" else LETTERS
    shape, block = ((7,), 60) if name == "documents" else CASES[name]
    values = made(array, shape)
    with blocks_of(block), pytest.MonkeyPatch.context() as patch:
        patch.setattr(npy.syscalls, "sync", os.fstat)
        sound = stored(place, array, values)
        blocks = -(-values.nbytes // block)
        bad = data.draw(st.integers(0, blocks - 1))
        damaged = place / array.file
        rotten = bytearray(damaged.read_bytes())
        rotten[-values.nbytes + min(bad * block, values.nbytes - 1)] ^= 1
        (place / "rotten").mkdir()
        (place / "rotten" / array.file).write_bytes(rotten)
        numbers = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=6).map(lambda x: np.array(x, np.int64)))
        places = data.draw(st.lists(st.integers(0, values.size - 1), max_size=6).map(lambda x: np.array(x, np.int64)))
        begin, end = sorted(data.draw(st.tuples(*[st.integers(0, len(values))] * 2)))
        row, item = values.nbytes // len(values), values.itemsize
        asked: list[tuple[Any, np.ndarray, list[tuple[int, int]]]] = [
            (lambda one: one.rows(numbers), values[numbers], [(n * row, n * row + row) for n in numbers.tolist()]),
            (lambda one: one.at(places), values.reshape(-1)[places], [(p * item, p * item + item) for p in places]),
            (lambda one: one.cut(begin, end), values[begin:end], [(begin * row, end * row)] if end > begin else []),
            (lambda one: one.all(), values, [(0, values.nbytes)]),
        ]
        for ask, expected, touched in asked:
            got = ask(sound)
            assert got.dtype == expected.dtype
            assert got.shape == expected.shape
            assert got.tobytes() == expected.tobytes()
            with opened(place / "rotten") as directory:
                rot = npy.map_file(directory, "it", array, values.shape, sound.checksums, {})
            assert rot.damaged() == [bad]
            if any(first < (bad + 1) * block and last > bad * block for first, last in touched):
                with pytest.raises(ArtifactError, match=rf"^it/{array.file}: damaged: block {bad} does not match"):
                    ask(rot)
            else:
                assert ask(rot).tobytes() == expected.tobytes()


# A value across two blocks, and an artifact that is replaced meanwhile.


def test_a_value_that_lies_across_two_blocks_is_read_only_if_both_are_whole():
    values = np.zeros(formats.BLOCK // 3, "u4,u4,u4")
    data = values.view(np.uint8)
    sums = checksums_of(data.data)
    assert len(sums) == 4
    across = formats.BLOCK // 12
    array = formats.ArrayFormat("x", values.dtype, ("N",), "")
    assert formats.BLOCK % 12
    for wrong in range(2):
        forged = [*sums]
        forged[wrong] = "0" * 32
        for read in (
            lambda column: column.rows(np.array([across])),
            lambda column: column.at(np.array([across])),
            lambda column: column.cut(across, across + 1),
        ):
            read(npy.MappedColumn("x", values, sums, array, {}))
            with pytest.raises(ArtifactError, match=f"block {wrong} does not match"):
                read(npy.MappedColumn("x", values, forged, array, {}))


@pytest.mark.parametrize("step", ["_opened", "_read_run"])
def test_an_artifact_that_is_replaced_while_it_is_opened_is_opened_again(place, monkeypatch, step):
    """The directory that was opened first is empty by then."""
    path = place / "a.signatures"
    save(path, 1)
    real, times = getattr(reader, step), iter([2, 3])

    def replaced(dir_fd, name):
        of_the_reader = reader._is_still(os.fsencode(path), dir_fd)  # the writer opens its draft, too
        if of_the_reader and (salt := next(times, None)):
            save(path, salt)
        return real(dir_fd, name)

    monkeypatch.setattr(reader, step, replaced)
    artifact = reader.open_artifact(os.fsencode(path))
    assert artifact.run["salt"] == 3
    assert (np.asarray(artifact["signatures"].all()) == arrays("signatures", 3)["signatures"]).all()


BLOCK = 64
"""Bytes of a block in these tests: 8 offsets, 16 rows, or less than a record."""

FORMAT_OF = {array.name: array for kind in KINDS for array in arrays_of(kind)}

LENGTHS = {"N": 9, "F": 9, "H": 9, "M": 9, "B": 2, "C": 9, "T": 9, "K": 4, "N+1": 10}

Read = Callable[[npy.MappedColumn], tuple[np.ndarray, np.ndarray]]
"""Reads a part of a column: returns the places of the values, and the values."""


def column(array: formats.ArrayFormat, values: np.ndarray) -> npy.MappedColumn:
    data = values.tobytes()
    checksums = checksums_of(data, BLOCK)
    return npy.MappedColumn("it", values, checksums, array, LENGTHS)


@st.composite
def reads(draw: st.DrawFn, length: int) -> Read:
    rows = np.array(draw(st.lists(st.integers(0, length - 1), min_size=1, max_size=3)))
    begin, end = sorted(draw(st.tuples(st.integers(0, length), st.integers(0, length))))
    every = np.arange(length)
    return draw(
        st.sampled_from(
            [
                lambda it: (rows, it.rows(rows)),
                lambda it: (rows, it.at(rows)),
                lambda it: (every[begin:end], it.cut(begin, end)),
                lambda it: (every, it.all()),
            ]
        )
    )


def read_in_turn(array: formats.ArrayFormat, values: np.ndarray, asked: list[Read]) -> tuple[np.ndarray, bool]:
    """Return the values that were read, in the order of their places, and whether one reading was refused."""
    known = np.zeros(len(values), bool)
    refused = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(npy, "BLOCK", BLOCK)
        it = column(array, values)
        for ask in asked:
            try:
                places, got = ask(it)
            except ArtifactError as error:
                assert str(error).startswith("it: damaged: ")
                refused = True
                continue
            assert got.tobytes() == values[places].tobytes()
            known[places] = True
    return values[known], refused


@pytest.mark.reliability("forged arrays with right checksums")
@pytest.mark.parametrize("name", ["offsets", "name_offsets"])
@given(data=st.data())
def test_offsets_that_are_read_ascend_between_0_and_the_end(name, data):
    length = data.draw(st.sampled_from([1, 8, 9, 20, 30]))
    value = data.draw(st.sampled_from([st.integers(0, 9), st.integers(-1, 10)]))
    values = np.array(data.draw(st.lists(value, min_size=length, max_size=length)), np.int64)
    for cut in data.draw(st.sampled_from([[slice(at, at + 8) for at in range(0, 30, 8)], [slice(None)], []])):
        values[cut].sort()  # those of each block, or all of them
    some, refused = read_in_turn(FORMAT_OF[name], values, data.draw(st.lists(reads(length), min_size=1, max_size=5)))
    honest = bool((values[:-1] <= values[1:]).all() and values[0] == 0 and values[-1] == 9)
    assert not (honest and refused)
    assert (some[:-1] <= some[1:]).all()
    assert not len(some) or 0 <= some[0] <= some[-1] <= 9


@pytest.mark.reliability("forged arrays with right checksums")
@pytest.mark.parametrize("name", ["band_rows", "same_as"])
@given(data=st.data())
def test_rows_that_are_read_belong_to_documents(name, data):
    values = np.array(data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=40)), np.uint32)
    some, refused = read_in_turn(FORMAT_OF[name], values, data.draw(st.lists(reads(len(values)), max_size=5)))
    assert not ((values < 9).all() and refused)
    assert (some < 9).all()


@pytest.mark.reliability("forged arrays with right checksums")
@given(data=st.data())
def test_names_that_are_read_hold_no_nul(data):
    values = np.frombuffer(data.draw(st.binary(min_size=1, max_size=150)), np.uint8)
    some, refused = read_in_turn(FORMAT_OF["names"], values, data.draw(st.lists(reads(len(values)), max_size=5)))
    assert not (values.all() and refused)
    assert some.all()


def is_possible(fact: np.void) -> bool:
    """Whether a document can have these facts, as far as they tell without the others."""
    size, length, count, ignored, start, extent, line = (int(fact[name]) for name in AMOUNTS)
    if not all(0 <= amount < 1 << 48 for amount in (size, length, count, ignored, start, extent, line)):
        return False
    of_units = 0 < length <= 18 * size and 0 < count <= length and not fact["flags"] & EMPTY
    of_nothing = length == count == 0 and bool(fact["flags"] & EMPTY)
    of_line = line > 0 and (size <= MOST_TEXT_IN_BYTE * extent or not extent)
    return (
        (of_units or of_nothing) and ignored <= count and (of_line if fact["container"] else start + extent + line == 0)
    )


@pytest.mark.reliability("forged arrays with right checksums")
@given(data=st.data())
def test_facts_that_are_read_are_possible(data):
    amounts = st.sampled_from([0, 1, 2, 18, 19, (1 << 48) - 1, 1 << 48, (1 << 63) - 1, -1, -(1 << 63)])
    flags = st.sampled_from([0, EMPTY])
    change = st.one_of(
        st.tuples(st.sampled_from(AMOUNTS), st.integers(0, 4), amounts),
        st.tuples(st.just("flags"), st.integers(0, 4), flags),
        st.tuples(st.just("container"), st.integers(0, 4), st.integers(0, 1)),
    )
    values = np.zeros(data.draw(st.integers(1, 5)), DOCUMENT)
    values["flags"] = EMPTY
    for field in ("size", "length", "count") if data.draw(st.booleans()) else ():
        values[field], values["flags"] = 1, 0
    for field in ("container", "line", "extent") if data.draw(st.booleans()) else ():
        values[field] = 1
    for field, row, amount in data.draw(st.lists(change)):
        values[field][row % len(values)] = amount
    asked = data.draw(st.lists(reads(len(values)), max_size=5))
    some, refused = read_in_turn(FORMAT_OF["documents"], values, asked)
    assert not (refused and all(map(is_possible, values)))
    assert all(map(is_possible, some))
