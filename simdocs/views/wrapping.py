"""Lines for a terminal, which end between words. A long word stays whole, because it may be a path to copy."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator

_ESCAPE = "\x1b"

_PARTS = re.compile(r"\x1b\[[0-9;]*m|\n|[^\S\n]+|[^\s\x1b]+")
"""Colours, ends of lines, spaces, and words."""


def columns_of_terminal() -> int:
    """How wide the terminal is that standard error shows on. Standard output may be a file, so it is asked later."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, AttributeError):
        columns = 0
    return columns or columns_of_output()


def columns_of_output() -> int:
    """The width of the terminal that shows standard output; 80 if there is none."""
    from shutil import get_terminal_size  # takes milliseconds, and not every start needs it

    return get_terminal_size().columns


def flowed(pieces: Iterable[str], columns: int) -> Iterator[str]:
    """Yield the same text in lines of at most this width, as far as its words allow.

    It comes in pieces, and a word may be made of several of them. Colours take no columns.
    """
    column = width = 0
    gap, word = "", list[str]()
    for piece in pieces:
        for part in _PARTS.findall(piece):
            if not part.isspace():
                word.append(part)
                width += 0 if part.startswith(_ESCAPE) else width_of(part)
                continue
            if word:
                drawn, column = _after(gap, word, width, column, columns)
                yield drawn
                gap, word, width = "", [], 0
            if part == "\n":
                yield part if _column_after(gap, column) > columns else gap + part
                gap, column = "", 0
            else:
                gap += part
    yield _after(gap, word, width, column, columns)[0] if word else gap


def _after(gap: str, word: list[str], width: int, column: int, columns: int) -> tuple[str, int]:
    """A word after its gap, or on a new line if it has no room on this one; and the column where it ends."""
    begin = _column_after(gap, column)
    if column and begin + width > columns:
        return "".join(("\n", *word)), width
    return "".join((gap, *word)), begin + width


def _column_after(gap: str, column: int) -> int:
    return column + width_of((" " * column + gap).expandtabs()[column:])


def width_of(text: str) -> int:
    """The number of columns that a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(mark) else 1 + (east_asian_width(mark) in "WF") for mark in text)
