"""Answers as tables: their columns, their rows, and how they are handed over."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

from simdocs.errors import SimdocsError, UsageError
from simdocs.names import text_to_name
from simdocs.options.declaration import loaded

if TYPE_CHECKING:
    from contextlib import ExitStack

    from simdocs.model.build_results import BuildResult
    from simdocs.model.common_passages import Excerpt
    from simdocs.model.repeated_passages import RepeatPlace
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


Cell: TypeAlias = "bytes | str | float | int | tuple[RepeatPlace, ...] | Excerpt | None"
"""A name or a word as bytes or as text, a number, a list of places, or a passage. None and NaN: there is no value."""

Row: TypeAlias = "tuple[Cell, ...]"


def plain(cell: Cell) -> bytes:
    """A cell as bytes: a name as it is, a number as `shown_number` has it, nothing for None and NaN."""
    if isinstance(cell, bytes):
        return cell
    if isinstance(cell, str):
        return text_to_name(cell)
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return b""
    assert isinstance(cell, int | float)
    return shown_number(cell).encode()


def shown_number(number: float) -> str:
    """A whole number as it is, and any other with six digits after its point; a Figure with six significant ones."""
    if isinstance(number, Figure):
        return f"{number:.6g}"
    return str(number) if isinstance(number, int) else f"{number:.6f}"


class TableColumn(NamedTuple):
    """A column's name and kind."""

    name: str
    kind: str


class TableHead(NamedTuple):
    """The columns of a table, and its layout."""

    columns: tuple[TableColumn, ...]
    layout: str = PLAIN

    def but(self, layout: str, **more: str) -> TableHead:
        """The head with another layout, and with more columns: their kinds by their names."""
        return TableHead((*self.columns, *(TableColumn(*each) for each in more.items())), layout)


def table_head(layout: str = PLAIN, /, **kinds: str) -> TableHead:
    """A head from the kinds of its columns by their names."""
    return TableHead((), layout).but(layout, **kinds)


NAMES = table_head(name=NAME)
FACTS = table_head(KEYED, key=NAME, value=VALUE)
PASSAGES = table_head(passage=NAME, a=NAME, b=NAME)


class Block(NamedTuple):
    """Some rows of a table. A block with another head begins another table."""

    head: TableHead
    rows: list[Row]


class Look(NamedTuple):
    """How an answer is drawn, as far as this decides what is in it.

    for_people: people read it, and nothing else does.
    nested: a row may have other columns than the row before it.
    explained: there is room for the meaning of each row.
    verbose: everything is shown.
    diff: how differences are drawn, a member of DIFFS; None: they are not wanted.
    listing: what is listed instead of the answer itself.
    as_file: whether a format that only this question has draws the answer.
    colored, terminal: whether there are colours, and whether a terminal shows it.
    """

    for_people: bool = False
    nested: bool = True
    explained: bool = False
    verbose: bool = False
    diff: str | None = None
    listing: str | None = None
    as_file: bool = False
    colored: bool = False
    terminal: bool = False

    @property
    def holds_all(self) -> bool:
        """Whether a drawing may hold several tables."""
        return self.for_people or self.nested


class Answer:
    """The base of all results: what a result says of itself, to the command line and to Python.

    VIEW: the function that draws the whole answer for people, as `module:name`, which is imported when it is used;
        empty: they see its tables. It is given the result and a Look, and returns bytes.
    """

    __slots__ = ()

    VIEW: ClassVar[str] = ""

    SUMMARY_LAST: ClassVar[bool] = False
    """Whether the summary comes after everything else, because it ends with what to do next."""

    LISTINGS: ClassVar[tuple[str, ...]] = ()
    """What `to_arrow`, `to_pandas` and `write` can list instead of the answer itself."""

    COMMAND: ClassVar[str] = ""
    """The command that asks for it, which says in which formats it can be written."""

    def to_arrow(self, listing: str | None = None) -> Any:
        """The answer as a pyarrow.Table, with the columns of its JSON Lines: string, double and int64.

        Cells without a value are null, and similarities are not rounded. Of several tables, it is the first. Names that
        are not UTF-8 are in a further column, in base64. listing: what is listed instead, as with `list`; see LISTINGS.

        MissingExtraError: pyarrow is not installed. UsageError: the answer has no such list.
        """
        self._refuse_unknown(listing)
        from simdocs.model.arrow_tables import table_of

        return table_of(self, listing)

    def to_pandas(self, listing: str | None = None) -> Any:
        """The answer as a pandas.DataFrame: see `to_arrow`. MissingExtraError: pyarrow or pandas is not installed."""
        from simdocs.extras import needs

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

        listing: what is listed instead, as with `list`; see LISTINGS.
        format: the format, whatever the suffix.
        header: begin TSV with the names of the columns.

        UsageError: the answer has no such list, or cannot be written in this format; or a document would be replaced
        that was read for it. OutputError: the file cannot be
        written. MissingExtraError: the format needs a library that is not installed.
        """
        self._refuse_unknown(listing)
        from simdocs.options.answers import Written

        given: dict[str, Any] = {"output": path, "format": format, "header": header}
        drawn = Written(asked=self.COMMAND, list=listing, **given)
        if drawn.path is None:
            raise UsageError("the path must be a file, not -: use /dev/stdout for standard output")
        self._refuse_to_replace(drawn.path)
        loaded("simdocs.views.output:write")(self, drawn)

    def for_python(self) -> Any:
        """What a Python caller gets: the result itself, or what it stands for."""
        return self

    def _refuse_to_replace(self, path: str) -> None:
        """Raise UsageError if this is the path of a file that was read for the answer."""

    def _refuse_unknown(self, listing: str | None) -> None:
        if listing is not None and listing not in self.LISTINGS:
            offered = f"one of {', '.join(self.LISTINGS)}" if self.LISTINGS else "None"
            raise UsageError(f"listing must be {offered}, not {listing!r}")

    def view(self, look: Look) -> str:
        """The function that draws the whole answer, as `module:name`; empty: its tables are drawn in the format."""
        return self.VIEW if look.for_people else ""

    def blocks(self, look: Look) -> Iterator[Block]:  # noqa: ARG002
        """Yield the tables of the answer."""
        yield from ()

    def summary(self, seconds: float | None = None) -> dict[str, Any]:  # noqa: ARG002
        """The summary as values that JSON has. seconds: how long the answer took; None: that is not known."""
        return {}

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Yield the lines of the summary. verbose: with every figure."""
        yield from ()

    @property
    def is_found(self) -> bool:
        """Whether what was looked for is there, which an exit status can say."""
        return False

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the answer, which are always printed."""
        return ()

    @property
    def warned_of(self) -> tuple[str, ...]:
        """Warnings, which are printed at a terminal."""
        return ()

    @property
    def errors(self) -> tuple[SimdocsError, ...]:
        """The errors that were found in what was examined."""
        return ()


RowOf_co = TypeVar("RowOf_co", covariant=True)


class Tabular(Answer, Generic[RowOf_co]):
    """The base of results that are a list of rows: they have a length, and yield their rows."""

    __slots__ = ()

    if TYPE_CHECKING:

        def rows(self) -> Iterator[RowOf_co]:
            """Yield the rows."""

    def __iter__(self) -> Iterator[RowOf_co]:
        return self.rows()

    def __len__(self) -> int:
        return sum(1 for _ in self.rows())


Take = Callable[[Block], None]
"""Takes the blocks of an answer as they come."""

Conclude: TypeAlias = "Callable[[BuildResult], None]"
"""Called with the complete result before it is published. If it raises an exception, nothing is published."""


class Delivery(NamedTuple):
    """How an answer is handed over.

    take: is given the answer in blocks, in their final order, the first of which may be empty. The result then has the
        counts alone where an answer may be larger than memory.
    outputs: files that are written, which must not be among the documents.
    conclude: is called with the result of a build before it is published.
    look: how the answer is drawn. Parts that are not drawn are not computed.
    is_wanted: whether anybody sees the answer itself, and not only what is written beside it.
    publishing: publishes what is written beside the answer, when it is left without an exception. None: nothing is.
    """

    take: Take | None = None
    outputs: Sequence[str | None] = ()
    conclude: Conclude = lambda _: None
    look: Look = Look()
    is_wanted: bool = True
    publishing: ExitStack | None = None

    def taker(self, head: TableHead, rows: list[Row]) -> Callable[[Row], None]:
        """What takes one row of a table after the other: `take`, which is given the head now, or the list of rows."""
        take = self.take
        if take is None:
            return rows.append
        take(Block(head, []))
        return lambda row: take(Block(head, [row]))


AS_A_WHOLE = Delivery()
"""The result has the whole answer."""
