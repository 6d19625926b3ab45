"""A table for people, drawn by rich."""

from __future__ import annotations

import io
from typing import ClassVar

from simdocs.model.answers import GROUPED, KEYED, NUMBER, SIMILARITY, Cell, Row, TableHead, plain
from simdocs.model.names import display_name
from simdocs.parameters import PARAMETERS
from simdocs.parameters.values import Flag
from simdocs.views.output_formats import Format
from simdocs.views.wrapping import columns_of_output


class Table(Format):
    """The whole answer as one table; nothing when it has no rows.

    In a grouped answer the first name stands once, above those that belong to it, and all names have the full width.
    Counts by name have a comma between thousands.
    """

    is_harmless: ClassVar[bool] = True

    def __init__(self, head: TableHead, *, header: bool = False, colored: bool = False) -> None:  # noqa: ARG002
        from rich import box
        from rich.table import Table as Drawn

        self.head, self.colored = head, colored
        self._drawn = Drawn(box=box.SIMPLE_HEAD, pad_edge=False)
        self._last: Cell = None
        self._widths = [len(column.name) for column in head.columns]
        if head.layout == GROUPED:
            first, member, *others = head.columns
            for column in others:
                self._drawn.add_column(column.name, justify="right", no_wrap=True)
            self._drawn.add_column(f"{first.name}, {member.name}", overflow="fold")
        else:
            for column in head.columns:
                number = column.kind in _NUMERIC
                justify = "right" if number else "left"
                self._drawn.add_column(column.name, justify=justify, overflow="fold", no_wrap=number)  # type: ignore[arg-type]

    def rows(self, rows: list[Row]) -> bytes:
        """Nothing yet."""
        from rich.text import Text

        for row in rows:
            if self.head.layout == GROUPED:
                self._add_to_group(row)
            else:
                texts = [_text(cell) for cell in row]
                if self.head.layout == KEYED and isinstance(row[1], int) and not _is_parameter(row[0]):
                    texts[1] = f"{row[1]:,}"
                self._widths = [max(width, len(text)) for width, text in zip(self._widths, texts, strict=True)]
                self._drawn.add_row(*map(Text, texts))
        return b""

    def _add_to_group(self, row: Row) -> None:
        from rich.text import Text

        if row[0] != self._last:
            self._last = row[0]
            self._drawn.add_row(*[""] * len(row[2:]), Text(_text(row[0]), style="bold"))
        self._drawn.add_row(*map(_text, row[2:]), Text("  " + _text(row[1])))

    def _least_width(self) -> int:
        """The width that the numbers need: a number that is cut in two cannot be read. Names can be folded."""
        if self.head.layout == GROUPED:
            return 0
        each = zip(self.head.columns, self._widths, strict=True)
        return sum(_GAP + (width if column.kind in _NUMERIC else min(width, _LEAST_NAME)) for column, width in each)

    def end(self) -> bytes:
        """The table."""
        from rich.console import Console

        if not self._drawn.row_count:
            return b""
        out = io.StringIO()
        console = Console(
            file=out,
            width=max(columns_of_output(), self._least_width()),
            force_terminal=self.colored,
            color_system="standard" if self.colored else None,
            highlight=False,
        )
        console.print(self._drawn)
        lines = (line.rstrip() + "\n" for line in out.getvalue().split("\n") if line.strip())
        return "".join(lines).encode("utf-8", "backslashreplace")


_NUMERIC = (SIMILARITY, NUMBER)

_GAP = 3
"""Spaces between two columns."""

_LEAST_NAME = 8
"""Names are folded to this width where there are many numbers."""


def _is_parameter(key: Cell) -> bool:
    """Whether this is the name of a parameter, whose value may be copied into a command."""
    declared = PARAMETERS.get(plain(key).decode("utf-8", "replace"))
    return declared is not None and not isinstance(declared.values, Flag)


def _text(cell: Cell) -> str:
    return display_name(plain(cell)) if isinstance(cell, str | bytes) else plain(cell).decode()
