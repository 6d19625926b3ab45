"""Take what an artifact has already: the documents of files, and of chunks of lines, that have not changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.file_list import FileList
from simdocs.corpora.jsonl import Lines
from simdocs.corpora.read_tasks import Files, KeptFiles, KeptLines, Portion, TakenOver
from simdocs.corpora.unchanged import EarlierFiles, Unchanged, compare
from simdocs.engines.run import Engine
from simdocs.engines.worker_state import WorkerState
from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.model.artifact import Artifact
from simdocs.model.byte_strings import ByteStrings
from simdocs.model.documents import NUMBERED, STAMP_FIELDS, Documents
from simdocs.model.ragged import Ragged, Rows, Tokens, row_blocks
from simdocs.model.skipped import Skip, Skipped
from simdocs.pipeline.reading import NO_CHUNK, Read, file_records
from simdocs.recipes import Recipe, Updating

Worked = TypeVar("Worked")

_TOKENS_AT_ONCE = 1 << 20
"""Tokens that are copied at once."""


def in_order(
    engine: Engine,
    work: Callable[[Files | Lines, WorkerState], Worked],
    stream: Iterator[Portion],
    tell: Callable[[float], None],
) -> Iterator[Worked | TakenOver]:
    """Yield the result of each task, and between them what is kept, in the order of the stream."""
    before: deque[list[TakenOver]] = deque()
    kept: list[TakenOver] = []

    def working() -> Iterator[Files | Lines]:
        nonlocal kept
        for task in stream:
            if isinstance(task, KeptFiles | KeptLines):
                kept.append(task)
                continue
            before.append(kept)
            kept = []
            yield task

    for result in engine.map_with_state(work, working(), tell):
        yield from before.popleft()
        yield result
    yield from kept


def signatures(artifact: Artifact, rows: Rows) -> Tokens:
    """The signatures of these documents of an artifact."""
    column = artifact["signatures"]
    column.release()  # or else all that was read before would stay in memory
    follow = len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all()
    found: Tokens = column.cut(int(rows[0]), int(rows[-1]) + 1) if follow else column.rows(rows)
    return found


def token_sets(artifact: Artifact, rows: Rows, at_once: int) -> Iterator[Ragged]:
    """Yield the token sets of these documents of an artifact, in blocks of about so many tokens."""
    tokens, offsets = artifact["tokens"], artifact["offsets"].all()
    begins = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    for begin, stop in pairwise([*begins.tolist(), len(rows)]):
        run = offsets[rows[begin] : rows[begin] + stop - begin + 1]
        for at, end in row_blocks(run - run[0], at_once):
            yield Ragged(tokens.cut(int(run[at]), int(run[end])), run[at : end + 1] - run[at])
            tokens.release()  # or else all that was read before would stay in memory


class Reuse:
    """The documents of an earlier artifact that are used again for files that were found now."""

    def __init__(self, unchanged: Unchanged, artifact: Artifact) -> None:
        self._found, self.unchanged = unchanged.found, unchanged
        self._documents = unchanged.earlier.documents
        self._names = ByteStrings(self._documents.names)
        self._artifact = artifact

    def signatures(self, rows: Rows) -> Tokens:
        """The signatures of earlier documents."""
        return signatures(self._artifact, rows)

    def token_sets(self, rows: Rows) -> Iterator[Ragged]:
        """Yield the token sets of earlier documents, block by block."""
        return token_sets(self._artifact, rows, _TOKENS_AT_ONCE)

    def take(self, kept: TakenOver) -> tuple[Read, Rows]:
        """What is kept as if it had been read now, and the earlier rows of its documents."""
        return self._files(kept) if isinstance(kept, KeptFiles) else self._lines(kept)

    def fill(self, read: Read, first: int) -> Rows:
        """Complete the facts of documents that are known. Return the earlier row of each document, or -1.

        first: the row, in the list of files, of the first file of the task.
        """
        places = first + np.array(read.places, np.int64)
        self.unchanged.keep(places[read.kept])
        files = self._documents.sources.files[self.unchanged.likely[places]]
        read.files[read.kept] = files[read.kept]
        read.files["skipped"][read.kept] = 1
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
        np.maximum(files["skipped"], self.unchanged.recent[kept.numbers], out=files["skipped"])
        return Read(
            list(range(count)), self._found.names[cut], [], self._documents.facts[rows], files, NO_CHUNK, []
        ), rows

    def _lines(self, kept: KeptLines) -> tuple[Read, Rows]:
        rows = self.unchanged.rows_of_chunks(kept.numbers)
        chunks = self.unchanged.chunks[kept.numbers.start : kept.numbers.stop].copy()
        facts = self._documents.facts[rows]
        path, names = self._found.names[kept.file], self._names[int(rows[0]) : int(rows[-1]) + 1] if len(rows) else []
        further, down = kept.start - int(chunks["start"][0]), kept.line - int(chunks["line"][0])
        for some in (facts, chunks):
            some["start"] += further
            some["line"] += down
        chunks["row"] -= chunks["row"][0]
        names = _renamed(names, facts, path, moved=down != 0)
        facts["container"] = len(path)
        files = file_records([kept.stamp], [bytes(16)])
        files["skipped"] = self.unchanged.not_read_whole(kept.file)
        return Read(facts["line"].tolist(), names, [], facts, files, chunks, []), rows


def _renamed(names: list[bytes], facts: NDArray[np.void], path: bytes, *, moved: bool) -> list[bytes]:
    """The names of lines that are now in the file at this path, at the positions in their facts."""
    if not names:
        return names
    container = int(facts["container"][0])
    if moved:
        numbered = (facts["flags"] & NUMBERED).tolist()
        suffixes = (
            b"#%d" % line if by_number else name[container:]
            for name, by_number, line in zip(names, numbered, facts["line"].tolist(), strict=True)
        )
        return [path + suffix for suffix in suffixes]
    if names[0][:container] == path:
        return names
    return [path + name[container:] for name in names]


@dataclass(frozen=True, slots=True)
class Earlier:
    """An artifact of an earlier run, from which unchanged documents are taken over.

    read_ns, limit, here: see EarlierFiles.
    """

    artifact: Artifact
    read_ns: int
    limit: int
    updating: Updating
    here: bool = False

    def reuse(self, found: FileList, recipe: Recipe, limit: int, skipped: Skipped) -> Reuse:
        """What can be used again for the files that were found, and for those that are kept though they were not.

        limit: the largest size of a document now, in bytes. skipped: takes the files that are kept.
        """
        files = EarlierFiles(self.artifact.documents, self.read_ns, self.limit, self.here)
        unchanged = compare(found, files, recipe.sequences, limit, self.updating)
        for row in np.flatnonzero(unchanged.unread).tolist():
            skipped.add(Skip("kept", unchanged.found.names[row]))
        return Reuse(unchanged, self.artifact)

    def rows_of_same_sets(self, documents: Documents) -> Rows:
        """For each document the row of an earlier one with the same token set, by its digest; -1 if there is none.

        The first of several equal sets gets the first of the earlier ones, and so on. So rows that follow each other
        nearly always have earlier rows that do, too.
        """
        then, now = (each.facts["set_digest"] for each in (self.artifact.documents, documents))
        rows = np.full(len(now), -1)
        if not len(then) or not len(now):
            return rows
        old, new = (np.argsort(digests[:, 0], kind="stable") for digests in (then, now))
        wanted, known = now[new, 0], then[old, 0]
        first, end = np.searchsorted(known, wanted), np.searchsorted(known, wanted, side="right")
        begins, sizes = equal_runs(wanted)
        among = np.arange(len(wanted)) - np.repeat(begins, sizes)
        found = np.flatnonzero(end > first)
        places = old[np.minimum(first + among, end - 1)[found]]
        rows[new[found]] = np.where((then[places] == now[new[found]]).all(axis=1), places, -1)
        return rows
