"""Cut the files to read into tasks of workers: files, parts of containers, blocks of lines. Sample their documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from simdocs.corpora.containers.recognise import formats_of
from simdocs.corpora.file_list import FileList
from simdocs.model.ragged import BATCH_BYTES, Index, Keys, Mask, batches, offsets_of
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.options.file_formats import ASSUMED_RATIO, COMPRESSED_SUFFIXES
from simdocs.options.texts import Sequences

if TYPE_CHECKING:
    from simdocs.corpora.containers.container import Part
    from simdocs.corpora.containers.line_blocks import LineBlock
    from simdocs.corpora.taken_over import KeptFiles, KeptRows
    from simdocs.corpora.unchanged import Unchanged

_WAITING = 1 << 8
"""The most files that wait until others are found to be one text, too, so that they are one task."""


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
    _: KW_ONLY
    named_like_tables: bool = False
    likely: Keys | None = None

    kind: ClassVar[Literal["files"]] = "files"
    read_to: ClassVar[int] = 0


ReportSkip: TypeAlias = Callable[[Skip, bool], None]
"""Takes the skip of a container that cannot be read to its end, and whether it was named and has no texts."""

ToRead: TypeAlias = "Files | Part | LineBlock"
"""Some documents in row order to read."""

Portion: TypeAlias = "Files | Part | LineBlock | KeptFiles | KeptRows"
"""Some documents in row order: to read, or to take over from an earlier run."""


_TASK_BYTES, _TASKS = 4 * BATCH_BYTES, 32
"""Bytes of files in one task, and the fewest tasks that files are cut into, unless these have less than a batch each. A
task takes half a millisecond of its own, but all workers shall have some."""


class Cutting:
    """Cuts files into tasks in row order: batches of files, parts of containers, and blocks of files of lines.

    report: see ReportSkip.
    earlier: the documents of an earlier run, which may be taken over.
    Containers that turn out to be no tables with the text field are files, unless they were named. Bytes in memory are
    one document, unless they are known to be a container.
    """

    def __init__(
        self,
        found: FileList,
        limit: int,
        sequences: Sequences,
        report: ReportSkip,
        earlier: Unchanged | None = None,
    ) -> None:
        self._found, self._limit, self.sequences = found, limit, sequences
        self._report, self._earlier = report, earlier
        self.formats, self._meanings = formats_of(found, sequences)
        """The container format of each file, as a number; 0: it is one document."""
        share = int(min(found.sizes.sum(dtype=np.float64), _TASKS * _TASK_BYTES)) // _TASKS
        self._task_bytes = min(max(share, BATCH_BYTES), _TASK_BYTES)

    def tasks(self) -> Iterator[tuple[Portion, int]]:
        """Yield the tasks, each with the number of files that end there."""
        are_containers = self.formats > 0
        changes = np.flatnonzero(are_containers[1:] != are_containers[:-1]) + 1
        for start, stop in pairwise([0, *changes.tolist(), len(are_containers)]):
            if are_containers[start : start + 1].any():
                yield from self._containers(start, stop)
            else:
                yield from self._files_or_kept(start, stop)

    def parts(self, row: int) -> Iterator[Part]:
        """The parts of the container in this row; if only some documents are wanted, each with the wanted numbers."""
        from simdocs.corpora.containers.container import ContainerFile, container

        found = self._found
        file = ContainerFile(found.names[row], self._limit, bool(found.follow[row]), found.held.get(row))
        wanted = found.lines.get(row)
        for part in container(self._meanings[self.formats[row]]).parts(file, self.sequences):
            if wanted is None:
                yield part
            else:
                begin, end = np.searchsorted(wanted, (part.first, part.first + part.count))
                yield replace(part, wanted=frozenset(wanted[begin:end].tolist()))

    def _containers(self, start: int, stop: int) -> Iterator[tuple[Portion, int]]:
        """Yield tasks of files named like containers, in row order. Those that are one text wait for others of them."""
        from simdocs.corpora.containers.container import OneText

        waiting = start
        for row in range(start, stop):
            portions = self._container(row)
            try:
                first = next(portions)
            except OneText:
                if row + 1 - waiting == _WAITING:
                    yield from self._files_or_kept(waiting, row + 1)
                    waiting = row + 1
                continue
            yield from self._files_or_kept(waiting, row)
            waiting = row + 1
            yield first
            yield from portions
        yield from self._files_or_kept(waiting, stop)

    def _container(self, row: int) -> Iterator[tuple[Portion, int]]:
        """Yield the tasks of a container, at least one. Raises OneText before the first."""
        from simdocs.corpora.containers.container import ContainerFile, OneText, WithoutTexts

        is_named, is_of_lines = row in self._found.named, self._is_of_lines(row)
        begin = 0
        if self._earlier is not None:
            from simdocs.corpora.taken_over import kept_rows

            if self._earlier.is_one_text(row) and not is_named:
                raise OneText("it was one text, and has not changed")
            begin = yield from kept_rows(self._earlier, row, None if is_of_lines else partial(self.parts, row))
            if begin < 0:
                return
        if is_of_lines:
            from simdocs.corpora.containers.line_blocks import blocks_of

            found, kind = self._found, self._meanings[self.formats[row]]
            file = ContainerFile(found.names[row], self._limit, bool(found.follow[row]))
            for block in blocks_of(kind, file, row, found.stamp(row), begin):
                yield block, int(block.is_last)
            return
        waiting: Portion | None = None
        try:
            for part in self.parts(row):
                if waiting is not None:
                    yield waiting, 0
                waiting = part
        except DocumentSkipped as skip:
            if isinstance(skip, OneText) and not is_named:
                raise
            is_textless = is_named and isinstance(skip, WithoutTexts)
            self._report(Skip(skip.reason, self._found.names[row], skip.detail), is_textless)
        yield Files([], {}, self._limit, np.empty(0, bool)) if waiting is None else waiting, 1

    def _is_of_lines(self, row: int) -> bool:
        """Whether the container in this row is a file that workers read in blocks of lines."""
        from simdocs.corpora.containers.line_blocks import has_blocks

        found, kind = self._found, self._meanings[self.formats[row]]
        if row in found.held or row in found.lines:
            return False
        return has_blocks(kind, found.names[row], int(found.stamps["mtime_ns"][row]))

    def _files_or_kept(self, start: int, stop: int) -> Iterator[tuple[Portion, int]]:
        """Yield tasks of files to read, and of files to take over, in row order. Each of them is one document."""
        earlier = self._earlier
        if earlier is None or start == stop:
            yield from self._files(start, stop)
            return
        from simdocs.corpora.taken_over import kept_files

        kept = earlier.same[start:stop] >= 0
        changes = start + np.flatnonzero(kept[1:] != kept[:-1]) + 1
        for begin, end in pairwise([start, *changes.tolist(), stop]):
            if earlier.same[begin] < 0:
                yield from self._files(begin, end)
            else:
                yield from kept_files(earlier, begin, end)

    def _files(self, start: int, stop: int) -> Iterator[tuple[Files, int]]:
        found, earlier = self._found, self._earlier
        for batch in batches(self._sizes(start, stop), self._task_bytes):
            cut = slice(start + batch.start, start + batch.stop)
            here = range(cut.start, cut.stop) if found.held else ()
            held = {place: found.held[row] for place, row in enumerate(here) if row in found.held}
            tables = bool(self.formats[cut].any())
            files = Files(found.names[cut], held, self._limit, found.follow[cut], found.texts, named_like_tables=tables)
            if earlier is not None:
                files = replace(files, likely=earlier.likely_contents(cut))
            yield files, len(batch)

    def _sizes(self, start: int, stop: int) -> Index:
        """The assumed size of the text of each of these files: (stop - start,)."""
        sizes = np.minimum(self._found.sizes[start:stop], np.iinfo(np.int64).max // ASSUMED_RATIO)
        sizes[self._found.names.part(start, stop).that_end_with(COMPRESSED_SUFFIXES)] *= ASSUMED_RATIO
        return sizes


class Advance:
    """Measures progress: the numbers of files and bytes that are done with each task."""

    def __init__(self, found: FileList) -> None:
        self._ends = offsets_of(found.sizes)
        self.total = int(self._ends[-1])
        self.files: list[int] = []
        """The number of files that end with each task."""
        self.bytes: list[int] = [0]
        """The number of bytes of files that are done before the first task, and after each."""
        self._taken = 0

    def watch(self, tasks: Iterator[tuple[Portion, int]]) -> Iterator[Portion]:
        """Yield the tasks alone, and note how far each one gets."""
        done = 0
        for task, files in tasks:
            done += files
            within = 0 if files else task.read_to
            before, end = self._ends[[done, min(done + 1, len(self._ends) - 1)]].tolist()
            self.files.append(files)
            self.bytes.append(min(before + within, end))
            yield task

    def reach(self, number: int) -> None:
        """Count the task with this number, and those before it, as done."""
        self._taken = number + 1

    def teller(self, step: str, progress: Callable[[str, int, int], object]) -> Callable[[float], None]:
        """A function that reports the bytes of all tasks taken as done, and a share of those of the next one."""

        def tell(share: float) -> None:
            done = self.bytes[self._taken]
            if share:
                done += int(share * (self.bytes[min(self._taken + 1, len(self.bytes) - 1)] - done))
            progress(step, done, self.total)

        return tell


def sampled(found: FileList, limit: int, sequences: Sequences, most: int, seed: int) -> tuple[FileList, int]:
    """The files with `most` of their documents, drawn at random, or all if there are no more; the number of documents.

    A container counts as many documents as it has numbers, but at least one. It is read for that, and not parsed. If it
    cannot be read, it counts as one document, and is reported when it is read again.
    """
    cutting = Cutting(found, limit, sequences, lambda *_: None)
    counts = np.ones(len(cutting.formats), np.int64)
    for row in np.flatnonzero(cutting.formats).tolist():
        with suppress(DocumentSkipped):
            for part in cutting.parts(row):
                counts[row] = max(part.first + part.count - 1, 1)
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
