"""Explained groups for people: a sentence about each document, and duplicates below the document that is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, cast

from simdocs.model import explanation as why
from simdocs.model.answers import Look, Row, TableHead, shown_number
from simdocs.model.groups import MOST_LINKS
from simdocs.model.names import display_name, name_to_text, text_to_name
from simdocs.views.drawn_difference import drawn_as
from simdocs.views.output_formats import Format, Tsv, harmless

if TYPE_CHECKING:
    from simdocs.model.passages import Difference

_WHY_KEPT = {
    why.UNMATCHED: "no other kept document is similar to it",
    why.CAPPED: "not compared with all kept documents, because too many share a bucket with it",
    why.INDEXED: "it is in the index",
    why.UNVERIFIED: "not compared, because its file is gone or has changed",
    why.EMPTY: "it has no shingles",
    why.IGNORED: "all its tokens are left out",
}

_SHOWN = 3
"""Links of a chain that are shown at most."""

_PAIR = 2
"""Documents of a group whose one similarity stands beside its duplicate."""


class ExplainedGroups(Format):
    """Draws each row as a sentence, and below it what it was compared with or how it is linked."""

    is_harmless: ClassVar[bool] = True

    def __init__(self, head: TableHead, *, colored: bool = False) -> None:
        self._names, self._colored = [column.name for column in head.columns], colored

    def rows(self, rows: list[Row]) -> bytes:
        """Some sentences."""
        return "".join(self._told(dict(zip(self._names, row, strict=True))) for row in rows).encode()

    def _told(self, cells: Mapping[str, Any]) -> str:
        name = _shown(cells["document"])
        if cells["document"] != cells["kept"]:
            return f"  {name}: duplicate: {_why_duplicate(cells)}\n"
        told = _WHY_KEPT.get(cells["reason"], f"chosen among {cells['documents']:,} documents")
        shown = f"\x1b[1m{name}\x1b[0m" if self._colored else name
        return f"{shown}: kept: {told}{_looseness(cells)}\n{_nearest(cells)}"


def _looseness(cells: Mapping[str, Any]) -> str:
    """A phrase about the smallest similarity in a group; empty for a group of two, whose similarity is shown below."""
    if cells["documents"] <= _PAIR:
        return ""
    told = f"; smallest similarity to it {shown_number(cells['smallest_to_kept'])}"
    if (two := cells.get("smallest_of_two")) is not None:
        compared = "" if cells["all_compared"] == "yes" else " or less (not all were compared)"
        told += f", of any two {shown_number(two)}{compared}"
    return told


def _nearest(cells: Mapping[str, Any]) -> str:
    """A line about the kept document that is nearest to one that is kept, too; empty if none is known."""
    near = cells["compared_with"]
    return "" if near is None else f"    nearest is {_shown(near)}: {_figure(cells)}{_agreement(cells)}\n"


def _figure(cells: Mapping[str, Any]) -> str:
    exact = cells["jaccard"]
    return f"estimate {shown_number(cells['estimate'])}" if exact is None else f"similarity {shown_number(exact)}"


def _agreement(cells: Mapping[str, Any]) -> str:
    """A phrase about the number of bands in which two documents agree; empty if there are no bands."""
    return "" if cells["bands"] is None else f", {len(cells['bands_met'])} of {cells['bands']} bands agree"


def _why_duplicate(cells: Mapping[str, Any]) -> str:
    links, figure = cells.get("links") or (), _figure(cells)
    told = {why.IDENTICAL: "identical text", why.LINKED: f"{figure}, below the threshold"}.get(cells["reason"], figure)
    chain = _chain(cells["kept"], links) if len(links) > 1 else ()
    return "\n    linked by ".join((f"{told}{_agreement(cells)}", *chain))


def _shown(name: str) -> str:
    return display_name(text_to_name(name))


def _chain(kept: str, links: tuple[why.Link, ...]) -> Sequence[str]:
    """The pairs of a chain, or the last pair of a long one."""
    documents = [kept, *(link.document for link in links)]
    figures = [shown_number(link.estimate if link.jaccard is None else link.jaccard) for link in links]
    pairs = zip(pairwise(map(_shown, documents)), figures, strict=True)
    told = [f"{one} and {other}: {figure}" for (one, other), figure in pairs]
    if len(told) <= _SHOWN:
        return told
    count = f"{len(told)} similar pairs{' or more' if len(told) == MOST_LINKS else ''}"
    return [f"{count}, the last of which is {told[-1]}"]


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
