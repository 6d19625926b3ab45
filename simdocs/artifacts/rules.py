"""Rules about the values of an artifact's arrays, on which loops, allocations and indexing rely.

Checksums detect damage, but whoever forges an artifact can forge its checksums, too. So an array that is read from disk
is held to these rules, a block at a time, before its values are used. `check` tests many more.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simdocs.artifacts.formats import ArrayFormat
from simdocs.model import documents, source_files
from simdocs.model.ragged import Array

_LARGEST = 1 << 48
"""No size, number or position is as large as this."""

_AMOUNTS = frozenset((*documents.AMOUNTS, *source_files.AMOUNTS))

_UNITS_IN_BYTE = 18
"""More units than any byte of a text can become: NFKC makes 18 characters of U+FDFA, which has 2 bytes in UTF-16."""

_AT_ONCE = 1 << 12
"""Records that are looked at together, while they are in cache."""


class Rules:
    """The rules of one array, whose blocks are read in any order. lengths: by letter of the format."""

    def __init__(self, array: ArrayFormat, lengths: Mapping[str, int], blocks: int) -> None:
        self._below = lengths[array.below] if array.below else None
        self._end = lengths[array.ascends_to] if array.ascends_to else None
        self._nonzero = array.nonzero
        self._of = array.name[:-1]
        self._first = np.full(blocks if array.ascends_to else 0, np.iinfo(np.int64).max)
        self._last = np.full(blocks if array.ascends_to else 0, np.iinfo(np.int64).min)

    @property
    def of_blocks(self) -> bool:
        """Whether there are rules that a block alone can break. Records may lie across two blocks."""
        return self._nonzero or not (self._below is None and self._end is None)

    def broken_by_block(self, block: int, values: Array) -> str:
        """What is wrong with the values of this block, given those that were read before; empty if nothing."""
        if self._nonzero and not int(values.min()):
            return "holds a NUL"
        if self._below is not None and int(values.max()) >= self._below:
            return "holds the row of a document that does not exist"
        if self._end is not None and not self._ascends(block, values, self._end):
            return f"does not ascend from 0 to {self._end}"
        return ""

    def _ascends(self, block: int, values: Array, end: int) -> bool:
        least = self._last[:block].max(initial=0)
        most = self._first[block + 1 :].min(initial=end)
        self._first[block], self._last[block] = values[0], values[-1]
        return bool(least <= values[0] and values[-1] <= most and (values[:-1] <= values[1:]).all())

    def broken_by_records(self, records: Array) -> str:
        """What is wrong with these records; empty if nothing, or if the values are no records."""
        amounts = [name for name in records.dtype.names or () if name in _AMOUNTS]
        for at in range(0, len(records) if amounts else 0, _AT_ONCE):
            part = np.asarray(records[at : at + _AT_ONCE])
            for name in amounts:
                if int(part[name].view(np.uint64).max()) >= _LARGEST:  # a negative number is a large one there
                    return f"{name} of a {self._of} is out of range"
            if self._of == "document" and (problem := _contradiction(part)):
                return problem
        return ""


def _contradiction(facts: Array) -> str:
    """What contradicts itself in the facts of a document, (n,) DOCUMENT; empty if nothing."""
    line, size, length, count = (facts[name] for name in ("container", "size", "length", "count"))
    if ((length == 0) != (facts["flags"] & documents.EMPTY != 0)).any() or (length > _UNITS_IN_BYTE * size).any():
        return "the length of a document contradicts its size or its flags"
    if (count > length).any() or (facts["ignored"] > count).any() or ((count == 0) & (length > 0)).any():
        return "the numbers of units and tokens of a document contradict each other"
    if any(((facts[name] > 0) & (line == 0)).any() for name in ("start", "extent", "line")):
        return "a document that is not a line has a position in a file"
    if ((line > 0) & ((facts["line"] == 0) | (size > facts["extent"]))).any():
        return "a line is shorter than its text, or has no number"
    return ""
