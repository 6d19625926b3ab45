"""Tasks: files, or lines of a JSONL file, that a worker reads together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.batches import batches
from simdocs.corpora.discover import FileList
from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.gzip_stream import is_compressed
from simdocs.corpora.jsonl import Lines, blocks_in_memory, is_jsonl, read_blocks
from simdocs.corpora.walked_files import Met
from simdocs.model.documents import MET
from simdocs.model.skipped import Skip
from simdocs.recipes import Sequences

_GZIP_RATIO = 4
"""Assumed ratio of compression of a gzip file of text. It only decides the size of a batch."""


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

    def holds_many(row: int) -> bool:
        return row in found.jsonl or (row not in found.held and is_jsonl(found.names[row], sequences))

    met = found.met()
    for many, group in groupby(range(len(found.names)), holds_many):
        rows = list(group)
        if many:
            for row in rows:
                name, data = found.names[row], found.held.get(row)
                blocks = (
                    read_blocks(name, limit, Met.of(met[row])) if data is None else blocks_in_memory(name, data, limit)
                )
                yield from _lines(name, blocks, limit, report)
        else:
            yield from _files(found, met, range(rows[0], rows[-1] + 1), limit)


def _files(found: FileList, met: NDArray[np.void], rows: range, limit: int) -> Iterator[tuple[Files, int]]:
    sizes = [found.sizes[row] * (_GZIP_RATIO if is_compressed(found.names[row]) else 1) for row in rows]
    for batch in batches(sizes):
        here = rows[batch.start : batch.stop]
        held = {place: found.held[row] for place, row in enumerate(here) if row in found.held}
        cut = slice(here.start, here.stop)
        yield Files(found.names[cut], held, limit, met[cut], found.texts), len(here)


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
