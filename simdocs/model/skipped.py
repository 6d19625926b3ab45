"""Skipped: the documents that were not compared, and why. Nothing is dropped in silence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from simdocs.errors import mention

JUDGED: Mapping[str, str] = MappingProxyType(
    {
        "binary": "a NUL byte in the first 8 KiB",
        "hidden": f"a hidden name ({mention('hidden')} includes them)",
        "link": f"a symbolic link ({mention('follow')} follows them)",
        "special": "a FIFO, socket or device",
        "vanished": "gone since the walk",
        "again": "reached before under another name",
        "known": "a document of the index already",
        "artifact": "a simdocs artifact or draft",
    }
)
"""Reasons that settle the matter: counted, and named with -v."""

UNJUDGED: Mapping[str, str] = MappingProxyType(
    {
        "unreadable": "cannot be read",
        "named": "named, but not compared",
        "oversized": f"larger than {mention('max_size')}",
        "changed": "changed while it was read",
        "malformed": "a malformed entry",
        "unverified": "missing or changed when it had to be verified",
        "capped": f"kept, but not compared with all documents kept before it ({mention('max_candidates')})",
    }
)
"""Reasons that leave a document unjudged: named, and the exit status is 3."""


def meaning(reason: str) -> str:
    """What is to be said of it."""
    return UNJUDGED.get(reason) or JUDGED[reason]


Skip = tuple[str, bytes, str]
"""Reason, name of the document or directory, detail (may be empty)."""


_NUMBER = re.compile("[0-9]+")


def _as_counted(entry: tuple[bytes, str]) -> tuple[str, str, tuple[bytes, str]]:
    """A name and a detail to sort by, so that line 9 comes before line 10."""
    name, detail = entry
    return _filled(name.decode("latin-1")), _filled(detail), entry


def _filled(text: str) -> str:
    return _NUMBER.sub(lambda number: number[0].zfill(20), text)


@dataclass(slots=True)
class Skipped:
    """A tally of skips, by reason, in the order in which they were met."""

    by_reason: dict[str, list[tuple[bytes, str]]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    """What is to be said of what was looked for and not found."""

    def add(self, reason: str, name: bytes, detail: str = "") -> None:
        """Count one."""
        self.by_reason.setdefault(reason, []).append((name, detail))

    def extend(self, skips: Iterable[Skip]) -> None:
        """Count many."""
        for skip in skips:
            self.add(*skip)

    @property
    def counts(self) -> dict[str, int]:
        """How many, by reason, in the tables' order."""
        return {reason: len(self.by_reason[reason]) for reason in (*JUDGED, *UNJUDGED) if reason in self.by_reason}

    def sorted(self, reason: str) -> list[tuple[bytes, str]]:
        """The names and details that a reason stands for: the same order whoever met them when, numbers in them by
        size."""
        return sorted(self.by_reason[reason], key=_as_counted)

    @property
    def unjudged_counts(self) -> dict[str, int]:
        """How many documents could not be judged, by reason."""
        return {reason: count for reason, count in self.counts.items() if reason in UNJUDGED}

    @property
    def unjudged(self) -> int:
        """How many documents could not be judged."""
        return sum(self.unjudged_counts.values())
