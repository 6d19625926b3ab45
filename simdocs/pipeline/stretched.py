"""Read stretches of containers: the work of a worker, and what the calling process makes of its results."""

from __future__ import annotations

from typing import Generic, NamedTuple

import numpy as np

from simdocs.corpora.containers.container import OneText, Part, WithoutTexts
from simdocs.corpora.containers.names import renamed
from simdocs.corpora.containers.stretches import MOST_BYTES, MOST_DOCUMENTS, Stretch, cut
from simdocs.corpora.read_tasks import Files
from simdocs.corpora.stamp import Stamp
from simdocs.engines.engine import WorkerState
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.options.texts import Sequences
from simdocs.pipeline.read_documents import Read
from simdocs.pipeline.reading import Made, StageWork


class Worked(NamedTuple, Generic[Made]):
    """What a worker has read of a stretch.

    found: the documents, numbered from 1, and what the stage made of them; None if there is no part.
    start, end: the interval of the file that the parts cover. numbers: how many they cover.
    stamp: that of the file when it was read; None if there is no part.
    is_done: whether all parts of the stretch are here. Otherwise the calling process reads the rest of the file.
    skip: why the file could not be read to its end, although nothing else is left to read. is_textless: see ReportSkip.
    """

    found: tuple[Read, Made] | None
    start: int
    end: int
    numbers: int
    stamp: Stamp | None
    is_done: bool
    skip: Skip | None = None
    is_textless: bool = False


def work_on(work: StageWork[Made], stretch: Stretch, state: WorkerState, fields: Sequences) -> Worked[Made]:
    """Read the parts of a stretch, and do the work of the stage on all of them.

    The last stretch has a result even if it has no part. The documents of a file that is one text are those of a task
    of files.
    """
    held, count, size, skip = list[Part](), 0, 0, None
    start = end = stretch.start
    is_done, is_textless = True, False
    try:
        start, stop, parts = cut(stretch, fields)
        end = start
        for part in parts:
            held.append(part)
            end, count, size = part.start + part.extent, count + part.count, size + len(part.data)
            if (count >= MOST_DOCUMENTS or size >= MOST_BYTES) and end != stop:
                is_done = False
                break
        else:
            end = end if stop is None else stop
    except DocumentSkipped as found:
        if not stretch.is_whole or found.reason == "uninstalled":  # perhaps it is installed there
            return Worked(None, stretch.start, stretch.start, 0, None, is_done=False)
        if isinstance(found, OneText) and not stretch.named:
            files = Files([stretch.name], {}, stretch.limit, np.array([stretch.follow]), named_like_tables=True)
            return Worked(work(files, state), 0, end, 0, None, is_done=True)
        skip = Skip(found.reason, stretch.name, found.detail)
        is_textless = stretch.named and isinstance(found, WithoutTexts)
    if held:
        return Worked(work(held, state), start, end, count, held[-1].stamp, is_done, skip, is_textless)
    nothing = work(Files([], {}, stretch.limit, np.empty(0, bool)), state) if stretch.is_last else None
    return Worked(nothing, start, end, 0, None, is_done, skip, is_textless)


class Following:
    """Follows the stretches of one file after another, in row order, and numbers their documents."""

    def __init__(self) -> None:
        self._row = -1
        self._given_up = -1
        """The row of the last file whose rest is read in another way."""
        self.done, self.count = 0, 0
        """Where the part begins that is next, and how many numbers the parts before it cover."""
        self.stamp: Stamp | None = None
        """The stamp of the file when these were read; None: there are none."""

    def is_over(self, stretch: Stretch) -> bool:
        """Whether the rest of its file is read in another way, so that it need not be read."""
        return stretch.row == self._given_up

    def take(self, stretch: Stretch, worked: Worked[Made]) -> tuple[tuple[Read, Made] | None, bool]:
        """The documents of the next stretch with their numbers in the file, and whether more stretches follow it well.

        If not, the rest of the file must be read in another way.
        """
        if stretch.row != self._row:
            self._row, self.done, self.count, self.stamp = stretch.row, worked.start, 0, None
        if worked.start != self.done and (worked.found is not None or worked.is_done):
            self._given_up = stretch.row
            return None, False
        if not worked.is_done:
            self._given_up = stretch.row
        if worked.found is not None:
            _move(worked.found[0], stretch.name, self.count)
        self.count += worked.numbers
        if worked.stamp is not None:
            self.done, self.stamp = worked.end, worked.stamp
        return worked.found, worked.is_done


def _move(read: Read, path: bytes, down: int) -> None:
    """Add to the numbers of documents that were counted from the beginning of a stretch."""
    if not down or not len(read.chunks):
        return
    read.facts["line"] += down
    read.chunks["line"] += down
    read.places = [number + down for number in read.places]
    read.names = renamed(read.names, read.facts, path, moved=True)
    read.missed = [missed.moved(down) for missed in read.missed]
    if read.unusable_ids is not None and read.unusable_ids.line:
        read.unusable_ids = read.unusable_ids._replace(line=read.unusable_ids.line + down)
