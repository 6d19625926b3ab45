"""The differences of pairs of documents, whose texts are read again."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.matching.comparison.difference import difference
from simdocs.model.names import display_name
from simdocs.model.numbering import BlockPlaces, Rows
from simdocs.model.passages import Difference
from simdocs.model.skipped import ALTERED, GONE
from simdocs.pipeline.reload import ReloadRequest, reload_texts
from simdocs.recipes import Shingling


class Readable(Protocol):
    """Documents by row, which can be read again."""

    def printed_names(self, rows: Rows) -> list[bytes]:
        """Their names, as paths that work in the working directory."""

    def readings(self, rows: Rows) -> list[tuple[BlockPlaces, ReloadRequest]]:
        """How these rows are read again: requests, each with the places of its documents among rows."""


class PairDifferences:
    """Finds the difference of one pair of documents after the other.

    unit: as of `difference`. The text of the left document is held, because the next pair may have it, too.
    """

    def __init__(self, unit: str, shingling: Shingling, reader: LineReader) -> None:
        self._unit, self._shingling, self._reader = unit, shingling, reader
        self._held: tuple[Readable | None, int, bytes | str] = (None, -1, "")

    def of(self, documents: Readable, left: int, right: int) -> Difference:
        """The difference of two documents. If a text is gone or has changed, it has no passages, and says so."""
        if self._held[0] is not documents or self._held[1] != left:
            self._held = (documents, left, self._text(documents, left))
        a, b = self._held[2], self._text(documents, right)
        if isinstance(a, bytes) and isinstance(b, bytes):
            return difference(a, b, self._shingling, self._unit)
        missing = ", ".join(each for each in (a, b) if isinstance(each, str))
        return Difference(self._unit, "", (), missing)

    def _text(self, documents: Readable, row: int) -> bytes | str:
        """The text of a document as UTF-8, or why it cannot be shown."""
        ((_, request),) = [each for each in documents.readings(np.array([row])) if len(each[0])]
        found, skips = reload_texts(request, [0], self._shingling, self._reader)
        if found:
            return found[0][1]
        skip = skips[0]
        why = "is gone" if skip.detail == GONE else "has changed" if skip.detail == ALTERED else skip.detail
        return f"{display_name(documents.printed_names(np.array([row]))[0])} {why}"
