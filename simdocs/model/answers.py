"""Answers as tables: columns, and rows of cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simdocs.model.build_results import BuildResult
from simdocs.model.passages import Difference
from simdocs.model.ragged import Floats
from simdocs.model.search_result import ExplainedDocument, Link

NAME, SIMILARITY, NUMBER, LINE, VALUE = "name", "similarity", "number", "line", "value"
"""Kinds of column: raw bytes; a float, or None; an integer; a line of a file as it is, bytes; any other."""


class Figure(float):
    """A number that is shown with six significant digits, and not with six digits after its point."""


Cell = bytes | float | int | Difference | tuple[int, ...] | tuple[Link, ...] | None
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column's name and kind."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class TableHead:
    """The columns of an answer. grouped: the first column repeats over several rows.

    keyed: the first column is the name of a count or of a parameter, and the second has its value.
    """

    columns: tuple[TableColumn, ...]
    grouped: bool = False
    keyed: bool = False


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


ShownRow = tuple[float | int | str | bytes, ...]
"""Names are bytes; NaN is an unknown number."""


class ShownColumn(NamedTuple):
    """The name of a column, and the type of its cells."""

    name: bytes
    type: type


@dataclass(frozen=True, eq=False, repr=False)
class ShownArtifact:
    """A view of an artifact. Its blocks are made while they are taken, so that a large one needs little memory."""

    columns: tuple[ShownColumn, ...]
    blocks: Iterator[FigureBlock]

    def rows(self) -> Iterator[ShownRow]:
        """The rows. They can be taken once."""
        for block in self.blocks:
            yield from block.rows


Conclude = Callable[[BuildResult], None]
"""Called with the complete result before it is published. If it raises an exception, nothing is published."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How an answer is handed over.

    take: is given the answer in blocks, in their final order; the result then has the counts alone where an answer may
    be larger than memory. outputs: files that are written, which must not be among the documents. conclude: is called
    with the result of a build before it is published. unchanged: a dry run lists unchanged documents, too. diff: a
    block of pairs has their differences, by `words` or `lines`.
    edits: two texts are compared by the edit distance, too, which takes the longest.
    """

    take: Take | None = None
    outputs: Sequence[str | None] = ()
    conclude: Conclude = lambda _: None
    unchanged: bool = False
    diff: str | None = None
    edits: bool = True


AS_A_WHOLE = Delivery()
"""The result has the whole answer."""
