"""A corpus: documents with their signatures, and where their token sets come from."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simdocs.artifacts.formats import RUN
from simdocs.artifacts.npy import damaged
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.errors import ArtifactError, InputError, mention
from simdocs.kernels.compare import jaccard
from simdocs.kernels.tokens.ignored_tokens import leave_out
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.byte_strings import joined, separate
from simdocs.model.columns import Column, MemoryColumn
from simdocs.model.documents import DocumentFacts, Documents, separated
from simdocs.model.names import display_name, no_option
from simdocs.model.ragged import (
    NO_TOKENS,
    BlockPlaces,
    Floats,
    Mask,
    Ragged,
    Rows,
    Tokens,
    offsets_of,
    ranges,
    row_blocks,
)
from simdocs.pipeline.reload import ReloadRequest, Source, unchanged_line
from simdocs.recipes import Sequences, Shingling

_NAME_BYTES = 1 << 20
"""Bytes of names that are taken out at once. The places of each byte take 16 bytes meanwhile."""


class Documented(Protocol):
    """Documents by row, with everything that verification and answers need."""

    def __len__(self) -> int: ...

    @property
    def places(self) -> int:
        """The number of places in a signature."""

    @property
    def root(self) -> bytes:
        """The directory from which names are found; empty for the working directory."""

    def facts(self, rows: Rows) -> NDArray[np.void]:
        """Their facts, (n,) FACTS."""

    def names(self, rows: Rows) -> list[bytes]:
        """Their names."""

    def printed_names(self, rows: Rows) -> list[bytes]:
        """Their names, as paths that work in the working directory."""

    def lines(self, rows: Rows, shingling: Shingling, reader: LineReader) -> list[bytes]:
        """The lines of JSONL files that they are, byte for byte, without ends. InputError: a line has changed."""

    def estimates(self, left: Rows, right: Rows) -> Floats:
        """The estimated similarities of documents left[i] and right[i]: float64 (n,)."""

    def signature_rows(self, rows: Rows) -> Tokens:
        """Their signatures, (n, K) uint32."""

    def sources(self, rows: Rows) -> list[tuple[BlockPlaces, Source]]:
        """Where the token sets of these rows come from: sources, each with the places of its sets among rows."""

    def readings(self, rows: Rows) -> list[tuple[BlockPlaces, ReloadRequest]]:
        """How these rows are read again: requests, each with the places of its documents among rows."""

    def recorded(self, rows: Rows) -> Mask:
        """Which of these documents an earlier run has read, so that their files may have changed since."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents in memory, or those of an artifact, of which only the needed parts are read.

    limit: the largest size of a document in bytes. held: the bytes of documents that are in memory, by row. sets: the
    artifact of their token sets, if there is one. set_rows: the row of each document in it, if it differs.
    met: how the files were met in this run, (N,) MET; None if an earlier run met them.
    root: the directory from which names are found; empty for the working directory. artifact_name: empty if there is no
    artifact. prefix: see name_prefix. ignored: the tokens that are left out of all token sets, ascending.
    """

    name_bytes: Column
    name_offsets: Column
    every_fact: Column
    signatures: Column
    limit: int
    sequences: Sequences = field(default_factory=Sequences)
    held: dict[int, bytes] = field(default_factory=dict)
    sets: Shingles | None = None
    set_rows: Rows | None = None
    root: bytes = b""
    artifact_name: str = ""
    prefix: bytes = b""
    met: NDArray[np.void] | None = None
    ignored: Tokens = field(default_factory=lambda: NO_TOKENS)

    @classmethod
    def of(cls, documents: Documents, signatures: Tokens, limit: int, sequences: Sequences) -> Corpus:
        """Documents in memory."""
        names = documents.names
        return cls(
            MemoryColumn(names.values),
            MemoryColumn(names.offsets),
            DocumentFacts(MemoryColumn(documents.facts), MemoryColumn(documents.sources.files)),
            MemoryColumn(signatures),
            limit,
            sequences,
            documents.held,
            met=documents.met,
        )

    @classmethod
    def of_artifact(cls, artifact: Artifact, signatures: Column, sets: Shingles | None, root: bytes | None) -> Corpus:
        """The documents of an artifact.

        root: the directory from which they are found; None: the one in which the artifact was built. InputError: root
        is not a directory.
        """
        if root is not None and not os.path.isdir(root):
            raise InputError(f"{display_name(root)}: {mention('root')} is not a directory")
        found = artifact.root if root is None else root
        return cls(
            artifact["names"],
            artifact["name_offsets"],
            artifact.facts,
            signatures,
            1 << 62,
            artifact.recipe.sequences,
            held=artifact.held,
            sets=sets,
            root=found,
            prefix=name_prefix(root, artifact.root),
            artifact_name=artifact.name,
            ignored=artifact.ignored,
        )

    def some(self, rows: Rows) -> Corpus:
        """These documents alone, in memory, in this order. Their token sets stay where they are."""
        names = joined(self.names(rows))
        return replace(
            self,
            name_bytes=MemoryColumn(names.values),
            name_offsets=MemoryColumn(names.offsets),
            every_fact=MemoryColumn(self.facts(rows)),
            signatures=MemoryColumn(self.signatures.rows(rows)),
            held=self._held(rows),
            met=self._met(rows),
            set_rows=rows if self.set_rows is None else self.set_rows[rows],
        )

    def __len__(self) -> int:
        return len(self.every_fact)

    def documents(self) -> Documents:
        """All its documents."""
        names = Ragged(self.name_bytes.all(), self.name_offsets.all())
        return Documents(names, *separated(self.all_facts()), self.held, self.met)

    @property
    def places(self) -> int:
        """The number of places in a signature."""
        return self.signatures.shape[1]

    def facts(self, rows: Rows) -> NDArray[np.void]:
        """Their facts, (n,) FACTS."""
        return self.every_fact.rows(rows)

    def all_facts(self) -> NDArray[np.void]:
        """The facts of all documents, (N,) FACTS."""
        return self.every_fact.all()

    def names(self, rows: Rows) -> list[bytes]:
        """Their names."""
        starts = self.name_offsets.rows(rows)
        lengths = self.name_offsets.rows(np.asarray(rows) + 1) - starts
        names = list[bytes]()
        for first, end in row_blocks(offsets_of(lengths), _NAME_BYTES):
            cut = lengths[first:end]
            names += separate(Ragged.from_lengths(self.name_bytes.at(ranges(starts[first:end], cut)), cut))
        return names

    def printed_names(self, rows: Rows) -> list[bytes]:
        """Their names, as paths that work in the working directory."""
        prefix, names = self.prefix, self.names(rows)
        if prefix:
            return [no_option(os.path.join(prefix, name)) for name in names]
        if any(name.startswith(b"-#") for name in names):
            containers = self.facts(rows)["container"].tolist()
            return [
                name if name[:container] == b"-" else no_option(name)
                for name, container in zip(names, containers, strict=True)
            ]
        return [no_option(name) for name in names]

    def lines(self, rows: Rows, shingling: Shingling, reader: LineReader) -> list[bytes]:
        """The lines of JSONL files that they are, byte for byte, without ends. InputError: a line has changed."""
        request = self._request(rows)
        return [unchanged_line(request, place, shingling, reader) for place in range(len(rows))]

    def estimates(self, left: Rows, right: Rows) -> Floats:
        """The estimated similarities of documents left[i] and right[i]: float64 (n,)."""
        if isinstance(self.signatures, MemoryColumn):
            return jaccard.estimates(self.signatures.array, left, right)
        rows, places = np.unique(np.concatenate((left, right)), return_inverse=True)
        return jaccard.estimates(self.signature_rows(rows), places[: len(left)], places[len(left) :])

    def signature_rows(self, rows: Rows) -> Tokens:
        """Their signatures, (n, K) uint32."""
        return np.asarray(self.signatures.rows(rows))

    def _held(self, rows: Rows) -> dict[int, bytes]:
        if not self.held:
            return {}
        return {at: self.held[row] for at, row in enumerate(rows.tolist()) if row in self.held}

    def _met(self, rows: Rows) -> NDArray[np.void] | None:
        return None if self.met is None else self.met[rows]

    def sources(self, rows: Rows) -> list[tuple[BlockPlaces, Source]]:
        """Where the token sets of these rows come from: all from one source."""
        return [(np.arange(len(rows)), self.source(rows))]

    def readings(self, rows: Rows) -> list[tuple[BlockPlaces, ReloadRequest]]:
        """How these rows are read again: in one request."""
        return [(np.arange(len(rows)), self._request(rows))]

    def recorded(self, rows: Rows) -> Mask:
        """Which of these documents an earlier run has read: those of an artifact, unless there are token sets."""
        return np.full(len(rows), bool(self.artifact_name) and self.sets is None)

    def source(self, rows: Rows) -> Source:
        """The source of these token sets. ArtifactError: documents must be read again, but their place is unknown."""
        if self.sets is not None:
            rows = rows if self.set_rows is None else self.set_rows[rows]
            starts = self.sets["offsets"].rows(rows)
            lengths = self.sets["offsets"].rows(rows + 1) - starts
            found = Ragged.from_lengths(self.sets["tokens"].at(ranges(starts, lengths)), lengths)
            if not found.rows_ascend:
                raise damaged(f"{self.sets.name}/tokens.npy", "the tokens of a document do not ascend without repeats")
            return leave_out(found, self.ignored)
        if self.artifact_name and not self.root:
            missing = f"{self.artifact_name}/{RUN} does not say where its documents are"
            raise ArtifactError(f"{missing}: give their directory with {mention('root')}")
        return self._request(rows)

    def _request(self, rows: Rows) -> ReloadRequest:
        names, facts = self.names(rows), self.facts(rows)
        if self.artifact_name and (facts["container"] > list(map(len, names))).any():
            raise damaged(
                f"{self.artifact_name}/documents.npy", "the name of a line is not longer than that of its file"
            )
        return ReloadRequest(
            names,
            self._held(rows),
            self.limit,
            facts,
            self.root,
            self.sequences,
            self._met(rows),
            self.ignored,
        )


def name_prefix(root: bytes | None, recorded: bytes) -> bytes:
    """The path that is put before recorded names so that they work in the working directory; empty if they do already.

    root: the directory that the user named instead of the recorded one.
    """
    found = recorded if root is None else root
    if not found or not os.path.isdir(found):
        return b""
    try:
        return b"" if os.path.samefile(found, b".") else found
    except OSError:
        return found
