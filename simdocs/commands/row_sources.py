"""Read the rows of documents' files again, in the order of the files, and say what becomes of each.

Only the decision about each document is held: a few arrays. Rows that are no documents, because they are malformed, too
long or have a repeated id, could not be judged, and are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.containers.container import Container, ContainerFile, Part, container
from simdocs.corpora.containers.recognise import formats_of, needed_by
from simdocs.corpora.containers.rows import NO_FLAGS, Flags, RawRows, Record, RowBlock, RowFormat, row_format
from simdocs.corpora.file_list import FileList
from simdocs.corpora.identity import content_digest
from simdocs.corpora.stamp import Stamp
from simdocs.corpora.walked_files import Met
from simdocs.engines.run import Run
from simdocs.errors import InputError
from simdocs.extras import needs
from simdocs.matching.corpus import Corpus
from simdocs.matching.groups import Decision
from simdocs.model.documents import Documents
from simdocs.model.groups import Members
from simdocs.model.ragged import Floats, Index, Rows
from simdocs.model.skipped import DocumentSkipped, Skip, and_more, explanation
from simdocs.names import display_name, name_to_text
from simdocs.options.texts import Sequences


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


class JudgedFile(NamedTuple):
    """What was read of a file.

    rows: its documents, as a range of rows; numbers: their numbers in the file, ascending.
    record: its record, FILE; chunks: the records of its parts, (h,) CHUNK.
    """

    rows: range
    numbers: Index
    record: np.void
    chunks: NDArray[np.void]


class JudgedFiles:
    """Hands out what was read of each file, in the order of the files."""

    def __init__(self, documents: Documents) -> None:
        self._documents, self._next = documents, 0

    def next(self, name: bytes) -> JudgedFile | None:
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
        return JudgedFile(range(first, end), documents.facts["line"][first:end], files[at], chunks)


_LOST = "cannot be read, so none of its rows is in an output"


class RowSource:
    """A file whose rows are read again.

    found, number: the files that were found, and which of them it is.
    form: its container format.
    limit: the largest size of a document in bytes.
    reading: what was read of it; None: it has no documents.
    """

    def __init__(
        self, found: FileList, number: int, form: str, fields: Sequences, limit: int, reading: JudgedFile | None
    ) -> None:
        self._file = ContainerFile(found.names[number], limit, Met.of(found.met[number]), found.held.get(number))
        self._found, self._reading = found.stamp(number), reading
        self._fields = _without_texts(fields) if reading is None else fields
        self._kind: Container = container(form)
        rows = row_format(form)
        assert rows is not None
        self._form: RowFormat = rows
        self._raw: RawRows | None = None
        self.read_to, self.warnings, self._last, self._count = 0, list[str](), 0, 0
        self._alone, self.is_lost = False, False
        """Whether its rows are all that is written, and whether nothing of it could be read."""

    def open(self, *, alone: bool) -> RawRows | None:
        """Open the file; None if it cannot be opened, as was reported when its documents were read.

        InputError: it has changed since then. alone: its rows are all that is written, so that it is an error, too, if
        none of them can be read.
        """
        self._alone = alone
        try:
            self._raw = self._form.open(self._file, self._fields)
        except (DocumentSkipped, OSError) as error:
            if self._reading is not None:
                raise self._changed() from None
            why = error.detail or error.reason if isinstance(error, DocumentSkipped) else str(error.strerror)
            if alone or getattr(error, "reason", "") == "uninstalled":
                raise InputError(f"{self._shown}: no rows can be written: {why}") from None
            self.is_lost = True
            self.warnings.append(f"{self._shown}: {_LOST}")
        return self._raw

    def blocks(self, run: Run) -> Iterator[tuple[RowBlock, Index, Rows]]:
        """Yield its rows in blocks, each with the places of the documents among them, and their rows.

        InputError: the file has changed since its documents were read; or nothing of it can be read: see `open`.
        """
        assert self._raw is not None
        chunks = [] if self._reading is None else list(self._reading.chunks)
        done, grown, last, at, number = 0, False, None, 0, 1
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
                done, at, number = done + 1, part.start + part.extent, part.first + part.count
                for block in self._raw.blocks(part):
                    self._last, self._count = block.first + block.count - 1, self._count + block.count
                    yield block, *self._documents(block)
        except (DocumentSkipped, OSError) as error:
            if done < len(chunks) or (last is not None and not self._is_same(last)):
                raise self._changed() from error
            yield from self._rest(at, number, error)
        else:
            if (damage := self._raw.damage) is not None:  # which reading the documents did not meet
                lost = self._damage(self._raw.total, damage)
                run.skipped.add(Skip("malformed", self._file.name, f"{lost}: {damage.detail}"))
        if done < len(chunks):
            raise self._changed()

    def _rest(
        self, start: int, number: int, error: DocumentSkipped | OSError
    ) -> Iterator[tuple[RowBlock, Index, Rows]]:
        """Yield the rows after the last part, which were not compared, and say how many of the file are missing."""
        assert self._raw is not None
        before = self._count
        for block in self._raw.rest(start, number):
            self._count += block.count
            yield block, np.empty(0, np.int64), np.empty(0, np.int64)
        if self._count == before or self._raw.damage is not None:
            self.warnings.append(f"{self._shown}: {self._damage(self._raw.total, error)}")

    def _damage(self, total: int | None, error: DocumentSkipped | OSError) -> str:
        """How much of a damaged file was read. total: how many rows it has, if that is known.

        InputError: nothing, and its rows are all that is written.
        """
        self.is_lost = not self._count
        if self.is_lost and self._alone:
            why = error.detail or explanation(error.reason) if isinstance(error, DocumentSkipped) else error
            raise InputError(f"{self._shown}: no rows can be written: {why}") from None
        if total is not None:
            return f"only {self._count:,} of its {total:,} rows can be read, so the rest is in no output"
        if not self._last:
            return _LOST
        return f"cannot be read after {self._kind.noun} {self._last:,}, so the rest of its rows is in no output"

    def records(self) -> Iterator[list[Record]]:
        """Yield all records of the file that can be read, some at a time."""
        raw = self._form.open(self._file, self._fields)
        try:
            for part in self._kind.parts(self._file, self._fields):
                for block in raw.blocks(part):
                    places = [place for place in range(len(block)) if block.is_row(place)]
                    found = block.records(np.array(places, np.int64))
                    yield [record for record in found if record is not None]
        except (DocumentSkipped, OSError):
            return  # what was read before is all there is, as `blocks` reports
        finally:
            raw.close()

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
        begin = content_digest(part.data[: len(part.data) - part.extent + extent])  # a header may come before it
        return is_last and self._kind.grows and bool((np.frombuffer(begin, "<u8") == chunk["content"]).all())

    def _documents(self, block: RowBlock) -> tuple[Index, Rows]:
        """The places of the documents in a block, and their rows."""
        if self._reading is None:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        numbers = self._reading.numbers
        begin, end = np.searchsorted(numbers, (block.first, block.first + block.count))
        return block.places(numbers[begin:end] - block.first), self._reading.rows.start + np.arange(begin, end)

    @property
    def _shown(self) -> str:
        return display_name(self._file.name)

    def _changed(self) -> InputError:
        return InputError(f"{self._shown}: changed before its rows were written, so nothing was written: run again")


def _without_texts(fields: Sequences) -> Sequences:
    """Fields with which any table has rows, whatever its columns are, because no texts or ids are wanted."""
    options = fields.input_format, fields.delimiter, fields.no_header
    return Sequences(text_field=(), id_field="\0", input_format=options[0], delimiter=options[1], no_header=options[2])


def container_formats(found: FileList, fields: Sequences) -> list[str]:
    """The container format of each file; empty if it is one document."""
    numbers, meanings = formats_of(found, fields)
    return [meanings[number] for number in numbers.tolist()]


def refuse_unread(found: FileList, fields: Sequences) -> None:
    """Raise MissingExtraError if a file needs a library that is not installed: an output would lack all its rows."""
    needy = dict[tuple[str, str], list[bytes]]()
    for name, library in needed_by(found.names, fields):
        needy.setdefault(library, []).append(name)
    for (module, what), names in needy.items():
        lost = f"{and_more(len(names))}, whose rows would be lost" if len(names) > 1 else ""
        needs(module, what, f"{display_name(names[0])}{lost}")
