"""Where the units of normalised texts stand: characters, words, lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.kernels.text import characters
from simdocs.model.ragged import Array, Index, Mask, Ragged
from simdocs.model.texts import Texts


@dataclass(frozen=True, slots=True)
class Units:
    """U units of N texts, in text order: unit u is the code points starts[u] to stops[u] - 1 of the batch.

    starts, stops: (U,) int64. offsets: (N+1,) int64, the units of text i are offsets[i] to offsets[i+1] - 1.
    """

    starts: Index
    stops: Index
    offsets: Index


def char_units(texts: Texts) -> Units:
    """Every code point; an invalid byte is one."""
    starts = np.arange(len(texts.codepoints.values))
    return Units(starts, starts + 1, texts.codepoints.offsets)


def line_units(texts: Texts) -> Units:
    """The lines of texts that were normalised with lines=True: none is empty."""
    return lines_in(texts.codepoints)


def lines_in(points: Ragged) -> Units:
    """The same of code points."""
    return _runs(points.values != 10, points.offsets)


def line_cuts(points: Array) -> Mask:
    """Code points at which no line goes on."""
    ends: Mask = points == 10
    return ends


def word_units(texts: Texts) -> Units:
    r"""Maximal runs of \w with the combining marks inside or after them; in scripts written without spaces, every
    word character with its marks."""
    return words_in(texts.codepoints)


def words_in(rows: Ragged) -> Units:
    """The same of code points: of one byte, if all are ASCII."""
    points, offsets = rows.values, rows.offsets
    if points.dtype == np.uint8:
        return _runs(np.frombuffer(points.tobytes().translate(_ASCII_WORD), bool), offsets)
    kinds = characters.kinds(points)
    word, unspaced = (kinds & characters.WORD) != 0, (kinds & characters.UNSPACED) != 0
    mark = (kinds & characters.MARK) != 0
    spaced = word & ~unspaced  # what a spaced word goes on after
    if mark.any():
        _let_bear(mark, offsets, (word, spaced))
    return _runs(word, offsets, breaks=unspaced, joins=spaced)


def word_cuts(points: Array) -> Mask:
    """Code points at which no word goes on, nor begins with what was before."""
    kinds = characters.kinds(points)
    ends: Mask = ((kinds & (characters.WORD | characters.MARK)) == 0) | ((kinds & characters.UNSPACED) != 0)
    return ends


_AT_ONCE = 1 << 18
"""Code points whose marks are seen to at once: their places take 8 bytes each, and a text may be one of marks."""

_ASCII_WORD = bytes(characters.kind(code) & characters.WORD != 0 for code in range(128)) + bytes(128)


def _let_bear(mark: Mask, offsets: Index, masks: tuple[Mask, ...]) -> None:
    """Give marks what the last character before them that is none has in these masks, which are changed; not those
    that begin a text, nor the marks after them."""
    mark[offsets[:-1][np.diff(offsets) > 0]] = False
    for at in range(0, len(mark), _AT_ONCE):
        places = np.flatnonzero(mark[at : at + _AT_ONCE])
        first = np.empty(len(places), bool)  # of the marks in a row
        first[:1] = True
        np.not_equal(places[1:], places[:-1] + 1, out=first[1:])
        # The bearer of one that is first here may be a mark at the end of what was done before: it bears already.
        bearers = at + places[first][np.cumsum(first) - 1] - 1
        for mask in masks:
            mask[at + places] = mask[bearers]


def _runs(inside: Mask, offsets: Index, breaks: Mask | None = None, joins: Mask | None = None) -> Units:
    """The maximal runs of `inside` within texts; a position of `breaks` begins a run, and what follows a position
    that is not of `joins` does, unless it is a mark of it."""
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
