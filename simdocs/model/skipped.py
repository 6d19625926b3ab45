"""The documents that were skipped, which means not compared, and why. Nothing is dropped in silence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from simdocs.errors import mention, spelled
from simdocs.model.names import name_to_text

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
"""Reasons that leave nothing open: skipped documents are counted, and named if the user asks for it."""

UNJUDGED: Mapping[str, str] = MappingProxyType(
    {
        "unreadable": "cannot be read",
        "named": "named, but not compared",
        "oversized": f"larger than {mention('max_size')}",
        "changed": "changed while it was read",
        "malformed": "a malformed entry",
        "unverified": "its text cannot be verified",
        "capped": f"kept, but not compared with all documents kept before it ({mention('max_candidates')})",
    }
)
"""Reasons that leave open what a document is similar to: the documents are always named, and the exit status is 3."""


def explanation(reason: str) -> str:
    """The reason in words. It may mention parameters (see `simdocs.errors.mention`)."""
    return UNJUDGED.get(reason) or JUDGED[reason]


Skip = tuple[str, bytes, str]
"""A skipped document: the reason, the name of the document or directory, and a detail, which may be empty."""


_NUMBER = re.compile("[0-9]+")


def _natural_key(entry: tuple[bytes, str]) -> tuple[str, str, tuple[bytes, str]]:
    """A key that sorts names and details with their numbers by size, so that line 9 comes before line 10."""
    name, detail = entry
    return _zero_filled(name.decode("latin-1")), _zero_filled(detail), entry


def _zero_filled(text: str) -> str:
    return _NUMBER.sub(lambda number: number[0].zfill(20), text)


@dataclass(slots=True)
class Skipped:
    """The skipped documents of a run, by reason, in the order in which they were met.

    entries: raw names and details. warnings: lines about other things that the user should know, which may mention
    parameters.
    """

    entries: dict[str, list[tuple[bytes, str]]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def add(self, reason: str, name: bytes, detail: str = "") -> None:
        """Add one skipped document."""
        self.entries.setdefault(reason, []).append((name, detail))

    def extend(self, skips: Iterable[Skip]) -> None:
        """Add these skipped documents."""
        for skip in skips:
            self.add(*skip)

    @property
    def by_reason(self) -> dict[str, list[tuple[str, str]]]:
        """The names and details of the skipped documents, by reason, as Python spells them.

        A name keeps every byte, as `Documents.name`.
        """
        return {
            reason: [(name_to_text(name), spelled(detail)) for name, detail in each]
            for reason, each in self.entries.items()
        }

    @property
    def counts(self) -> dict[str, int]:
        """How many documents were skipped, by reason, in the order of the tables of reasons."""
        return {reason: len(self.entries[reason]) for reason in (*JUDGED, *UNJUDGED) if reason in self.entries}

    def sorted(self, reason: str) -> list[tuple[bytes, str]]:
        """The names and details of the documents skipped for this reason, sorted, with numbers in them by size."""
        return sorted(self.entries[reason], key=_natural_key)

    @property
    def unjudged_counts(self) -> dict[str, int]:
        """How many documents could not be judged, by reason."""
        return {reason: count for reason, count in self.counts.items() if reason in UNJUDGED}

    @property
    def unjudged(self) -> int:
        """How many documents could not be judged."""
        return sum(self.unjudged_counts.values())
