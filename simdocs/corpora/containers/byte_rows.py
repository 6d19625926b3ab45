"""Rows that are bytes of a file, one after the other: they are written as they were read, byte for byte."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any

import numpy as np

from simdocs.corpora.containers.container import ContainerFile, Part
from simdocs.corpora.containers.lines import OpenIntervals
from simdocs.corpora.containers.rows import RowBlock
from simdocs.corpora.read_file import MOST
from simdocs.corpora.stamp import NO_FILE
from simdocs.errors import InputError
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name

_AT_ONCE = 1 << 20
"""Bytes of a row that is too long to be held that are read at once."""


class ByteBlock:
    """The rows of a part that is held.

    noun: what messages call a row. limit: the most bytes of a row that is read.
    data, ends: the bytes of the rows, and where each ends, ascending. Blank lines between them are rows here, too.
    """

    noun = "row"

    def __init__(self, part: Part, data: bytes, ends: Index) -> None:
        self.first, self.limit, self.name, self._data = part.first, part.limit, part.name, data
        self._bounds = np.concatenate((np.zeros(1, np.int64), ends))
        self.count = len(ends)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def row(self, place: int) -> bytes:
        """A row with its end, which the last one may lack."""
        return self._data[self._bounds[place] : self._bounds[place + 1]]

    def places(self, numbers: Index) -> Index:
        """The places of the rows with these numbers, less that of the first."""
        return numbers

    def is_row(self, place: int) -> bool:
        """Whether there is a row at this place, and no blank line."""
        return bool(self.row(place).strip())

    def raw(self, place: int) -> bytes:
        """A row without its line feed."""
        return self.row(place).removesuffix(b"\n")

    def pieces(self, places: Index) -> Iterator[bytes]:
        """Yield these rows with their ends: rows that follow each other together."""
        breaks = np.flatnonzero(np.diff(places) != 1) + 1
        for run in np.split(places, breaks) if len(places) else ():
            yield self._data[self._bounds[run[0]] : self._bounds[run[-1] + 1]]

    def where(self, place: int) -> str:
        """The name of the file and the number of a row, for a message."""
        return f"{display_name(self.name)}, {self.noun} {self.first + place}"


class LongRow:
    """A row that is not held, because it is too long, or has no end.

    first: its number. start, end: where it is in the content of the file. file: the file, open. noun: what messages
    call it. has_end: whether it ends before the file does, so that it is known where its fields are.
    """

    def __init__(self, first: int, start: int, end: int, file: ByteFile, noun: str, *, has_end: bool = True) -> None:
        self.first, self.count, self.has_end, self._name, self._noun = first, 1, has_end, file.name, noun
        self._start, self._end, self._file = start, end, file.content

    @classmethod
    def of(cls, part: Part, file: ByteFile, noun: str) -> LongRow:
        """The row that is a part without data."""
        return cls(part.first, part.start, part.start + part.extent, file, noun)

    def __len__(self) -> int:
        return 1

    def places(self, numbers: Index) -> Index:
        """The places of the rows with these numbers, less that of the first."""
        return numbers

    def is_row(self, _place: int) -> bool:
        """Whether it is a row: yes."""
        return True

    def raw(self, _place: int) -> bytes:
        """The row without its line feed. InputError: it is too long to be held."""
        if self._end - self._start > MOST:
            raise InputError(f"{self.where(0)}: is too long to be listed: use --kept-rows")
        return b"".join(self.pieces(np.arange(1))).removesuffix(b"\n")

    def where(self, _place: int) -> str:
        """The name of the file and the number of the row, for a message."""
        return f"{display_name(self._name)}, {self._noun} {self.first}"

    def pieces(self, places: Index) -> Iterator[bytes]:
        """Yield the row in pieces, if it is wanted, with the last byte of its end, if it has one.

        InputError: the file has changed.
        """
        for at in range(self._start, self._end, _AT_ONCE) if len(places) else ():
            size = min(_AT_ONCE, self._end - at)
            piece = self._file.bytes_at(at, size)
            if len(piece) < size:
                why = "changed before its rows were written, so nothing was written: run again"
                raise InputError(f"{display_name(self._name)}: {why}")
            yield piece
        if len(places):
            yield self._file.bytes_at(self._end, 1)

    def records(self, places: Index) -> list[dict[str, Any] | None]:
        """The row cannot be read: None for it, if it is wanted."""
        return [None] * len(places)


class _Held:
    """Bytes in memory, as an open file."""

    def __init__(self, content: bytes) -> None:
        self._content, self.stamp = content, NO_FILE

    def bytes_at(self, start: int, size: int) -> bytes:
        return self._content[start : start + size]

    def size(self, _start: int) -> int:
        return len(self._content)

    def close(self) -> None:
        """Nothing is open."""


class ByteFile:
    """An open file whose rows are bytes: see RawRows.

    name: of the file. content: its content, with the methods `bytes_at` and `size`. mark: the byte order mark at its
    beginning, if there is one.
    """

    total: int | None = None
    damage: DocumentSkipped | None = None

    def __init__(self, file: ContainerFile) -> None:
        self.name = file.name
        self.content: Any = OpenIntervals(file.name, file.met) if file.held is None else _Held(file.held)
        self.stamp = self.content.stamp
        head = self.content.bytes_at(0, len(codecs.BOM_UTF8))
        self.mark = head if head == codecs.BOM_UTF8 else b""

    def rest(self, start: int, first: int) -> Iterator[RowBlock]:  # noqa: ARG002
        """Yield what follows the last part: nothing."""
        return iter(())

    def close(self) -> None:
        """Close the file."""
        self.content.close()


def is_long(part: Part) -> bool:
    """Whether a part is one row that is not held."""
    return part.extent > 0 and not part.data
