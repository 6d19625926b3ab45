"""Whitespace: each run becomes one space or one line feed, and a text neither begins nor ends with any."""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Array, Index, Mask, Ragged, count_true_in_rows, offsets_of

SPACE, NEWLINE = 32, 10


def is_space(codepoints: Array, lines: bool) -> Mask:
    """Which of these mapped code points (n,) are SPACE or, with `lines`, NEWLINE: bool (n,).

    No other whitespace is left once the characters are mapped.
    """
    space: Mask = codepoints == SPACE
    if lines:
        space |= codepoints == NEWLINE
    return space


def collapse_whitespace(codepoints: Array, space: Mask, offsets: Index, lines: bool) -> Ragged:
    """N rows of code points with each run of whitespace made one character, and none at the ends of a row.

    codepoints (T,) are the rows end to end, offsets (N+1,) say where they begin, and space (T,) is
    `is_space(codepoints, lines)`. A run becomes SPACE or, with `lines`, NEWLINE if it contains one. The result has the
    dtype of `codepoints`.
    """
    starts, nonempty = offsets[:-1], np.diff(offsets) > 0
    after = np.empty(len(codepoints), bool)  # follows a space, or begins a row
    after[:1] = True
    after[1:] = space[:-1]
    after[starts[nonempty]] = True
    if lines:
        codepoints = _with_newlines_first(codepoints, space, after, starts[nonempty])
    keep = np.logical_and(space, after, out=after)
    np.logical_not(keep, out=keep)
    ends = offsets[1:][nonempty] - 1
    keep[ends] &= ~space[ends]  # most texts end with one line feed, which then need not be deleted below
    values = codepoints[keep]
    kept = count_true_in_rows(keep, offsets)
    if not len(values):
        return Ragged.from_lengths(values, kept)
    ends = offsets_of(kept)[1:]
    last = (kept > 0) & is_space(values[np.maximum(ends, 1) - 1], lines)
    if last.any():
        values = np.delete(values, ends[last] - 1)
    return Ragged.from_lengths(values, kept - last)


def _with_newlines_first(codepoints: Array, space: Mask, after: Mask, starts: Index) -> Array:
    """The code points with NEWLINE at the beginning of every whitespace run that contains a NEWLINE."""
    first = space & ~after
    first[starts] = space[starts]
    late = np.flatnonzero((codepoints == NEWLINE) & ~first)
    if not len(late):
        return codepoints
    runs = np.flatnonzero(first)
    codepoints = codepoints.copy()
    codepoints[runs[np.searchsorted(runs, late, side="right") - 1]] = NEWLINE
    return codepoints
