"""Copies of texts that have no place of their own, in a temporary file, by which they are read again.

To make them, their file is read up to the last one that is wanted, by the same code that read it first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from simdocs.engines.engine import Run, SharedRows
from simdocs.errors import shown_memory
from simdocs.model.documents import FACTS, STAMP_FIELDS
from simdocs.model.figures import counted
from simdocs.model.ragged import BlockPlaces, Index, Mask, Rows, offsets_of
from simdocs.model.skipped import ALTERED, DocumentSkipped
from simdocs.options.recipes import Sequences, Shingling
from simdocs.pipeline.again import ReloadRequest, has_place, why_unread
from simdocs.pipeline.signing import held_tokens, normalised, same_texts
from simdocs.reading.file_list import format_of_document
from simdocs.reading.files import MOST, Source, Stamp
from simdocs.reading.formats import reader_of
from simdocs.storage.spilled import NamelessFile, room_needed
from simdocs.storage.syscalls import write_at

_UNKNOWN, _IN_PLACE, _HELD, _COPIED = 0, 1, 2, 3
"""What is known of a document: nothing; it can be read again where it is, or came from no file; its tokens are held, so
that only its text would have to be read; from this number on, less the number, where its copy begins in the file.

A number below 0 says why there is no copy."""

_MUCH = 1 << 26
"""From this number of bytes on, a terminal shows how much is copied: 64 MiB."""

_COMPARED = np.dtype([field for field in FACTS.descr if field[0] in ("line", "size", "digest", *STAMP_FIELDS)])
"""What of the facts of a document tells where it is in its file, and whether it is unchanged."""

_ToCopy = tuple[bytes, bool, NDArray[np.void], int]
"""Documents of one file to copy: its path, whether it may be a link, their facts, (n,) _COMPARED, in the order of their
numbers, and where the first begins in the file of copies."""


class Copies:
    """The copies of so many documents, by row. They are in a file without a name, in the directory for such files."""

    def __init__(self, documents: int) -> None:
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
        files, limit, fields = dict[tuple[bytes, bool], list[tuple[Rows, NDArray[np.void]]]](), 0, Sequences()
        for rows, request in requests:
            self._state[rows], limit, fields = _IN_PLACE, request.limit, request.sequences
            places = _without_place(request)
            if shared is not None and len(places):
                held, _ = held_tokens(request.facts["digest"][places], shingling, shared)
                self._state[rows[places[held]]] = _HELD
                places = np.delete(places, held)
            for path, some in groupby(places.tolist(), request.file):
                here = list(some)
                facts = request.facts[here][list(_COMPARED.names or ())].astype(_COMPARED)
                files.setdefault((path, request.follow(here[0])), []).append((rows[here], facts))
        if not files:
            return
        copies = self._file = self._file or NamelessFile()
        tasks, of_tasks = list[_ToCopy](), list[Rows]()
        for (path, follow), parts in files.items():
            rows, facts = (np.concatenate(each) for each in zip(*parts, strict=True))
            order = np.argsort(facts["line"])
            of_tasks.append(rows[order])
            tasks.append((path, follow, facts[order], copies.reserve(int(_sizes(facts).sum()))))
        target = copies.path(everywhere=run is not None)  # empty if workers do not see the same file
        each = run.engine.map if run is not None and target else map
        target = target or copies.path(everywhere=False)
        results = each(partial(_copied, limit=limit, fields=fields, shingling=shingling, target=target), tasks)
        done, copied = 0, 0
        for (*_, facts, begin), rows, (there, why) in zip(tasks, of_tasks, results, strict=True):
            if why not in self._reasons:
                self._reasons.append(why)
            begins = _COPIED + begin + offsets_of(_sizes(facts))[:-1]
            self._state[rows] = np.where(there, begins, -1 - self._reasons.index(why))
            done, copied = done + len(there), copied + int(_sizes(facts)[there].sum())
            if run is not None:
                run.progress("copying texts", done, sum(map(len, of_tasks)))
        if run is not None:
            what = f"{counted(done, 'text')} of {counted(len(files), 'file')}"
            run.explain(f"copied {what} that may be compared: {shown_memory(copied)}", detail=copied < _MUCH)

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


def _without_place(request: ReloadRequest) -> BlockPlaces:
    """Which of these documents can only be read again from the beginning of their file."""
    inside: BlockPlaces = np.flatnonzero((request.facts["container"] > 0) & request.of_file)
    inside = inside[~np.isin(inside, list(request.copies))]
    _, first, which = np.unique(request.facts["inode"][inside], return_index=True, return_inverse=True)
    paths = [request.file(place) for place in inside[first].tolist()]
    apart = np.array([not has_place(format_of_document(path, request.sequences), path) for path in paths], bool)
    # Lines of UTF-16 have no place, either.
    found: BlockPlaces = inside[apart[which] | (request.facts["extent"][inside] == 0)]
    return found


def _sizes(facts: NDArray[np.void]) -> Index:
    """How many bytes the copies of these documents take: none if memory could not hold the text."""
    return np.where(facts["size"] <= MOST, facts["size"], 0)


def _copied(
    task: _ToCopy, _state: object = None, *, limit: int, fields: Sequences, shingling: Shingling, target: str
) -> tuple[Mask, str]:
    """Copy the documents of a file: which of them are there, unchanged, and why the others are not.

    target: the path of the file of copies.
    """
    path, follow, facts, begin = task
    there, why, numbers = np.zeros(len(facts), bool), ALTERED, facts["line"]
    begins = begin + offsets_of(_sizes(facts))
    form = format_of_document(path, fields)
    with room_needed():
        out = os.open(target, os.O_WRONLY)
    try:
        with Source(path, limit, follow=follow) as source:
            for rows in reader_of(form)(source, form, fields, numbers):
                batch = rows.batch(fields)
                places = np.searchsorted(numbers, batch.numbers)
                same = np.fromiter(map(len, batch.texts), np.int64, len(places)) == facts["size"][places]
                if len(places) and source.stamp != Stamp(*(int(facts[name][0]) for name in STAMP_FIELDS)):
                    for some, normal in normalised(batch.texts, shingling):
                        same[some] &= same_texts(normal.encoded, facts[places[some]])
                there[places[same]] = True
                for at in np.flatnonzero(same).tolist():
                    with room_needed():
                        write_at(out, batch.texts[at], int(begins[places[at]]))
                if batch.numbers and batch.numbers[-1] == numbers[-1]:
                    break
    except DocumentSkipped as skip:
        why = why_unread(skip)
    finally:
        os.close(out)
    return there, why
