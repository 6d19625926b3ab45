"""The results of info and check: what an artifact holds, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simdocs.errors import ArtifactError, InputError, SimdocsError
from simdocs.model.answers import FACTS, Block, Look, Tabular
from simdocs.model.build_results import Expectation
from simdocs.options.recipes import Banding

FactValue = str | int | float
"""A value that is shown: a number as one."""

_LONG = 80
"""Characters of a list of stop words that a table shows whole."""


@dataclass(frozen=True, eq=False, repr=False)
class ArtifactInfo(Tabular[tuple[str, FactValue | None]]):
    """The facts about an artifact.

    kind: its kind.
    facts: keys and values, in the order in which they are shown. A key may occur several times.
    banding, expectation: the bands of an index, and what they will find; None for other artifacts.
    """

    kind: str
    facts: tuple[tuple[str, FactValue], ...]
    banding: Banding | None = None
    expectation: Expectation | None = None

    VIEW = "simdocs.views.curve:drawn_info"

    def rows(self) -> Iterator[tuple[str, FactValue | None]]:
        """Yield the facts. None: there is no value."""
        for key, value in self.facts:
            yield key, None if value == "" else value

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the facts; for people, of a long list of stop words only the number."""
        rows = list(self.rows())
        for at, (key, value) in enumerate(rows):
            if look.for_people and key == "stop_word_list" and len(str(value)) > _LONG:
                rows[at] = key, f"{len(str(value).split()):,} words"
        yield Block(FACTS, list(rows))

    def __repr__(self) -> str:
        return f"<ArtifactInfo: kind={self.kind!r}, documents={dict(self.facts)['documents']}>"


@dataclass(frozen=True, eq=False, repr=False)
class CheckResult(Tabular[str]):
    """The problems that were found in artifacts.

    problems: an ArtifactError for each damage, and an InputError for each artifact that cannot be read, in order.
    """

    problems: tuple[SimdocsError, ...] = ()

    @property
    def damages(self) -> tuple[str, ...]:
        """A line for each damage."""
        return tuple(str(problem) for problem in self.problems if isinstance(problem, ArtifactError))

    @property
    def unreadable(self) -> tuple[str, ...]:
        """A line for each artifact that cannot be read."""
        return tuple(str(problem) for problem in self.problems if isinstance(problem, InputError))

    def rows(self) -> Iterator[str]:
        """Yield a line for each problem."""
        yield from map(str, self.problems)

    @property
    def errors(self) -> tuple[SimdocsError, ...]:
        """The problems."""
        return self.problems

    def __repr__(self) -> str:
        return f"<CheckResult: damages={len(self.damages)}, unreadable={len(self.unreadable)}>"
