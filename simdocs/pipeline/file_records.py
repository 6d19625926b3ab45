"""Put together what is recorded about the files of documents, as the results of tasks come in."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from simdocs.model.growing import GrowingArray
from simdocs.model.numbering import BlockPlaces
from simdocs.model.source_files import CHUNK, FILE, SourceFiles
from simdocs.pipeline.reading import Read


class FileRecords:
    """Collects the records of files that have documents, in row order. cut_short: names of files that were not read to
    their ends."""

    def __init__(self) -> None:
        self._files, self._chunks = GrowingArray(FILE), GrowingArray(CHUNK)
        self._rows = 0
        self._begun: NDArray[np.void] | None = None
        """The record of the file whose chunks are coming in."""
        self._parts: list[NDArray[np.void]] = []
        """Its chunks."""
        self.cut_short = set[bytes]()

    def enter(self, read: Read, taken: BlockPlaces, *, ended: bool, name: bytes) -> None:
        """Add what the next task has found out.

        taken: the places of the documents that get a row. ended: whether a file of lines, the one with this name, ends
        with this task.
        """
        if len(read.chunks):
            self._add_chunks(read, taken)
        elif len(taken):
            files = read.files[taken]
            files["row"] = np.arange(self._rows, self._rows + len(taken))
            files["chunk"] = len(self._chunks)
            self._files.add(files)
        self._rows += len(taken)
        if ended and self._begun is not None:
            self._end(self._begun, cut_short=name in self.cut_short)
            self._begun, self._parts = None, []

    def _add_chunks(self, read: Read, taken: BlockPlaces) -> None:
        if self._begun is None:
            self._begun = read.files.copy()
            self._begun["row"], self._begun["chunk"] = self._rows, len(self._chunks)
        chunks = read.chunks.copy()
        ends = np.append(chunks["row"], len(read.names))
        before = np.searchsorted(taken, ends)
        chunks["skipped"] += np.diff(ends) - np.diff(before)
        chunks["skipped"][0] += len(read.skips)
        chunks["row"] = self._rows + before[:-1]
        self._parts.append(chunks)

    def _end(self, file: NDArray[np.void], *, cut_short: bool) -> None:
        if file["row"][0] == self._rows:
            return  # it has no documents
        chunks = np.concatenate(self._parts)
        file["skipped"] = chunks["skipped"].sum() + max(cut_short, file["skipped"][0])
        contents = hashlib.sha256(np.ascontiguousarray(chunks["content"]).data).digest()[:16]
        file["content"] = np.frombuffer(contents, "<u8")
        self._files.add(file)
        self._chunks.add(chunks)

    def all(self) -> SourceFiles:
        """All records."""
        return SourceFiles(self._files.all(), self._chunks.all())
