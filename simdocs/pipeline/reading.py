"""Read the documents of a task, with the facts that are recorded about each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.containers.lookalikes import flag_of
from simdocs.corpora.decode import as_utf8, refuse_binary
from simdocs.corpora.identity import content_digest
from simdocs.corpora.jsonl import Lines, parse
from simdocs.corpora.read_file import read
from simdocs.corpora.read_tasks import Files
from simdocs.corpora.stamp import NO_FILE, Stamp
from simdocs.corpora.walked_files import Directories, Met, each_met
from simdocs.model.documents import CHUNK, DOCUMENT, FILE, NUMBERED, STAMP_FIELDS, WIDE
from simdocs.model.ragged import BlockPlaces
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.recipes import Sequences


@dataclass(slots=True)
class Read:
    """The documents that were read in a task, and the skips of the others.

    places: the places of the files in the task, or the numbers of lines. raws: the texts as UTF-8. facts: (n,)
    DOCUMENT. files: what was found out about their files: (n,) FILE, or (1,) for the file of lines. chunks: (c,) CHUNK,
    the chunks whose lines they are; their rows are places in these lists. known: the places, in these lists, of
    documents that have the content that they probably had; they have no raw text and no facts. kept: those among them
    that are kept although they could not be read.
    """

    places: list[int]
    names: list[bytes]
    raws: list[bytes]
    facts: NDArray[np.void]
    files: NDArray[np.void]
    chunks: NDArray[np.void]
    skips: list[Skip]
    known: BlockPlaces = field(default_factory=lambda: np.empty(0, np.int64))
    kept: BlockPlaces = field(default_factory=lambda: np.empty(0, np.int64))


def read_task(task: Files | Lines, sequences: Sequences) -> Read:
    """Read the documents of a task. Those that are not text or cannot be read are skipped."""
    return _lines(task, sequences) if isinstance(task, Lines) else _files(task, sequences)


def _files(task: Files, sequences: Sequences) -> Read:
    places, known, kept = list[int](), list[int](), list[int]()
    raws, rows, stamps, contents, skips = [], [], [], [], []
    likely = None if task.likely is None else task.likely.tobytes()
    with Directories() as directories:
        for place, (name, met) in enumerate(zip(task.names, each_met(task.met), strict=True)):
            probable = None if likely is None else likely[16 * place : 16 * place + 16]
            try:
                data, stamp = _file(task, place, name, met, directories)
                content = content_digest(data)
            except DocumentSkipped as skip:
                if probable is None or not (task.keepable[place] and skip.leaves_content_open):
                    skips.append(Skip(skip.reason, name, skip.detail))
                    continue
                skips.append(skip.of_kept(name))
                kept.append(len(places))
                data, stamp, content = b"", NO_FILE, probable
            if content == probable:
                known.append(len(places))
                data = b""
            raw, wide = as_utf8(data)
            looks = 0 if task.texts or sequences.plain else flag_of(raw)
            places.append(place)
            raws.append(raw)
            rows.append((len(data), 0, 0, 0, (0, 0), (0, 0), 0, 0, 0, 0, WIDE * wide + looks))
            stamps.append(stamp)
            contents.append(content)
    names = [task.names[place] for place in places]
    files = file_records(stamps, contents)
    return Read(
        places,
        names,
        raws,
        np.array(rows, DOCUMENT),
        files,
        NO_CHUNK,
        skips,
        *(np.array(some, np.int64) for some in (known, kept)),
    )


def file_records(stamps: Sequence[Stamp], contents: Sequence[bytes]) -> NDArray[np.void]:
    """The records of files, (n,) FILE, with their stamps and the digests of their contents."""
    files = np.zeros(len(stamps), FILE)
    for place, name in enumerate(STAMP_FIELDS):
        files[name] = [stamp[place] for stamp in stamps]
    files["content"] = np.frombuffer(b"".join(contents), "<u8").reshape(-1, 2)
    return files


NO_CHUNK = np.zeros(0, CHUNK)


def _file(task: Files, place: int, name: bytes, met: Met, directories: Directories) -> tuple[bytes, Stamp]:
    held = task.held.get(place)
    data, stamp = read(name, task.limit, 0, met, directories) if held is None else (held, NO_FILE)
    if not task.texts:
        refuse_binary(data, name)
    return data, stamp


def _lines(task: Lines, sequences: Sequences) -> Read:
    parsed = parse(task, sequences)
    facts = np.zeros(len(parsed.names), DOCUMENT)
    facts["size"] = [len(text) for text in parsed.texts]
    facts["start"], facts["extent"], facts["container"] = parsed.starts, parsed.extents, parsed.container
    facts["line"] = parsed.numbers
    facts["flags"] = np.array(parsed.numbered, bool) * NUMBERED
    raws = [as_utf8(text)[0] for text in parsed.texts]
    files = file_records([task.stamp], [bytes(16)])
    return Read(parsed.numbers, parsed.names, raws, facts, files, chunk_record(task), parsed.skips)


def chunk_record(lines: Lines) -> NDArray[np.void]:
    """The record of a chunk: (1,) CHUNK."""
    chunk = np.zeros(1, CHUNK)
    chunk["start"], chunk["extent"], chunk["line"] = lines.start, len(lines.data) + lines.dropped, lines.first
    chunk["content"] = np.frombuffer(content_digest(lines.data), "<u8")
    return chunk
