"""The answer to a question: a table, the lines of its summary, and the same as values."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from simdocs.errors import UsageError
from simdocs.extras import needs
from simdocs.names import display_name, text_to_name
from simdocs.options.declaration import loaded

if TYPE_CHECKING:
    from simdocs.model.comparison import Excerpt
    from simdocs.model.documents import Documents
    from simdocs.model.skipped import Skipped
    from simdocs.options.values import Path


NAME, SIMILARITY, NUMBER, VALUE = "name", "similarity", "number", "value"
EXCERPTS = "excerpts"
"""Kinds of column: names or words; similarities and other fractions; integers; anything; passages with what is around
them."""

PLAIN, GROUPED, KEYED = "plain", "grouped", "keyed"
QUOTING, REPEATING = "quoting", "repeating"
"""Layouts of tables. By default, a row is drawn for itself.

grouped: the first column repeats over several rows.
keyed: the first column is the name of a count or of a parameter, and the second has its value.
quoting: the last column has a passage that two documents have in common.
repeating: each row is a passage, with some of its places and its text.
"""


class Figure(float):
    """A number that is shown with six significant digits, and not with six digits after its point."""


Cell: TypeAlias = "bytes | str | float | int | tuple[tuple[Any, ...], ...] | Excerpt | None"
"""A name or a word as bytes or as text, a number, a list of places, or a passage. None and NaN: there is no value."""

Row: TypeAlias = "tuple[Cell, ...]"
Blocks: TypeAlias = "Generator[list[Row], None, None]"


def plain(cell: Cell) -> bytes:
    """A cell as bytes: a name or whole number as it is, any other number with six digits after its point, and nothing
    for None and NaN."""
    if isinstance(cell, bytes):
        return cell
    if isinstance(cell, str):
        return text_to_name(cell)
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return b""
    assert isinstance(cell, int | float)
    if isinstance(cell, int):
        return str(cell).encode()
    return (f"{cell:.6g}" if isinstance(cell, Figure) else f"{cell:.6f}").encode()


class TableHead(NamedTuple):
    """The names and kinds of a table's columns, and its layout."""

    columns: tuple[tuple[str, str], ...]
    layout: str = PLAIN

    def but(self, layout: str, **more: str) -> TableHead:
        """The head with another layout, and with more columns: their kinds by their names."""
        return TableHead((*self.columns, *more.items()), layout)


def table_head(layout: str = PLAIN, /, **kinds: str) -> TableHead:
    """A head from the kinds of its columns by their names."""
    return TableHead(tuple(kinds.items()), layout)


NAMES = table_head(name=NAME)
FACTS = table_head(KEYED, key=NAME, value=VALUE)

AT_ONCE = 1 << 13
"""Rows in one block at most, where there may be very many: names and numbers are Python objects then."""


class Table:
    """A table: its head, and its rows in blocks.

    blocks: returns the blocks, which are lists of rows. If they are made while an answer is found, only once.
    """

    __slots__ = ("blocks", "head")

    def __init__(self, head: TableHead, blocks: Callable[[], Iterable[list[Row]]]) -> None:
        self.head, self.blocks = head, blocks

    @classmethod
    def of(cls, head: TableHead, rows: Iterable[Row]) -> Table:
        """A table of rows that are all there."""
        held = list(rows)
        return cls(head, lambda: (held,))

    def __iter__(self) -> Iterator[Row]:
        for block in self.blocks():
            yield from block


class Look(NamedTuple):
    """How an answer is drawn, as far as this decides what is in its tables.

    for_people: people read it, and nothing else does.
    nested: a row may have other columns than the row before it.
    verbose: everything is shown.
    """

    for_people: bool = False
    nested: bool = True
    verbose: bool = False

    @property
    def holds_all(self) -> bool:
        """Whether a drawing may hold several tables."""
        return self.for_people or self.nested


Lines: TypeAlias = Callable[[float, bool], Iterable[str]]
"""The lines of a summary: given the seconds that the answer took, and whether every figure is wanted."""

NO_TABLE = Table.of(TableHead(()), ())
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Result:
    """The answer to a question. It has the length of its table, and yields its rows.

    documents: the documents that were read; None if none were.
    skipped: the documents that were not compared; None if none were read.
    is_found: whether what was looked for is there, which an exit status can say.
    notes: notes about the answer, which the command always prints.
    advice: lines about what may suit the documents better.
    """

    def __init__(
        self,
        command: str,
        table: Table = NO_TABLE,
        *,
        lists: Mapping[str, Table] = _NOTHING,
        drawn: Callable[[Look], Iterable[Table]] | None = None,
        facts: Mapping[str, Any] = _NOTHING,
        lines: Lines = lambda _seconds, _verbose: (),
        documents: Documents | None = None,
        skipped: Skipped | None = None,
        is_found: bool = False,
        notes: Iterable[str] = (),
        advice: Iterable[str] = (),
    ) -> None:
        """The answer to the question of this command.

        table: the answer itself. lists: what can be listed instead, by the names of `--list`.
        drawn: returns the tables that are drawn, unless the answer itself is. facts, lines: the summary.
        """
        self._command, self._table, self._lists, self._drawn = command, table, lists, drawn
        self._facts, self._lines = facts, lines
        self.documents, self.skipped, self.is_found = documents, skipped, is_found
        self.notes, self.advice = tuple(notes), tuple(advice)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the answer, such as that many pairs at this threshold are missed."""
        return () if self.skipped is None else tuple(self.skipped.every_warning)

    def rows(self, listing: str | None = None) -> Iterator[Any]:
        """Yield the rows. listing: what is listed instead, as with `--list`. UsageError: there is no such list."""
        return iter(self._listed(listing))

    def __iter__(self) -> Iterator[Any]:
        return self.rows()

    def __len__(self) -> int:
        return sum(map(len, self._table.blocks()))

    def __bool__(self) -> bool:
        return next(self.rows(), None) is not None

    def to_arrow(self, listing: str | None = None) -> Any:
        """The answer as a pyarrow.Table, with the columns of its JSON Lines: string, double and int64.

        Cells without a value are null, and similarities are not rounded. Names that are not UTF-8 are in a further
        column, in base64. listing: what is listed instead, as with `--list`.

        MissingExtraError: pyarrow is not installed. UsageError: the answer has no such list.
        """
        table, arrow = self._listed(listing), needs("pyarrow", "to_arrow()")
        rows = list(table)
        columns = ArrowColumns(arrow, table.head, rows)
        return arrow.Table.from_batches([columns.batch(rows)], columns.schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The answer by the Arrow PyCapsule interface: see `to_arrow`."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self, listing: str | None = None) -> Any:
        """The answer as a pandas.DataFrame: see `to_arrow`. MissingExtraError: pyarrow or pandas is not installed."""
        needs("pandas", "to_pandas()")
        return self.to_arrow(listing).to_pandas()

    def write(
        self,
        path: Path,
        listing: str | None = None,
        *,
        format: str | None = None,  # noqa: A002  (as the option)
        header: bool = False,
    ) -> None:
        """Write the answer to a file as its command does with -o: in the format of the suffix, all or nothing.

        Names are those of `rows`. Of several tables, it is the first, unless the format has room for all.

        listing: what is listed instead, as with `--list`.
        format: the format, whatever the suffix.
        header: begin TSV with the names of the columns.

        UsageError: the answer has no such list, or cannot be written in this format; or a document would be replaced
        that was read for it. OutputError: the file cannot be
        written. MissingExtraError: the format needs a library that is not installed.
        """
        self._listed(listing)
        from simdocs.options.answers import Written

        given: dict[str, Any] = {"output": path, "format": format, "header": header}
        drawn = Written(asked=self._command, list=listing, **given)
        if drawn.path is None:
            raise UsageError("the path must be a file, not -: use /dev/stdout for standard output")
        if self.documents is not None:
            _refuse_to_replace(drawn.path, self.documents)
        loaded("simdocs.views.output:write")(self, drawn)

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
        """The summary as values that JSON has. seconds: how long the answer took; None: that is not known."""
        return {**self._facts, "seconds": seconds} if "seconds" in self._facts else {}

    def _listed(self, listing: str | None) -> Table:
        if listing is None:
            return self._table
        if listing not in self._lists:
            offered = f"one of {', '.join(self._lists)}" if self._lists else "None"
            raise UsageError(f"listing must be {offered}, not {listing!r}")
        return self._lists[listing]

    def __repr__(self) -> str:
        documents = "" if self.documents is None else f"documents={len(self.documents)}, "
        return f"<{type(self).__name__} of {self._command}: {documents}rows={len(self)}>"


def tables_of(result: Result, look: Look, listing: str | None = None) -> Iterable[Table]:
    """The tables of a result that are drawn with this look. listing: what is listed instead, as with `--list`."""
    if listing is None and result._drawn is not None:
        return result._drawn(look)
    return (result._listed(listing),)


def lines_of(result: Result, seconds: float, *, verbose: bool = False) -> Iterable[str]:
    """The lines of the summary of a result. verbose: with every figure."""
    return result._lines(seconds, verbose)


def _refuse_to_replace(path: str, documents: Documents) -> None:
    """Raise UsageError if this is the path of a file that was read for the answer."""
    if not os.path.isfile(path):
        return
    import numpy as np

    status, files = os.stat(path), documents.files
    met = {"inode": status.st_ino, "file_size": status.st_size, "mtime_ns": status.st_mtime_ns}
    if np.all([files[name] == value for name, value in met.items()], axis=0).any():
        problem = "this file was read for the answer and would be overwritten: choose another output file"
        raise UsageError(f"{display_name(os.fsencode(path))}: {problem}")


_ENCODED = "_b64"
"""What follows the name of the column for names that are not UTF-8, as in JSON Lines."""


class ArrowColumns:
    """The columns of a table with Arrow types: string, double and int64.

    A cell without a value is null. If a name is not UTF-8, it is null in its column, and in base64 in a further one.
    """

    def __init__(self, arrow: Any, head: TableHead, rows: Sequence[Row]) -> None:
        """arrow: the module pyarrow. rows: the first ones, in which a column has names that are not UTF-8 or not."""
        self._arrow, self._head = arrow, head
        types = {SIMILARITY: arrow.float64(), NUMBER: arrow.int64()}
        fields = list[Any]()
        for at, (name, kind) in enumerate(head.columns):
            fields.append(arrow.field(name, types.get(kind, arrow.string())))
            if kind in (NAME, VALUE) and any(_texts([row[at] for row in rows])[1]):
                fields.append(arrow.field(name + _ENCODED, arrow.string()))
        self.schema = arrow.schema(fields)

    def batch(self, rows: Sequence[Row]) -> Any:
        """These rows as a pyarrow.RecordBatch. UnicodeError: a name is not UTF-8, and there is no column for it."""
        columns = dict[str, list[Any]]()
        for at, (name, kind) in enumerate(self._head.columns):
            cells = [row[at] for row in rows]
            if kind not in (NAME, VALUE):
                columns[name] = [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells]
                continue
            columns[name], columns[name + _ENCODED] = _texts(cells)
            if name + _ENCODED not in self.schema.names and any(columns[name + _ENCODED]):
                raise UnicodeError(f"{name} has a name that is not UTF-8")
        return self._arrow.RecordBatch.from_pydict(columns, schema=self.schema)


def _texts(cells: Sequence[Any]) -> tuple[list[str | None], list[str | None]]:
    """Names and numbers as text, and those names that are not UTF-8 in base64. Names in memory may be of any type."""
    from base64 import b64encode

    texts, encoded = list[str | None](), list[str | None]()
    for cell in cells:
        name = plain(cell if isinstance(cell, bytes | int | float | None) else str(cell))
        try:
            texts.append(name.decode() if name or isinstance(cell, bytes | str) else None)
            encoded.append(None)
        except UnicodeDecodeError:
            texts.append(None)
            encoded.append(b64encode(name).decode())
    return texts, encoded
