"""Tasks: files, or lines of a JSONL file, that a worker reads together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.batches import batches
from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.file_list import FileList
from simdocs.corpora.gzip_stream import is_compressed
from simdocs.corpora.jsonl import Lines, blocks_in_memory, is_jsonl, read_blocks
from simdocs.corpora.walked_files import Met
from simdocs.model.documents import MET
from simdocs.model.skipped import Skip
from simdocs.recipes import Sequences

_GZIP_RATIO = 4
"""Assumed ratio of compression of a gzip file of text. It only decides the size of a batch."""


_AT_ONCE = 1 << 12
"""Files whose names and sizes are taken out of their columns at once."""


@dataclass(frozen=True, slots=True)
class Files:
    """Documents to read.

    held: the bytes of those that are in memory, by place. limit: the largest size of a document in bytes. texts:
    whether those in memory are known to be texts, so that none is binary. met: how they were met, (n,) MET.
    """

    names: list[bytes]
    held: dict[int, bytes]
    limit: int
    met: NDArray[np.void]
    texts: bool = False


def tasks(
    found: FileList, limit: int, sequences: Sequences, report: Callable[[Skip], None]
) -> Iterator[tuple[Files | Lines, int]]:
    """Yield all files in row order, as batches of files or blocks of lines, with the number of files that end there.

    JSONL files are read on the way. If a part of one cannot be read, that is reported. Bytes in memory are one
    document, unless they are known to be JSON lines.
    """
    # What kind of file each is, as one byte: there may be millions.
    many = np.fromiter((is_jsonl(name, sequences) for name in found.names), bool, len(found.names))
    many[list(found.held)] = False
    many[list(found.jsonl)] = True
    changes = np.flatnonzero(many[1:] != many[:-1]) + 1
    for start, stop in pairwise([0, *changes.tolist(), len(many)]):
        if not many[start : start + 1].any():
            yield from _files(found, start, stop, limit)
            continue
        for row in range(start, stop):
            name, data = found.names[row], found.held.get(row)
            blocks = (
                read_blocks(name, limit, Met.of(found.met[row]))
                if data is None
                else blocks_in_memory(name, data, limit)
            )
            yield from _lines(name, blocks, limit, report)


def _files(found: FileList, start: int, stop: int, limit: int) -> Iterator[tuple[Files, int]]:
    for batch in batches(_sizes(found, start, stop)):
        cut = slice(start + batch.start, start + batch.stop)
        here = range(cut.start, cut.stop) if found.held else ()
        held = {place: found.held[row] for place, row in enumerate(here) if row in found.held}
        yield Files(found.names[cut], held, limit, found.met[cut], found.texts), len(batch)


def _sizes(found: FileList, start: int, stop: int) -> Iterator[int]:
    """Yield the assumed size of the text of each file."""
    for at in range(start, stop, _AT_ONCE):
        cut = slice(at, min(at + _AT_ONCE, stop))
        for name, size in zip(found.names[cut], found.sizes[cut].tolist(), strict=True):
            yield size * _GZIP_RATIO if is_compressed(name) else size


def _lines(
    name: bytes, blocks: Iterator[Lines], limit: int, report: Callable[[Skip], None]
) -> Iterator[tuple[Files | Lines, int]]:
    waiting: Files | Lines | None = None
    try:
        for lines in blocks:
            if waiting is not None:
                yield waiting, 0
            waiting = lines
    except DocumentSkipped as skip:
        report(Skip(skip.reason, name, skip.detail))
    yield Files([], {}, limit, np.empty(0, MET)) if waiting is None else waiting, 1
