"""Lines for a terminal, which end between words. A long word stays whole, because it may be a path to copy."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

COMMAND, END = "\x0e", "\x0f"
"""Marks in a message around a command that can be pasted into a shell. Names in messages have no control characters."""

_SHELL_WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+|\S+""")

_PYTHON = "'import "
"""How Python code begins in a command. After what is imported, a line may end at any space, if the next is not
indented."""

_ESCAPE = "\x1b"

_PARTS = re.compile(r"\x1b\[[0-9;]*m|\n|[^\S\n]+|[^\s\x1b]+")
"""Colours, ends of lines, spaces, and words."""

_CONTINUED = " \\"
"""The end of a line whose command goes on."""


class _Word(NamedTuple):
    """A word; the end of the line before it if it begins a new line; and the number of spaces before it otherwise."""

    text: str
    ending: str = ""
    gap: int = 1


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


def unmarked(text: str) -> str:
    """The text without the marks of commands."""
    return text.replace(COMMAND, "").replace(END, "")


def wrapped(text: str, columns: int, indent: str = "", later: str | None = None) -> str:
    """The text in lines of at most this width, as far as its words allow. A command that goes on ends with `\\`.

    indent: before the first line, and before the others, too, if `later` does not say otherwise.
    """
    lines, line, later = list[str](), indent, indent if later is None else later
    words, empty = list(_words(text, columns // 2)), True
    for at, word in enumerate(words):
        joined = line + " " * (0 if empty else word.gap) + word.text
        goes_on = words[at + 1].ending if at + 1 < len(words) else ""
        if empty or not word.gap or width_of(joined + goes_on) <= columns:
            line = joined
        else:
            lines.append(line + word.ending)
            line = later + word.text
        empty = False
    return "\n".join([*lines, line])


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


def _words(text: str, short: int) -> Iterator[_Word]:
    """Yield the words of a text and of the commands in it.

    A number stays with the word after it, such as its unit, and a command of at most `short` characters is one word.
    """
    gap = 1
    for part in re.split(f"({COMMAND}[^{END}]*{END})", text):
        if not part.startswith(COMMAND):
            for spaces, word in re.findall(r"( *)((?:\d[\d.,]* )?[^ ]*)", part):
                gap += len(spaces)
                if word:
                    yield _Word(word, gap=gap)
                    gap = 0
            continue
        command = unmarked(part)
        for at, word in enumerate([command] if len(command) <= short else _SHELL_WORD.findall(command)):
            pieces = word.split(" ") if word.startswith(_PYTHON) else [word]
            pieces[:2] = [" ".join(pieces[:2])]
            yield _Word(pieces[0], _CONTINUED if at else "", gap=1 if at else gap)
            yield from map(_Word, pieces[1:])
        gap = 0


def width_of(text: str) -> int:
    """The number of columns that a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(mark) else 1 + (east_asian_width(mark) in "WF") for mark in text)
