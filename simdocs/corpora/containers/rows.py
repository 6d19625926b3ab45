"""Rows of containers as they are in their files, to be written to another file: the interface of a family.

A member is one file in this directory. The entry of a container in its family names it. Documents are what is compared;
rows are all that such a file holds, also those that are no documents because they are malformed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, time
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from simdocs.corpora.containers.container import ContainerFile, Part
from simdocs.corpora.stamp import Stamp
from simdocs.errors import InputError
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.declaration import loaded
from simdocs.options.file_formats import CONTAINERS
from simdocs.options.texts import Sequences

FLAGS = ("duplicate_of", "similarity", "group")
"""The columns that flagged rows have in addition. No other column may have one of these names."""


class Flags(NamedTuple):
    """The flags of one row.

    duplicate_of: the name of the document of which it is a duplicate, with a lone surrogate for each byte that is not
        UTF-8; None: it is kept.
    similarity: how similar they are; None: it is kept.
    group: the number of its group; None: it was not judged.
    """

    duplicate_of: str | None = None
    similarity: float | None = None
    group: int | None = None

    def in_text(self) -> dict[str, Any]:
        """The flags by name, for formats of texts. Similarities have six digits after their point, as in answers."""
        return {**self._asdict(), "similarity": None if self.similarity is None else round(self.similarity, 6)}


NO_FLAGS = Flags()
"""The flags of a row that was not judged."""

Sink = Callable[[bytes], object]
"""Takes the next bytes of a file."""

Record = dict[str, Any]
"""The values of a row by field."""

EveryRecord = Callable[[], Iterator[list[Record]]]
"""Yields all records of a file, some at a time. Each call passes over the file once."""


class RowBlock(Protocol):
    """Consecutive rows of a file.

    first, count: the number of the first, as in Locator, and how many numbers they have.
    """

    first: int
    count: int

    def __len__(self) -> int: ...

    def places(self, numbers: Index) -> Index:
        """The places of the rows with these numbers, less that of the first."""

    def is_row(self, place: int) -> bool:
        """Whether there is a row at this place, and not only an empty line between two."""

    def raw(self, place: int) -> bytes:
        """The bytes of a row without its end, for an answer that lists rows. InputError: it is too long to be held."""

    def records(self, places: Index) -> list[Record | None]:
        """The values of these rows by field, for another format; None for a row that cannot be read."""

    def where(self, place: int) -> str:
        """The name of the file and the number of a row, for a message."""


class RawRows(Protocol):
    """An open file with rows.

    stamp: its stamp when it was opened; that of no file if it is in memory.
    name: of the file.
    total: how many rows it has, as it says itself; None: it does not say so.
    damage: why some rows before others cannot be read, so that no block has them; None: all can be read.
    """

    stamp: Stamp
    name: bytes
    total: int | None
    damage: DocumentSkipped | None

    def blocks(self, part: Part) -> Iterator[RowBlock]:
        """Yield the rows of a part of this file. Raises DocumentSkipped, OSError: it cannot be read.

        Parts come in their order.
        """

    def rest(self, start: int, first: int) -> Iterator[RowBlock]:
        """Yield what can be read after the last part, which ends at `start`, if there are no more parts.

        This is a row without an end, or all rows after those that are damaged. first: the number of the next row.
        """

    def close(self) -> None:
        """Close the file."""


class RowWriter(Protocol):
    """Writes rows into one file. `end` is called once, after all rows."""

    def write(self, block: RowBlock, places: Index, flags: list[Flags] | None) -> None:
        """Write these rows of a block, with their flags, if flags are written. InputError: a row has no place here."""

    def end(self) -> None:
        """Write the end of the file."""


class Held(NamedTuple):
    """The rows of a file that are held at once. unit, number: what they are: record batch 3. size: their bytes."""

    unit: str
    number: int
    size: int


class RowFormat(Protocol):
    """A format whose rows can be read as they are, and written."""

    def open(self, file: ContainerFile, fields: Sequences) -> RawRows:
        """Open a file. Raises DocumentSkipped, OSError as `Container.open` does."""

    def held(self, file: ContainerFile) -> Held | None:
        """What is held in memory of a file while its rows are written; None: no more than a row or so.

        Raises DocumentSkipped, OSError as `open` does.
        """

    def writer(self, source: RawRows, sink: Sink, *, flagged: bool, every: EveryRecord) -> RowWriter:
        """A writer of rows of this file, which may have another format.

        flagged: each row has flags. every: for another format, passes over all records of the file.
        InputError: a column has the name of a flag, or values have no place in this format.
        """


def taken_name(where: str, name: str) -> InputError:
    """The error that a column has the name of a flag. where: the file, or a row of it."""
    return InputError(f"{where}: has a field {name!r} already: rename it, or leave out --flagged-rows")


def as_text(value: object) -> str | None:
    """A date, a time or a decimal number of a table as text, for formats that do not have it: ISO 8601, or all digits.

    None: the value is something else.
    """
    if isinstance(value, date | time):  # a datetime is a date, too
        return value.isoformat()
    return format(value, "f") if isinstance(value, Decimal) else None


def not_unicode(error: UnicodeEncodeError) -> str:
    """Why a text is not Unicode, and so has no place in another format, and what to do."""
    if "\udc80" <= error.object[error.start] <= "\udcff":  # surrogateescape makes these of bytes
        return "has bytes that are not UTF-8: write .csv, which keeps them, or convert the file to UTF-8 first"
    return "has half of a surrogate pair, which is no character: correct it, or write the format of the input"


def converted(block: RowBlock, places: Index, flags: list[Flags] | None) -> list[tuple[int, Record]]:
    """The records of these rows, with their flags and the place of each, for another format. Blank lines have none.

    InputError: a row cannot be read, or has a field with the name of a flag.
    """
    rows = [at for at, place in enumerate(places.tolist()) if block.is_row(place)]
    found = list[tuple[int, Record]]()
    for at, record in zip(rows, block.records(places[rows]), strict=True):
        place = int(places[at])
        if record is None:
            raise InputError(f"{block.where(place)}: cannot be read, so it has no place in a file of another format")
        if flags is not None:
            if taken := [name for name in FLAGS if name in record]:
                raise taken_name(block.where(place), taken[0])
            found.append((place, record | flags[at].in_text()))
        else:
            found.append((place, record))
    return found


def row_format(name: str) -> RowFormat | None:
    """The format of the rows of the container with this name; None if they cannot be written."""
    place = CONTAINERS[name].rows
    found: RowFormat | None = loaded(place) if place else None
    return found
