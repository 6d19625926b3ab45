"""A comparison as one page of HTML: how similar the texts are, and both side by side with the words that differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from simdocs.model.answers import Answer, Block, Look, plain
from simdocs.model.common_passages import CommonPassages
from simdocs.model.comparison import Comparison
from simdocs.model.figures import counted
from simdocs.names import display_name, text_to_name
from simdocs.views.compared_texts import verdict
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


def compared_page(result: Answer) -> bytes:
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
        verdict=[] if compared is None or found is None else verdict(compared).split("\n"),
        notes=[*result.notes, *(() if in_common is None else in_common.notes)],
        names=names,
        told=f"{told[:1].upper()}{told[1:]}." if told else f"{counted(places, 'place')} in which the texts differ:",
        rows=rows,
        places=min(places, _LINKS),
        beyond=max(0, places - _LINKS),
        passages=None if in_common is None else list(_passages(in_common)),
        tables=[_table(block) for block in result.blocks(Look(for_people=True, explained=True))],
    )


def _passages(found: CommonPassages) -> Iterator[ShownPassage]:
    for each in found.passages:
        length, before, passage, after = each.excerpt(found.texts[0], found.unit)
        a, b = (
            f"line {line:,}, characters {begin:,} to {end:,}"
            for begin, end, line in (
                (each.a_begin, each.a_end, each.a_line),
                (each.b_begin, each.b_end, each.b_line),
            )
        )
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


def _table(block: Block) -> tuple[list[str], list[list[str]]]:
    """The names of the columns, and the rows as text."""
    heads = [column.name for column in block.head.columns]
    return heads, [[display_name(plain(cell)) if plain(cell) else "" for cell in row] for row in block.rows]
