"""Documents to read again: where they are, and copies of those that have no place of their own, in a temporary file.

To copy documents, their file is read up to the last one that is wanted, by the same code that read it first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdocs.engines.engine import Run
from simdocs.errors import shown_memory
from simdocs.model.documents import FACTS, STAMP_FIELDS
from simdocs.model.figures import counted
from simdocs.model.ragged import NO_TOKENS, BlockPlaces, Index, Mask, Rows, Tokens, offsets_of
from simdocs.model.skipped import ALTERED, GONE, DocumentSkipped, Skip
from simdocs.names import is_uri, path_from
from simdocs.options.families import is_of_lines
from simdocs.options.recipes import Sequences, Shingling
from simdocs.pipeline.shingling import held_tokens, normalised
from simdocs.reading.files import MOST, Source
from simdocs.reading.formats import format_of_document, reader_of
from simdocs.reading.identity import Stamp, same_texts
from simdocs.storage.spilled import NamelessFile, room_needed
from simdocs.storage.syscalls import write_at

if TYPE_CHECKING:
    from simdocs.engines.engine import SharedRows, WorkerState

_REASONS = {"vanished": GONE} | dict.fromkeys(("special", "oversized", "malformed", "binary"), ALTERED)

_UNKNOWN, _IN_PLACE, _HELD, _COPIED = 0, 1, 2, 3
"""What is known of a document: nothing; it can be read again where it is, or came from no file; its tokens are held, so
that only its text would have to be read; from this number on, less the number, where its copy begins in the file.

A number below 0 says why there is no copy."""

_MUCH = 1 << 26
"""From this number of bytes on, a terminal shows how much is copied: 64 MiB."""


def why_unread(skip: DocumentSkipped) -> str:
    """Why a document cannot be read again: gone, changed, or the reason; or which library to install."""
    return _REASONS.get(skip.reason) or (skip.detail if skip.reason == "uninstalled" else skip.reason)


def has_place(container: str, path: bytes) -> bool:
    """Whether the documents of this container can be read where they are: lines of a local, uncompressed file."""
    return is_of_lines(container, path) and not is_uri(path)


_COMPARED = np.dtype([field for field in FACTS.descr if field[0] in ("size", "digest", *STAMP_FIELDS)])
"""What of the facts of a document tells whether it is unchanged."""


class ToCopy(NamedTuple):
    """Documents of one file to copy.

    path: of the file. follow: whether it may be a link.
    limit: the largest size of a document in bytes.
    rows: (n,) the rows of the documents. numbers: their numbers in the file, ascending.
    facts: (n,) _COMPARED.
    """

    path: bytes
    follow: bool
    limit: int
    rows: Rows
    numbers: Index
    facts: NDArray[np.void]

    @classmethod
    def joined(cls, parts: list[ToCopy]) -> ToCopy:
        """The documents of one file as one task."""
        rows, numbers, facts = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "numbers", "facts")
        )
        order = np.argsort(numbers)
        return parts[0]._replace(rows=rows[order], numbers=numbers[order], facts=facts[order])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadRequest:
    """Documents to read a second time.

    copies: by place, the texts of those that have no place of their own, or that are held because they could be read
        only once; or why they cannot be read again.
    limit: the largest size of a document in bytes.
    facts: their facts when they were first read, (n,) FACTS.
    root: the directory from which their names are found; empty for the working directory.
    sequences: which field of a document in a container holds the text.
    met: how their files were found in this run, (n,) MET; None if an earlier run found them.
    ignored: the tokens that are left out, ascending.
    """

    names: list[bytes]
    copies: dict[int, bytes | str] = field(default_factory=dict)
    limit: int
    facts: NDArray[np.void]
    root: bytes
    sequences: Sequences
    met: NDArray[np.void] | None = None
    ignored: Tokens = field(default_factory=lambda: NO_TOKENS)

    def file(self, place: int) -> bytes:
        """The path of a document's file, which may be a container."""
        container = int(self.facts["container"][place])
        name = self.names[place]
        return path_from(self.root, name[:container] if container else name)

    def runs(self, places: list[int]) -> Iterator[tuple[bytes, list[int]]]:
        """Yield runs of lines to read from one file, with its path; it is empty for other documents."""
        facts = self.facts[places]
        inside = (facts["container"] > 0) & ((facts["inode"] != 0) | (facts["ctime_ns"] != 0))
        paths = [self.file(place) if line else b"" for line, place in zip(inside.tolist(), places, strict=True)]
        for path, some in groupby(zip(paths, places, strict=True), itemgetter(0)):
            yield path, [place for _, place in some]

    def skip(self, place: int, why: str) -> Skip:
        """The skip of a document that cannot be verified."""
        return Skip("unverified", self.names[place], why, root=self.root)

    def follow(self, place: int) -> bool:
        """Whether the file of a document may be a link: not if a walk of this run found it."""
        return self.met is None or bool(self.met["walked"][place] <= 0)

    def without_place(self) -> BlockPlaces:
        """Which of these documents can only be read again from the beginning of their file."""
        inside: BlockPlaces = np.flatnonzero(self.facts["container"])
        inside = inside[~np.isin(inside, list(self.copies))]
        inodes = self.facts["inode"][inside]
        _, first, which = np.unique(inodes, return_index=True, return_inverse=True)
        paths = [self.file(place) for place in inside[first].tolist()]
        apart = np.array([not has_place(format_of_document(path, self.sequences), path) for path in paths], bool)
        # Lines of UTF-16 have no place, either.
        apart = apart[which] | (self.facts["extent"][inside] == 0)
        found: BlockPlaces = inside[apart & ((inodes != 0) | (self.facts["ctime_ns"][inside] != 0))]
        return found

    def to_copy(self, places: BlockPlaces, rows: Rows) -> Iterator[ToCopy]:
        """Yield these documents as runs of documents of one file. rows: the row of each document, by place."""
        for path, some in groupby(places.tolist(), self.file):
            here = list(some)
            yield ToCopy(
                path=path,
                follow=self.follow(here[0]),
                limit=self.limit,
                rows=rows[here],
                numbers=self.facts["line"][here],
                facts=self.facts[here][list(_COMPARED.names or ())].astype(_COMPARED),
            )


class Copies:
    """The copies of documents, by row. They are in a file without a name, in the directory for temporary files."""

    def __init__(self, documents: int) -> None:
        """documents: how many there are."""
        self._file: NamelessFile | None = None
        self._reasons = list[str]()
        self._state = np.zeros(documents, np.int64)

    def lacks(self, rows: Rows, *, texts: bool) -> Mask:
        """Of which of these rows nothing is known. texts: or no more than that their tokens are held."""
        lacks: Mask = (self._state[rows] == _UNKNOWN) | (texts & (self._state[rows] == _HELD))
        return lacks

    def fill(
        self,
        requests: Iterable[tuple[Rows, ReloadRequest]],
        shingling: Shingling,
        run: Run | None,
        shared: SharedRows | None,
    ) -> None:
        """Copy those of these documents that have no place of their own, in one pass over each of their files.

        requests: some documents at a time: their rows, and the request. run: None: it is done in this process.
        shared: holds tokens of documents that need no copy.
        OutputError: there is no room for the copies.
        """
        files, fields = dict[bytes, list[ToCopy]](), Sequences()
        for rows, request in requests:
            self._state[rows], fields = _IN_PLACE, request.sequences
            places = request.without_place()
            if shared is not None and len(places):
                found, _ = held_tokens(request.facts["digest"][places], shingling, shared)
                self._state[rows[places[found]]] = _HELD
                places = np.delete(places, found)
            for each in request.to_copy(places, rows):
                files.setdefault(each.path, []).append(each)
        if files:
            self._add(list(map(ToCopy.joined, files.values())), fields, shingling, run)

    def of(self, rows: Rows, sizes: Index) -> dict[int, bytes | str]:
        """The copies of these documents, or why there are none, by place; nothing of those that need none.

        sizes: their sizes in bytes.
        """
        states, found = self._state[rows], dict[int, bytes | str]()
        for place in np.flatnonzero((states < 0) | (states >= _COPIED)).tolist():
            begin = int(states[place]) - _COPIED
            if states[place] < 0:
                found[place] = self._reasons[-1 - int(states[place])]
            else:
                assert self._file is not None, "there are copies"
                found[place] = bytes(self._file.read(begin, begin + int(sizes[place])))
        return found

    def _add(self, files: list[ToCopy], fields: Sequences, shingling: Shingling, run: Run | None) -> None:
        """Copy these documents, if they are still what they were; in workers that see the same temporary file."""
        sizes = [np.where(file.facts["size"] <= MOST, file.facts["size"], 0) for file in files]
        copies = self._file = self._file or NamelessFile()
        begins = [copies.reserve(int(size.sum())) for size in sizes]
        engine = None if run is None else run.engine
        target = copies.path(everywhere=True) if engine else ""
        work = partial(_copied, fields=fields, shingling=shingling, target=target or copies.path(everywhere=False))
        tasks = list(zip(files, begins, strict=True))
        results: Iterable[tuple[Mask, str]] = engine.map(work, tasks) if engine and target else map(work, tasks)
        done, copied = 0, 0
        for file, begin, size, (there, why) in zip(files, begins, sizes, results, strict=True):
            if why not in self._reasons:
                self._reasons.append(why)
            places = _COPIED + begin + offsets_of(size)[:-1]
            self._state[file.rows] = np.where(there, places, -1 - self._reasons.index(why))
            done, copied = done + len(there), copied + int(size[there].sum())
            if run is not None:
                run.progress("copying texts", done, sum(len(each.rows) for each in files))
        if run is not None:
            what = f"{counted(done, 'text')} of {counted(len(files), 'file')}"
            run.explain(f"copied {what} that may be compared: {shown_memory(copied)}", detail=copied < _MUCH)


def _copied(
    task: tuple[ToCopy, int], _state: WorkerState | None = None, *, fields: Sequences, shingling: Shingling, target: str
) -> tuple[Mask, str]:
    """Copy the documents of a file: which of them are there, unchanged, and why the others are not.

    task: the documents, and where the first begins in the file of copies. target: the path of that.
    """
    file, begin = task
    there, why = np.zeros(len(file.numbers), bool), ALTERED
    begins = begin + offsets_of(np.where(file.facts["size"] <= MOST, file.facts["size"], 0))
    form = format_of_document(file.path, fields)
    with room_needed():
        out = os.open(target, os.O_WRONLY)
    try:
        with Source(file.path, file.limit, follow=file.follow) as source:
            for rows in reader_of(form)(source, form, fields, file.numbers):
                batch = rows.batch(fields)
                places = np.searchsorted(file.numbers, batch.numbers)
                same = _unchanged(batch.texts, file.facts[places], source.stamp, shingling)
                there[places[same]] = True
                for at in np.flatnonzero(same).tolist():
                    with room_needed():
                        write_at(out, batch.texts[at], int(begins[places[at]]))
                if batch.numbers and batch.numbers[-1] == file.numbers[-1]:
                    break
    except DocumentSkipped as skip:
        why = why_unread(skip)
    finally:
        os.close(out)
    return there, why


def _unchanged(texts: list[bytes], facts: NDArray[np.void], stamp: Stamp, shingling: Shingling) -> Mask:
    """Which texts are those with these facts. stamp: of the file from which they were read."""
    same: Mask = np.fromiter(map(len, texts), np.int64, len(texts)) == facts["size"]
    if len(texts) and stamp != Stamp(*(int(facts[name][0]) for name in STAMP_FIELDS)):
        for places, normal in normalised(texts, shingling):
            same[places] &= same_texts(normal.encoded, facts[places])
    return same
