"""Write the rows of documents' files to other files: those that are kept, the duplicates, or all with flags.

The files are read once more. Rows that are no documents, because they are malformed, too long or have a repeated id,
could not be judged, and are kept.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simdocs.artifacts.recognise import is_artifact
from simdocs.commands.row_targets import no_rows, row_targets
from simdocs.engines.run import Run
from simdocs.errors import InputError
from simdocs.extras import needs
from simdocs.matching.corpus import Corpus
from simdocs.matching.groups import Decision
from simdocs.model.documents import Documents
from simdocs.model.groups import Members, WrittenRows
from simdocs.model.ragged import Floats, Index, Rows
from simdocs.model.skipped import DocumentSkipped, Skip, explanation
from simdocs.names import display_name, name_to_text
from simdocs.options.texts import Sequences
from simdocs.reading.compression import CompressedSink
from simdocs.reading.formats import needed_by
from simdocs.reading.formats.row_writers import RowWriter, row_writer
from simdocs.reading.formats.rows import Flags, RowBatch, RowSource, opened_rows
from simdocs.reading.identity import Stamp
from simdocs.storage.atomic_file import OutputStream, atomic_file
from simdocs.storage.atomic_tree import DraftTree, atomic_tree

if TYPE_CHECKING:
    from simdocs.pipeline.prepare import Intake
    from simdocs.storage.stored_output import StoredTree

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

    def flags(self, rows: range) -> Iterator[Flags]:
        """Yield the flags of each of these documents."""
        original = self.original[rows.start : rows.stop]
        duplicates = np.flatnonzero(original >= 0)
        names = dict(zip(duplicates.tolist(), self.corpus.printed_names(original[duplicates]), strict=True))
        for at, row in enumerate(rows):
            group = None if self.group[row] < 0 else int(self.group[row])
            similarity = float(self.similarity[row]) if at in names else None
            yield Flags(name_to_text(names[at]) if at in names else None, similarity, group)


class RowDrafts:
    """The drafts of files, or directories of files, into which rows are written.

    outputs: where they will be, by parameter. intake, fields: the files whose rows are written, and how they are read.
    others: other files that are written. publishing: makes outputs of the drafts when it is left without an exception.
    Raises the errors of `row_targets`.
    """

    def __init__(
        self, outputs: Mapping[str, str], intake: Intake, fields: Sequences, others: Any, publishing: ExitStack
    ) -> None:
        assert intake.found is not None
        for needy, (module, what) in needed_by(intake.found.names, fields):
            needs(module, what, display_name(needy))  # or else an output would lack all its rows
        self._found, self._fields, self._limit = intake.found, fields, intake.walking.max_size
        self._targets = row_targets(outputs, intake.found, intake.sources, fields, others)
        self._drafts: dict[str, OutputStream | DraftTree | StoredTree] = {}
        for name, path in self._targets.outputs.items():
            if name in self._targets.forms:
                self._drafts[name] = publishing.enter_context(atomic_file(path, is_artifact))
            else:
                self._drafts[name] = publishing.enter_context(atomic_tree(path, self._targets.paths, is_artifact))

    def write(self, decision: Decision, documents: Documents, run: Run) -> tuple[WrittenRows, ...]:
        """Write all rows, and make the drafts ready to be published. Return what was written.

        documents: those of the decision that were given. InputError: a file has changed since it was read. UsageError:
        a document is no row of a file.
        """
        texts = np.flatnonzero(documents.facts["container"] == 0)
        if len(texts):
            raise no_rows(next(iter(self._drafts)), len(texts), documents.raw_name(int(texts[0])))
        fates, judged = Fates.of(decision, len(documents)), _documents_of_files(documents)
        rows, files, unjudged, lost = Counter[str](), 0, 0, 0
        for number in range(len(self._found.names)):
            mine, stamp = judged.get(self._found.names[number], (range(0), self._found.stamp(number)))
            self._refuse_changed(number, stamp, mine)
            read, numbers = 0, documents.facts["line"][mine.start : mine.stop]
            with ExitStack() as stack:
                try:
                    source = stack.enter_context(self._opened(number))
                except DocumentSkipped as skip:
                    if mine:
                        raise self._changed(number) from None
                    self._report(number, skip, 0, run)
                    lost += 1
                    continue
                writers = self._writers(number, source, stack)
                for some in source.batches():
                    begin, end = np.searchsorted(numbers, (some.numbers[0], some.numbers[-1] + 1)).tolist()
                    places = numbers[begin:end] - some.numbers[0]
                    unjudged += _write(source, some, places, mine[begin:end], fates, writers, rows)
                    read += len(some.numbers)
                    run.progress("writing rows", mine.start + end, len(documents))
                for writer in writers.values():
                    writer.end()
            self._refuse_changed(number, stamp, mine)
            files += 1
            if source.damage is not None:
                self._report(number, source.damage, read, run)
                lost += not read
        for draft in self._drafts.values():
            draft.prepare()
        of_tree = {name: files for name in self._targets.outputs if name not in self._targets.forms}
        return tuple(
            WrittenRows(name, os.fsencode(path), rows[name], of_tree.get(name), unjudged if name == KEPT else 0, lost)
            for name, path in self._targets.outputs.items()
        )

    def _opened(self, number: int) -> AbstractContextManager[RowSource]:
        """The rows of a file, which is closed at the end. Raises DocumentSkipped, also when it is entered."""
        return opened_rows(self._found.source(number, self._limit), self._targets.read_as[number], self._fields)

    def _writers(self, number: int, source: RowSource, stack: ExitStack) -> dict[str, RowWriter]:
        """A writer of the rows of this file for each output. stack: closes their files."""
        writers = dict[str, RowWriter]()
        for name, draft in self._drafts.items():
            if isinstance(draft, OutputStream):
                path, form, write = self._targets.outputs[name], self._targets.forms[name], draft.write
            else:
                path, form = self._targets.paths[number], self._targets.read_as[number]
                write = stack.enter_context(draft.file(path)).write
            sink, again = CompressedSink(os.fsencode(path), write), partial(self._opened, number)
            joined = name in self._targets.forms and len(self._found.names) > 1
            writers[name] = row_writer(form, source, sink, again, flagged=name == FLAGGED, joined=joined)
        return writers

    def _refuse_changed(self, number: int, stamp: Stamp, mine: range) -> None:
        """Raise InputError if a file with this stamp has changed. mine: its documents; without any, it may be gone."""
        now = Stamp.at(self._found.names[number]) if number not in self._found.held else stamp
        if (now is None and mine) or (now is not None and not stamp.same_bytes(now)):
            raise self._changed(number)

    def _changed(self, number: int) -> InputError:
        shown = display_name(self._found.names[number])
        return InputError(f"{shown}: changed before its rows were written, so nothing was written: run again")

    def _report(self, number: int, skip: DocumentSkipped, read: int, run: Run) -> None:
        """Report that only so many rows of a file can be read. InputError: it changed, or it is the only one."""
        name = self._found.names[number]
        if skip.reason == "changed":
            raise self._changed(number)
        if not read and len(self._found.names) == 1 and not self._targets.paths:
            why = skip.detail or explanation(skip.reason)
            raise InputError(f"{display_name(name)}: no rows can be written: {why}")
        some = f"only {read:,} of its rows can be read, so the rest is in no output"
        none = "cannot be read, so none of its rows is in an output"
        run.skipped.warnings.append(f"{display_name(name)}: {some if read else none}")
        if not any(each.name == name and not each.line for each in run.skipped.kept(skip.reason)):
            run.skipped.add(Skip(skip.reason, name, skip.detail))


def _documents_of_files(documents: Documents) -> dict[bytes, tuple[range, Stamp]]:
    """For each file with documents, by its name, their rows, and its stamp when they were read."""
    found, files = dict[bytes, tuple[range, Stamp]](), documents.sources.files
    for place, (start, stop) in enumerate(pairwise([*files["row"].tolist(), len(documents)])):
        name = documents.raw_name(start)[: int(documents.facts["container"][start])]
        stamp = (int(files[field][place]) for field in ("file_size", "mtime_ns", "ctime_ns", "inode"))
        found[name] = range(start, stop), Stamp(*stamp)
    return found


def _write(
    source: RowSource,
    rows: RowBatch,
    places: Index,
    mine: range,
    fates: Fates,
    writers: Mapping[str, RowWriter],
    counts: Counter[str],
) -> int:
    """Write some rows, and return how many were not judged. places: those of the documents `mine`."""
    is_removed, is_row = np.zeros(len(rows.numbers), bool), np.ones(len(rows.numbers), bool)
    is_removed[places] = fates.original[mine.start : mine.stop] >= 0
    if source.noun == "line":  # blank lines have numbers
        is_row[:] = [bool(row.strip()) for row in rows.data]
    for name, writer in writers.items():
        if name == FLAGGED:
            flags = [Flags()] * len(is_row)
            for place, its in zip(places.tolist(), fates.flags(mine), strict=True):
                flags[place] = its
            writer.write(rows._replace(flags=flags))
            counts[name] += int(is_row.sum())
        else:
            wanted = is_removed == (name == REMOVED)
            writer.write(rows.take(np.flatnonzero(wanted)))
            counts[name] += int((wanted & is_row).sum())
    return int(is_row.sum()) - len(places)
