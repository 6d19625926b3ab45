"""The corpus: documents to compare, with their names, facts and signatures, and the sources of their token sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simdocs.artifacts.formats import RUN
from simdocs.artifacts.manifest import differences
from simdocs.engines.engine import Run
from simdocs.errors import ArtifactError, InputError, ParametersError
from simdocs.kernels import jaccard
from simdocs.kernels.multisets import leave_out
from simdocs.model.artifact import Artifact, BandIndex, Shingles, damaged
from simdocs.model.documents import (
    FACTS,
    Column,
    DocumentFacts,
    Documents,
    MemoryColumn,
    separated,
    without_stamps,
)
from simdocs.model.ragged import (
    NO_TOKENS,
    Array,
    BlockPlaces,
    Floats,
    Index,
    Mask,
    Ragged,
    Rows,
    Tokens,
    distinct,
    joined,
    offsets_of,
    ranges,
    row_blocks,
    separate,
)
from simdocs.names import display_name, no_option, path_from
from simdocs.options.recipes import Recipe, SignatureRecipe
from simdocs.pipeline.again import ReloadRequest, SetSource
from simdocs.pipeline.copies import Copies
from simdocs.pipeline.reading import Intake
from simdocs.pipeline.signing import report_ignored, signed

_NAME_BYTES = 1 << 20
"""Bytes of names that are taken out at once. The places of each byte take 16 bytes meanwhile."""

NAMED_AT_ONCE = 1 << 14
"""Documents that are looked up together: their names and facts are Python objects then."""

_NO_SIGNATURES = MemoryColumn(np.empty((0, 0), np.uint32))

_Found = TypeVar("_Found")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Corpus:
    """Documents by row, with everything that verification and answers need.

    They are in memory, or in an artifact, of which only the needed parts are read.

    name_bytes, name_offsets: the raw bytes of their names, end to end, and where each begins.
    every_fact: their facts, (N,) FACTS.
    signatures: (N, K) uint32.
    recipe: the parameters with which they were read and signed.
    limit: the largest size of a document in bytes.
    held: the bytes of documents that are in memory, by row.
    met: how this run came to their files, (N,) MET; None if an earlier run read them.
    ignored: the tokens that are left out of all token sets, ascending.
    sets: the artifact of their token sets, or None.
    sets_in_memory: token sets, and for each document the place of its set among them, or -1; None: none are held.
    rows: if they were selected from a larger corpus, their rows in it, and in `sets`; None: not selected.
    root: the directory from which their names are found; empty for the working directory.
    prefix: see `name_prefix`.
    artifact_name: the artifact that they come from; otherwise empty.
    index: the index that they come from, if they are all of it; then its tables can be used. None: they are not.
    parts: two corpora with these documents, end to end. The other fields are those of the first. None: no parts.
    copies: of documents that have no place of their own; those of the larger corpus, if they were selected from one;
        None: each is a file.
    """

    name_bytes: Column
    name_offsets: Column
    every_fact: Column
    signatures: Column
    recipe: Recipe
    limit: int = 1 << 62
    held: dict[int, bytes] = field(default_factory=dict)
    met: NDArray[np.void] | None = None
    ignored: Tokens = field(default_factory=lambda: NO_TOKENS)
    sets: Shingles | None = None
    sets_in_memory: tuple[Ragged, Index] | None = None
    rows: Rows | None = None
    root: bytes = b""
    prefix: bytes = b""
    artifact_name: str = ""
    index: BandIndex | None = None
    parts: tuple[Corpus, Corpus] | None = None
    copies: Copies | None
    _documents: list[Documents] = field(default_factory=list)
    """One item as soon as they are in memory."""

    @classmethod
    def of(cls, documents: Documents, recipe: Recipe, limit: int = 0) -> Corpus:
        """The corpus of documents that this run has read. limit: the largest size of a document in bytes."""
        names = documents.names
        return cls(
            name_bytes=MemoryColumn(names.values),
            name_offsets=MemoryColumn(names.offsets),
            every_fact=DocumentFacts(MemoryColumn(documents.facts), MemoryColumn(documents.files)),
            signatures=_NO_SIGNATURES,
            recipe=recipe,
            limit=limit,
            held=documents.held,
            met=documents.met,
            copies=Copies(len(documents)) if documents.facts["container"].any() else None,
            _documents=[documents],
        )

    @classmethod
    def of_artifact(
        cls,
        artifact: Artifact,
        *,
        sets: Shingles | None = None,
        root: bytes | None = None,
    ) -> Corpus:
        """The corpus of the documents of an artifact. InputError: root is not a directory.

        sets: their token sets, if they need not be read again. ArtifactError: they have other documents or parameters.
        root: the directory from which they are found; None: the one in which the artifact was built.
        """
        check_root(root)
        if sets is not None and sets.made_from != artifact.made_from:
            if found := differences(sets.recipe, artifact.recipe, ["shingling"]):
                raise ParametersError(sets.name, artifact.name, found)
            other = f"does not have the documents of {artifact.name}: build one of them again"
            raise ArtifactError(f"{sets.name}: {other}")
        return cls(
            name_bytes=artifact["names"],
            name_offsets=artifact["name_offsets"],
            every_fact=artifact.facts,
            signatures=artifact.columns.get("signatures", _NO_SIGNATURES),
            recipe=artifact.recipe,
            held=artifact.held,
            ignored=artifact.ignored,
            sets=sets,
            root=artifact.root if root is None else root,
            prefix=name_prefix(root, artifact.root),
            artifact_name=artifact.name,
            index=artifact if isinstance(artifact, BandIndex) else None,
            copies=Copies(artifact.n_documents),
        )

    def select(self, rows: Rows) -> Corpus:
        """These documents alone, in memory, in this order. Their token sets stay where they are."""
        names = joined(self.names(rows))
        return replace(
            self,
            name_bytes=MemoryColumn(names.values),
            name_offsets=MemoryColumn(names.offsets),
            every_fact=MemoryColumn(self.facts(rows)),
            signatures=MemoryColumn(self.signatures.rows(rows)),
            held=self._held(rows),
            met=None if self.met is None else self.met[rows],
            rows=self._whole_rows(rows),
            sets_in_memory=None,
            index=None,
            _documents=[],
        )

    def followed_by(self, other: Corpus) -> Corpus:
        """These documents, and then those of the other corpus. Nothing is copied."""
        return replace(self, parts=(self, other), met=None, index=None, _documents=[])

    def given_rows(self, rows: Rows) -> Rows:
        """The rows of these documents in the corpus that they were selected from, if any.

        In a corpus with parts, these are the rows in the second part, and after them those in the larger corpus.
        """
        if self.rows is None:
            return rows
        if self.parts is None:
            return self.rows[rows]
        given = len(self.parts[1])
        return np.concatenate((given + self.rows, np.arange(given)))[rows]

    def __len__(self) -> int:
        return len(self.every_fact) if self.parts is None else sum(map(len, self.parts))

    @property
    def documents(self) -> Documents:
        """All documents, in memory. The corpus has no parts."""
        if not self._documents:
            names = Ragged(self.name_bytes.all(), self.name_offsets.all())
            self._documents.append(Documents(names, *separated(self.every_fact.all()), self.held, self.met))
        return self._documents[0]

    @property
    def num_perm(self) -> int:
        """The number of values in a signature, K."""
        return self.signatures.shape[1]

    def _split(self, rows: Rows) -> Iterator[tuple[BlockPlaces, Corpus, Rows]]:
        """Yield for each part: the places of its documents among `rows`, the part, and their rows in it."""
        assert self.parts is not None
        first, second = self.parts
        of_second = np.asarray(rows) >= len(first)
        ours, theirs = np.flatnonzero(~of_second), np.flatnonzero(of_second)
        yield ours, first, rows[ours]
        yield theirs, second, rows[theirs] - len(first)

    def _filled(self, out: Array, rows: Rows, values: Callable[[Corpus, Rows], Array | list[bytes]]) -> Array:
        """Fill `out` with the values that this method of the parts returns for these rows."""
        for places, part, its in self._split(rows):
            out[places] = values(part, its)
        return out

    def _both(
        self, rows: Rows, values: Callable[[Corpus, Rows], list[tuple[BlockPlaces, _Found]]]
    ) -> list[tuple[BlockPlaces, _Found]]:
        """The results of this method of both parts, with places among `rows`."""
        return [(ours[places], each) for ours, part, its in self._split(rows) for places, each in values(part, its)]

    def facts(self, rows: Rows) -> NDArray[np.void]:
        """The facts of these documents, (n,) FACTS."""
        if self.parts is not None:
            return self._filled(np.empty(len(rows), FACTS), rows, Corpus.facts)
        return self.every_fact.rows(rows)

    def names(self, rows: Rows) -> list[bytes]:
        """The names of these documents."""
        if self.parts is not None:
            return list(self._filled(np.empty(len(rows), object), rows, Corpus.names))
        starts = self.name_offsets.rows(rows)
        lengths = self.name_offsets.rows(np.asarray(rows) + 1) - starts
        names = list[bytes]()
        for first, end in row_blocks(offsets_of(lengths), _NAME_BYTES):
            cut = lengths[first:end]
            names += separate(Ragged.from_lengths(self.name_bytes.at(ranges(starts[first:end], cut)), cut))
        return names

    def containers(self, rows: Rows) -> Index:
        """How many bytes of each name are that of the container that holds the document; 0 if it is a file."""
        if self.parts is not None:
            return self._filled(np.empty(len(rows), np.int64), rows, Corpus.containers)
        return np.asarray(without_stamps(self.every_fact, rows)["container"], np.int64)

    def printed_names(self, rows: Rows) -> list[bytes]:
        """The names of these documents, as paths that work in the working directory."""
        if self.parts is not None:
            return list(self._filled(np.empty(len(rows), object), rows, Corpus.printed_names))
        prefix, names = self.prefix, self.names(rows)
        if prefix:
            return [no_option(path_from(prefix, name)) for name in names]
        if not any(name.startswith(b"-") for name in names):
            return names
        each = zip(names, self.containers(rows).tolist(), strict=True)
        return [name if name[:container] == b"-" else no_option(name) for name, container in each]

    def estimates(self, left: Rows, right: Rows) -> Floats:
        """The estimated similarities of documents left[i] and right[i]: float64 (n,)."""
        if self.parts is None and isinstance(self.signatures, MemoryColumn):
            return jaccard.estimates(self.signatures.array, left, right)
        rows, places = np.unique(np.concatenate((left, right)), return_inverse=True)
        return jaccard.estimates(self.signature_rows(rows), places[: len(left)], places[len(left) :])

    def signature_rows(self, rows: Rows) -> Tokens:
        """The signatures of these documents, (n, K) uint32."""
        if self.parts is not None:
            return self._filled(np.empty((len(rows), self.num_perm), np.uint32), rows, Corpus.signature_rows)
        return np.asarray(self.signatures.rows(rows))

    def recorded(self, rows: Rows) -> Mask:
        """Which of these documents an earlier run has read, so that their files may have changed since.

        These are the documents of an artifact, unless there are token sets.
        """
        if self.parts is not None:
            return self._filled(np.empty(len(rows), bool), rows, Corpus.recorded)
        return np.full(len(rows), bool(self.artifact_name) and self.sets is None)

    def copy(self, rows: Rows, run: Run | None = None, *, texts: bool = False) -> None:
        """Copy those of these documents that have no place of their own, in one pass over each of their files.

        So all documents that will be read again should be copied together. texts: also if token sets are in an
        artifact, or are held by the workers. run: None: in this process. OutputError: there is no room for the copies.
        """
        if self.parts is not None:
            for _, part, its in self._split(rows):
                part.copy(its, run, texts=texts)
            return
        if self.copies is None or (not texts and (self.sets is not None or self.sets_in_memory is not None)):
            return
        lacking = distinct(rows[self.copies.lacks(self._whole_rows(rows), texts=texts)])
        if len(lacking):
            some = (lacking[at : at + NAMED_AT_ONCE] for at in range(0, len(lacking), NAMED_AT_ONCE))
            requests = ((self._whole_rows(each), self._request(each)) for each in some)
            shared = None if run is None or texts or self.met is None else run.engine.state.shared
            self.copies.fill(requests, self.recipe.shingling, run, shared)

    def _whole_rows(self, rows: Rows) -> Rows:
        """The rows of these documents in the corpus that they were selected from, or else here."""
        return rows if self.rows is None else self.rows[rows]

    def requests(self, rows: Rows) -> list[tuple[BlockPlaces, ReloadRequest]]:
        """What is known of the files of these rows, each with the places of its documents among rows. No file is read.

        ArtifactError: the place of the documents is unknown.
        """
        if self.parts is not None:
            return self._both(rows, Corpus.requests)
        if self.artifact_name and not self.root:
            missing = f"{self.artifact_name}/{RUN} does not say where its documents are"
            raise ArtifactError(f"{missing}: give their directory with --root")
        return [(np.arange(len(rows)), self._request(rows))]

    def readings(self, rows: Rows) -> list[tuple[BlockPlaces, ReloadRequest]]:
        """The requests that read these rows again, each with the places of its documents among rows.

        ArtifactError: see `requests`. OutputError: see `copy`.
        """
        if self.parts is not None:
            return self._both(rows, Corpus.readings)
        return [self._with_copies(rows, texts=True)]

    def sources(self, rows: Rows) -> list[tuple[BlockPlaces, SetSource]]:
        """The sources of the token sets of these rows, each with the places of its sets among rows.

        ArtifactError: see `requests`. OutputError: see `copy`.
        """
        if self.parts is not None:
            return self._both(rows, Corpus.sources)
        if self.sets_in_memory is not None:
            sets, place = self.sets_in_memory
            return [(np.arange(len(rows)), sets.take(place[rows]))]
        if self.sets is None:
            return [self._with_copies(rows, texts=False)]
        whole = self._whole_rows(rows)
        starts = self.sets["offsets"].rows(whole)
        lengths = self.sets["offsets"].rows(whole + 1) - starts
        found = Ragged.from_lengths(self.sets["tokens"].at(ranges(starts, lengths)), lengths)
        if not found.rows_ascend:
            raise damaged(f"{self.sets.name}/tokens.npy", "the tokens of a document do not ascend without repeats")
        return [(np.arange(len(rows)), leave_out(found, self.ignored))]

    def _with_copies(self, rows: Rows, *, texts: bool) -> tuple[BlockPlaces, ReloadRequest]:
        ((places, request),) = self.requests(rows)
        self.copy(rows, texts=texts)
        copies = {} if self.copies is None else self.copies.of(self._whole_rows(rows), request.facts["size"])
        return places, replace(request, copies=copies | request.copies)

    def _request(self, rows: Rows) -> ReloadRequest:
        names, facts = self.names(rows), self.facts(rows)
        if self.artifact_name and (facts["container"] > list(map(len, names))).any():
            where = f"{self.artifact_name}/documents.npy"
            raise damaged(where, "the name of a line is not longer than that of its file")
        return ReloadRequest(
            names=names,
            copies=dict(self._held(rows)),
            limit=self.limit,
            facts=facts,
            root=self.root,
            sequences=self.recipe.sequences,
            met=None if self.met is None else self.met[rows],
            ignored=self.ignored,
        )

    def _held(self, rows: Rows) -> dict[int, bytes]:
        if not self.held:
            return {}
        return {at: self.held[row] for at, row in enumerate(rows.tolist()) if row in self.held}


def check_root(root: bytes | None) -> None:
    """Raise InputError if this is given, but is not a directory."""
    if root is not None and not os.path.isdir(root):
        raise InputError(f"{display_name(root)}: --root is not a directory")


def name_prefix(root: bytes | None, recorded: bytes) -> bytes:
    """The path to put before recorded names so that they work in the working directory; empty if they do already.

    root: the directory that the user named instead of the recorded one.
    """
    found = recorded if root is None else root
    if not found or not os.path.isdir(found):
        return b""
    try:
        return b"" if os.path.samefile(found, b".") else found
    except OSError:
        return found


_MANY = 1 << 14
"""With at least this many documents, workers are started before the columns of an artifact are read."""


def read_corpus(intake: Intake, recipe: SignatureRecipe, run: Run) -> Corpus:
    """Read and sign the documents given, or take their signatures from the artifact."""
    artifact = intake.artifact
    if artifact is not None and artifact.n_documents >= _MANY:
        run.engine.start()
    documents, signatures = signed(intake, recipe, run, with_sets=False, compared=True)
    if artifact is None:
        corpus = Corpus.of(documents, recipe, intake.walking.max_size)
    else:
        shingles = artifact if isinstance(artifact, Shingles) else intake.shingles
        corpus = Corpus.of_artifact(artifact, sets=shingles, root=intake.root)
    report_ignored(documents, corpus.prefix, run.skipped)
    column = MemoryColumn(signatures)
    return replace(corpus, recipe=recipe, signatures=column, ignored=intake.ignored, _documents=[documents])
