"""Passages that texts have in common, for people: their places, and the passage among the words around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from simdocs.model.result import Cell, Row, plain
from simdocs.names import display_name
from simdocs.views.drawn_difference import PLAIN, in_context
from simdocs.views.output_formats import Format

if TYPE_CHECKING:
    from simdocs.model.passages import Excerpt


class QuotedPassages(Format):
    """Draws each row as a line with both places, below it the passage that is its last cell, and an empty line."""

    is_harmless: ClassVar[bool] = True

    def __init__(self, *, colored: bool, terminal: bool) -> None:
        self._colored, self._terminal = colored, terminal

    def rows(self, rows: list[Row]) -> bytes:
        """Some passages."""
        return b"".join(map(self._quoted, rows))

    def _quoted(self, row: Row) -> bytes:
        excerpt = cast("Excerpt", row[-1])
        return self._drawn(f"{excerpt.length}: {_place(*row[:4])} = {_place(*row[4:8])}", "", excerpt)

    def _drawn(self, line: str, places: str, excerpt: Excerpt) -> bytes:
        """A line, perhaps in bold, lines with places, the passage, and an empty line."""
        if self._colored:
            line = f"\x1b[1m{line}{PLAIN}"
        quoted = in_context(*excerpt[1:], colored=self._colored, terminal=self._terminal)
        return f"{line}\n{places}".encode() + quoted + b"\n"


class RepeatedTexts(QuotedPassages):
    """Draws each passage: a line with its number, length and counts, its first places, its text, an empty line."""

    def _quoted(self, row: Row) -> bytes:
        number, length, own, documents, count, places, excerpt = cast("tuple[Any, ...]", row)
        new = "" if own is None else f", {own:,} of them its own,"
        at = f", {count:,} places" * (count > documents)
        line = f"{number}: {length}{new} in {documents:,} documents{at}"
        some = "".join(f"  {_place(*each)}\n" for each in places)
        more = f"  and {count - len(places):,} more\n" * (count > len(places))
        return self._drawn(line, some + more, excerpt)


def _place(name: Cell, begin: object, end: object, line: object) -> str:
    """A place as compilers print it, and the characters that it has."""
    return f"{display_name(plain(name))}:{line} ({begin}-{end})"
