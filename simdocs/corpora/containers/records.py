"""Where the records of CSV and TSV end, by the rules of Python's `csv.reader`, and how a file is cut after them."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator

import numpy as np

from simdocs.corpora.containers.container import OneText
from simdocs.corpora.containers.lines import CutBlock, Cutter, ends_to
from simdocs.model.ragged import Array, Index
from simdocs.model.skipped import DocumentSkipped

_QUOTE, _LINE_FEED, _RETURN = 34, 10, 13
_LINE_ENDS = b"\r\n"


class RecordEnds:
    r"""Finds where records end in a text that is given piece by piece.

    A record ends with its line, at `\n`, `\r\n` or `\r`, unless that is within quotes. A quote at the beginning of a
    field opens it, and the next one closes it. Right after that a quote opens it again, because two quotes stand for
    one. Any other quote is a character like others.

    delimiter: the character between fields, in ASCII.
    is_quoted: whether the text so far ends within quotes.
    line: the number of the line after the last end.
    """

    def __init__(self, delimiter: str) -> None:
        self._starts = frozenset((ord(delimiter), _LINE_FEED, _RETURN))
        self._is_start = np.zeros(256, bool)
        self._is_start[list(self._starts)] = True
        self.is_quoted, self.line = False, 1
        self._lines = 0
        """The number of ends of lines so far, within quotes or not."""
        self._may_open = True
        """Whether a quote that comes next opens a field."""
        self._returned = False
        r"""Whether the last character is `\r`, so that it is the end of the line unless `\n` comes next."""

    def take(self, piece: bytes) -> Index:
        """Where records end in the next bytes, ascending. The first may end at 0."""
        if not piece:
            return np.empty(0, np.int64)
        values = np.frombuffer(piece, np.uint8)
        ends = self._ends_of_lines(piece, values)
        quotes = np.empty(0, np.int64)
        if self.is_quoted or _QUOTE in piece:
            quotes = self._quotes(piece, values)
            outside = (np.searchsorted(quotes, ends) + self.is_quoted) % 2 == 0
            self.is_quoted = (len(quotes) + self.is_quoted) % 2 == 1
        else:
            outside = np.ones(len(ends), bool)
        closed = bool(len(quotes)) and int(quotes[-1]) == len(piece) - 1 and not self.is_quoted
        self._may_open = piece[-1] in self._starts or closed
        places = np.flatnonzero(outside)
        if len(places):
            self.line = self._lines + int(places[-1]) + 2
        self._lines += len(ends)
        return ends[places]

    def begin_after(self, header: bytes) -> None:
        """Take the first record with its end."""
        self.take(header)
        self._lines += self._returned
        self.line, self._returned = self._lines + 1, False

    def pass_over(self) -> None:
        """Take many NUL bytes, which need not be looked at."""
        self._may_open = self._returned = False

    def _ends_of_lines(self, piece: bytes, values: Array) -> Index:
        r"""Where lines end, within quotes or not. Of `\r\n` only the last counts, also if a piece ends between them."""
        ends = np.flatnonzero(values == _LINE_FEED) + 1
        if self._returned and piece[0] != _LINE_FEED:
            ends = np.append(0, ends)
        self._returned = piece[-1] == _RETURN
        if _RETURN not in piece:
            return ends
        returns = np.flatnonzero(values[:-1] == _RETURN) + 1
        return np.sort(np.concatenate((ends, returns[values[returns] != _LINE_FEED])))

    def _quotes(self, piece: bytes, values: Array) -> Index:
        """The places of the quotes that open or close a field."""
        found = np.flatnonzero(values == _QUOTE)
        opening = found[int(self.is_quoted) :: 2]
        before = values[opening - 1]
        fits = self._is_start[before] | (before == _QUOTE)
        if len(opening) and not opening[0]:
            fits[0] = self._may_open
        if fits.all():  # if every other quote may open a field, it does: all are as in a well-formed file
            return found
        quoted, closed, real = self.is_quoted, -2, list[int]()
        for at in found.tolist():
            if not quoted and not (self._may_open if not at else piece[at - 1] in self._starts or closed == at - 1):
                continue
            closed = at if quoted else -2
            quoted = not quoted
            real.append(at)
        return np.array(real, np.int64)


def records_in(data: bytes, delimiter: str) -> tuple[Index, Index]:
    """Where the records of a text begin and end, without blank ones and the ends of lines: two int64 (n,)."""
    ends = ends_to(RecordEnds(delimiter).take(data), data)
    begins = np.append(0, ends)[:-1]
    rows = np.flatnonzero(~_blank(data, begins))
    begins, ends = begins[rows], ends[rows]
    values = np.frombuffer(data, np.uint8)
    ends = ends - (values[ends - 1] == _LINE_FEED)
    return begins, ends - (values[ends - 1] == _RETURN)


def _blank(data: bytes, begins: Index) -> Array:
    """Which records are blank lines: (n,) bool."""
    first = np.frombuffer(data, np.uint8)[begins]
    blank: Array = (first == _LINE_FEED) | (first == _RETURN)
    return blank


HEADER_MOST = 1 << 20
"""The most bytes of a header, with the blank lines before it. What is longer is no table."""

_USUAL_HEADER = 1 << 12
"""Bytes that most headers do not exceed."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def header_of(beginning: bytes, delimiter: str, *, whole: bool) -> int | None:
    """Where the first record ends that is not blank; None if it does not end here. whole: the file ends here."""
    blank = len(beginning) - len(beginning.lstrip(_LINE_ENDS))
    line = beginning[blank : beginning.find(b"\n", blank) + 1]
    if line and b'"' not in line and b"\r" not in line.removesuffix(b"\r\n"):  # as nearly all headers
        return blank + len(line)
    for size in (_USUAL_HEADER, len(beginning)):
        records = RecordEnds(delimiter)
        ends = records.take(beginning[blank : blank + size])
        if len(ends):
            return blank + int(ends[0])
    return len(beginning) if whole and len(beginning) > blank and not records.is_quoted else None


class RecordCutter(Cutter):
    """Cuts a file into parts of whole records, each with the header of the file before them.

    delimiter: the character between fields.
    has_header: whether the first record is the header; if not, no part has one.
    check: is called with the first record. Raises DocumentSkipped: the file is no table with texts.
    """

    def __init__(self, limit: int, delimiter: str, *, has_header: bool, check: Callable[[bytes], None]) -> None:
        super().__init__(limit)
        self._delimiter, self._has_header, self._check = delimiter, has_header, check
        self._records = RecordEnds(delimiter)
        self._header: bytes | None = None
        self._beginning = b""

    def ends_in(self, piece: bytes) -> Index:
        """Where records end in the next bytes, ascending."""
        return self._records.take(piece)

    def block(self, data: bytes, ends: Index) -> CutBlock:
        """The part of these whole records. Blank ones have no number."""
        rows = len(ends) - int(_blank(data, np.append(0, ends)[:-1]).sum())
        return (self._header or b"") + data, self.start, len(data), self.first, rows

    def skips(self, hole: int) -> bool:
        """Whether a hole of this length makes a record too long. Then it is counted, and need not be read."""
        if self._header is None:
            if hole > HEADER_MOST:
                raise _no_table()
            return False
        if not super().skips(hole):
            return False
        self._records.pass_over()
        return True

    def take(self, piece: bytes) -> Iterator[CutBlock]:
        """Add the next bytes, and yield the parts that are complete. Raises DocumentSkipped: the header is wrong."""
        if self._header is not None:
            yield from super().take(piece)
            return
        self._beginning += piece
        if self._beginning.startswith(_UTF_16):
            raise OneText("this is UTF-16", "convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8")
        end = header_of(self._beginning, self._delimiter, whole=False)
        if end is None or end > HEADER_MOST:
            if len(self._beginning) > HEADER_MOST:
                raise _no_table()
            return
        yield from self._begin(end)

    def rest(self) -> Iterator[CutBlock]:
        """Yield the last parts. Raises DocumentSkipped: a quote does not end, or the header is wrong."""
        if self._header is None:
            end = header_of(self._beginning, self._delimiter, whole=True)
            if end is None and self._beginning.strip(_LINE_ENDS):
                raise OneText("the first row has a quote that never ends")
            yield from self._begin(end)
        if self._records.is_quoted:
            raise DocumentSkipped("malformed", f"the row on line {self._records.line} has a quote that never ends")
        yield from super().rest()

    def _begin(self, end: int | None) -> Iterator[CutBlock]:
        """Take the header, which ends here, and what comes after it. None: there is nothing but blank lines."""
        beginning, self._beginning = self._beginning, b""
        if end is not None:
            self._check(beginning[:end])
        if not self._has_header:
            self._header = b""
            yield from super().take(beginning)
            return
        self._header = beginning[:end]
        self._records.begin_after(self._header)
        self.start += len(self._header)
        yield from super().take(beginning[len(self._header) :])


def _no_table() -> OneText:
    return OneText(f"the first row has more than {HEADER_MOST} bytes")
