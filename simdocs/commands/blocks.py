"""Answers in blocks: row numbers become names, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from simdocs.commands.printed_names import Named, PrintedNames
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.engines.run import Run
from simdocs.matching.comparison.pair_differences import PairDifferences, Readable
from simdocs.model.answer_blocks import DifferenceBlock, LineBlock, NameBlock, PairBlock
from simdocs.model.byte_strings import joined
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, Index, Ragged
from simdocs.recipes import Shingling

_AT_ONCE = 1 << 13
"""Rows of an answer in one block."""


class Lined(Named, Protocol):
    """Documents by row, with their names and lines."""

    def lines(self, rows: Array, shingling: Shingling, reader: LineReader) -> list[bytes]:
        """The lines of JSONL files that they are. InputError: a line has changed."""


def pair_differences(diff: str | None, shingling: Shingling, run: Run) -> PairDifferences | None:
    """What finds the differences of pairs, by `words` or `lines`; None if nobody asks for them."""
    return None if diff is None else PairDifferences(diff, shingling, run.engine.state.get(LineReader))


class Shown(Named, Readable, Protocol):
    """Documents by row, with their names and texts."""


def shown_pairs(
    documents: Shown, pairs: Pairs, printed: PrintedNames, differences: PairDifferences | None = None
) -> Iterator[PairBlock | DifferenceBlock]:
    """Yield pairs with the names of their documents, if both can be printed, and with their differences."""
    if differences is None:
        yield from pair_blocks(documents, pairs, printed)
        return
    for at, (left, right) in enumerate(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)):
        for block in pair_blocks(documents, pairs.take(np.array([at])), printed):
            if block.left:
                yield DifferenceBlock(block, [differences.of(documents, left, right)])


def pair_blocks(documents: Named, pairs: Pairs, printed: PrintedNames) -> Iterator[PairBlock]:
    """Yield pairs with the names of their documents, if both can be printed."""
    for at in range(0, len(pairs), _AT_ONCE):
        some = pairs.take(np.arange(at, min(at + _AT_ONCE, len(pairs))))
        left, left_fit = printed.of(documents, some.left, kept=True)
        right, right_fit = printed.of(documents, some.right)
        fit = np.flatnonzero(left_fit & right_fit)
        if len(fit) < len(some):
            left, right = [left[place] for place in fit], [right[place] for place in fit]
        some = some.take(fit)
        yield PairBlock(left, right, some.jaccard, some.estimate, some.more)


def name_blocks(documents: Named, rows: Index, printed: PrintedNames) -> Iterator[NameBlock]:
    """Yield the names of these rows, if they can be printed."""
    for at in range(0, len(rows), _AT_ONCE):
        names, fit = printed.of(documents, rows[at : at + _AT_ONCE])
        yield NameBlock([name for name, fits in zip(names, fit.tolist(), strict=True) if fits])


def line_blocks(documents: Lined, rows: Index, shingling: Shingling, reader: LineReader) -> Iterator[LineBlock]:
    """Yield the lines of JSONL files that these rows are. InputError: a line has changed."""
    for at in range(0, len(rows), _AT_ONCE):
        yield LineBlock(documents.lines(rows[at : at + _AT_ONCE], shingling, reader))


def names_of_pairs(documents: Named, pairs: Pairs) -> tuple[Ragged, Ragged]:
    """The recorded names of both documents of each pair: two Ragged uint8."""
    return joined(documents.names(pairs.left)), joined(documents.names(pairs.right))
