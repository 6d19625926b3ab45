"""The layout of help: lines end between words at any width, and a narrow terminal has the meanings below the names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import click

from simdocs.views.wrapping import COMMAND, END, columns_of_output, unmarked, width_of, wrapped

_MARGIN = 2
"""Columns that stay free on the right, as in Click's own layout."""

_LEAST = 16
"""Columns that help takes in any case."""

_TWO_COLUMNS = 50
"""Columns from which on there is room for names and meanings beside each other."""


class HelpFormatter(click.HelpFormatter):
    """Lays out help like Click, but breaks no word, and fits terminals of fewer than 50 columns."""

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        super().__init__(indent_increment, width, max_width)
        if width is None:
            self.width = max(min(columns_of_output(), max_width or self.width) - _MARGIN, _LEAST)

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the line that shows how to call a command."""
        begun = f"{prefix or 'Usage: '}{prog} "
        beside = width_of(begun) + 20 <= self.width
        self.write(f"{wrapped(f'{begun}{args}'.rstrip(), self.width, '', ' ' * (width_of(begun) if beside else 4))}\n")

    def write_heading(self, heading: str) -> None:
        """Write the heading of a section."""
        self.write(f"{wrapped(f'{heading}:', self.width, ' ' * self.current_indent)}\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs, which blank lines separate."""
        paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text.strip()))
        indent = " " * self.current_indent
        self.write("\n\n".join(wrapped(paragraph, self.width, indent) for paragraph in paragraphs) + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write names with their meanings."""
        rows = list(rows)
        indent = " " * self.current_indent
        column = min(max((width_of(name) for name, _ in rows), default=0), col_max) + col_spacing
        beside = self.width >= _TWO_COLUMNS
        meanings = indent + " " * (column if beside else 4)
        for name, meaning in rows:
            if beside and meaning and width_of(name) <= column - col_spacing:
                padded = indent + name + " " * (column - width_of(name))
                lines = wrapped(meaning, self.width, meanings)
                self.write(padded + lines[len(meanings) :] + "\n")
                continue
            self.write(f"{name_wrapped(name.rstrip(), self.width, indent)}\n")
            if meaning:
                self.write(f"{wrapped(meaning, self.width, meanings)}\n")

    def write_examples(self, examples: Sequence[str] | dict[str, str]) -> None:
        """Write command lines, each on a line of its own if it fits; and what they answer, if that is given."""
        meanings = examples if isinstance(examples, dict) else dict.fromkeys(examples, "")
        width, indent = max(map(len, meanings)), " " * self.current_indent
        for command, meaning in meanings.items():
            line = f"{indent}{command:{width}}  {meaning}".rstrip()
            if width_of(line) <= self.width + _MARGIN:
                self.write(f"{line}\n")
                continue
            self.write(f"{unmarked(wrapped(f'{COMMAND}{command}{END}', self.width, indent, f'{indent}    '))}\n")
            if meaning:
                self.write(f"{wrapped(meaning, self.width, f'{indent}    ')}\n")


def name_wrapped(name: str, columns: int, indent: str) -> str:
    """The name of an option with its value, in lines of at most this width."""
    begun = indent + " " * (len(name) - len(name.lstrip()))
    return wrapped(name.lstrip(), columns, begun, f"{begun}    ")


class HelpContext(click.Context):
    """A context whose help has this layout."""

    formatter_class = HelpFormatter
