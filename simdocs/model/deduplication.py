"""Results that are pairs of similar documents: of pairs and query, and of dedupe."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from simdocs.model.documents import Documents
from simdocs.model.figures import counted
from simdocs.model.groups import Members, Pairs
from simdocs.model.ragged import Index
from simdocs.model.result import Result
from simdocs.model.table import Table
from simdocs.names import display_name

if TYPE_CHECKING:
    from simdocs.model.saved_answer import SavedAnswer


class WrittenRows(NamedTuple):
    """Rows of documents' files that were written.

    parameter: the parameter that asked for it.
    path: the path of the file or directory that has them.
    rows: how many they are.
    files: how many files a directory has; None: it is one file.
    unjudged: how many of the kept rows could not be compared.
    files_lost: how many files are read of which nothing could be read, so that it has none of their rows.
    """

    parameter: str
    path: bytes
    rows: int
    files: int | None
    unjudged: int = 0
    files_lost: int = 0

    def in_words(self) -> str:
        """The line of a summary."""
        where = (
            display_name(self.path)
            if self.files is None
            else f"{counted(self.files, 'file')} in {display_name(self.path)}"
        )
        of_these = f", of these {self.unjudged:,} that could not be compared" if self.unjudged else ""
        lost = f", without any of {counted(self.files_lost, 'file')} that cannot be read" if self.files_lost else ""
        return f"{self.parameter.replace('_', ' ')}: {self.rows:,}{of_these}, written to {where}{lost}"


class SimilarPairs(Result):
    """Pairs of similar documents.

    pairs: the rows of the documents of each pair, in the order of the answer; empty if they were drawn.
    """

    documents: Documents

    def __init__(self, command: str, table: Table, pairs: Pairs, **more: Any) -> None:
        super().__init__(command, table, **more)
        self.pairs = pairs

    def __len__(self) -> int:
        return len(self.pairs)


class Deduplication(SimilarPairs):
    """Which documents are kept and which are duplicates.

    documents: the documents that were given.
    pairs: the rows of each kept document (left) and its duplicate (right), in the order of the answer. With an index to
        compare against, row r of the index is len(documents) + r.
    kept: the rows of the documents that are no duplicates and not in the index.
    written: the rows of the documents' files that were written.
    saved: returns the answer with digests, stamps and directories of its documents, as a .answer file has it.
    """

    def __init__(
        self,
        table: Table,
        pairs: Pairs,
        kept: Index,
        written: tuple[WrittenRows, ...],
        saved: Callable[[], SavedAnswer],
        **more: Any,
    ) -> None:
        super().__init__("dedupe", table, pairs, **more)
        self.kept, self.written, self.saved = kept, written, saved

    @property
    def labels(self) -> Index:
        """The number of each document's group, in the order of the documents: int64 (N,).

        Groups are numbered from 0, in the order of their kept documents; those of documents of an index come last. A
        document without duplicates has a group of its own. -1: the document was not judged, because it is in the index
        already, is gone or has changed, or because with `changed` it is neither new nor similar to a new one.
        """
        return Members.of(self.pairs, self.kept).labels(len(self.documents))

    @property
    def kept_names(self) -> list[Any]:
        """The names of the documents that are kept."""
        return [name for (name,) in self.rows("kept")]

    @property
    def duplicate_names(self) -> list[Any]:
        """The names of the duplicates, in the order of the answer."""
        return [row[1] for row in self.rows()]
