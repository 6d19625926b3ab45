"""Answers as tables: columns, and rows of cells."""

from __future__ import annotations

from dataclasses import dataclass

from simdocs.model.explanation import Link
from simdocs.model.passages import Difference

NAME, SIMILARITY, NUMBER, LINE, VALUE = "name", "similarity", "number", "line", "value"
"""Kinds of column: raw bytes; a float, or None; an integer; a line of a file as it is, bytes; any other."""


class Figure(float):
    """A number that is shown with six significant digits, and not with six digits after its point."""


Cell = bytes | float | int | Difference | tuple[int, ...] | tuple[Link, ...] | None
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column's name and kind."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class TableHead:
    """The columns of an answer. grouped: the first column repeats over several rows.

    keyed: the first column is the name of a count or of a parameter, and the second has its value.
    """

    columns: tuple[TableColumn, ...]
    grouped: bool = False
    keyed: bool = False
