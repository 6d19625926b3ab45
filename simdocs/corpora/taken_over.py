"""Files and parts of containers that an update takes over, because they have not changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar, Literal

from simdocs.corpora.containers.container import Part
from simdocs.corpora.stamp import Stamp
from simdocs.corpora.unchanged import AT_ONCE, Unchanged
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped

_PARTS_AT_ONCE = 16
"""Parts of a container that are taken over at once."""


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """Files to take over, each of which is one document.

    first: the row of the first one in the list of files.
    numbers: the numbers of the earlier files, (n,).
    """

    first: int
    numbers: Index

    is_kept: ClassVar[Literal[True]] = True
    is_stretch: ClassVar[Literal[False]] = False
    read_to: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class KeptParts:
    """Parts of a container to take over. An earlier run has read the same data, there or elsewhere.

    file: the row of the file in the list of files.
    stamp: its stamp now.
    numbers: the numbers of the earlier parts, which were consecutive, too.
    start, line: where the first part begins now, and the number of its first document.
    read_to: see Part.
    """

    file: int
    stamp: Stamp
    numbers: range
    start: int
    line: int
    _: KW_ONLY
    read_to: int

    is_kept: ClassVar[Literal[True]] = True
    is_stretch: ClassVar[Literal[False]] = False


def kept_files(unchanged: Unchanged, start: int, stop: int) -> Iterator[tuple[KeptFiles, int]]:
    """Yield files to take over, in batches with the number of files that end there."""
    for at in range(start, stop, AT_ONCE):
        numbers = unchanged.same[at : min(at + AT_ONCE, stop)]
        yield KeptFiles(at, numbers), len(numbers)


def kept_parts(unchanged: Unchanged, row: int) -> Iterator[tuple[KeptParts, int]]:
    """Yield the parts of a container that is taken over whole, in runs with the number of files that end there."""
    stamp = unchanged.found.stamp(row)
    first, end = unchanged.chunks_of(int(unchanged.same[row]))
    for at in range(first, end, _PARTS_AT_ONCE):
        numbers = range(at, min(at + _PARTS_AT_ONCE, end))
        chunk, last = unchanged.chunks[at], unchanged.chunks[numbers[-1]]
        read_to = int(last["start"] + last["extent"])
        yield (
            KeptParts(row, stamp, numbers, int(chunk["start"]), int(chunk["line"]), read_to=read_to),
            int(numbers.stop == end),
        )


def kept_or_read(unchanged: Unchanged, row: int, parts: Iterator[Part]) -> Iterator[Part | KeptParts]:
    """Yield the parts of a container that has changed: runs of parts to take over, and single parts to read."""
    waiting: KeptParts | None = None
    try:
        for part in parts:
            number = unchanged.chunk_like(part)
            if waiting is not None and _goes_on(unchanged, waiting, part, number):
                numbers = range(waiting.numbers.start, number + 1)
                waiting = replace(waiting, numbers=numbers, read_to=part.read_to)
                continue
            if waiting is not None:
                yield waiting
            waiting = None
            if number < 0:
                yield part
            else:
                numbers = range(number, number + 1)
                waiting = KeptParts(row, part.stamp, numbers, part.start, part.first, read_to=part.read_to)
    except DocumentSkipped:
        if waiting is not None:
            yield waiting
        raise
    if waiting is not None:
        yield waiting


def _goes_on(unchanged: Unchanged, kept: KeptParts, part: Part, number: int) -> bool:
    """Whether a part can be taken over together with those before it. number: the number of the earlier part, or -1."""
    if number != kept.numbers.stop or len(kept.numbers) == _PARTS_AT_ONCE:
        return False
    # The next part may be the first of another file, which began elsewhere. The numbers of documents need no
    # comparison: parts with the same data have the same number of documents.
    chunk, before = unchanged.chunks[number], unchanged.chunks[kept.numbers.start]
    return bool(part.start - chunk["start"] == kept.start - before["start"])
