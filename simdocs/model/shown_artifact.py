"""What an artifact holds, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from simdocs.model.answer_blocks import FigureBlock

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
