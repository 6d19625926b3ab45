"""Pairs with the differences of their documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from simdocs.model.answers import Look, Row, TableHead
from simdocs.model.names import name_to_text
from simdocs.views.drawn_difference import drawn_as
from simdocs.views.output_formats import Format, Tsv, harmless

if TYPE_CHECKING:
    from simdocs.model.passages import Difference


class MarkedPairs(Format):
    """Draws each row as TSV, and below it the difference that is its last cell, and an empty line."""

    is_harmless: ClassVar[bool] = True

    def __init__(self, head: TableHead, look: Look, *, header: bool) -> None:
        self._lines = Tsv(TableHead(head.columns[:-1]), header=header)
        self._diff, self._colored, self._terminal = look.diff, look.colored, look.terminal

    def begin(self) -> bytes:
        """The header, if it was asked for."""
        return self._lines.begin()

    def rows(self, rows: list[Row]) -> bytes:
        """Some pairs with their differences."""
        return b"".join(self._pair(row) for row in rows)

    def _pair(self, row: Row) -> bytes:
        *cells, difference = row
        line = self._lines.row(tuple(cells))
        if self._terminal:
            line = harmless(line, json=False)
        if self._colored:
            line = b"\x1b[1m" + line.removesuffix(b"\n") + b"\x1b[0m\n"
        return line + self._difference(cast("Difference", difference), row) + b"\n"

    def _difference(self, difference: Difference, row: Row) -> bytes:
        if difference.missing:
            return f"[no difference: {difference.missing}]\n".encode("utf-8", "surrogateescape")
        said = f"[{difference.coarser}]\n".encode() if difference.coarser else b""
        names = [name_to_text(name) for name in row[:2] if isinstance(name, bytes)]
        how = {"whole": False, "colored": self._colored, "terminal": self._terminal, "brief": True}
        return said + drawn_as(self._diff, difference, names, **how)
