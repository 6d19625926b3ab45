"""Whatever an array on disk holds, no value that breaks a rule is ever returned, in whatever order it is read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.artifacts import formats, npy
from simdocs.artifacts.npy import MOST_TEXT_IN_BYTE
from simdocs.errors import ArtifactError
from simdocs.model.documents import AMOUNTS, DOCUMENT, EMPTY
from tests.artifacts.tiny import KINDS, arrays_of, checksums_of

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
