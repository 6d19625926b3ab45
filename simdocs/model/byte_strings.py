"""Byte strings, such as names, end to end in one array: a Python object is made only of those that are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import overload

import numpy as np

from simdocs.model.ragged import Ragged

_AT_ONCE = 1 << 12
"""Byte strings that are taken out at once where all of them are looked at."""


def joined(rows: Sequence[bytes]) -> Ragged:
    """Byte strings as Ragged uint8."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    return Ragged.from_lengths(np.frombuffer(b"".join(rows), np.uint8), lengths)


def separate(rows: Ragged) -> list[bytes]:
    """The rows of a Ragged uint8 as byte strings."""
    every, ends = rows.values.tobytes(), (rows.offsets - rows.offsets[0]).tolist()
    return [every[begin:end] for begin, end in pairwise(ends)]


class ByteStrings(Sequence[bytes]):
    """A sequence of byte strings that are the rows of a Ragged uint8."""

    def __init__(self, ragged: Ragged) -> None:
        self.ragged = ragged

    def __len__(self) -> int:
        return len(self.ragged)

    @overload
    def __getitem__(self, at: int) -> bytes: ...

    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...

    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        if isinstance(at, slice):
            begin, end, _ = at.indices(len(self))
            offsets = self.ragged.offsets[begin : max(begin, end) + 1]
            return separate(Ragged(self.ragged.values[offsets[0] : offsets[-1]], offsets))
        return self.ragged[at].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        for begin in range(0, len(self), _AT_ONCE):
            yield from self[begin : begin + _AT_ONCE]
