"""Answers in names: rows of numbers become rows of names at the rim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.matching.corpus import Documented
from simdocs.model.answers import LINE, NAME, SIMILARITY, Answer, Column, Row
from simdocs.model.groups import Components, Pairs
from simdocs.model.names import shown
from simdocs.model.ragged import Index
from simdocs.parameters import Shingling

_AT_ONCE = 1 << 13


def pairs_answer(documents: Documented, names: tuple[str, str], blocks: Iterable[Pairs], *, grouped: bool) -> Answer:
    """Pairs as rows of two names, their exact similarity (None: not computed) and its estimate."""
    return Answer(pair_columns(names), (rows for block in blocks for rows in rows_of(documents, block)), grouped)


def pair_columns(names: tuple[str, str]) -> tuple[Column, ...]:
    """The columns of pairs, whose first two have these names."""
    kinds = ((names[0], NAME), (names[1], NAME), ("jaccard", SIMILARITY), ("estimate", SIMILARITY))
    return tuple(Column(name, kind) for name, kind in kinds)


def rows_of(documents: Documented, pairs: Pairs) -> Iterator[list[Row]]:
    """Pairs as rows of two names and two figures, some at a time."""
    for at in range(0, len(pairs), _AT_ONCE):
        cut = slice(at, at + _AT_ONCE)
        names = (documents.names(pairs.left[cut]), documents.names(pairs.right[cut]))
        figures = (pairs.jaccard[cut].tolist(), pairs.estimate[cut].tolist())
        yield [
            (left, right, None if math.isnan(jaccard) else jaccard, estimate)
            for left, right, jaccard, estimate in zip(*names, *figures, strict=True)
        ]


def names_answer(documents: Documented, rows: Index) -> Answer:
    """The names of these rows alone."""
    blocks = (rows[at : at + _AT_ONCE] for at in range(0, len(rows), _AT_ONCE))
    return Answer((Column("name", NAME),), ([(name,) for name in documents.names(block)] for block in blocks))


def lines_answer(documents: Documented, rows: Index, how: Shingling, reader: LineReader) -> Answer:
    """The lines themselves of these rows. InputError, as it is drawn: one is not what it was."""
    blocks = (rows[at : at + _AT_ONCE] for at in range(0, len(rows), _AT_ONCE))
    return Answer(
        (Column("line", LINE),), ([(line,) for line in documents.lines(block, how, reader)] for block in blocks)
    )


def component_facts(documents: Documented, components: Components) -> Iterator[dict[str, Any]]:
    """What is to be said of each component, the loosest first."""
    order = sorted(range(len(components.kept)), key=lambda at: (components.pairwise[at], components.kept[at]))
    for at in order:
        yield {
            "kept": shown(documents.names(components.kept[at : at + 1])[0]),
            "documents": int(components.size[at]),
            "smallest_to_kept": _rounded(components.to_kept[at]),
            "smallest_of_two": _rounded(components.pairwise[at]),
            "all_compared": bool(components.complete[at]),
        }


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 6)
