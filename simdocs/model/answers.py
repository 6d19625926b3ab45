"""Answers as tables: their columns, their rows, and how they are handed over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from simdocs.model.build_results import BuildResult
    from simdocs.model.explanation import Link
    from simdocs.model.passages import Difference

NAME, SIMILARITY, NUMBER, VALUE = "name", "similarity", "number", "value"
"""Kinds of column: names or words; similarities and other fractions; integers; anything."""

PLAIN, GROUPED, KEYED, LINES_LAYOUT = "plain", "grouped", "keyed", "lines"
EXPLAINING, DIFFERING = "explaining", "differing"
"""Layouts of tables. By default, a row is drawn for itself.

grouped: the first column repeats over several rows.
keyed: the first column is the name of a count or of a parameter, and the second has its value.
lines: there is one column, of lines of files, which are written as they are.
explaining: each row says why a document is kept or a duplicate.
differing: the last column has the difference of two documents.
"""


class Figure(float):
    """A number that is shown with six significant digits, and not with six digits after its point."""


Listed: TypeAlias = "tuple[int, ...] | tuple[Link, ...]"
"""A list in a cell: of numbers, or of named tuples."""

Cell: TypeAlias = "bytes | str | float | int | Listed | Difference | None"
"""A name or a word as bytes or as text, a number, a list, or a difference. None and NaN: there is no value."""

Row: TypeAlias = "tuple[Cell, ...]"


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


NAMES, LINES = table_head(name=NAME), table_head(LINES_LAYOUT, line=NAME)
FACTS = table_head(KEYED, key=NAME, value=NAME)
PASSAGES = table_head(passage=NAME, a=NAME, b=NAME)


class Block(NamedTuple):
    """Some rows of a table. A block with another head begins another table."""

    head: TableHead
    rows: list[Row]


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
    unchanged: whether a dry run lists unchanged documents, too.
    diff: the unit of the differences of pairs, `words` or `lines`; None: without differences.
    edits: whether two texts are compared by the edit distance, too, which takes the longest.
    """

    take: Take | None = None
    outputs: Sequence[str | None] = ()
    conclude: Conclude = lambda _: None
    unchanged: bool = False
    diff: str | None = None
    edits: bool = True


AS_A_WHOLE = Delivery()
"""The result has the whole answer."""
