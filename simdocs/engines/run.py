"""A run of a command: the engine that does the work, what was skipped, progress, and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from simdocs.engines.engine import Engine
from simdocs.model.skipped import Skipped

Item = TypeVar("Item")

Progress = Callable[[str, int, int], None]
"""Reports progress: the step that is running, how much of it is done, and how much there is (0: unknown)."""


def each_band(bands: Iterable[Item], count: int, progress: Progress) -> Iterator[Item]:
    """Yield what there is about each band of so many, and report how far the making of buckets is."""
    for done, band in enumerate(bands):
        progress("making buckets", done, count)
        yield band


class Explain(Protocol):
    """Says at once what is being done, to people who want explanations."""

    def __call__(self, line: str, /, *, detail: bool = False) -> None:
        """Say a line. detail: only to those who asked for every explanation."""


def no_explanation(_line: str, /, *, detail: bool = False) -> None:
    """Say nothing."""


def no_progress(_step: str, _done: int, _total: int) -> None:
    """Report nothing."""


@dataclass(slots=True)
class Tally:
    """Counts of verification: candidate pairs, pairs whose exact similarity was computed, and similar pairs.

    undecided: documents asked about that are too short for the sketch of an index, so that all of it was read.
    lost: the names of documents that were reported as missing or changed, so that each is reported once. outdated: how
    many of them are gone or have another text. without_file: how many of them came from no file. missing_from: the
    roots from which some were not found. located: whether any document of an artifact was found where it was looked
    for, changed or not. watch: is called with these counts whenever further candidates have been compared.
    """

    candidates: int = 0
    verified: int = 0
    similar: int = 0
    undecided: int = 0
    lost: set[tuple[bytes, bytes]] = field(default_factory=set)
    outdated: int = 0
    without_file: int = 0
    missing_from: set[bytes] = field(default_factory=set)
    located: bool = False
    watch: Callable[[Tally], None] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a command: its engine, what it skipped, where it reports progress and explains, and what it counted."""

    engine: Engine
    skipped: Skipped = field(default_factory=Skipped)
    progress: Progress = no_progress
    explain: Explain = no_explanation
    tally: Tally = field(default_factory=Tally)
