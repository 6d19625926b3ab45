"""Answers in names: rows of numbers become rows of names at the rim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from simdocs.model.answers import NAME, SIMILARITY, Answer, Column, Row
from simdocs.model.documents import Documents
from simdocs.model.groups import Components, Pairs
from simdocs.model.names import shown
from simdocs.model.ragged import Index

_AT_ONCE = 1 << 13


def pairs_answer(documents: Documents, names: tuple[str, str], blocks: Iterable[Pairs], *, grouped: bool) -> Answer:
    """Pairs as rows of two names, their exact similarity (None: not computed) and its estimate."""
    kinds = ((names[0], NAME), (names[1], NAME), ("jaccard", SIMILARITY), ("estimate", SIMILARITY))
    columns = tuple(Column(name, kind) for name, kind in kinds)
    return Answer(columns, (rows for block in blocks for rows in _rows(documents, block)), grouped)


def _rows(documents: Documents, pairs: Pairs) -> Iterator[list[Row]]:
    for at in range(0, len(pairs), _AT_ONCE):
        cut = slice(at, at + _AT_ONCE)
        columns = (pairs.left[cut], pairs.right[cut], pairs.jaccard[cut], pairs.estimate[cut])
        yield [
            (documents.name(left), documents.name(right), None if math.isnan(jaccard) else jaccard, estimate)
            for left, right, jaccard, estimate in zip(*(column.tolist() for column in columns), strict=True)
        ]


def names_answer(documents: Documents, rows: Index) -> Answer:
    """The names of these rows alone."""
    return Answer((Column("name", NAME),), ([(documents.name(row),)] for row in rows.tolist()))


def component_facts(documents: Documents, components: Components) -> Iterator[dict[str, Any]]:
    """What is to be said of each component, the loosest first."""
    order = sorted(range(len(components.kept)), key=lambda at: (components.pairwise[at], components.kept[at]))
    for at in order:
        yield {
            "kept": shown(documents.name(int(components.kept[at]))),
            "documents": int(components.size[at]),
            "smallest_to_kept": _rounded(components.to_kept[at]),
            "smallest_of_two": _rounded(components.pairwise[at]),
            "all_compared": bool(components.complete[at]),
        }


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 6)
