"""Kernels in C refuse arguments that would let them touch memory of others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from simdocs.kernels.characters import character_kinds
from simdocs.model.ragged import offsets_of
from tests import strategies as some
from tests.test_native import compiled

__all__ = ["compiled"]

ONE = np.ones(1, np.uint32)
BYTES = np.zeros(4, np.uint8)
ROW = offsets_of(np.ones(1))
ZERO = np.zeros(1, np.int64)
BEYOND = np.array([0, 2], np.int64)
FALLING = np.array([0, 1, 0, 1], np.int64)
LATE = np.array([1, 1], np.int64)
FAR = np.array([1 << 62], np.int64)
THREE, FOUR = offsets_of(np.array([3])), offsets_of(np.array([4]))
TABLE = bytes(256)
KINDS = np.full(0x110000, 2, np.uint8)
TWO_WORDS = np.frombuffer(b"a b ", np.uint8)


def mapped(compiled: ModuleType, **others: Any) -> object:
    """Four characters of 2 bytes as a kernel maps them, with some other arguments. Each is mapped to x."""
    arguments: dict[str, Any] = {
        "data": np.frombuffer("éèêë".encode(), np.uint8),
        "offsets": offsets_of(np.array([8])),
        "ascii": TABLE,
        "table": np.full(0x110000, ord("x") | 129 << 56, np.uint64),
        "out": np.empty(12, np.uint8),
        "sizes": np.empty(1, np.int64),
    } | others
    return compiled.mapped(*arguments.values())


def decoded(compiled: ModuleType, **others: Any) -> object:
    """The code points of five characters, four of them beyond ASCII, with some other arguments."""
    arguments: dict[str, Any] = {
        "data": np.frombuffer("éaèêë".encode(), np.uint8),
        "offsets": offsets_of(np.array([9])),
        "out": np.empty(5, np.uint16),
        "width": 2,
        "stride": 2,
        "strides": np.empty(3, np.int64),
        "lengths": np.empty(1, np.int64),
    } | others
    return compiled.decoded(*arguments.values())


def many_words(compiled: ModuleType, word: bytes) -> object:
    """The words of a long text, with room for one."""
    size, points = offsets_of(np.array([800 * len(word)])), offsets_of(np.array([1600]))
    character_kinds(np.array([0xE9]))
    return compiled.word_hashes(word * 800, size, points, character_kinds.numbers, 0, ONE.copy(), ZERO.copy())


def pair(name: str, left: int, right: int, compiled: ModuleType) -> object:
    """What a kernel says of two rows. Only row 0 is there."""
    rows_of = ROW if name == "overlaps" else 1
    return getattr(compiled, name)(ONE, rows_of, *(np.array([row]) for row in (left, right)), ZERO.copy())


WRONG: dict[str, Callable[[ModuleType], object]] = {
    "offsets beyond the data": lambda c: c.char_tokens(BYTES, offsets_of(np.array([5])), ROW, 9, 0, ONE.copy()),
    "offsets of other rows": lambda c: c.char_tokens(BYTES, ROW, offsets_of(np.ones(2)), 9, 0, ONE.copy()),
    "offsets that fall": lambda c: c.fss(ONE, FALLING, np.empty((3, 8), np.uint32)),
    "offsets that begin late": lambda c: c.sets(ONE.copy(), LATE, ZERO.copy()),
    "no offsets": lambda c: c.sets(ONE.copy(), np.empty(0, np.int64), ZERO.copy()),
    "pages of other tables": lambda c: c.pages(BYTES, np.zeros(4351, np.uint8)),
    "a result that is too small": lambda c: c.char_tokens(BYTES, FOUR, FOUR, 2, 0, ONE.copy()),
    "k of nothing": lambda c: c.number_tokens(ONE.copy(), ROW, 0, 0),
    "numbers beyond the end": lambda c: c.number_tokens(ONE.copy(), BEYOND, 1, 0),
    "a string beyond the end": lambda c: c.byte_strings(BYTES, ZERO + 3, ZERO + 2, 0, ONE.copy()),
    "a string far beyond the end": lambda c: c.byte_strings(BYTES, FAR, FAR, 0, ONE.copy()),
    "a string before the beginning": lambda c: c.byte_strings(BYTES, ZERO - 1, ZERO + 1, 0, ONE.copy()),
    "a string of negative length": lambda c: c.byte_strings(BYTES, ZERO + 3, ZERO - 1, 0, ONE.copy()),
    "strings without results": lambda c: c.byte_strings(BYTES, ZERO, ZERO, 0, ONE[:0].copy()),
    "a table that is too short": lambda c: c.collapsed(BYTES, ROW, TABLE[1:], BYTES.copy(), ZERO.copy()),
    "no room for texts": lambda c: c.collapsed(BYTES, ROW, TABLE, BYTES[1:].copy(), ZERO.copy()),
    "no room for bytes": lambda c: mapped(c, out=np.empty(3, np.uint8)),
    "no room for sizes": lambda c: mapped(c, sizes=ZERO[:0].copy()),
    "no table of characters": lambda c: mapped(c, table=ONE),
    "no table of bytes": lambda c: mapped(c, ascii=TABLE[1:]),
    "no room for strides": lambda c: decoded(c, strides=np.empty(2, np.int64)),
    "no room for lengths": lambda c: decoded(c, lengths=ZERO[:0].copy()),
    "no stride": lambda c: decoded(c, stride=0),
    "code points of no width": lambda c: decoded(c, width=1),
    "no room for words": lambda c: c.word_hashes(
        TWO_WORDS, FOUR, FOUR, character_kinds.numbers, 0, ONE.copy(), ZERO.copy()
    ),
    "no room for counts": lambda c: c.word_hashes(BYTES, ROW, ROW, KINDS, 0, np.empty(4, np.uint32), ZERO[:0].copy()),
    "code points of other rows": lambda c: c.word_hashes(BYTES, ROW, offsets_of(np.ones(2)), KINDS, 0, ONE, ZERO),
    "a table of kinds that is too short": lambda c: c.word_hashes(BYTES, ROW, ROW, TABLE, 0, ONE.copy(), ZERO.copy()),
    "keys of a band beyond the end": lambda c: c.band_keys(ONE, 1, ZERO, 1, 1, np.empty(1, np.uint64)),
    "keys of a row that is not there": lambda c: c.band_keys(ONE, 1, ZERO + 1, 0, 1, np.empty(1, np.uint64)),
    "keys without results": lambda c: c.band_keys(ONE, 1, ZERO, 0, 1, np.empty(0, np.uint64)),
    "an order without room": lambda c: c.order(np.empty(2, np.uint64), ZERO.copy()),
    "positions without room": lambda c: c.positions(ONE, FOUR.copy(), ONE[:0].copy()),
    "positions of no rows": lambda c: c.positions(ONE, ZERO[:0].copy(), ONE.copy()),
    "positions of a member that is not there": lambda c: c.positions(ONE, FOUR.copy(), ONE.copy()),
    "pairs without results": lambda c: c.overlaps(ONE, ROW, ZERO, ZERO, ZERO[:0].copy()),
    "signatures of no width": lambda c: c.agreements(ONE, 0, ZERO, ZERO, ZERO.copy()),
    "signatures that do not fit": lambda c: c.fss(ONE, ROW, np.empty(3, np.uint8)),
    "signatures of rows that do not fit": lambda c: c.fss(ONE[:0], offsets_of(np.zeros(2)), np.empty(3, np.uint32)),
    "signatures of no rows": lambda c: c.fss(ONE[:0], offsets_of(np.zeros(0)), np.empty(1, np.uint32)),
    "offsets that are no whole numbers": lambda c: c.number_tokens(ONE.copy(), bytes(9), 1, 0),
    "values at an odd address": lambda c: c.sets(np.zeros(5, np.uint8)[1:], ROW, ZERO.copy()),
    "sets without lengths": lambda c: c.sets(ONE.copy(), ROW, ZERO[:0].copy()),
    "code points at an odd address": lambda c: decoded(c, out=np.empty(11, np.uint8)[1:]),
    "no room for a run of ASCII": lambda c: mapped(c, data=bytes(64), offsets=offsets_of(np.array([64]))),
    "no room for many words": lambda c: many_words(c, b"a "),
    "no room for many words beyond ASCII": lambda c: many_words(c, "é ".encode()),
    "lengths without starts": lambda c: c.byte_strings(BYTES, ZERO[:0], ZERO, 0, ONE[:0].copy()),
    "keys of bytes": lambda c: c.order(bytes(9), bytearray(9)),
    "keys of no width": lambda c: c.band_keys(ONE, 0, ZERO, 0, 0, np.empty(1, np.uint64)),
    "keys of a band before the beginning": lambda c: c.band_keys(ONE, 1, ZERO, -1, 1, np.empty(1, np.uint64)),
    "keys of a band of negative size": lambda c: c.band_keys(ONE, 1, ZERO, 1, -1, np.empty(1, np.uint64)),
    "keys of a negative row": lambda c: c.band_keys(ONE, 1, ZERO - 1, 0, 1, np.empty(1, np.uint64)),
    "pairs without a right side": lambda c: c.overlaps(ONE, ROW, ZERO, ZERO[:0], ZERO.copy()),
    "estimates without a right side": lambda c: c.agreements(ONE, 1, ZERO, ZERO[:0], ZERO.copy()),
    "estimates without results": lambda c: c.agreements(ONE, 1, ZERO, ZERO, ZERO[:0].copy()),
    "files without flags": lambda c: c.read_files((b"a",), bytes(3), 9, bytearray(32)),
    "files without stamps": lambda c: c.read_files((b"a",), bytes(4), 9, bytearray(31)),
    "files of negative size": lambda c: c.read_files((b"a",), bytes(4), -1, bytearray(32)),
    "files of any size": lambda c: c.read_files((b"a",), bytes(4), (1 << 30) + 1, bytearray(32)),
    **{
        f"{name} of {left} and {right}": partial(pair, name, left, right)
        for name in ("overlaps", "agreements")
        for left, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
    },
}


@pytest.mark.parametrize("why", WRONG)
def test_arguments_that_do_not_fit_are_refused(why, compiled):
    with pytest.raises(ValueError):
        WRONG[why](compiled)


def test_what_is_read_only_is_not_written(compiled):
    with pytest.raises((BufferError, TypeError)):
        compiled.sets(some.frozen(ONE), ROW, ZERO.copy())


@pytest.mark.parametrize("text", [b"\xff", "𝔘".encode(), "éaèêëé".encode()])
def test_code_points_that_are_none_or_too_large_or_too_many_are_not_decoded(text, compiled):
    assert decoded(compiled, data=np.frombuffer(text, np.uint8), offsets=offsets_of(np.array([len(text)]))) is None


@pytest.mark.parametrize("text", [b"x" * 32, "é".encode() * 16])
def test_a_text_of_more_code_points_than_are_stated_has_no_tokens(text, compiled):
    out, sizes = np.zeros(64, np.uint32), (offsets_of(np.array([size])) for size in (32, 8))
    assert not compiled.char_tokens(text, *sizes, 2, 0, out[:7])
    assert not out[7:].any()
