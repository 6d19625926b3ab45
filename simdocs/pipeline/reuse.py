"""Take over documents of an earlier artifact: those of unchanged files, and of the beginnings of those that grew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.model.artifact import Artifact
from simdocs.model.columns import ByteStrings
from simdocs.model.documents import STAMP_FIELDS
from simdocs.model.ragged import Rows
from simdocs.options.recipes import Recipe, Updating
from simdocs.pipeline.reading import Read, file_records
from simdocs.reading.file_list import FileList
from simdocs.reading.row_names import renamed
from simdocs.reading.unchanged import EarlierFiles, KeptFiles, KeptRows, Unchanged, compare


class Reuse:
    """The documents of an earlier artifact that can be used again."""

    def __init__(self, unchanged: Unchanged) -> None:
        self._found, self.unchanged = unchanged.found, unchanged
        self._documents = unchanged.earlier.documents
        self._names = ByteStrings(self._documents.names)

    def take(self, kept: KeptFiles | KeptRows) -> tuple[Read, Rows]:
        """Reused documents as a Read, with their earlier rows."""
        return self._files(kept) if isinstance(kept, KeptFiles) else self._rows(kept)

    def fill(self, read: Read, first: int) -> Rows:
        """Complete the facts of documents that are known. Return the earlier row of each document, or -1.

        first: the row, in the list of files, of the first file of the task.
        """
        places = first + np.array(read.places, np.int64)
        files = self._documents.sources.files[self.unchanged.likely[places]]
        rows: Rows = files["row"][read.known]
        read.facts[read.known] = self._documents.facts[rows]
        every = np.full(len(read.places), -1)
        every[read.known] = rows
        return every

    def _files(self, kept: KeptFiles) -> tuple[Read, Rows]:
        count = len(kept.numbers)
        cut = slice(kept.first, kept.first + count)
        files = self._documents.sources.files[kept.numbers]
        rows: Rows = files["row"].copy()
        stamps = (
            *(self._found.stamps[cut][name] for name in ("size", "mtime_ns", "ctime_ns")),
            self._found.met["inode"][cut],
        )
        for name, column in zip(STAMP_FIELDS, stamps, strict=True):
            files[name] = column
        facts, names = self._documents.facts[rows], self._found.names[cut]
        return Read(places=list(range(count)), names=names, facts=facts, files=files, skips=[]), rows

    def _rows(self, kept: KeptRows) -> tuple[Read, Rows]:
        rows, path = np.arange(kept.rows.start, kept.rows.stop), self._found.names[kept.file]
        facts = self._documents.facts[rows]
        names = renamed(self._names[kept.rows.start : kept.rows.stop], facts, path, moved=False)
        facts["container"] = len(path)
        files = file_records([kept.stamp], [self.unchanged.content(kept.number)])
        read = Read(
            places=facts["line"].tolist(),
            names=names,
            facts=facts,
            files=files,
            skips=[],
            digests=kept.digests,
        )
        return read, rows


@dataclass(frozen=True, slots=True)
class Earlier:
    """An artifact of an earlier run, from which unchanged documents are taken over.

    read_ns, limit: see EarlierFiles.
    """

    artifact: Artifact
    read_ns: int
    limit: int
    updating: Updating

    def reuse(self, found: FileList, recipe: Recipe, limit: int) -> Reuse:
        """The documents that can be used again. limit: the largest size of a document now, in bytes."""
        files = EarlierFiles(self.artifact.documents, self.read_ns, self.limit)
        return Reuse(compare(found, files, recipe.sequences, limit, self.updating))
