"""Read the documents of one task, in a worker: files, a batch of rows, or a block of a file of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simdocs.model.documents import DOCUMENT, FILE, NUMBERED, ONE_TEXT, STAMP_FIELDS, WIDE
from simdocs.model.ragged import BlockPlaces
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.options.texts import Sequences
from simdocs.reading.decode import as_utf8, refuse_binary
from simdocs.reading.files import STAMPS, each_ahead, read, read_small
from simdocs.reading.identity import Stamp, content_digest
from simdocs.reading.lookalikes import flag_of
from simdocs.reading.read_tasks import Files, ReadRows, ToRead

if TYPE_CHECKING:
    from simdocs.reading.batches import Batch


@dataclass(slots=True, kw_only=True)
class Read:
    """The documents that were read in a task, and what was missed of the others.

    places: the places of the files in the task, or the numbers of the documents in their container.
    names: the names of the documents.
    facts: their facts, (n,) DOCUMENT.
    files: the records of their files: (n,) FILE, or (1,) for the container.
    skips: what was not read.
    raws: their texts as UTF-8.
    digests: the digests of the blocks of a file with many documents, in order; None: the task is files.
    known: the places, in these lists, of documents with the probable content, which have no raw text and no facts.
    lacking, unusable_id: as in Batch. without_ids: `fields` there.
    numbers: how many rows there are. Those of a block are numbered from 1.
    trouble: why a block, and what comes after it, cannot be read.
    """

    places: list[int]
    names: list[bytes]
    facts: NDArray[np.void]
    files: NDArray[np.void]
    skips: list[Skip]
    raws: list[bytes] = field(default_factory=list)
    digests: list[bytes] | None = None
    known: BlockPlaces = field(default_factory=lambda: np.empty(0, np.int64))
    lacking: str = ""
    unusable_id: Skip | None = None
    without_ids: str = ""
    numbers: int = 0
    trouble: DocumentSkipped | None = None

    def move(self, down: int, path: bytes) -> None:
        """Add to the numbers of documents that were counted from the beginning of a block. path: that of its file."""
        if not down:
            return
        from simdocs.reading.row_names import renamed

        self.facts["line"] += down
        self.places = [number + down for number in self.places]
        self.names = renamed(self.names, self.facts, path, moved=True)
        self.skips = [skip._replace(line=skip.line + down) for skip in self.skips]
        if self.unusable_id is not None:
            self.unusable_id = self.unusable_id._replace(line=self.unusable_id.line + down)


def nothing(trouble: DocumentSkipped | None = None) -> Read:
    """A Read without documents. trouble: see Read."""
    facts, files = np.zeros(0, DOCUMENT), np.zeros(0, FILE)
    return Read(places=[], names=[], facts=facts, files=files, skips=[], trouble=trouble)


def read_task(task: ToRead, sequences: Sequences, *, with_digests: bool = True) -> Read:
    """Read the documents of a task. Those that are not text or cannot be read are skipped.

    with_digests: record the digests of files and of blocks, by which they are recognised later. Those that are not
    recorded are 0. Files that have a probable content are always compared with its digest.
    """
    if isinstance(task, Files):
        return _files(task, sequences, with_digests or task.likely is not None)
    if isinstance(task, ReadRows):
        return _rows(task.rows.batch(sequences), task.stamp, task.digests)
    from simdocs.reading.formats.lines import read_block

    try:
        batch, data = read_block(task, sequences)
    except DocumentSkipped as trouble:
        return nothing(trouble)
    return _rows(batch, task.stamp, [content_digest(data) if with_digests else _NO_DIGEST])


_NO_DIGEST = bytes(16)


def _files(task: Files, sequences: Sequences, with_digests: bool) -> Read:
    places, known = list[int](), list[int]()
    raws, sizes, flags, contents, skips = [], [], [], [], []
    likely = None if task.likely is None else task.likely.tobytes()
    on_disk = [b"" if place in task.held else name for place, name in enumerate(task.names)]
    small, stamps = read_small(on_disk, task.limit, task.follow)

    def opened(place: int) -> bytes:
        data = small[place]
        if data is None:
            data = task.held.get(place)
        if data is None:
            data, stamps[place] = read(task.names[place], task.limit, follow=bool(task.follow[place]))
        return data

    for place, (name, contents_of) in enumerate(zip(task.names, each_ahead(task.names, opened), strict=True)):
        probable = None if likely is None else likely[16 * place : 16 * place + 16]
        try:
            data = contents_of()
            if not task.texts:
                refuse_binary(data, name)
            content = content_digest(data) if with_digests else _NO_DIGEST
        except DocumentSkipped as skip:
            skips.append(Skip(skip.reason, name, skip.detail))
            continue
        if content == probable:
            known.append(len(places))
            data = b""
        raw, wide = as_utf8(data, None if task.texts else sequences.encoding)
        places.append(place)
        raws.append(raw)
        sizes.append(len(data))
        flags.append(WIDE * wide + (0 if task.texts or sequences.plain else flag_of(raw)))
        contents.append(content)
    names = [task.names[place] for place in places]
    facts = np.zeros(len(places), DOCUMENT)
    facts["size"], facts["flags"] = sizes, flags
    if task.named_like_tables:
        facts["flags"] |= ONE_TEXT
    return Read(
        places=places,
        names=names,
        facts=facts,
        files=file_records(stamps[places], contents),
        raws=raws,
        skips=skips,
        known=np.array(known, np.int64),
    )


def file_records(stamps: NDArray[np.void] | Sequence[Stamp], contents: Sequence[bytes]) -> NDArray[np.void]:
    """The records of files, (n,) FILE, with their stamps, (n,) STAMPS, and the digests of their contents."""
    files = np.zeros(len(stamps), FILE)
    files[list(STAMP_FIELDS)] = np.array(stamps, STAMPS)
    files["content"] = np.frombuffer(b"".join(contents), "<u8").reshape(-1, 2)
    return files


def _rows(batch: Batch, stamp: Stamp, digests: list[bytes]) -> Read:
    from simdocs.reading.batches import named

    facts = np.zeros(len(batch.texts), DOCUMENT)
    facts["size"] = [len(text) for text in batch.texts]
    facts["start"], facts["extent"] = np.array(batch.places, np.int64).reshape(-1, 2).T
    facts["line"], facts["container"] = batch.numbers, len(batch.name)
    facts["flags"] = [NUMBERED * (its_id is None) for its_id in batch.ids]
    return Read(
        places=batch.numbers,
        names=named(batch.name, batch.ids, batch.numbers),
        facts=facts,
        files=file_records([stamp], [_NO_DIGEST]),
        raws=list(batch.texts),
        digests=digests,
        skips=batch.skips,
        lacking=batch.lacking,
        unusable_id=batch.unusable_id,
        without_ids=batch.fields,
        numbers=batch.count,
    )
