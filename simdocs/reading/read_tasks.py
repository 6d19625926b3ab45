"""Cut the files to read into tasks of workers: files, batches of rows, blocks of lines. Sample their documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from simdocs.model.ragged import BATCH_BYTES, Index, Keys, Mask, batches
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.options.families import ASSUMED_RATIO, COMPRESSED_SUFFIXES, is_of_lines, noun_of
from simdocs.options.recipes import Sequences
from simdocs.reading.decode import DECIDING, NoTable, wide_encoding
from simdocs.reading.file_list import FileList, formats_of
from simdocs.reading.files import LOOKED_AT
from simdocs.reading.formats import reader_of, refuse_other

if TYPE_CHECKING:
    from simdocs.reading.batches import Batch, FileRows
    from simdocs.reading.files import Stamp
    from simdocs.reading.formats.lines import FileLines, LineBlock
    from simdocs.reading.unchanged import KeptFiles, KeptRows, Unchanged

_AT_ONCE = 1 << 8
"""Files named like tables of which the beginnings are read before the tasks of the first of them."""


@dataclass(frozen=True, slots=True)
class Files:
    """Files to read, each of which is one document.

    held: the bytes of those that are in memory, by place.
    limit: the largest size of a document in bytes.
    follow: which names may be those of links, bool (n,): see `open_file`.
    texts: whether those in memory are known to be texts, so that none is binary.
    named_like_tables: whether they are named like containers, but are no tables with the text field.
    likely: digests of their probable contents, (n, 2) uint64; None if nothing is known.
    """

    names: list[bytes]
    held: dict[int, bytes]
    limit: int
    follow: Mask
    texts: bool = False
    named_like_tables: bool = False
    likely: Keys | None = None

    kind: ClassVar[Literal["files"]] = "files"
    read_to: ClassVar[int] = 0


class ReadRows:
    """Some documents of a file that the calling process reads.

    rows: the rows, or the documents of a file that can be read only once. held: the texts of those.
    row: the row of the file in the list of files. stamp: that of the file.
    read_to: how many bytes of the file were read.
    digests: those of its blocks, at the end of a file, if they are wanted: see `digests_of`.
    """

    kind: ClassVar[Literal["rows"]] = "rows"

    def __init__(self, rows: Batch | FileLines | FileRows, row: int, stamp: Stamp, read_to: int) -> None:
        self.rows, self.row, self.stamp, self.read_to = rows, row, stamp, read_to
        self.digests, self.held = list[bytes](), list[bytes]()


ToRead: TypeAlias = "Files | ReadRows | LineBlock"
"""Some documents in row order to read."""

Portion: TypeAlias = "Files | ReadRows | LineBlock | KeptFiles | KeptRows"
"""Some documents in row order: to read, or to take over from an earlier run."""


_TASK_BYTES, _TASKS = 4 * BATCH_BYTES, 32
"""Bytes of files in one task, and the fewest tasks that files are cut into, unless these have less than a batch each. A
task takes half a millisecond of its own, but all workers shall have some."""


class Cutting:
    """Cuts files into tasks in row order: batches of files and of rows, and blocks of files of lines.

    report: takes the skip of a file that cannot be read to its end, and whether it is no table and was named.
    earlier: the documents of an earlier run, which may be taken over.
    with_digests: whether files of rows get digests, by which they are recognised later.
    A file of a walk that is named like a table, but is none with the text field, is one text. Bytes in memory are one
    document, unless they are known to be a table.
    """

    def __init__(
        self,
        found: FileList,
        limit: int,
        sequences: Sequences,
        report: Callable[[Skip, bool], None],
        earlier: Unchanged | None = None,
        *,
        with_digests: bool = False,
    ) -> None:
        self._found, self._limit, self._sequences = found, limit, sequences
        self._report, self._earlier, self._with_digests = report, earlier, with_digests
        self.formats, self._meanings = formats_of(found, sequences)
        """The format of each file, as a number; 0: it is one document."""
        self._kept: Mask = np.zeros(len(self.formats), bool) if earlier is None else earlier.same >= 0
        """Which files are taken over."""
        self.lacking: Skip | None = None
        """The first file that is a table without the text field."""
        self._uncut = set[int]()
        """Files of lines that are UTF-16 or UTF-32."""
        share = int(min(found.sizes.sum(dtype=np.float64), _TASKS * _TASK_BYTES)) // _TASKS
        self._task_bytes = min(max(share, BATCH_BYTES), _TASK_BYTES)

    def tasks(self) -> Iterator[tuple[Portion, int]]:
        """Yield the tasks, each with the number of files that end there."""
        tables = self.formats > 0
        for start, stop in _runs(tables, 0, len(tables)):
            if not tables[start]:
                yield from self._files(start, stop, named_like_tables=False)
                continue
            for begin in range(start, stop, _AT_ONCE):
                end, troubles = min(begin + _AT_ONCE, stop), dict[int, DocumentSkipped]()
                for row in range(begin, end):
                    tables[row] = self._is_table(row, troubles)
                for first, last in _runs(tables, begin, end):
                    if not tables[first]:
                        yield from self._files(first, last, named_like_tables=True)
                    for row in range(first, last) if tables[first] else ():
                        yield from self._table(row, troubles.get(row))

    def batches(self, row: int, wanted: Index | None = None) -> Iterator[ReadRows]:
        """Yield the documents of the table in this row, or those with the wanted numbers.

        A file that changes before its first batch was read is read once more. DocumentSkipped, after all batches that
        could be read: vanished, unreadable, special, changed, malformed, uninstalled.
        """
        form = self._meanings[self.formats[row]]
        for is_last in False, True:
            done = 0
            try:
                with self._found.source(row, self._limit) as source:
                    try:
                        for rows in reader_of(form)(source, form, self._sequences, wanted):
                            if source.has_changed():
                                break
                            task = ReadRows(rows, row, source.stamp, source.at)
                            if row in self._found.held:
                                task.rows = batch = rows.batch(self._sequences)
                                task.held = batch.texts
                            yield task
                            done += rows.count
                        else:
                            return
                    except DocumentSkipped:
                        if not source.has_changed():
                            raise
                    raise DocumentSkipped("changed")
            except DocumentSkipped as skip:
                if done:
                    where = f"from {noun_of(form)} {done + 1:,} on"
                    raise DocumentSkipped(skip.reason, f"{skip.detail}, {where}" if skip.detail else where) from None
                if is_last or skip.reason != "changed":
                    raise

    def _is_table(self, row: int, troubles: dict[int, DocumentSkipped]) -> bool:
        """Whether the file in this row, which is named like a table, is one, or cannot be read.

        Only its beginning is read. troubles: gets why it is none, if it is not read as one text.
        """
        form, found = self._meanings[self.formats[row]], self._found
        earlier, is_named = self._earlier, row in found.named
        if earlier is not None and self._kept[row] and not is_named:
            return not earlier.is_one_text(row)
        if form in ("parquet", "arrow"):
            return True
        try:
            with found.source(row, self._limit) as source:
                if is_of_lines(form, source.name) and wide_encoding(source.interval(0, DECIDING)) is not None:
                    self._uncut.add(row)
                head = next(source.pieces(LOOKED_AT), b"")
        except DocumentSkipped:
            return True  # its tasks say why it cannot be read, if it still cannot
        try:
            refuse_other(form, head, self._sequences)
        except DocumentSkipped as skip:
            if isinstance(skip, NoTable) and skip.lacks_text and self.lacking is None:
                self.lacking = Skip("malformed", found.names[row], skip.detail)
            if isinstance(skip, NoTable) and not (is_named or form == "jsonl" or self._sequences.input_format):
                return False
            troubles[row] = skip
        return True

    def _table(self, row: int, trouble: DocumentSkipped | None) -> Iterator[tuple[Portion, int]]:
        """Yield the tasks of a file with many documents. trouble: why it is none, if that is known."""
        found, begin, is_cut = self._found, 0, self._is_cut(row)
        if self._earlier is not None and trouble is None:
            from simdocs.reading.unchanged import kept_rows

            begin = yield from kept_rows(self._earlier, row, may_have_grown=is_cut)
            if begin < 0:
                return
        from simdocs.reading.formats.lines import blocks_of, digests_of

        form, name, follow = self._meanings[self.formats[row]], found.names[row], found.follows(row)
        if is_cut and trouble is None:
            for block in blocks_of(form, name, self._limit, row, found.stamp(row), begin, follow=follow):
                yield block, int(block.is_last)
            return
        waiting: Portion = Files([], {}, self._limit, np.empty(0, bool))
        try:
            if trouble is not None:
                raise trouble
            for some in self.batches(row, found.lines.get(row)):
                if isinstance(waiting, ReadRows):
                    yield waiting, 0
                waiting = some
            if self._with_digests and isinstance(waiting, ReadRows) and row not in found.held:
                waiting.digests += digests_of(name, form, waiting.stamp, follow=follow)
        except DocumentSkipped as skip:
            is_textless = row in found.named and isinstance(skip, NoTable)
            self._report(Skip(skip.reason, name, skip.detail), is_textless)
        yield waiting, 1

    def _is_cut(self, row: int) -> bool:
        """Whether the file in this row is read in blocks of lines: it is one of lines in UTF-8, not compressed, and has
        a time. One without may change between two blocks without notice."""
        found, form = self._found, self._meanings[self.formats[row]]
        if row in found.held or row in found.lines or row in self._uncut or not found.stamps["mtime_ns"][row]:
            return False
        return is_of_lines(form, found.names[row])

    def _files(self, start: int, stop: int, *, named_like_tables: bool) -> Iterator[tuple[Portion, int]]:
        """Yield tasks of files to read, and of files to take over, in row order. Each of them is one document."""
        found, earlier = self._found, self._earlier
        for begin, end in _runs(self._kept, start, stop):
            if earlier is not None and self._kept[begin]:
                from simdocs.reading.unchanged import AT_ONCE, KeptFiles

                for at in range(begin, end, AT_ONCE):
                    numbers = earlier.same[at : min(at + AT_ONCE, end)]
                    yield KeptFiles(at, numbers), len(numbers)
                continue
            sizes = np.minimum(found.sizes[begin:end], np.iinfo(np.int64).max // ASSUMED_RATIO)
            sizes[found.names.part(begin, end).that_end_with(COMPRESSED_SUFFIXES)] *= ASSUMED_RATIO
            for batch in batches(sizes, self._task_bytes):
                cut = slice(begin + batch.start, begin + batch.stop)
                here = range(cut.start, cut.stop) if found.held else ()
                held = {place: found.held[row] for place, row in enumerate(here) if row in found.held}
                names, follow = found.names[cut], found.follow[cut]
                likely = None if earlier is None else earlier.likely_contents(cut)
                yield Files(names, held, self._limit, follow, found.texts, named_like_tables, likely), len(batch)


def _runs(kinds: Mask, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of rows from `start` to `stop` - 1 that are of one kind."""
    changes = start + np.flatnonzero(kinds[start + 1 : stop] != kinds[start : stop - 1]) + 1
    bounds = [start, *changes.tolist(), stop] if start < stop else [start]
    yield from pairwise(bounds)


def sampled(found: FileList, limit: int, sequences: Sequences, most: int, seed: int) -> tuple[FileList, int]:
    """The files with `most` of their documents, drawn at random, or all if there are no more; the number of documents.

    A container counts as many documents as it has numbers, but at least one. It is read for that, and not parsed. If it
    cannot be read, it counts as one document, and is reported when it is read again.
    """
    cutting = Cutting(found, limit, sequences, lambda *_: None)
    counts = np.ones(len(cutting.formats), np.int64)
    for row in np.flatnonzero(cutting.formats).tolist():
        with suppress(DocumentSkipped):
            counts[row] = max(1, sum(some.rows.count for some in cutting.batches(row)))
    every = int(counts.sum())
    if every <= most:
        return found, every
    drawn = np.sort(np.random.Generator(np.random.PCG64(seed)).choice(every, most, replace=False))
    ends = np.cumsum(counts)
    rows = np.searchsorted(ends, drawn, side="right")
    places, begins = np.unique(rows, return_index=True)
    numbers = np.split(drawn - (ends - counts)[rows] + 1, begins[1:])
    wanted = {at: numbers[at] for at, row in enumerate(places.tolist()) if cutting.formats[row]}
    return replace(found.take(places), lines=wanted), every
