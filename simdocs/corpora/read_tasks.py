"""Tasks: what is worked on at once, of files that are documents and of files that hold many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from simdocs.corpora.batches import batches
from simdocs.corpora.discover import FileList
from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.gzip_stream import is_compressed
from simdocs.corpora.jsonl import Lines, held_pieces, is_sequence, pieces
from simdocs.model.skipped import Skipped
from simdocs.parameters import Sequences

_UNFOLDED = 4
"""What a gzip file of text is taken to grow by, for the size of a batch alone."""


@dataclass(frozen=True, slots=True)
class Files:
    """Documents to read: their names, the bytes of those already held (by place), the limit on a size, and whether
    those held are known to be texts, whatever they look like."""

    names: list[bytes]
    held: dict[int, bytes]
    limit: int
    texts: bool = False


def tasks(found: FileList, limit: int, how: Sequences, skipped: Skipped) -> Iterator[tuple[Files | Lines, int]]:
    """All of found in row order, in batches of files or blocks of lines, each with how many files are done with it.

    Those numbers add up to the files found. Sequences are read on the way; what of one cannot be is noted in skipped,
    and the task in its stead may be without files. Whatever is held already is one document.
    """

    def holds_many(row: int) -> bool:
        return row in found.jsonl or (row not in found.held and is_sequence(found.names[row], how))

    for many, group in groupby(range(len(found.names)), holds_many):
        rows = list(group)
        if many:
            for row in rows:
                name, data = found.names[row], found.held.get(row)
                blocks = pieces(name, limit) if data is None else held_pieces(name, data, limit)
                yield from _lines(name, blocks, limit, skipped)
        else:
            yield from _files(found, range(rows[0], rows[-1] + 1), limit)


def _files(found: FileList, rows: range, limit: int) -> Iterator[tuple[Files, int]]:
    sizes = [found.sizes[row] * (_UNFOLDED if is_compressed(found.names[row]) else 1) for row in rows]
    for batch in batches(sizes):
        here = rows[batch.start : batch.stop]
        held = {place: found.held[row] for place, row in enumerate(here) if row in found.held}
        yield Files(found.names[here.start : here.stop], held, limit, found.texts), len(here)


def _lines(name: bytes, blocks: Iterator[Lines], limit: int, skipped: Skipped) -> Iterator[tuple[Files | Lines, int]]:
    waiting: Files | Lines | None = None
    try:
        for lines in blocks:
            if waiting is not None:
                yield waiting, 0
            waiting = lines
    except DocumentSkipped as skip:
        skipped.add(skip.reason, name, skip.detail)
    yield Files([], {}, limit) if waiting is None else waiting, 1
