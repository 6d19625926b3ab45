"""Read a file, or bytes, in one format: from its beginning, or in blocks of lines."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from simdocs.model.skipped import DocumentSkipped
from simdocs.options.recipes import Sequences
from simdocs.reading.batches import Batch
from simdocs.reading.files import Source, Stamp
from simdocs.reading.formats import reader_of
from simdocs.reading.formats.lines import blocks_of, read_block

FIELDS = Sequences()
MIB = 1 << 20

Document = tuple[int, bytes | None, bytes]
"""The number, the id and the text of a document."""


class Found:
    """What is in a file.

    count: how many rows, of which some are blank. skips: the number of each row that was skipped, and why.
    trouble: why there may be more rows.
    """

    def __init__(self) -> None:
        self.count = 0
        self.documents, self.places = list[Document](), list[tuple[int, int]]()
        self.skips, self.reasons = list[tuple[int, str]](), list[str]()
        self.trouble: DocumentSkipped | None = None

    @property
    def numbers(self) -> list[int]:
        return [number for number, _, _ in self.documents]

    @property
    def texts(self) -> list[bytes]:
        return [text for _, _, text in self.documents]

    def add(self, batch: Batch, before: int = 0) -> None:
        """Add a batch, which must have all rows after those before it. before: those that it does not count."""
        batch = pickle.loads(pickle.dumps(batch))
        numbers = sorted([*batch.numbers, *(skip.line for skip in batch.skips)])
        assert numbers == sorted(set(numbers))
        assert batch.numbers == sorted(batch.numbers)
        assert all(self.count < before + number <= self.count + batch.count for number in numbers)
        moved = [before + number for number in batch.numbers]
        self.documents += zip(moved, batch.ids, batch.texts, strict=True)
        self.places += batch.places
        self.skips += [(before + skip.line, skip.detail) for skip in batch.skips]
        self.reasons += [skip.reason for skip in batch.skips]
        self.count += batch.count


def read(
    what: Path | bytes,
    form: str,
    fields: Sequences = FIELDS,
    limit: int = MIB,
    wanted: Sequence[int] | None = None,
) -> Found:
    """Read a file, or bytes that are held, in this format. wanted: the numbers of the only rows that are wanted."""
    found, held = Found(), what if isinstance(what, bytes) else None
    numbers = None if wanted is None else np.array(wanted, np.int64)
    try:
        with Source(b"held" if held is not None else os.fsencode(what), limit, held=held) as source:
            for rows in reader_of(form)(source, form, fields, numbers):
                batch = rows.batch(fields)
                found.add(batch)
    except DocumentSkipped as skip:
        found.trouble = skip
    return found


def read_blocks(path: Path, form: str = "jsonl", fields: Sequences = FIELDS, limit: int = MIB) -> Found:
    """Read a file of lines block by block."""
    found, stamp, end = Found(), Stamp.of(path.stat()), 0
    try:
        for block in blocks_of(form, os.fsencode(path), limit, 0, stamp, 0, follow=True):
            batch, data = read_block(pickle.loads(pickle.dumps(block)), fields)
            assert (block.start, len(data)) == (end, block.stop - end)
            found.add(batch, found.count)
            end = block.stop
        assert end == stamp.size
    except DocumentSkipped as skip:
        found.trouble = skip
    return found
