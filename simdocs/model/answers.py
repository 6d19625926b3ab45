"""Answers: columns and rows, as every view draws them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

NAME, SIMILARITY, NUMBER, LINE = "name", "similarity", "number", "line"
"""Kinds of column: raw bytes; a float, or None; an integer; a line of JSON as it is, bytes."""

Cell = bytes | float | int | None
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and kind."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows in their final order, in blocks, to be drawn as they come. grouped: the first column repeats."""

    columns: tuple[Column, ...]
    blocks: Iterable[list[Row]]
    grouped: bool = False

    def held(self) -> Answer:
        """The same answer, all of it in memory: whatever its making leads to has happened."""
        return Answer(self.columns, list(self.blocks), self.grouped)
