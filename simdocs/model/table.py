"""Tables: the columns of answers, their rows, and how a table is wanted to be drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from simdocs.names import text_to_name

if TYPE_CHECKING:
    from simdocs.model.common_passages import Excerpt

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
    explained: there is room for the meaning of each row.
    verbose: everything is shown.
    """

    for_people: bool = False
    nested: bool = True
    explained: bool = False
    verbose: bool = False

    @property
    def holds_all(self) -> bool:
        """Whether a drawing may hold several tables."""
        return self.for_people or self.nested
