"""The units of normalised texts, as positions of code points: characters, words and lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simdocs.kernels import characters as kinds
from simdocs.model.ragged import Array, Index, Mask, Ragged

_NEWLINE = 10


class Units(NamedTuple):
    """U units of N texts, in text order. Unit u is the code points starts[u] to stops[u] - 1 of the batch.

    starts, stops: int64 (U,).
    offsets: int64 (N+1,); the units of text i are offsets[i] to offsets[i+1] - 1.
    """

    starts: Index
    stops: Index
    offsets: Index


def lines_in(codepoints: Ragged) -> Units:
    """The lines in rows of code points that were normalised with lines=True: all lines, none of them empty.

    codepoints: Ragged uint8, uint16 or uint32.
    """
    return _runs(codepoints.values != _NEWLINE, codepoints.offsets)


def line_cuts(codepoints: Array) -> Mask:
    """The code points before which a text can be cut without splitting a line: bool, (n,) as given."""
    cuts: Mask = codepoints == _NEWLINE
    return cuts


def words_in(codepoints: Ragged) -> Units:
    r"""The words: maximal runs of \w, with the combining marks inside and after them.

    In scripts written without spaces, each word character is a word, with its marks. codepoints: Ragged, of normalised
    texts; uint8 only if all are ASCII, else uint16 or uint32.
    """
    values, offsets = codepoints.values, codepoints.offsets
    if values.dtype == np.uint8:
        return _runs(np.frombuffer(values.tobytes().translate(ASCII_WORD), bool), offsets)
    found = kinds.character_kinds(values)
    word, unspaced = (found & kinds.WORD) != 0, (found & kinds.UNSPACED) != 0
    mark = (found & kinds.MARK) != 0
    joins = word & ~unspaced  # a word continues after these
    if mark.any():
        _inherit_from_bases(mark, offsets, (word, joins))
    return _runs(word, offsets, breaks=unspaced, joins=joins)


def word_cuts(codepoints: Array) -> Mask:
    """The code points before which a text can be cut without splitting a word: bool, (n,) as given."""
    found = kinds.character_kinds(codepoints)
    cuts: Mask = ((found & (kinds.WORD | kinds.MARK)) == 0) | ((found & kinds.UNSPACED) != 0)
    return cuts


_BLOCK = 1 << 18
"""Code points whose marks are handled at once. Their positions take 8 bytes each, and a text may consist of marks."""

ASCII_WORD = (kinds.kinds_of(np.arange(128)) & kinds.WORD != 0).tobytes() + bytes(128)
"""Which of 256 bytes are word characters: 1 or 0 each. Those that are not ASCII are not."""


def _inherit_from_bases(mark: Mask, offsets: Index, masks: tuple[Mask, ...]) -> None:
    """Give each combining mark the class of its base character: write the base's value in each of `masks`.

    The base of a mark is the last character before it that is not a mark. Marks at the beginning of a text have no base
    and are not changed. `mark` is written to as well.
    """
    mark[offsets[:-1][np.diff(offsets) > 0]] = False
    for at in range(0, len(mark), _BLOCK):
        places = np.flatnonzero(mark[at : at + _BLOCK])
        first = np.empty(len(places), bool)  # the first mark of each run of marks
        first[:1] = True
        np.not_equal(places[1:], places[:-1] + 1, out=first[1:])
        # The character before a block may be a mark itself; it has the values of its base already.
        bases = at + places[first][np.cumsum(first) - 1] - 1
        for mask in masks:
            mask[at + places] = mask[bases]


def _runs(inside: Mask, offsets: Index, breaks: Mask | None = None, joins: Mask | None = None) -> Units:
    """The maximal runs of `inside` (T,) within the rows that `offsets` describe.

    A run also begins at each position in `breaks`, and at a position in `joins` that follows one that is not.
    """
    size = len(inside)
    begins = np.empty(size, bool)
    begins[:1] = True
    np.logical_not(inside[:-1], out=begins[1:])
    begins[offsets[:-1][np.diff(offsets) > 0]] = True
    if breaks is not None and joins is not None:
        begins |= breaks
        begins[1:] |= joins[1:] & ~joins[:-1]
    begins &= inside
    ends = np.empty(size, bool)
    ends[-1:] = True
    np.logical_or(~inside[1:], begins[1:], out=ends[:-1])
    ends[offsets[1:][np.diff(offsets) > 0] - 1] = True
    ends &= inside
    starts = np.flatnonzero(begins)
    return Units(starts, np.flatnonzero(ends) + 1, np.searchsorted(starts, offsets))
