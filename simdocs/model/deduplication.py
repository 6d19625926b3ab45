"""What dedupe comes back with: which documents are kept, and which are duplicates."""

from __future__ import annotations

from dataclasses import dataclass

from simdocs.model.explanation import ExplainedDocument
from simdocs.model.names import name_to_text
from simdocs.model.ragged import Index
from simdocs.model.search_result import SearchResult


@dataclass(frozen=True, eq=False, repr=False)
class ComponentFacts:
    """How loosely one connected component hangs together.

    smallest_to_kept, smallest_of_two: the smallest similarity to the kept document, and of any two (None: unknown).
    all_compared: whether all pairs of its distinct texts were compared.
    """

    kept: bytes
    documents: int
    smallest_to_kept: float | None
    smallest_of_two: float | None
    all_compared: bool


@dataclass(frozen=True, eq=False, repr=False)
class Deduplication(SearchResult):
    """Which documents are kept and which are duplicates.

    documents: those that were given. pairs: left, the row kept; right, that of its duplicate; in the order of the
    answer. With an index to compare against, row r of the index is len(documents) + r. names: of both documents of each
    pair. kept: the rows, among the documents given, of those that are no duplicates and are not
    known to the index. known: how many were known to the index. against_index: whether there is
    one. largest: the kept document with the most duplicates, and how many. duplicate_bytes: the size of the
    text of the duplicates, after decompression. duplicate_files: how many of them are files, and not lines or texts in
    memory. freed_bytes: the size on disk that deleting these files would free.
    advice: lines for people if k does not suit the documents, or if many of them may share only a template. explained:
    with explain, why each document is kept or a duplicate, in the order of the documents, after those of the index
    that are kept for them; None if it was handed over in blocks.
    """

    kept: Index
    groups: int
    known: int = 0
    against_index: bool = False
    largest: tuple[bytes, int] | None = None
    duplicate_bytes: int = 0
    duplicate_files: int = 0
    freed_bytes: int = 0
    components: tuple[ComponentFacts, ...] | None = None
    advice: tuple[str, ...] = ()
    explained: tuple[ExplainedDocument, ...] | None = None

    @property
    def found(self) -> int:
        """How many duplicates there are."""
        return len(self.pairs)

    @property
    def kept_names(self) -> list[str]:
        """The names of the documents that are kept."""
        return [self.documents.name(row) for row in self.kept.tolist()]

    @property
    def duplicate_names(self) -> list[str]:
        """The names of the duplicates."""
        return [name_to_text(self.names[1][at].tobytes()) for at in range(len(self.pairs))]

    def __repr__(self) -> str:
        return f"<Deduplication: documents={len(self.documents)}, groups={self.groups}, duplicates={self.found}>"
