"""Similar pairs of documents, the groups that dedupe makes of them, and results and saved answers that hold them."""

from __future__ import annotations

import os
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Self

import numpy as np

from simdocs.model.documents import Documents
from simdocs.model.figures import counted
from simdocs.model.ragged import Array, Floats, Index, Mask, Rows, Tokens
from simdocs.model.result import Result, Table
from simdocs.names import display_name, name_from_json
from simdocs.options.recipes import SignatureRecipe


@dataclass(frozen=True, slots=True)
class Pairs:
    """P similar pairs of documents.

    left, right: int64 (P,), the rows of the two documents.
    jaccard: float64 (P,), the exact similarity, or NaN where it was not computed.
    estimate: float64 (P,), the similarity estimated from the signatures.
    """

    left: Index
    right: Index
    jaccard: Floats
    estimate: Floats

    def __len__(self) -> int:
        return len(self.left)

    @property
    def score(self) -> Floats:
        """The similarity that decides: the exact one if it is known, otherwise the estimate. float64 (P,)."""
        return np.where(np.isnan(self.jaccard), self.estimate, self.jaccard)

    @property
    def more(self) -> tuple[list[float] | list[str], ...]:
        """The columns of an answer after the estimate: none, unless containment was measured."""
        return ()

    def named(self, left: Iterable[bytes | str], right: Iterable[bytes | str]) -> Iterator[tuple[Any, ...]]:
        """Yield each pair as a row: both names, the exact similarity, the estimate, and `more`."""
        return zip(left, right, self.jaccard.tolist(), self.estimate.tolist(), *self.more, strict=True)

    def take(self, order: Array) -> Self:
        """The pairs with these numbers, in this order."""
        return type(self)(*(getattr(self, column.name)[order] for column in fields(self)))

    def renumbered(self, rows: Callable[[Rows], Rows]) -> Self:
        """The same pairs, with other rows for both documents."""
        return replace(self, left=rows(self.left), right=rows(self.right))

    def in_row_order(self) -> Self:
        """The same pairs, sorted by left row, then by right row."""
        return self.take(np.lexsort((self.right, self.left)))

    def with_any(self, documents: Mask) -> Self:
        """The pairs with at least one of these documents. documents: (N,), for each row."""
        return self.take(np.flatnonzero(documents[self.left] | documents[self.right]))

    @staticmethod
    def of_copies(left: Rows, right: Rows, *, exact: bool) -> Pairs:
        """Pairs of copies of a text. Their similarity is 1, which counts as computed only if answers are exact."""
        ones = np.ones(len(left))
        return Pairs(left, right, ones if exact else np.full(len(left), np.nan), ones)

    @classmethod
    def empty(cls) -> Self:
        """No pairs."""
        rows = np.empty(0, np.int64)
        return cls(rows, rows, *(np.empty(0) for _ in fields(cls)[2:]))

    @classmethod
    def concat(cls, parts: Sequence[Pairs]) -> Self:
        """The pairs of all parts, in order; at least one part."""
        return cls(*(np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(cls)))


@dataclass(frozen=True, slots=True)
class ContainedPairs(Pairs):
    """Pairs of a document (left) with one that contains it (right).

    containment: float64 (P,), the exact fraction of the tokens of the left document that the right one has.
    """

    containment: Floats

    @property
    def score(self) -> Floats:
        """The value that decides: the containment."""
        return self.containment

    @property
    def more(self) -> tuple[list[float] | list[str], ...]:
        """The containment."""
        return (self.score.tolist(),)


@dataclass(frozen=True, slots=True)
class NestedPairs(ContainedPairs):
    """Pairs of documents of which one contains most of the other.

    converse: float64 (P,), the exact fraction of the tokens of the right document that the left one has.
    """

    converse: Floats

    @property
    def score(self) -> Floats:
        """The value that decides: the larger containment."""
        return np.maximum(self.containment, self.converse)

    @property
    def more(self) -> tuple[list[float] | list[str], ...]:
        """The larger containment, and which document is contained, by its column; `both` if both are equally so."""
        order = np.sign(self.containment - self.converse).astype(np.int64)
        return self.score.tolist(), [("both", "document", "other")[at] for at in order.tolist()]


class Members(NamedTuple):
    """M documents with the group of each.

    Groups are numbered from 0, in row order of their kept documents. A document without duplicates has a group of its
    own.

    row: int64 (M,), the rows of the documents, ascending.
    kept: int64 (M,), the row of the kept document of each one's group.
    number: int64 (M,), the number of that group.
    jaccard: float64 (M,), the exact similarity to the kept document; NaN if it was not computed, and for the kept
        document itself.
    """

    row: Rows
    kept: Rows
    number: Index
    jaccard: Floats

    @classmethod
    def of(cls, pairs: Pairs, kept: Rows) -> Members:
        """The members of all groups. pairs: each duplicate (right) with its kept document (left). kept: other rows."""
        alone = np.union1d(kept, pairs.left)
        rows, of_group = np.concatenate((alone, pairs.right)), np.concatenate((alone, pairs.left))
        jaccard = np.concatenate((np.full(len(alone), np.nan), pairs.jaccard))
        order = np.argsort(rows, kind="stable")
        number = np.unique(of_group[order], return_inverse=True)[1]
        return cls(rows[order], of_group[order], number, jaccard[order])

    def cut(self, begin: int, end: int) -> Members:
        """Members begin to end - 1."""
        cut = slice(begin, end)
        return Members(self.row[cut], self.kept[cut], self.number[cut], self.jaccard[cut])

    def below(self, rows: int) -> Members:
        """The members with rows below this one, with the numbers that they have among all."""
        return self.cut(0, int(np.searchsorted(self.row, rows)))

    def labels(self, documents: int) -> Index:
        """The number of the group of each of this many documents, or -1: int64 (N,)."""
        members, labels = self.below(documents), np.full(documents, -1, np.int64)
        labels[members.row] = members.number
        return labels


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
    saved: returns the answer with digests and stamps of its documents, as a .answer file has it.
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


FORMAT, SUFFIX = "simdocs.answer", "answer"
"""The name of their format, and the suffix of their names."""

VERSION = 2
"""The version of their format, which docs/generate.py describes."""


class SavedDocument(NamedTuple):
    """What a saved answer has of a document: its name, and then the fields that rows have of both documents."""

    name: bytes
    root: int
    container: int
    size: int
    file_size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    content: str

    @property
    def file(self) -> bytes:
        """The name of its file."""
        return self.name[: self.container] if self.container else self.name


class SavedPair(NamedTuple):
    """A row: a kept document and its duplicate. jaccard: None if it was not computed."""

    kept: SavedDocument
    duplicate: SavedDocument
    jaccard: float | None
    estimate: float
    group: int


class SavedAnswer:
    """An answer of dedupe that is being saved, or that was read again.

    head: the first line of its file: what was compared and how, and the counts. docs/formats.md describes it, and what
        it says is also in attributes: root, index_root, threshold, probability, parameters, documents, kept, groups,
        duplicates, changed, skipped and simdocs.
    recipe: how documents become tokens and signatures.
    source: yields the pairs, in the order of the answer, each time it is called.
    name: the path of its file, for messages; empty if it has none yet.
    ignored: the tokens that are left out, ascending.
    arguments: the name of each argument, and how many documents it gave.
    roots: the directories below which files are opened without following links, with the absolute `path`, which ends
        with a slash.
    """

    def __init__(
        self,
        head: Mapping[str, Any],
        recipe: SignatureRecipe,
        source: Callable[[], Iterator[SavedPair]],
        name: str = "",
    ) -> None:
        """ValueError, LookupError, TypeError, AttributeError: the head is not one that we write."""
        self.head, self.recipe, self.source, self.name = head, recipe, source, name
        self.root, self.index_root = name_from_json(head, "root"), None
        if head.get("index_root", "") is not None:
            self.index_root = name_from_json(head, "index_root")
        self.threshold, self.probability = float(head["threshold"]), float(head["probability"])
        if not 0 < self.threshold <= 1:
            raise ValueError
        self.documents, self.kept = int(head["documents"]), int(head["kept"])
        self.groups, self.duplicates = int(head["groups"]), int(head["duplicates"])
        self.changed, self.skipped = head["changed"], dict(head["skipped"])
        self.parameters, self.simdocs = head["parameters"], str(head["simdocs"])
        self.ignored: Tokens = np.frombuffer(b64decode(head["ignored"]), "<u4").astype(np.uint32)
        self.arguments = tuple((name_from_json(each, "name"), int(each["documents"])) for each in head["arguments"])
        self.roots = [{**each, "path": name_from_json(each, "path")} for each in head["roots"]]

    def pairs(self) -> Iterator[SavedPair]:
        """Yield each kept document with each of its duplicates, in the order of the answer."""
        return self.source()

    def __iter__(self) -> Iterator[SavedPair]:
        return self.pairs()

    def __len__(self) -> int:
        return self.duplicates

    @property
    def is_exact(self) -> bool:
        """Whether the similarities are exact, and no estimates."""
        return bool(self.parameters["grouping"]["verify"] == "exact")

    def path(self, document: SavedDocument) -> bytes:
        """The absolute path of a document's file."""
        return bytes(self.roots[document.root]["path"]) + self.below(document)

    def below(self, document: SavedDocument) -> bytes:
        """The path of a document's file below its directory."""
        return document.file[self.roots[document.root]["named"] :]

    def printed(self, document: SavedDocument) -> bytes:
        """The name of a document as a path that works in the working directory."""
        base = self.base_of(document)
        return document.name if base == os.getcwdb() else os.path.join(base, document.name)

    def base_of(self, document: SavedDocument) -> bytes:
        """The directory in which the name of a document is found, if it is relative."""
        return self.root if self.roots[document.root]["argument"] is not None else self.index_root or self.root

    def __repr__(self) -> str:
        return f"<SavedAnswer: {counted(self.documents, 'document')}, {counted(self.duplicates, 'duplicate')}>"
