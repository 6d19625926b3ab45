"""Write the rows of documents' files to other files: those that are kept, the duplicates, or all with flags."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from simdocs.artifacts.recognise import is_artifact
from simdocs.commands.row_sources import Fates, JudgedFiles, RowSource
from simdocs.commands.row_targets import INFO, RowFile, RowTargets, no_rows, row_targets
from simdocs.corpora.compression import CompressedSink
from simdocs.corpora.containers.container import ContainerFile
from simdocs.corpora.containers.rows import NO_FLAGS, RowBlock, RowWriter, Sink, row_format
from simdocs.corpora.file_list import FileList
from simdocs.corpora.read_file import MOST, read
from simdocs.corpora.walked_files import Met
from simdocs.engines.memory import available_memory
from simdocs.engines.run import Run
from simdocs.errors import InputError, shown_memory
from simdocs.matching.groups import Decision
from simdocs.model.deduplication import WrittenRows
from simdocs.model.documents import Documents
from simdocs.model.ragged import Index, Rows
from simdocs.model.skipped import DocumentSkipped, explanation
from simdocs.names import display_name
from simdocs.options.texts import Sequences
from simdocs.storage.atomic_file import atomic_file
from simdocs.storage.atomic_tree import DraftTree, atomic_tree
from simdocs.storage.output_stream import OutputStream

if TYPE_CHECKING:
    from simdocs.pipeline.prepare import Intake
    from simdocs.storage.stored_output import StoredTree

KEPT, REMOVED, FLAGGED = "kept_rows", "removed_rows", "flagged_rows"


class RowDrafts:
    """The drafts of files, or directories of files, into which rows are written.

    targets: where they will be.
    found, fields: the files whose rows are written, and how they are read.
    """

    def __init__(self, targets: RowTargets, found: FileList, fields: Sequences, limit: int) -> None:
        self.targets, self._found, self._fields, self._limit = targets, found, fields, limit
        self._drafts: dict[str, OutputStream | DraftTree | StoredTree] = {}

    def open(self, publishing: ExitStack) -> None:
        """Open the drafts, which become the outputs when `publishing` is left without an exception."""
        for name, path in self.targets.outputs.items():
            if self.targets.is_one_file:
                self._drafts[name] = publishing.enter_context(atomic_file(path, is_artifact))
            else:
                paths = [*(file.path for file in self.targets.files), *self.targets.copies.values()]
                self._drafts[name] = publishing.enter_context(atomic_tree(path, paths, is_artifact))

    def write(self, decision: Decision, documents: Documents, run: Run) -> tuple[WrittenRows, ...]:
        """Write all rows, and make the drafts ready to be published. Return what was written.

        documents: those of the decision that were given. InputError: a file has changed since it was read. UsageError:
        a document is no row of a file.
        """
        texts = np.flatnonzero(documents.facts["container"] == 0)
        if len(texts):
            raise no_rows(next(iter(self._drafts)), len(texts), documents.raw_name(int(texts[0])))
        fates, judged = Fates.of(decision, len(documents)), JudgedFiles(documents)
        counts, files, unjudged = dict.fromkeys(self._drafts, 0), dict.fromkeys(self._drafts, 0), 0
        lost, total, done = 0, int(self._found.sizes.sum()), 0
        for file in self.targets.files:
            run.progress("writing rows", done, total)
            reading = judged.next(self._found.names[file.number])
            source = RowSource(self._found, file.number, file.form, self._fields, self._limit, reading)
            with self._writers(file, source) as writers:
                for name in writers:
                    files[name] += 1
                for block, places, rows in source.blocks(run) if writers else ():
                    unjudged += _write(block, places, rows, fates, writers, counts)
                    run.progress("writing rows", done + source.read_to, total)
            done += int(self._found.sizes[file.number])
            lost += source.is_lost
            run.skipped.warnings += source.warnings
        for name, draft in self._drafts.items():
            if not isinstance(draft, OutputStream):
                self._copy_descriptions(draft, flagged=name == FLAGGED)
            draft.prepare()
        return tuple(
            WrittenRows(
                name,
                os.fsencode(path),
                counts[name],
                None if self.targets.is_one_file else files[name],
                unjudged if name == KEPT else 0,
                lost,
            )
            for name, path in self.targets.outputs.items()
        )

    def _copy_descriptions(self, draft: DraftTree | StoredTree, *, flagged: bool) -> None:
        """Copy the files that describe data sets. flagged: there are more columns than they list."""
        for source, path in self.targets.copies.items():
            try:
                content, _ = read(source, MOST)
            except DocumentSkipped as skip:
                why = skip.detail or explanation(skip.reason)
                raise InputError(f"{display_name(source)}: {why}, so nothing was written") from None
            if flagged and os.path.basename(path) == INFO:
                content = _without_columns(content)
            with draft.file(path) as stream:
                stream.write(content)

    @contextmanager
    def _writers(self, file: RowFile, source: RowSource) -> Iterator[dict[str, RowWriter]]:
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
                writers[name] = form.writer(raw, compressed.write, flagged=name == FLAGGED, every=source.records)
                ends += [writers[name].end, compressed.end]
            yield writers
            for end in ends:
                end()


def _without_columns(description: bytes) -> bytes:
    """The description of a data set without the list of its columns, which are then those of its files."""
    try:
        facts = json.loads(description)
    except (ValueError, RecursionError):
        return description
    if not isinstance(facts, dict):
        return description
    return json.dumps({name: value for name, value in facts.items() if name != "features"}, indent=2).encode()


def _write(
    block: RowBlock, places: Index, rows: Rows, fates: Fates, writers: Mapping[str, RowWriter], counts: dict[str, int]
) -> int:
    """Write the rows of a block, and return how many were not judged. places: its documents. rows: these documents."""
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
    return len(block) - len(places) - blank


def _refuse_large(targets: RowTargets, found: FileList, limit: int) -> None:
    """Raise InputError if there is less memory than what must be held of a file while its rows are written."""
    most = available_memory()
    for file in targets.files if most is not None else ():
        form = row_format(file.form)
        assert form is not None
        assert most is not None
        number = file.number
        each = ContainerFile(found.names[number], limit, Met.of(found.met[number]), found.held.get(number))
        with suppress(DocumentSkipped, OSError):  # reported when the file is read
            if (held := form.held(each)) is not None and held.size > most:
                takes = f"takes {shown_memory(held.size)}, and {shown_memory(most)} of memory are left"
                remedy = f"write the file with fewer rows in each {held.unit} first"
                what = f"{held.unit} {held.number}"
                raise InputError(f"{display_name(each.name)}: to write its rows, {what} {takes}: {remedy}")


def opened_outputs(
    outputs: Mapping[str, str], intake: Intake, fields: Sequences, others: Any, publishing: ExitStack
) -> RowDrafts:
    """Drafts of these outputs, by parameter, for the rows of the files of an intake. For the errors, see `row_targets`.

    others: other files that are written. InputError: what must be held of a file is more than the memory there is.
    """
    assert intake.found is not None
    targets = row_targets(outputs, intake.found, intake.sources, fields, others)
    _refuse_large(targets, intake.found, intake.walking.max_size)
    opened = RowDrafts(targets, intake.found, fields, intake.walking.max_size)
    opened.open(publishing)
    return opened
