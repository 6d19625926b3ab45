"""Write the rows of documents' files to other files: those that are kept, the duplicates, or all with flags.

Rows are read again, in the order of the files, and only the decision about each document is held: a few arrays. Rows
that are no documents, because they are malformed, too long or have a repeated id, could not be judged, and are kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdocs.artifacts.recognise import is_artifact
from simdocs.commands.row_targets import RowFile, RowTargets, no_rows, row_targets
from simdocs.corpora.compression import CompressedSink
from simdocs.corpora.containers.container import Container, ContainerFile, Part, container
from simdocs.corpora.containers.rows import NO_FLAGS, Flags, RawRows, RowBlock, RowFormat, RowWriter, Sink, row_format
from simdocs.corpora.file_list import FileList
from simdocs.corpora.identity import content_digest
from simdocs.corpora.stamp import Stamp
from simdocs.corpora.walked_files import Met
from simdocs.engines.run import Run
from simdocs.errors import InputError
from simdocs.matching.corpus import Corpus
from simdocs.matching.groups.decision import Decision
from simdocs.model.deduplication import WrittenRows
from simdocs.model.documents import Documents
from simdocs.model.groups import Members
from simdocs.model.names import display_name, name_to_text
from simdocs.model.ragged import Floats, Index, Rows
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.parameters.texts import Sequences
from simdocs.storage.atomic_file import atomic_file
from simdocs.storage.atomic_tree import DraftTree, atomic_tree
from simdocs.storage.output_stream import OutputStream

if TYPE_CHECKING:
    from simdocs.pipeline.prepare import Intake

KEPT, REMOVED, FLAGGED = "kept_rows", "removed_rows", "flagged_rows"


class Fates(NamedTuple):
    """What becomes of N documents.

    original: int64 (N,), the row in the corpus of the document of which each is a duplicate; -1: it is kept.
    similarity: float64 (N,), how similar they are; NaN: it is kept.
    group: int64 (N,), the number of its group; -1: it has none, because the index has it already.
    corpus: the corpus.
    """

    original: Rows
    similarity: Floats
    group: Index
    corpus: Corpus

    @classmethod
    def of(cls, decision: Decision, count: int) -> Fates:
        """What becomes of the last `count` documents of the corpus of a decision, which are those that were given."""
        corpus, pairs = decision.corpus, decision.pairs
        before = len(corpus) - count
        original, similarity = np.full(count, -1), np.full(count, np.nan)
        original[pairs.right - before], similarity[pairs.right - before] = pairs.left, pairs.score
        known = decision.known - before
        kept = corpus.given_rows(decision.kept_and_found())
        group = Members.of(pairs.renumbered(corpus.given_rows), kept).labels(count)
        original[known], similarity[known] = decision.known, 1.0
        return cls(original, similarity, group, corpus)

    def flags(self, rows: Rows) -> list[Flags]:
        """The flags of these documents."""
        original, found = self.original[rows], [NO_FLAGS] * len(rows)
        duplicates = np.flatnonzero(original >= 0)
        names = dict(zip(duplicates.tolist(), self.corpus.printed_names(original[duplicates]), strict=True))
        each = zip(self.similarity[rows].tolist(), self.group[rows].tolist(), strict=True)
        for at, (similarity, group) in enumerate(each):
            number = None if group < 0 else group
            name = names.get(at)
            found[at] = Flags(None, None, number) if name is None else Flags(name_to_text(name), similarity, number)
        return found


class RowDrafts:
    """The drafts of files, or directories of files, into which rows are written.

    targets: where they will be.
    found, fields: the files whose rows are written, and how they are read.
    """

    def __init__(self, targets: RowTargets, found: FileList, fields: Sequences, limit: int) -> None:
        self.targets, self._found, self._fields, self._limit = targets, found, fields, limit
        self._drafts: dict[str, OutputStream | DraftTree] = {}

    def open(self, publishing: ExitStack) -> None:
        """Open the drafts, which become the outputs when `publishing` is left without an exception."""
        for name, path in self.targets.outputs.items():
            if self.targets.is_one_file:
                self._drafts[name] = publishing.enter_context(atomic_file(path, is_artifact))
            else:
                paths = [file.path for file in self.targets.files]
                self._drafts[name] = publishing.enter_context(atomic_tree(path, paths, is_artifact))

    def write(self, decision: Decision, documents: Documents, run: Run) -> tuple[WrittenRows, ...]:
        """Write all rows, and make the drafts ready to be published. Return what was written.

        documents: those of the decision that were given. InputError: a file has changed since it was read. UsageError:
        a document is no row of a file.
        """
        texts = np.flatnonzero(documents.facts["container"] == 0)
        if len(texts):
            raise no_rows(next(iter(self._drafts)), len(texts), documents.raw_name(int(texts[0])))
        fates, judged = Fates.of(decision, len(documents)), _Judged(documents)
        counts, files = dict.fromkeys(self._drafts, 0), dict.fromkeys(self._drafts, 0)
        total, done = int(self._found.sizes.sum()), 0
        for file in self.targets.files:
            run.progress("writing rows", done, total)
            its = judged.next(self._found.names[file.number])
            source = _Source(self._container_file(file), file, self._fields, its, self._found.stamp(file.number))
            with self._writers(file, source) as writers:
                for name in writers:
                    files[name] += 1
                for block, places, rows in source.blocks(run) if writers else ():
                    _write(block, places, rows, fates, writers, counts)
                    run.progress("writing rows", done + source.read_to, total)
            done += int(self._found.sizes[file.number])
            run.skipped.warnings += source.warnings
        for draft in self._drafts.values():
            draft.prepare()
        return tuple(
            WrittenRows(name, os.fsencode(path), counts[name], None if self.targets.is_one_file else files[name])
            for name, path in self.targets.outputs.items()
        )

    def _container_file(self, file: RowFile) -> ContainerFile:
        found, row = self._found, file.number
        return ContainerFile(found.names[row], self._limit, Met.of(found.met[row]), found.held.get(row))

    @contextmanager
    def _writers(self, file: RowFile, source: _Source) -> Iterator[dict[str, RowWriter]]:
        """A writer for each output; none if the file cannot be opened."""
        with ExitStack() as stack:
            raw = source.open(alone=self.targets.is_one_file)
            if raw is None:
                yield {}
                return
            stack.callback(raw.close)
            writers, ends = dict[str, RowWriter](), list[Callable[[], None]]()
            for name, draft in self._drafts.items():
                stream = draft if isinstance(draft, OutputStream) else stack.enter_context(draft.file(file.path))
                sink: Sink = stream.write
                form = row_format(self.targets.form(name, file))
                assert form is not None
                compressed = CompressedSink(os.fsencode(self.targets.name(name, file)), sink)
                writers[name] = form.writer(raw, compressed.write, flagged=name == FLAGGED)
                ends += [writers[name].end, compressed.end]
            yield writers
            for end in ends:
                end()


def _write(
    block: RowBlock, places: Index, rows: Rows, fates: Fates, writers: Mapping[str, RowWriter], counts: dict[str, int]
) -> None:
    """Write the rows of a block. places: those of its documents. rows: these documents."""
    is_removed, is_judged = np.zeros(len(block), bool), np.zeros(len(block), bool)
    is_removed[places] = fates.original[rows] >= 0
    is_judged[places] = True
    blank = sum(not block.is_row(place) for place in np.flatnonzero(~is_judged).tolist())
    for name, writer in writers.items():
        if name == FLAGGED:
            flags = [NO_FLAGS] * len(block)
            for place, its in zip(places.tolist(), fates.flags(rows), strict=True):
                flags[place] = its
            writer.write(block, np.arange(len(block)), flags)
        else:
            writer.write(block, np.flatnonzero(is_removed == (name == REMOVED)), None)
        wanted = len(block) if name == FLAGGED else int((is_removed == (name == REMOVED)).sum())
        counts[name] += wanted - (0 if name == REMOVED else blank)


class _Reading(NamedTuple):
    """What was read of a file.

    rows: its documents, as a range of rows; numbers: their numbers in the file, ascending.
    record: its record, FILE; chunks: the records of its parts, (h,) CHUNK.
    """

    rows: range
    numbers: Index
    record: np.void
    chunks: NDArray[np.void]


class _Judged:
    """Hands out what was read of each file, in the order of the files."""

    def __init__(self, documents: Documents) -> None:
        self._documents, self._next = documents, 0

    def next(self, name: bytes) -> _Reading | None:
        """What was read of the file with this name, which comes after the last one; None: it has no documents."""
        documents, files = self._documents, self._documents.sources.files
        at = self._next
        if at == len(files):
            return None
        first = int(files["row"][at])
        if documents.raw_name(first)[: int(documents.facts["container"][first])] != name:
            return None
        self._next += 1
        end, chunk_end = (
            (int(files["row"][at + 1]), int(files["chunk"][at + 1]))
            if at + 1 < len(files)
            else (len(documents), len(documents.sources.chunks))
        )
        chunks = documents.sources.chunks[int(files["chunk"][at]) : chunk_end]
        return _Reading(range(first, end), documents.facts["line"][first:end], files[at], chunks)


class _Source:
    """A file whose rows are read again.

    reading: what was read of it. found: its stamp when it was found.
    """

    def __init__(
        self, file: ContainerFile, row_file: RowFile, fields: Sequences, reading: _Reading | None, found: Stamp
    ) -> None:
        self._file, self._fields, self._reading, self._found = file, fields, reading, found
        self._kind: Container = container(row_file.form)
        form = row_format(row_file.form)
        assert form is not None
        self._form: RowFormat = form
        self._raw: RawRows | None = None
        self.read_to, self.warnings = 0, list[str]()

    def open(self, *, alone: bool) -> RawRows | None:
        """Open the file; None if it cannot be opened, as was reported when its documents were read.

        InputError: it has changed since then. alone: its rows are all that is written, so this is an error, too.
        """
        try:
            self._raw = self._form.open(self._file, self._fields)
        except (DocumentSkipped, OSError) as error:
            if self._reading is not None:
                raise self._changed() from None
            why = error.detail or error.reason if isinstance(error, DocumentSkipped) else str(error.strerror)
            if alone:
                raise InputError(f"{self._shown}: {why}, so no rows can be written") from None
            self.warnings.append(f"{self._shown}: its rows are in no output, because it cannot be read: {why}")
        return self._raw

    def blocks(self, run: Run) -> Iterator[tuple[RowBlock, Index, Rows]]:
        """Yield its rows in blocks, each with the places of the documents among them, and their rows.

        InputError: the file has changed since its documents were read.
        """
        assert self._raw is not None
        chunks = [] if self._reading is None else list(self._reading.chunks)
        done, grown, last = 0, False, None
        try:
            for part in self._kind.parts(self._file, self._fields):
                if self._raw.stamp != part.stamp and self._file.held is None:
                    raise self._changed()
                last, self.read_to = part.stamp, part.read_to
                if not (self._is_same(part.stamp) or grown):
                    is_last = done == len(chunks) - 1
                    if done < len(chunks) and not self._had(part, chunks[done], is_last=is_last):
                        raise self._changed()
                    if grown := done >= len(chunks) or (is_last and part.extent > int(chunks[done]["extent"])):
                        detail = f"it grew after it was read: later {self._kind.noun}s are kept"
                        run.skipped.add(Skip("changed", self._file.name, detail))
                done += 1
                yield self._raw.block(part), *self._documents(part)
        except (DocumentSkipped, OSError) as error:
            if done < len(chunks) or (last is not None and not self._is_same(last)):
                raise self._changed() from error
            self.warnings.append(f"{self._shown}: cannot be read to its end, so the rest of its rows is in no output")
        if done < len(chunks):
            raise self._changed()

    def _is_same(self, stamp: Stamp) -> bool:
        """Whether the file has not changed since it was read."""
        if self._file.held is not None:
            return True
        if self._reading is None:
            return stamp == self._found
        record: Any = self._reading.record
        return stamp == Stamp(*(int(record[name]) for name in ("file_size", "mtime_ns", "ctime_ns", "inode")))

    def _had(self, part: Part, chunk: np.void, *, is_last: bool) -> bool:
        """Whether a part has the content that it had when it was read. The last one may have grown."""
        start, extent = int(chunk["start"]), int(chunk["extent"])
        if part.start != start or part.extent < extent:
            return False
        if part.extent == extent:
            return bool((np.frombuffer(part.digest, "<u8") == chunk["content"]).all())
        begin = content_digest(part.data[:extent])
        return is_last and self._kind.grows and bool((np.frombuffer(begin, "<u8") == chunk["content"]).all())

    def _documents(self, part: Part) -> tuple[Index, Rows]:
        """The places of the documents among the rows of a part, and their rows."""
        if self._reading is None:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        numbers = self._reading.numbers
        begin, end = np.searchsorted(numbers, (part.first, part.first + part.count))
        return numbers[begin:end] - part.first, self._reading.rows.start + np.arange(begin, end)

    @property
    def _shown(self) -> str:
        return display_name(self._file.name)

    def _changed(self) -> InputError:
        return InputError(f"{self._shown}: changed before its rows were written, so nothing was written: run again")


def opened_outputs(
    outputs: Mapping[str, str], intake: Intake, fields: Sequences, others: Any, publishing: ExitStack
) -> RowDrafts:
    """Drafts of these outputs, by parameter, for the rows of the files of an intake. For the errors, see `row_targets`.

    others: other files that are written.
    """
    assert intake.found is not None
    targets = row_targets(outputs, intake.found, intake.sources, fields, others)
    opened = RowDrafts(targets, intake.found, fields, intake.walking.max_size)
    opened.open(publishing)
    return opened
