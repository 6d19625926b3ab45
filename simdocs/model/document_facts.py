"""The facts of documents together with those of their files, which are recorded once for each file."""

from __future__ import annotations

import numpy as np

from simdocs.model.columns import Column
from simdocs.model.documents import DOCUMENT
from simdocs.model.ragged import Array, Index
from simdocs.model.source_files import CHUNK, FILE, STAMP_FIELDS, SourceFiles, files_of_rows

FACTS = np.dtype(DOCUMENT.descr + [(name, FILE[name].str) for name in STAMP_FIELDS])
"""The facts of one document, and the stamp of its file."""


class DocumentFacts:
    """A column that shows the facts of each document together with the stamp of its file.

    documents: (N,) DOCUMENT. files: (F,) FILE. What is read is (n,) FACTS.
    """

    def __init__(self, documents: Column, files: Column) -> None:
        self._documents, self._files = documents, files
        self._firsts: Array | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of documents."""
        return self._documents.shape

    def __len__(self) -> int:
        return len(self._documents)

    def all(self) -> Array:
        """All facts."""
        return self._with_stamps(self._documents.all(), np.arange(len(self)))

    def rows(self, rows: Array) -> Array:
        """The facts of the documents in these rows."""
        return self._with_stamps(self._documents.rows(rows), rows)

    def cut(self, begin: int, end: int) -> Array:
        """The facts of the documents in rows begin to end - 1."""
        return self._with_stamps(self._documents.cut(begin, end), np.arange(begin, end))

    def at(self, places: Array) -> Array:
        """The same as `rows`: a record is one value."""
        return self.rows(places)

    def release(self) -> None:
        """Let the system take back the memory of columns on disk."""
        self._documents.release()
        self._files.release()

    def _with_stamps(self, documents: Array, rows: Array) -> Array:
        out = np.empty(len(documents), FACTS)
        for name in documents.dtype.names or ():
            out[name] = documents[name]
        if len(out):
            files = self._files.rows(self._numbers(rows))
            for name in STAMP_FIELDS:
                out[name] = files[name]
        return out

    def _numbers(self, rows: Array) -> Index:
        if len(self._files) == len(self):
            return np.asarray(rows, np.int64)
        if self._firsts is None:
            self._firsts = np.ascontiguousarray(self._files.all()["row"])
        return files_of_rows(self._firsts, rows, len(self))


def separated(facts: Array) -> tuple[Array, SourceFiles]:
    """Documents (n,) DOCUMENT and their files, as if each had a file of its own, from facts (n,) FACTS."""
    documents, files = np.empty(len(facts), DOCUMENT), np.zeros(len(facts), FILE)
    for name in DOCUMENT.names or ():
        documents[name] = facts[name]
    for name in STAMP_FIELDS:
        files[name] = facts[name]
    files["row"] = np.arange(len(facts))
    return documents, SourceFiles(files, np.zeros(0, CHUNK))
