"""Tasks of a cluster: what a worker reads at a time. They are cut by the names and sizes of files alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from simdocs.errors import ClusterError
from simdocs.model.ragged import Index, batches
from simdocs.model.skipped import Skip
from simdocs.names import display_name, is_uri
from simdocs.options.families import is_of_lines
from simdocs.options.recipes import Sequences
from simdocs.pipeline.reading import Read
from simdocs.reading.file_list import FileList, formats_of
from simdocs.reading.formats.lines import BLOCK, LineBlock
from simdocs.reading.read_tasks import Cutting, Files, ReadRows

PLACES = 36
"""The id of a document is the number of its task, shifted by so many bits, and its place in the task. So ids ascend in
row order. A task has one file of any number of rows, or some small ones."""

_LARGEST = 128 << 20
"""Bytes of files in one task, unless a file that cannot be cut is larger."""

_END = 1 << 62

Work = TypeVar("Work")


class Share(NamedTuple):
    """Some files, or the lines of one file that belong to the blocks that begin in an interval of it.

    before: how many lines of the file come before, as far as that is known.
    """

    found: FileList
    begin: int = 0
    stop: int = _END
    before: int = 0


def tasks_of(
    found: FileList, fields: Sequences, partitions: int, *, whole: bool = False, apart: bool = False
) -> Iterator[Share]:
    """Yield the tasks, in row order: four for each partition, unless they would be very small or large.

    whole: no file is cut. apart: no task has two files.
    """
    share = int(found.sizes.sum()) // (4 * partitions) // BLOCK * BLOCK
    most = min(max(share, BLOCK), _LARGEST)
    formats, meanings = formats_of(found, fields)
    large = np.flatnonzero((found.sizes > most) & (formats > 0) & (not whole)).tolist()
    large = [row for row in large if is_of_lines(meanings[formats[row]], found.names[row])]
    start, count, sizes = 0, len(found.names), np.maximum(found.sizes, most) if apart else found.sizes
    for row in [*large, count]:
        for some in batches(sizes[start:row], most):
            yield Share(found.take(np.arange(start + some.start, start + some.stop)))
        for begin in range(0, int(found.sizes[row]), most) if row < count else ():
            yield Share(found.take(np.array([row])), begin, begin + most)
        start = row + 1


def portions(
    task: Share, fields: Sequences, limit: int, work: Callable[[Files | ReadRows | LineBlock], tuple[Read, Work]]
) -> Iterator[tuple[Index, Read, Work]]:
    """Yield the documents of a task, some at a time: their places in it, which ascend, and what `work` made of them.

    What is skipped is in the Read.
    ClusterError: a file has changed since it was listed.
    """
    troubles, found = list[Skip](), task.found
    cutting = Cutting(found, limit, fields, lambda skip, _: troubles.append(skip))
    done = lines = row = 0
    for portion, ended in cutting.tasks():
        assert portion.kind != "kept"
        if not task.begin <= (portion.start if portion.kind == "block" else 0) < task.stop:
            continue
        read, made = work(portion)
        its, is_files = np.array(read.places, np.int64), portion.kind == "files"
        places = done + its
        _refuse_changed(found, row + its if is_files else np.array([row]), read)
        if portion.kind == "block":
            places += lines
            read.move(task.before + lines, portion.name)
        if portion.kind == "files":
            done += len(portion.names)
        else:
            lines += read.numbers
        if read.trouble is not None:
            detail = f"{read.trouble.detail}, after line {task.before + lines:,}"
            troubles.append(Skip(read.trouble.reason, found.names[row], detail))
        row += ended
        if ended and not is_files:
            done, lines = done + lines + 1, 0
        read.skips, troubles[:] = [*read.skips, *troubles], []
        yield places, read, made
        if read.trouble is not None:
            return


def _refuse_changed(found: FileList, rows: Index, read: Read) -> None:
    """Raise ClusterError unless these files have the times that they had when they were listed."""
    some = rows[: len(read.files)]
    for row in some[found.stamps["mtime_ns"][some] != read.files["mtime_ns"]].tolist():
        if not is_uri(name := found.names[row]):
            raise changed(name)


def changed(name: bytes) -> ClusterError:
    """The error that a file is not any more what it was."""
    return ClusterError(f"{display_name(name)}, or a file after it: changed while Spark was at work: run again")
