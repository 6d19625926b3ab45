"""A comparison as one page of HTML: how similar the texts are, and both side by side with the words that differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from simdocs.model.comparison import CommonPassages, Comparison, verdict_of
from simdocs.model.figures import counted
from simdocs.model.result import Look, Result, Table, plain, tables_of
from simdocs.names import display_name, text_to_name
from simdocs.views.drawn_difference import ends_of
from simdocs.views.output_formats import harmless
from simdocs.views.report_page import rendered
from simdocs.views.side_by_side import DifferenceRow, difference_rows

_LINKS = 200
"""Places that differ to which the page links."""


class ComparedRow(NamedTuple):
    """A row of both texts, and the number of the place where they differ; 0 if they do not."""

    texts: DifferenceRow
    place: int


class ShownPassage(NamedTuple):
    """A passage that both texts have: its length, its places, and the passage in the first text.

    parts: the beginning and the end of a long passage; otherwise the whole of it.
    """

    length: str
    a: str
    b: str
    before: str
    parts: tuple[str, ...]
    after: str


def compared_page(result: Result) -> bytes:
    """The page of a comparison, or of the similarities of more than two texts. MissingExtraError: Jinja2 is missing."""
    in_common = result if isinstance(result, CommonPassages) else None
    result = result if in_common is None or in_common.comparison is None else in_common.comparison
    compared = result if isinstance(result, Comparison) else None
    found = None if compared is None else compared.difference
    rows = [] if found is None else list(_numbered(difference_rows(found)))
    places = max((row.place for row in rows), default=0)
    names = [] if compared is None else [display_name(text_to_name(str(name))) for name in compared.names]
    told = found.likeness if found is not None else ""
    return rendered(
        "compared.html",
        title=f"Compared: {' and '.join(names)}" if names else "Similarities",
        verdict=[] if compared is None or found is None else verdict_of(compared).split("\n"),
        notes=[*result.notes, *(() if in_common is None else in_common.notes)],
        names=names,
        told=f"{told[:1].upper()}{told[1:]}." if told else f"{counted(places, 'place')} in which the texts differ:",
        rows=rows,
        places=min(places, _LINKS),
        beyond=max(0, places - _LINKS),
        passages=None if in_common is None else list(_passages(in_common)),
        tables=[_table(table) for table in tables_of(result, Look(for_people=True, explained=True))],
    )


def _passages(found: CommonPassages) -> Iterator[ShownPassage]:
    rows: list[tuple[Any, ...]] = [row for table in tables_of(found, Look(for_people=True)) for row in table]
    for row in rows:
        length, before, passage, after = row[-1]
        a, b = (f"line {line:,}, characters {begin:,} to {end:,}" for begin, end, line in (row[1:4], row[5:8]))
        before, *parts, after = map(_harmless, (before, *ends_of(passage), after))
        yield ShownPassage(length, a, b, before, tuple(parts), after)


def _harmless(text: str) -> str:
    return harmless(text.encode("utf-8", "surrogateescape"), json=False).decode()


def _numbered(rows: Iterator[DifferenceRow]) -> Iterator[ComparedRow]:
    place = 0
    for row in rows:
        differs = len(row.left) > 1 or len(row.right) > 1
        place += differs
        yield ComparedRow(row, place * differs)


def _table(table: Table) -> tuple[list[str], list[list[str]]]:
    """The names of the columns, and the rows as text."""
    heads = [name for name, _ in table.head.columns]
    return heads, [[display_name(plain(cell)) if plain(cell) else "" for cell in row] for row in table]
