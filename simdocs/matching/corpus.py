"""A corpus: documents with their signatures, and where their token sets are to be had."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simdocs.artifacts.formats import RUN
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.errors import ArtifactError, InputError, mention
from simdocs.kernels.compare import jaccard
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.columns import Column, MemoryColumn
from simdocs.model.documents import Documents
from simdocs.model.names import display_name
from simdocs.model.ragged import Array, Floats, Index, Mask, Ragged, Tokens, ranges
from simdocs.parameters import Sequences, Shingling
from simdocs.pipeline.reading import ragged_bytes
from simdocs.pipeline.reload import ReloadRequest, Source, unchanged_line


class Documented(Protocol):
    """What judging and answering ask of documents, by row."""

    def __len__(self) -> int: ...

    @property
    def places(self) -> int:
        """Places of a signature."""

    @property
    def root(self) -> bytes:
        """The directory from which those of an earlier run are found; nothing, if there are none such."""

    def facts(self, rows: Array) -> NDArray[np.void]:
        """Their facts, (n,) DOCUMENT."""

    def names(self, rows: Array) -> list[bytes]:
        """Their names."""

    def printed_names(self, rows: Array) -> list[bytes]:
        """Their names as they work in the working directory."""

    def lines(self, rows: Array, shingling: Shingling, reader: LineReader) -> list[bytes]:
        """The lines of sequences that they are, byte for byte, without ends. InputError: one is not what it was."""

    def estimates(self, left: Index, right: Index) -> Floats:
        """The estimated similarity of left[i] and right[i]."""

    def sources(self, rows: Index) -> list[tuple[Index, Source]]:
        """Where the token sets of these rows are to be had: places among rows, and a source of the sets of those."""

    def recorded(self, rows: Index) -> Mask:
        """Which were noted by an earlier run, so that they may have changed since."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents in memory, or of an artifact, of which only what is needed is read.

    sets: tokens and offsets, where token sets need not be made again from the texts, and the row of each document in
    them, where that is another. root: the directory from which names are found, where it is not the working
    directory. limit: bytes of a document. artifact_name: the name of the artifact, if they come from one.
    """

    name_bytes: Column
    name_offsets: Column
    every_fact: Column
    signatures: Column
    limit: int
    sequences: Sequences = field(default_factory=Sequences)
    held: dict[int, bytes] = field(default_factory=dict)
    sets: tuple[Column, Column] | None = None
    set_rows: Index | None = None
    root: bytes = b""
    artifact_name: str = ""
    prefix: bytes = b""

    @classmethod
    def of(cls, documents: Documents, signatures: Tokens, limit: int, sequences: Sequences) -> Corpus:
        """Documents in memory."""
        names = documents.names
        return cls(
            MemoryColumn(names.values),
            MemoryColumn(names.offsets),
            MemoryColumn(documents.facts),
            MemoryColumn(signatures),
            limit,
            sequences,
            documents.held,
        )

    @classmethod
    def of_artifact(cls, artifact: Artifact, signatures: Column, sets: Shingles | None, root: bytes | None) -> Corpus:
        """Return the documents of an artifact.

        root: the directory from which they are found; None: from where they were found first. InputError: root is not
        a directory.
        """
        if root is not None and not os.path.isdir(root):
            raise InputError(f"{display_name(root)}: {mention('root')} is not a directory")
        found = artifact.root if root is None else root
        return cls(
            artifact["names"],
            artifact["name_offsets"],
            artifact["documents"],
            signatures,
            1 << 62,
            artifact.recipe.sequences,
            held=artifact.held,
            sets=None if sets is None else (sets["tokens"], sets["offsets"]),
            root=found,
            prefix=name_prefix(root, artifact.root),
            artifact_name=artifact.name,
        )

    def some(self, rows: Index) -> Corpus:
        """These documents alone, in memory, in this order; their token sets stay where they are."""
        names = ragged_bytes(self.names(rows))
        return replace(
            self,
            name_bytes=MemoryColumn(names.values),
            name_offsets=MemoryColumn(names.offsets),
            every_fact=MemoryColumn(self.facts(rows)),
            signatures=MemoryColumn(self.signatures.rows(rows)),
            held=self._held(rows),
            set_rows=rows if self.set_rows is None else self.set_rows[rows],
        )

    def __len__(self) -> int:
        return len(self.every_fact)

    @property
    def places(self) -> int:
        """Places of a signature."""
        return self.signatures.shape[1]

    def facts(self, rows: Array) -> NDArray[np.void]:
        """Their facts, (n,) DOCUMENT."""
        return self.every_fact.rows(rows)

    def all_facts(self) -> NDArray[np.void]:
        """The facts of all documents, (N,) DOCUMENT."""
        return self.every_fact.all()

    def names(self, rows: Array) -> list[bytes]:
        """Their names."""
        starts = self.name_offsets.rows(rows)
        lengths = self.name_offsets.rows(np.asarray(rows) + 1) - starts
        every = self.name_bytes.at(ranges(starts, lengths)).tobytes()
        ends = np.cumsum(lengths).tolist()
        return [every[end - length : end] for end, length in zip(ends, lengths.tolist(), strict=True)]

    def printed_names(self, rows: Array) -> list[bytes]:
        """Their names as they work in the working directory."""
        prefix = self.prefix
        return [os.path.join(prefix, name) for name in self.names(rows)] if prefix else self.names(rows)

    def lines(self, rows: Array, shingling: Shingling, reader: LineReader) -> list[bytes]:
        """The lines of sequences that they are, byte for byte, without ends. InputError: one is not what it was."""
        wanted = self._wanted(rows)
        return [unchanged_line(wanted, place, shingling, reader) for place in range(len(rows))]

    def estimates(self, left: Index, right: Index) -> Floats:
        """The estimated similarity of left[i] and right[i]."""
        if isinstance(self.signatures, MemoryColumn):
            return jaccard.estimates(self.signatures.array, left, right)
        rows, places = np.unique(np.concatenate((left, right)), return_inverse=True)
        return jaccard.estimates(self.signatures.rows(rows), places[: len(left)], places[len(left) :])

    def _held(self, rows: Index) -> dict[int, bytes]:
        if not self.held:
            return {}
        return {at: self.held[row] for at, row in enumerate(rows.tolist()) if row in self.held}

    def sources(self, rows: Index) -> list[tuple[Index, Source]]:
        """Where the token sets of these rows are to be had: all of them in one place."""
        return [(np.arange(len(rows)), self._source(rows))]

    def recorded(self, rows: Index) -> Mask:
        """Which were noted by an earlier run: all documents of an artifact."""
        return np.full(len(rows), bool(self.artifact_name) and self.sets is None)

    def _source(self, rows: Index) -> Source:
        """ArtifactError: documents are to be read again, and the artifact does not say any more where they are."""
        if self.sets is not None:
            tokens, offsets = self.sets
            rows = rows if self.set_rows is None else self.set_rows[rows]
            starts = offsets.rows(rows)
            lengths = offsets.rows(rows + 1) - starts
            return Ragged.from_lengths(tokens.at(ranges(starts, lengths)), lengths)
        if self.artifact_name and not self.root:
            missing = f"{self.artifact_name}/{RUN}: does not say where its documents are"
            raise ArtifactError(f"{missing}: give their directory with {mention('root')}")
        return self._wanted(rows)

    def _wanted(self, rows: Index) -> ReloadRequest:
        return ReloadRequest(
            self.names(rows), self._held(rows), self.limit, self.facts(rows), self.root, self.sequences
        )


def name_prefix(root: bytes | None, recorded: bytes) -> bytes:
    """What recorded names are joined to so that they work in the working directory; empty where they work as they are.

    root: the directory that the user named instead of the recorded one.
    """
    found = recorded if root is None else root
    if not found or not os.path.isdir(found):
        return b""
    try:
        return b"" if os.path.samefile(found, b".") else found
    except OSError:
        return found
