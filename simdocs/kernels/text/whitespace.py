"""Runs of white space made one space, or one line feed, and none at either end."""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Array, Index, Mask, Ragged, count_true_in_rows, offsets_of

SPACE, NEWLINE = 32, 10


def is_space(codes: Array, lines: bool) -> Mask:
    """Which code points are spaces or, with `lines`, line feeds: all white space is by now."""
    space: Mask = codes == SPACE
    if lines:
        space |= codes == NEWLINE
    return space


def collapse_whitespace(codes: Array, space: Mask, offsets: Index, lines: bool) -> Ragged:
    """Each run of spaces in a row made one, ends stripped; with `lines`, one line feed if it holds any."""
    starts, nonempty = offsets[:-1], np.diff(offsets) > 0
    after = np.empty(len(codes), bool)  # what follows a space, or begins a row
    after[:1] = True
    after[1:] = space[:-1]
    after[starts[nonempty]] = True
    if lines:
        codes = _break(codes, space, after, starts[nonempty])
    keep = np.logical_and(space, after, out=after)
    np.logical_not(keep, out=keep)
    ends = offsets[1:][nonempty] - 1
    keep[ends] &= ~space[ends]  # most texts end with one line feed: it need not be deleted later
    values = codes[keep]
    kept = count_true_in_rows(keep, offsets)
    if not len(values):
        return Ragged.from_lengths(values, kept)
    ends = offsets_of(kept)[1:]
    last = (kept > 0) & is_space(values[np.maximum(ends, 1) - 1], lines)
    if last.any():
        values = np.delete(values, ends[last] - 1)
    return Ragged.from_lengths(values, kept - last)


def _break(codes: Array, space: Mask, after: Mask, starts: Index) -> Array:
    """Codes in which the first of every run of spaces is a line feed if any in the run is."""
    first = space & ~after
    first[starts] = space[starts]
    late = np.flatnonzero((codes == NEWLINE) & ~first)
    if not len(late):
        return codes
    runs = np.flatnonzero(first)
    codes = codes.copy()
    codes[runs[np.searchsorted(runs, late, side="right") - 1]] = NEWLINE
    return codes
