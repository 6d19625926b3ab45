"""A comparison as one page of HTML: how similar the texts are, and both side by side with the words that differ."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from simdocs.model.comparison import Comparison
from simdocs.model.figures import counted
from simdocs.model.result import Look, Result, Table, plain, tables_of
from simdocs.names import display_name, text_to_name
from simdocs.views.drawn_difference import difference_rows, ends_of, harmless_text
from simdocs.views.report_page import rendered

_LINKS = 200
"""Places that differ to which the page links."""


def compared_page(result: Result) -> bytes:
    """The page of a comparison, or of the similarities of more than two texts. MissingExtraError: Jinja2 is missing."""
    compared = result if isinstance(result, Comparison) else None
    found, in_common = (None, None) if compared is None else (compared.difference, compared.in_common)
    rows = [] if found is None else list(difference_rows(found))
    differ = [len(row.left) > 1 or len(row.right) > 1 for row in rows]
    places = sum(differ)
    names = [] if compared is None else [display_name(text_to_name(str(name))) for name in compared.names]
    told = found.likeness if found is not None else ""
    return rendered(
        "compared.html",
        title=f"Compared: {' and '.join(names)}" if names else "Similarities",
        verdict=[] if compared is None else compared.verdict,
        notes=result.notes,
        names=names,
        told=f"{told[:1].upper()}{told[1:]}." if told else f"{counted(places, 'place')} in which the texts differ:",
        # Each place that differs has a number.
        rows=[(row, number * here) for row, number, here in zip(rows, accumulate(differ), differ, strict=True)],
        places=min(places, _LINKS),
        beyond=max(0, places - _LINKS),
        passages=None if in_common is None else list(_passages(in_common)),
        tables=[_table(table) for table in tables_of(result, Look(for_people=True, explained=True))],
    )


def _passages(found: Result) -> Iterator[dict[str, Any]]:
    """Yield passages that both texts have: how long, where, and as in the first text, without the middle if long."""
    rows: list[tuple[Any, ...]] = [row for table in tables_of(found, Look(for_people=True)) for row in table]
    for row in rows:
        length, before, passage, after = row[-1]
        a, b = (f"line {line:,}, characters {begin:,} to {end:,}" for begin, end, line in (row[1:4], row[5:8]))
        before, *parts, after = map(harmless_text, (before, *ends_of(passage), after))
        yield {"length": length, "a": a, "b": b, "before": before, "parts": parts, "after": after}


def _table(table: Table) -> tuple[list[str], list[list[str]]]:
    """The names of the columns, and the rows as text."""
    heads = [name for name, _ in table.head.columns]
    return heads, [[display_name(plain(cell)) if plain(cell) else "" for cell in row] for row in table]
