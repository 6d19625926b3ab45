"""What is said about artifacts on disk."""

from __future__ import annotations

from dataclasses import dataclass, field

from simdocs.model.build_results import Expectation
from simdocs.recipes import Banding

FactValue = str | int | float
"""A value that is shown: a number as one."""


@dataclass(frozen=True, eq=False, repr=False)
class ArtifactInfo:
    """What an artifact is. facts: keys and values, in the order in which they are shown; a key may come again."""

    kind: str
    facts: tuple[tuple[str, FactValue], ...]
    banding: Banding | None = None
    expectation: Expectation | None = None

    def __repr__(self) -> str:
        return f"<ArtifactInfo: kind={self.kind!r}, documents={dict(self.facts)['documents']}>"


@dataclass(frozen=True, eq=False, repr=False)
class CheckResult:
    """What is wrong with artifacts: a line for each damage, and for each that could not be looked at."""

    damages: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        return f"<CheckResult: damages={len(self.damages)}, unreadable={len(self.unreadable)}>"
