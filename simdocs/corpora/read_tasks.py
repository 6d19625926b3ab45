"""Tasks: files, or lines of a JSONL file, that a worker reads together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.file_list import FileList
from simdocs.corpora.gzip_stream import is_compressed
from simdocs.corpora.jsonl import Lines, blocks_in_memory, is_jsonl, read_blocks
from simdocs.corpora.stamp import Stamp
from simdocs.corpora.unchanged import Unchanged
from simdocs.corpora.walked_files import Met
from simdocs.model.documents import MET
from simdocs.model.ragged import Index, Keys, Mask
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.model.texts import batches
from simdocs.recipes import Sequences

_GZIP_RATIO = 4
"""Assumed ratio of compression of a gzip file of text. It only decides the size of a batch."""


_CHUNKS_AT_ONCE = 16
"""Chunks that are taken over at once."""

_AT_ONCE = 1 << 12
"""Files whose names and sizes are taken out of their columns at once."""


@dataclass(frozen=True, slots=True)
class Files:
    """Documents to read.

    held: the bytes of those that are in memory, by place. limit: the largest size of a document in bytes. met: how they
    were met, (n,) MET. texts: whether those in memory are known to be texts, so that none is binary. likely: digests of
    the contents that they probably have, (n, 2) uint64; None if nothing is known. keepable: which have documents that
    are kept if they cannot be read, (n,).
    """

    names: list[bytes]
    held: dict[int, bytes]
    limit: int
    met: NDArray[np.void]
    texts: bool = False
    likely: Keys | None = None
    keepable: Mask = field(default_factory=lambda: np.zeros(0, bool))


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """Files that an earlier run read and that have not changed. first: the row of the first one in the list of files.

    numbers: the numbers of the earlier files, (n,).
    """

    first: int
    numbers: Index


@dataclass(frozen=True, slots=True)
class KeptLines:
    """Chunks of a JSONL file that an earlier run has read, there or elsewhere, with the same content.

    file: the row of the file in the list of files. stamp: that of the file now. numbers: those of the earlier chunks,
    which followed each other there, too. start, line: where the first one begins now. read_to: see Lines.
    """

    file: int
    stamp: Stamp
    numbers: range
    start: int
    line: int
    read_to: int


TakenOver = KeptFiles | KeptLines
"""Documents that need not be read again."""

Portion = Files | Lines | TakenOver
"""Some documents in row order: to read, or to take over."""


def tasks(
    found: FileList,
    limit: int,
    sequences: Sequences,
    report: Callable[[Skip], None],
    earlier: Unchanged | None = None,
) -> Iterator[tuple[Portion, int]]:
    """Yield all files in row order, as batches of files or blocks of lines, with the number of files that end there.

    JSONL files are read on the way. If a part of one cannot be read, that is reported. Bytes in memory are one
    document, unless they are known to be JSON lines. earlier: what an earlier run has read, so that it can be kept.
    """
    many = _are_lines(found, sequences)
    changes = np.flatnonzero(many[1:] != many[:-1]) + 1
    for start, stop in pairwise([0, *changes.tolist(), len(many)]):
        if not many[start : start + 1].any():
            yield from _files_or_kept(found, start, stop, limit, earlier)
            continue
        for row in range(start, stop):
            name = found.names[row]
            if earlier is not None:
                if earlier.is_keepable(row) and (skip := _trouble(name, limit, Met.of(found.met[row]))):
                    report(skip)
                    earlier.keep(row)
                if earlier.same[row] >= 0:
                    yield from _kept_lines(earlier, row)
                    continue
            blocks = _blocks(found, row, limit)
            if row in found.lines:
                blocks = _with_wanted(blocks, found.lines[row])
            yield from _lines(name, row, blocks, limit, report, earlier)


def _are_lines(found: FileList, sequences: Sequences) -> Mask:
    """Which files have a document on each line, as one byte each: there may be millions."""
    many = np.fromiter((is_jsonl(name, sequences) for name in found.names), bool, len(found.names))
    many[list(found.held)] = False
    many[list(found.jsonl)] = True
    return many


def _blocks(found: FileList, row: int, limit: int) -> Iterator[Lines]:
    """The lines of the file in this row, in blocks."""
    name, data = found.names[row], found.held.get(row)
    if data is None:
        return read_blocks(name, limit, Met.of(found.met[row]))
    return blocks_in_memory(name, data, limit)


def _with_wanted(blocks: Iterator[Lines], wanted: Index) -> Iterator[Lines]:
    """The same blocks, which name the lines in them that are wanted."""
    for lines in blocks:
        # The last line of a file may have no end, and is not counted then.
        begin, end = np.searchsorted(wanted, (lines.first, lines.next + 1))
        yield replace(lines, wanted=frozenset(wanted[begin:end].tolist()))


def sampled(found: FileList, limit: int, sequences: Sequences, most: int, seed: int) -> tuple[FileList, int]:
    """The files with `most` of their documents, drawn at random, and how many there are: all, if there are no more.

    A file of lines counts as many documents as it has lines. It is read for that, and not parsed. If it cannot be read,
    it counts as one document, and is reported when it is read again.
    """
    many = _are_lines(found, sequences)
    counts = np.ones(len(many), np.int64)
    for row in np.flatnonzero(many).tolist():
        with suppress(DocumentSkipped):
            for lines in _blocks(found, row, limit):
                counts[row] = lines.next - 1 + (not lines.data.endswith(b"\n") and not lines.dropped)
    every = int(counts.sum())
    if every <= most:
        return found, every
    drawn = np.sort(np.random.Generator(np.random.PCG64(seed)).choice(every, most, replace=False))
    ends = np.cumsum(counts)
    rows = np.searchsorted(ends, drawn, side="right")
    places, begins = np.unique(rows, return_index=True)
    numbers = np.split(drawn - (ends - counts)[rows] + 1, begins[1:])
    wanted = {at: numbers[at] for at, row in enumerate(places.tolist()) if many[row]}
    return replace(found.take(places), lines=wanted), every


def _files_or_kept(
    found: FileList, start: int, stop: int, limit: int, earlier: Unchanged | None
) -> Iterator[tuple[Files | TakenOver, int]]:
    """Yield files that are no sequences, in runs of those that are kept and those that are not."""
    if earlier is None or start == stop:
        yield from _files(found, start, stop, limit)
        return
    kept = earlier.same[start:stop] >= 0
    changes = start + np.flatnonzero(kept[1:] != kept[:-1]) + 1
    for begin, end in pairwise([start, *changes.tolist(), stop]):
        if earlier.same[begin] < 0:
            yield from _files(found, begin, end, limit, earlier)
            continue
        for at in range(begin, end, _AT_ONCE):
            numbers = earlier.same[at : min(at + _AT_ONCE, end)]
            yield KeptFiles(at, numbers), len(numbers)


def _files(
    found: FileList, start: int, stop: int, limit: int, earlier: Unchanged | None = None
) -> Iterator[tuple[Files, int]]:
    for batch in batches(_sizes(found, start, stop)):
        cut = slice(start + batch.start, start + batch.stop)
        here = range(cut.start, cut.stop) if found.held else ()
        held = {place: found.held[row] for place, row in enumerate(here) if row in found.held}
        of_earlier = () if earlier is None else (earlier.likely_contents(cut), earlier.keepable[cut])
        yield Files(found.names[cut], held, limit, found.met[cut], found.texts, *of_earlier), len(batch)


def _trouble(name: bytes, limit: int, met: Met) -> Skip | None:
    """Why the documents of a file of lines are to be kept; None if it can be read, and may at most be growing.

    All of it is read for this before the first task is made of it: later there is no way back.
    """
    end, size = 0, 1
    try:
        for lines in read_blocks(name, limit, met):
            end, size = lines.start + len(lines.data) + lines.dropped, lines.stamp.size
    except DocumentSkipped as skip:
        grows = end >= size and not is_compressed(name)
        return skip.of_kept(name) if skip.leaves_content_open and not grows else None
    return None


def _kept_lines(earlier: Unchanged, row: int) -> Iterator[tuple[TakenOver, int]]:
    """Yield the chunks of a file that has not changed, or is kept."""
    stamp = earlier.stamp(row)
    first, end = earlier.chunks_of(int(earlier.same[row]))
    for at in range(first, end, _CHUNKS_AT_ONCE):
        numbers = range(at, min(at + _CHUNKS_AT_ONCE, end))
        chunk, last = earlier.chunks[at], earlier.chunks[numbers[-1]]
        read_to = int(last["start"] + last["extent"])
        yield KeptLines(row, stamp, numbers, int(chunk["start"]), int(chunk["line"]), read_to), int(numbers.stop == end)


def _sizes(found: FileList, start: int, stop: int) -> Iterator[int]:
    """Yield the assumed size of the text of each file."""
    for at in range(start, stop, _AT_ONCE):
        cut = slice(at, min(at + _AT_ONCE, stop))
        for name, size in zip(found.names[cut], found.sizes[cut].tolist(), strict=True):
            yield size * _GZIP_RATIO if is_compressed(name) else size


def _lines(
    name: bytes,
    row: int,
    blocks: Iterator[Lines],
    limit: int,
    report: Callable[[Skip], None],
    earlier: Unchanged | None,
) -> Iterator[tuple[Portion, int]]:
    waiting: Portion | None = None
    try:
        for lines in blocks:
            number = -1 if earlier is None else earlier.chunk_like(lines)
            if isinstance(waiting, KeptLines) and earlier is not None and _goes_on(waiting, lines, number, earlier):
                waiting = replace(waiting, numbers=range(waiting.numbers.start, number + 1), read_to=lines.read_to)
                continue
            if waiting is not None:
                yield waiting, 0
            kept = KeptLines(row, lines.stamp, range(number, number + 1), lines.start, lines.first, lines.read_to)
            waiting = lines if number < 0 else kept
    except DocumentSkipped as skip:
        report(Skip(skip.reason, name, skip.detail))
    yield Files([], {}, limit, np.empty(0, MET)) if waiting is None else waiting, 1


def _goes_on(kept: KeptLines, lines: Lines, number: int, earlier: Unchanged) -> bool:
    """Whether the chunk of these lines, which has this number, can be taken over together with those before it."""
    if number != kept.numbers.stop or len(kept.numbers) == _CHUNKS_AT_ONCE:
        return False
    # The next chunk may be the first of another file, which began elsewhere. The numbers of lines need no comparison:
    # chunks with the same bytes have the same number of lines.
    chunk, before = earlier.chunks[number], earlier.chunks[kept.numbers.start]
    return bool(lines.start - chunk["start"] == kept.start - before["start"])
