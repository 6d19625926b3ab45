"""Files of Arrow tables, which are read in units such as row groups: cut their rows into parts."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from simdocs.corpora.compression import library
from simdocs.corpora.containers.columns import (
    NOUN,
    ArrowObject,
    ColumnValues,
    WantedColumns,
    documents_of_rows,
    refused,
    without_long_texts,
)
from simdocs.corpora.containers.container import ContainerFile, Part, PartDocuments, WithoutTexts
from simdocs.corpora.containers.lines import MOST_RECORDS
from simdocs.corpora.files import MOST, SteadyFile, close_file, open_file, stamp_now
from simdocs.corpora.identity import NO_FILE, Stamp
from simdocs.model.ragged import BATCH_BYTES
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.texts import Sequences

MOST_HELD = 1 << 26
"""Bytes that a library may hold at once to read rows, unless a document may be larger: a page of a Parquet file, or a
record batch of an Arrow file."""


_NO_MEMORY = re.compile("alloc of size [0-9]+ failed|bad_alloc|not enough memory")
"""What errors say if memory has run out."""


class RowsTooLarge(Exception):  # noqa: N818  (the other rows of the file are read)
    """The rows of a unit are not read, because that would take too much memory. detail: why."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class OpenTable(Protocol):
    """A table in an open file.

    wanted: its columns with texts and ids.
    firsts: the row with which each unit begins, ascending; and the number of all rows.
    trouble: why there is no more, if the file goes on after the last unit or ends too early.
    """

    wanted: WantedColumns
    firsts: list[int]
    trouble: DocumentSkipped | None

    def batches(self, unit: int) -> Iterator[ArrowObject]:
        """Yield the rows of a unit as record batches with the wanted columns.

        Raises RowsTooLarge before anything is read; the exceptions of pyarrow if its data is damaged.
        """


Opener = Callable[[Any, Sequences, int], OpenTable]
"""Opens the table in a file of pyarrow, given the fields and the limit of memory. Raises DocumentSkipped."""


def most_held(limit: int) -> int:
    """Bytes that may be held at once if documents of `limit` bytes are read."""
    return min(max(limit, MOST_HELD), MOST)


@contextmanager
def damage_named(file: SteadyFile | None, what: str) -> Iterator[None]:
    """Turn the exceptions of pyarrow into DocumentSkipped: changed, unreadable, malformed. what: such a file.

    Raises MemoryError if memory has run out, also where pyarrow reports that as an error of another kind.
    """
    try:
        yield
    except (ValueError, IndexError, KeyError, TypeError, NotImplementedError, OSError) as error:
        if getattr(error, "errno", None) == errno.ENOMEM or _NO_MEMORY.search(str(error)):
            raise MemoryError(str(error)) from None
        if file is not None and file.has_changed():
            raise DocumentSkipped("changed") from None
        if isinstance(error, OSError) and error.errno:
            raise DocumentSkipped.of(error) from None
        said = (str(error).strip() or type(error).__name__).splitlines()[0][:200].rstrip(". ")
        raise DocumentSkipped(
            "malformed", f"{what} that is damaged, or in a form that cannot be read: {said}"
        ) from None


def parts_of_table(container: str, file: ContainerFile, fields: Sequences, opener: Opener, what: str) -> Iterator[Part]:
    """Cut a file with a table into parts of whole rows, at least one. Every row is in exactly one part.

    Parts hold texts and ids alone. Raises DocumentSkipped: see `Container.parts`.
    """
    if file.held is not None:
        yield from _Cutting(container, file, fields, NO_FILE, None, what).parts(opener)
        return
    source, stamp = open_file(file.name, follow=file.follow)
    try:
        for turn in range(2):
            part = None
            cutting = _Cutting(container, file, fields, stamp, SteadyFile(source, stamp), what)
            try:
                for part in cutting.parts(opener):
                    yield part
                return
            except DocumentSkipped as skip:
                if part is not None:
                    where = f"from row {part.first + part.count:,} on"
                    raise DocumentSkipped(skip.reason, f"{skip.detail}, {where}" if skip.detail else where) from None
                if skip.reason != "changed" or turn:
                    raise
            stamp = stamp_now(source)
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    finally:
        close_file(source)


class _Cutting:
    """Cuts one table into parts. steady: its file; None: its bytes are held."""

    def __init__(
        self,
        container: str,
        file: ContainerFile,
        fields: Sequences,
        stamp: Stamp,
        steady: SteadyFile | None,
        what: str,
    ) -> None:
        self._container, self._file, self._fields, self._stamp = container, file, fields, stamp
        self._steady, self._what = steady, what
        self._texts = len(dict.fromkeys(fields.text_field))
        """How many columns, the first ones, hold texts."""
        self._start, self._rows = 0, 0
        """The first row that is in no part yet, and the number of all rows."""
        self._lengths = np.empty((0, 0), np.int64)
        """Of the rows that were read and are in no part yet: see `columns.py`."""
        self._values = list[bytes]()

    def parts(self, opener: Opener) -> Iterator[Part]:
        """Yield the parts."""
        with damage_named(self._steady, self._what):
            table = opener(source_of(self._steady, self._file.held), self._fields, most_held(self._file.limit))
        self._rows = table.firsts[-1]
        if self._rows and table.wanted.without_texts:
            raise WithoutTexts("malformed", table.wanted.without_texts)
        is_wanted = table.wanted.paths and not table.wanted.lacking
        for part in self._of_units(table) if is_wanted else self._unread(table):
            if self._steady is not None and self._steady.has_changed():
                raise DocumentSkipped("changed")
            yield part

    def _unread(self, table: OpenTable) -> Iterator[Part]:
        """Yield the only part of a table that lacks a text field, or of which none is wanted."""
        yield self._part(table.wanted.packed_names, self._rows)
        if table.trouble is not None:
            raise table.trouble

    def _of_units(self, table: OpenTable) -> Iterator[Part]:
        self._lengths = np.empty((len(table.wanted.paths), 0), np.int64)
        self._values = [b""] * len(self._lengths)
        for unit, (first, end) in enumerate(pairwise(table.firsts)):
            if not self._is_wanted(first, end):
                yield from self._taken(table.wanted)
                self._start = end
                continue
            try:
                for columns in self._batches(table, unit, end - first):
                    yield from self._take(table.wanted, columns)
            except RowsTooLarge as error:
                yield from self._taken(table.wanted)
                yield self._part(refused(f"rows {first + 1:,} to {end:,}: {error.detail}"), end - first)
            except DocumentSkipped:
                yield from self._taken(table.wanted)
                raise
        yield from self._taken(table.wanted)
        if table.trouble is not None:
            raise table.trouble
        if not self._start:
            yield self._part(table.wanted.packed(self._lengths, self._values), 0)

    def _is_wanted(self, first: int, end: int) -> bool:
        """Whether any of the rows from `first` to `end` - 1 is wanted."""
        wanted = self._file.wanted
        return wanted is None or bool(np.searchsorted(wanted, first + 1) < np.searchsorted(wanted, end + 1))

    def _batches(self, table: OpenTable, unit: int, count: int) -> Iterator[list[ColumnValues]]:
        """Yield the values of a unit of `count` rows. DocumentSkipped: changed, unreadable, malformed."""
        with damage_named(self._steady, self._what):
            for batch in table.batches(unit):
                count -= batch.num_rows
                yield table.wanted.values(batch)
            if count:
                raise ValueError(f"{abs(count):,} rows {'too few' if count > 0 else 'too many'}")

    def _take(self, wanted: WantedColumns, columns: list[ColumnValues]) -> Iterator[Part]:
        """Add the rows of a batch, some at a time, and yield the parts that are complete."""
        lengths = np.array([column.lengths for column in columns], np.int64)
        ends = np.cumsum(np.maximum(lengths, 0).sum(axis=0))
        begin = 0
        while begin < len(ends):
            before = int(ends[begin - 1]) if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, before + BATCH_BYTES, side="right")))
            end = min(end, begin + MOST_RECORDS - self._lengths.shape[1])
            values = [column.between(begin, end) for column in columns]
            some, values = without_long_texts(lengths[:, begin:end], values, self._texts, min(self._file.limit, MOST))
            self._lengths = np.hstack((self._lengths, some))
            self._values = [held + more if held else more for held, more in zip(self._values, values, strict=True)]
            begin = end
            if sum(map(len, self._values)) >= BATCH_BYTES or self._lengths.shape[1] == MOST_RECORDS:
                yield from self._taken(wanted)

    def _taken(self, wanted: WantedColumns) -> Iterator[Part]:
        """Yield the part of the rows that were added, if there are any."""
        if count := self._lengths.shape[1]:
            yield self._part(wanted.packed(self._lengths, self._values), count)
            self._lengths, self._values = self._lengths[:, count:], [b""] * len(self._values)

    def _part(self, data: bytes, count: int) -> Part:
        start, self._start = self._start, self._start + count
        return Part(
            container=self._container,
            name=self._file.name,
            data=data,
            start=start,
            extent=count,
            first=start + 1,
            count=count,
            stamp=self._stamp,
            limit=self._file.limit,
            read_to=self._stamp.size * self._start // max(self._rows, 1),
        )


def source_of(steady: SteadyFile | None, held: bytes | None) -> ArrowObject:
    """The file of pyarrow that reads an open file, or bytes that are held."""
    pyarrow = library("pyarrow", "reading tables")
    return pyarrow.BufferReader(held) if steady is None else pyarrow.PythonFile(steady, mode="r")


class TableFiles:
    """A format of files with a table, as a member of the family: see Container.

    name: its name in the family.
    opener: opens such a table.
    what: what messages call a file.
    """

    noun = NOUN

    def __init__(self, name: str, opener: Opener, what: str) -> None:
        self._name, self._opener, self._what = name, opener, what

    def parts(self, file: ContainerFile, fields: Sequences) -> Iterator[Part]:
        """Cut a file into parts of whole rows."""
        return parts_of_table(self._name, file, fields, self._opener, self._what)

    def documents(self, part: Part, fields: Sequences) -> PartDocuments:
        """Read the documents of a part."""
        return documents_of_rows(part, fields)
