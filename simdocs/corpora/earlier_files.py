"""The files that an earlier run read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.corpora.clock import RECENT_NS
from simdocs.corpora.identity import Stamp
from simdocs.model.byte_strings import separate
from simdocs.model.documents import Documents
from simdocs.model.ragged import Index, Mask, Ragged, ranges
from simdocs.model.source_files import STAMP_FIELDS, SourceFiles

AT_ONCE = 1 << 12
"""Names that are taken out of their columns at once."""


@dataclass(frozen=True, slots=True)
class EarlierFiles:
    """The files and documents that an earlier run read.

    read_ns: when it began to read. limit: the largest size of a document then, in bytes. here: whether relative names
    meant the same files then as now.
    """

    documents: Documents
    read_ns: int
    limit: int
    here: bool = True

    @property
    def sources(self) -> SourceFiles:
        """Its files."""
        return self.documents.sources

    def names(self, numbers: Index) -> list[bytes]:
        """The names of these files."""
        rows = self.sources.files["row"][numbers]
        names, containers = self.documents.names, self.documents.facts["container"][rows].astype(np.int64)
        starts = names.offsets[rows]
        lengths = np.where(containers > 0, containers, names.offsets[rows + 1] - starts)
        return separate(Ragged.from_lengths(names.values[ranges(starts, lengths)], lengths))

    def is_here(self, name: bytes) -> bool:
        """Whether this name means the same file now as then."""
        return self.here or name.startswith(b"/")

    def stamp(self, number: int) -> Stamp:
        """The stamp that a file had then."""
        return Stamp(*self.sources.files[list(STAMP_FIELDS)][number].item())

    def recent(self) -> Mask:
        """Which files may have been changed once more in the same tick of a clock as their times say: (F,)."""
        files = self.sources.files
        recent: Mask = np.maximum(files["mtime_ns"], files["ctime_ns"]) >= self.read_ns - RECENT_NS
        return recent
