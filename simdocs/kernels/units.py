"""Where the units of normalised texts stand: characters, words, lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.kernels import characters
from simdocs.model.ragged import Array, Index, Mask
from simdocs.model.texts import Texts


@dataclass(frozen=True, slots=True)
class Units:
    """U units of N texts, in text order: unit u is the code points starts[u] to stops[u] - 1 of the batch.

    starts, stops: (U,) int64. offsets: (N+1,) int64, the units of text i are offsets[i] to offsets[i+1] - 1.
    """

    starts: Index
    stops: Index
    offsets: Index

    def byte_spans(self, texts: Texts) -> tuple[Array, Array]:
        """Where each unit begins in texts.data, and how many bytes it has."""
        starts = texts.bytes_at(self.starts)
        return starts, texts.bytes_at(self.stops) - starts


def chars(texts: Texts) -> Units:
    """Every code point; an invalid byte is one."""
    starts = np.arange(len(texts.points.values))
    return Units(starts, starts + 1, texts.points.offsets)


def lines(texts: Texts) -> Units:
    """The lines of texts that were normalised with lines=True: none is empty."""
    return _runs(texts.points.values != 10, texts.points.offsets)


def words(texts: Texts) -> Units:
    r"""Maximal runs of \w with the combining marks inside or after them; in scripts written without spaces, every
    word character with its marks."""
    points, offsets = texts.points.values, texts.points.offsets
    if texts.starts is None:
        return _runs(_ASCII_WORD[points], offsets)
    kinds = characters.kinds(points)
    word, unspaced = (kinds & characters.WORD) != 0, (kinds & characters.UNSPACED) != 0
    mark = (kinds & characters.MARK) != 0
    spaced = word & ~unspaced  # what a spaced word goes on after
    if mark.any():
        bearer = _bearer(mark, offsets)
        word |= mark & word[bearer]
        spaced |= mark & spaced[bearer]
    return _runs(word, offsets, breaks=unspaced, joins=spaced)


_ASCII_WORD = np.array([characters.kind(code) & characters.WORD != 0 for code in range(128)])


def _bearer(mark: Mask, offsets: Index) -> Index:
    """For each position the last one, from it back, that holds no mark; a text's first position bears its own."""
    own = np.arange(len(mark))
    bears = ~mark
    bears[offsets[:-1][np.diff(offsets) > 0]] = True
    return np.maximum.accumulate(np.where(bears, own, 0))


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
