"""Read the documents of a task, with the facts that are recorded about each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.decode import as_utf8, refuse_binary
from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.identity import NO_FILE, Stamp
from simdocs.corpora.jsonl import Lines, looks_like_lines, parse
from simdocs.corpora.read_file import read
from simdocs.corpora.read_tasks import Files
from simdocs.corpora.walked_files import Directories, Met, each_met
from simdocs.model.documents import DOCUMENT, NAMED, WIDE
from simdocs.model.skipped import Skip
from simdocs.recipes import Sequences


@dataclass(slots=True)
class Read:
    """The documents that were read in a task, and the skips of the others.

    places: the places of the files in the task, or the numbers of lines. raws: the texts as UTF-8. facts: (n,)
    DOCUMENT. like_lines: the names of texts that look like JSON Lines. Only files that no walk met are looked at.
    """

    places: list[int]
    names: list[bytes]
    raws: list[bytes]
    facts: NDArray[np.void]
    skips: list[Skip]
    like_lines: list[bytes] = field(default_factory=list)


def read_task(task: Files | Lines, sequences: Sequences) -> Read:
    """Read the documents of a task. Those that are not text or cannot be read are skipped."""
    return _lines(task, sequences) if isinstance(task, Lines) else _files(task, sequences)


def _files(task: Files, sequences: Sequences) -> Read:
    places, raws, rows, skips, like_lines = [], [], [], [], []
    with Directories() as directories:
        for place, (name, met) in enumerate(zip(task.names, each_met(task.met), strict=True)):
            try:
                data, stamp = _file(task, place, name, met, directories)
            except DocumentSkipped as skip:
                skips.append(Skip(skip.reason, name, skip.detail))
                continue
            if met.walked == NAMED and not task.texts and not sequences.plain and looks_like_lines(data):
                like_lines.append(name)
            raw, wide = as_utf8(data)
            places.append(place)
            raws.append(raw)
            times = stamp.mtime_ns, stamp.ctime_ns, stamp.inode
            rows.append((len(data), *times, 0, 0, (0, 0), (0, 0), 0, 0, 0, WIDE * wide))
    names = [task.names[place] for place in places]
    return Read(places, names, raws, np.array(rows, DOCUMENT), skips, like_lines)


def _file(task: Files, place: int, name: bytes, met: Met, directories: Directories) -> tuple[bytes, Stamp]:
    held = task.held.get(place)
    data, stamp = read(name, task.limit, 0, met, directories) if held is None else (held, NO_FILE)
    if not task.texts:
        refuse_binary(data)
    return data, stamp


def _lines(task: Lines, sequences: Sequences) -> Read:
    parsed = parse(task, sequences)
    facts = np.zeros(len(parsed.names), DOCUMENT)
    facts["size"] = [len(text) for text in parsed.texts]
    facts["mtime_ns"], facts["ctime_ns"], facts["inode"] = task.stamp.mtime_ns, task.stamp.ctime_ns, task.stamp.inode
    facts["start"], facts["extent"], facts["container"] = parsed.starts, parsed.extents, parsed.container
    raws = [as_utf8(text)[0] for text in parsed.texts]
    return Read(parsed.numbers, parsed.names, raws, facts, parsed.skips)
