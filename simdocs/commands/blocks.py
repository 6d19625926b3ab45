"""Answers in blocks: row numbers become names, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, Index, Ragged
from simdocs.model.results import LineBlock, NameBlock, PairBlock
from simdocs.parameters import Shingling

_AT_ONCE = 1 << 13
"""Rows of an answer in one block."""


class Named(Protocol):
    """Documents by row, with their names."""

    def names(self, rows: Array) -> list[bytes]:
        """Their names, as recorded."""

    def printed_names(self, rows: Array) -> list[bytes]:
        """Their names, as paths that work in the working directory."""

    def lines(self, rows: Array, shingling: Shingling, reader: LineReader) -> list[bytes]:
        """The lines of JSONL files that they are. InputError: a line has changed."""


def pair_blocks(documents: Named, pairs: Pairs) -> Iterator[PairBlock]:
    """Yield pairs with the names of their documents."""
    for at in range(0, len(pairs), _AT_ONCE):
        cut = slice(at, at + _AT_ONCE)
        left, right = documents.printed_names(pairs.left[cut]), documents.printed_names(pairs.right[cut])
        yield PairBlock(left, right, pairs.jaccard[cut], pairs.estimate[cut])


def name_blocks(documents: Named, rows: Index) -> Iterator[NameBlock]:
    """Yield the names of these rows."""
    for at in range(0, len(rows), _AT_ONCE):
        yield NameBlock(documents.printed_names(rows[at : at + _AT_ONCE]))


def line_blocks(documents: Named, rows: Index, shingling: Shingling, reader: LineReader) -> Iterator[LineBlock]:
    """Yield the lines of JSONL files that these rows are. InputError: a line has changed."""
    for at in range(0, len(rows), _AT_ONCE):
        yield LineBlock(documents.lines(rows[at : at + _AT_ONCE], shingling, reader))


def names_of_pairs(documents: Named, pairs: Pairs) -> tuple[Ragged, Ragged]:
    """The recorded names of both documents of each pair: two Ragged uint8."""
    return ragged_names(documents.names(pairs.left)), ragged_names(documents.names(pairs.right))


def ragged_names(names: list[bytes]) -> Ragged:
    """Names end to end: Ragged uint8."""
    lengths = np.fromiter(map(len, names), np.int64, len(names))
    return Ragged.from_lengths(np.frombuffer(b"".join(names), np.uint8), lengths)
