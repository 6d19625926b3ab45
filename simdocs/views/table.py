"""A table for people, drawn by rich."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simdocs.model.answers import NAME, SIMILARITY, Answer, Cell, Column
from simdocs.model.names import shown

if TYPE_CHECKING:
    from rich.table import Table


def table(answer: Answer, *, colored: bool) -> Iterator[bytes]:
    """The whole answer as one table; nothing when it has no rows.

    In a grouped answer the first name stands once, above those it goes with, and all names have the full width.
    """
    from shutil import get_terminal_size

    from rich import box
    from rich.console import Console
    from rich.table import Table

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    if answer.grouped:
        _grouped(answer, drawn)
    else:
        _flat(answer, drawn)
    if not drawn.row_count:
        return
    out = io.StringIO()
    width = get_terminal_size().columns
    console = Console(
        file=out, width=width, force_terminal=colored, color_system="standard" if colored else None, highlight=False
    )
    console.print(drawn)
    yield "".join(line.rstrip() + "\n" for line in out.getvalue().split("\n") if line.strip()).encode(
        "utf-8", "backslashreplace"
    )


def _grouped(answer: Answer, drawn: Table) -> None:
    from rich.text import Text

    head, member, *others = answer.columns
    for column in others:
        drawn.add_column(column.name, justify="right", no_wrap=True)
    drawn.add_column(f"{head.name}, {member.name}", overflow="fold")
    last: Cell = None
    for block in answer.blocks:
        for row in block:
            if row[0] != last:
                last = row[0]
                drawn.add_row(*[""] * len(others), Text(_text(last, head), style="bold"))
            cells = [_text(cell, column) for cell, column in zip(row[2:], others, strict=True)]
            drawn.add_row(*cells, Text("  " + _text(row[1], member)))


def _flat(answer: Answer, drawn: Table) -> None:
    from rich.text import Text

    for column in answer.columns:
        drawn.add_column(column.name, justify="left" if column.kind == NAME else "right", overflow="fold")
    for block in answer.blocks:
        for row in block:
            drawn.add_row(*(Text(_text(cell, column)) for cell, column in zip(row, answer.columns, strict=True)))


def _text(cell: Cell, column: Column) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bytes):
        return shown(cell)
    return f"{cell:.6f}" if column.kind == SIMILARITY else str(cell)
