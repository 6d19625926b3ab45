"""From files to documents: what a task reads, with the facts of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.decode import as_utf8, is_binary
from simdocs.corpora.discover import FileList
from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.identity import NO_FILE, FileId, Stamp, identities
from simdocs.corpora.jsonl import Lines, parse
from simdocs.corpora.read_file import read
from simdocs.corpora.read_tasks import Files
from simdocs.model.documents import DOCUMENT, EMPTY, WIDE, Documents
from simdocs.model.names import display_name
from simdocs.model.ragged import Index, Ragged
from simdocs.model.skipped import Skip, Skipped, explanation
from simdocs.parameters import Sequences


@dataclass(slots=True)
class Read:
    """The documents read in a task: places among its files (of lines: their numbers), names, UTF-8 bytes, facts."""

    places: list[int]
    names: list[bytes]
    raws: list[bytes]
    facts: NDArray[np.void]
    skips: list[Skip]


def read_task(task: Files | Lines, how: Sequences) -> Read:
    """The documents of a task that are text and can be read; the others are skips."""
    return _lines(task, how) if isinstance(task, Lines) else _files(task)


def _files(task: Files) -> Read:
    places, raws, rows, skips = [], [], [], []
    for place, name in enumerate(task.names):
        try:
            data, stamp = _one(task, place, name)
        except DocumentSkipped as skip:
            skips.append((skip.reason, name, skip.detail))
            continue
        raw, wide = as_utf8(data)
        places.append(place)
        raws.append(raw)
        times = stamp.mtime_ns, stamp.ctime_ns, stamp.inode
        rows.append((len(data), *times, 0, 0, (0, 0), (0, 0), 0, 0, 0, WIDE * wide))
    return Read(places, [task.names[place] for place in places], raws, np.array(rows, DOCUMENT), skips)


def _one(task: Files, place: int, name: bytes) -> tuple[bytes, Stamp]:
    held = task.held.get(place)
    data, stamp = read(name, task.limit) if held is None else (held, NO_FILE)
    if not task.texts and is_binary(data):
        raise DocumentSkipped("binary")
    return data, stamp


def _lines(task: Lines, how: Sequences) -> Read:
    parsed = parse(task, how)
    facts = np.zeros(len(parsed.names), DOCUMENT)
    facts["size"] = [len(text) for text in parsed.texts]
    facts["mtime_ns"], facts["ctime_ns"], facts["inode"] = task.stamp.mtime_ns, task.stamp.ctime_ns, task.stamp.inode
    facts["start"], facts["extent"], facts["container"] = parsed.starts, parsed.extents, parsed.container
    raws = [as_utf8(text)[0] for text in parsed.texts]
    return Read(parsed.numbers, parsed.names, raws, facts, parsed.skips)


class Register:
    """Documents in row order, as the results of tasks come in."""

    def __init__(self, found: FileList, skipped: Skipped) -> None:
        self._found, self._skipped = found, skipped
        self._names: list[bytes] = []
        self._facts: list[NDArray[np.void]] = []
        self._held: dict[int, bytes] = {}
        self._file, self._ids = b"", set[bytes]()
        self._named_like_lines = {name for name in found.names if b"#" in name}
        ids = enumerate(found.ids if found.other_names else ())
        self._reached_again: dict[int, FileId] = {
            file: file_id for file, file_id in ids if file_id in found.other_names
        }
        self._replaced = set[int]()
        self._named_rows: list[int] = []
        self._done = 0
        self.rows = 0

    def enter(self, read: Read, done: int) -> Index:
        """Take the documents of the next task, which ends `done` files more: which of them (places among those read)
        have the next rows. Not those of a sequence whose name is that of a line before them, or of a file: they are
        noted."""
        self._skipped.extend(read.skips)
        taken = [at for at in range(len(read.names)) if not self._repeats(read, at)]
        for row, at in enumerate(taken, self.rows):
            self._names.append(read.names[at])
            file = self._done + (0 if read.facts["container"][at] else read.places[at])
            if file in self._found.named:
                self._named_rows.append(row)
            if file in self._found.held:
                self._held[row] = _span(self._found.held[file], read.facts[at])
            elif file in self._reached_again:
                (identity,) = identities(read.facts[at : at + 1])
                if not identity.in_file(self._reached_again[file]):
                    self._replaced.add(file)
        rows = np.array(taken, np.int64)
        self._facts.append(read.facts[rows])
        self.rows += len(rows)
        self._done += done
        return rows

    def _repeats(self, read: Read, at: int) -> bool:
        container = int(read.facts["container"][at])
        if not container:
            return False
        name = read.names[at]
        if name[:container] != self._file:
            self._file, self._ids = name[:container], set()
        other = "an earlier line" if name in self._ids else "a file" if name in self._named_like_lines else ""
        if other:
            line = b"%b#%d" % (self._file, read.places[at])
            self._skipped.add("malformed", line, f"{other} has the name {display_name(name)}: give it an id of its own")
        self._ids.add(name)
        return bool(other)

    def _note_others(self) -> None:
        """Other names of a file settle nothing if it was not read: the first is gone, or another file has it."""
        gone = {name for reason in ("vanished", "special") for name, _ in self._skipped.by_reason.get(reason, ())}
        for file, file_id in self._reached_again.items():
            first = self._found.names[file]
            lost = file in self._replaced or first in gone
            for name in self._found.other_names[file_id]:
                if lost:
                    self._skipped.add(
                        "unreadable", name, f"was to be read as {display_name(first)}, which is gone or replaced"
                    )
                else:
                    self._skipped.add("again", name)

    def documents(self) -> Documents:
        """All documents taken; with them the names are noted by which their files were reached again."""
        self._note_others()
        self._report_named()
        facts = np.concatenate(self._facts) if self._facts else np.empty(0, DOCUMENT)
        for row in self._named_rows:
            if facts["flags"][row] & EMPTY and not facts["container"][row]:
                self._skipped.warnings.append(
                    f"{display_name(self._names[row])}: is empty, so it is similar to nothing"
                )
        return Documents(ragged_bytes(self._names), facts, self._held)

    def _report_named(self) -> None:
        """A file that was named as an argument was asked about: that it is not compared does not go without saying."""
        named = {self._found.names[file] for file in self._found.named}
        for reason in ("binary", "special", "vanished"):
            entries = self._skipped.by_reason.pop(reason, [])
            for name, detail in entries:
                if name in named:
                    self._skipped.add("named", name, explanation(reason))
                else:
                    self._skipped.add(reason, name, detail)


def _span(held: bytes, fact: np.void) -> bytes:
    """The bytes of a document among those that are held: all of them, or one line."""
    return held[fact["start"] : fact["start"] + fact["extent"]] if fact["container"] else held


def ragged_bytes(rows: list[bytes]) -> Ragged:
    """Byte strings as Ragged uint8."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    return Ragged.from_lengths(np.frombuffer(b"".join(rows), np.uint8), lengths)


class Advance:
    """How far reading is: with each task, the files that are done with it, and the bytes of them so far."""

    def __init__(self, found: FileList) -> None:
        self._ends = np.cumsum(found.sizes).tolist()
        self.total = self._ends[-1] if self._ends else 0
        self.files: list[int] = []
        """How many files end with each task."""
        self.bytes: list[int] = []
        """How many bytes of files are done with each task and those before it."""

    def watch(self, tasks: Iterator[tuple[Files | Lines, int]]) -> Iterator[Files | Lines]:
        """The tasks alone, each noted as it is handed on."""
        done = within = 0
        for task, files in tasks:
            within += len(task.data) + task.dropped if isinstance(task, Lines) else 0
            if files:
                done, within = done + files, 0
            before, end = ([0, *self._ends][at] for at in (done, min(done + 1, len(self._ends))))
            self.files.append(files)
            self.bytes.append(min(before + within, end))
            yield task
