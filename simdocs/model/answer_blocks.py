"""Blocks of answers. Answers that may be larger than memory are handed over in them, in their final order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simdocs.model.explanation import ExplainedDocument
from simdocs.model.passages import Difference
from simdocs.model.ragged import Floats


@dataclass(frozen=True, eq=False, repr=False)
class PairBlock:
    """Some pairs of an answer: the names, the exact similarities (NaN: not computed), the estimates, more columns."""

    left: list[bytes]
    right: list[bytes]
    jaccard: Floats
    estimate: Floats
    more: tuple[list[float] | list[str], ...]


@dataclass(frozen=True, eq=False, repr=False)
class DifferenceBlock:
    """Some pairs of an answer, and the difference of each."""

    pairs: PairBlock
    differences: list[Difference]


@dataclass(frozen=True, eq=False, repr=False)
class ExplainedBlock:
    """Some documents of an answer, and why each is kept, or a duplicate. of_components: of connected components."""

    documents: list[ExplainedDocument]
    of_components: bool


@dataclass(frozen=True, eq=False, repr=False)
class NameBlock:
    """Some names of an answer."""

    names: list[bytes]


@dataclass(frozen=True, eq=False, repr=False)
class LineBlock:
    """Some lines of an answer, without their ends."""

    lines: list[bytes]


@dataclass(frozen=True, eq=False, repr=False)
class TokenBlock:
    """Some shingles of a text, in text order, with their tokens."""

    shingles: list[bytes]
    tokens: list[int]


@dataclass(frozen=True, eq=False, repr=False)
class FactBlock:
    """Some keys of an answer with their values. An empty value or None is not defined."""

    keys: list[str]
    values: Sequence[str | float | None]


@dataclass(frozen=True, eq=False, repr=False)
class ChangeBlock:
    """Some documents of an answer, with the status of each."""

    statuses: list[str]
    names: list[bytes]


@dataclass(frozen=True, eq=False, repr=False)
class FigureBlock:
    """Some rows of numbers, words and names; NaN: unknown."""

    rows: list[tuple[float | int | str | bytes, ...]]


Block = (
    PairBlock
    | DifferenceBlock
    | ExplainedBlock
    | NameBlock
    | LineBlock
    | TokenBlock
    | FactBlock
    | ChangeBlock
    | FigureBlock
)

Take = Callable[[Block], None]
"""Takes the blocks of an answer as they come."""
