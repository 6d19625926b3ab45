"""Number the documents: the results of tasks are put together in row order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.discover import FileList
from simdocs.corpora.document_skipped import REPLACED
from simdocs.corpora.identity import FileId, identities
from simdocs.corpora.line_names import LineNames
from simdocs.model.documents import DOCUMENT, EMPTY, MET, Documents
from simdocs.model.names import display_name
from simdocs.model.numbering import BlockPlaces
from simdocs.model.skipped import Skip, Skipped, explanation
from simdocs.pipeline.reading import Read, ragged_bytes

_EARLIER = "an earlier line"


def _may_be_number(document_id: bytes, before: int) -> bool:
    """Whether an id is also the number of a line before this one."""
    return (
        document_id.isdigit() and document_id[:1] != b"0" and len(document_id) < _DIGITS and int(document_id) < before
    )


_DIGITS = 20
"""No line number has as many."""


class Register:
    """Numbers documents in row order, as the results of tasks come in."""

    def __init__(self, found: FileList, skipped: Skipped) -> None:
        self._found, self._skipped = found, skipped
        self._names: list[bytes] = []
        self._facts: list[NDArray[np.void]] = []
        self._met_files, self._met = found.met(), [np.empty(0, MET)]
        self._held: dict[int, bytes] = {}
        self._file, self._ids = b"", set[bytes]()
        self._line_names = LineNames()
        self._named_like_lines = {name for name in found.names if b"#" in name}
        ids = enumerate(found.ids if found.other_names else ())
        self._reached_again: dict[int, FileId] = {
            file: file_id for file, file_id in ids if file_id in found.other_names
        }
        self._replaced = set[int]()
        self._named = {found.names[file] for file in found.named}
        self._named_rows: list[int] = []
        self._gone = set[bytes]()
        self._done = 0
        self.rows = 0

    def enter(self, read: Read, done: int) -> BlockPlaces:
        """Give the documents of the next task their rows. Return the places, among those read, of documents with a row.

        done: the number of files that end with this task. A line that has the name of an earlier line or the path
        of a file gets no row, and is added to skipped.
        """
        for skip in read.skips:
            self.skip(skip)
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
        lines = read.facts["container"][rows] > 0
        self._met.append(self._met_files[self._done + np.where(lines, 0, np.array(read.places, np.int64)[rows])])
        self.rows += len(rows)
        self._done += done
        return rows

    def skip(self, skip: Skip) -> None:
        """Record the skip of a file or line. A file that was named as an argument is reported in any case."""
        if skip.reason in ("vanished", "special") or (skip.reason, skip.detail) == ("changed", REPLACED):
            self._gone.add(skip.name)
        if skip.reason in ("binary", "special", "vanished") and skip.name in self._named:
            skip = skip._replace(reason="named", detail=explanation(skip.reason))
        self._skipped.add(skip)

    def _repeats(self, read: Read, at: int) -> bool:
        container = int(read.facts["container"][at])
        if not container:
            return False
        name = read.names[at]
        if name[:container] != self._file:
            self._file, self._ids = name[:container], set()
        taken = name in self._named_like_lines or self._line_names.is_path(name, container)
        other = _EARLIER if name in self._ids else "a file" if taken else ""
        if other:
            shown = display_name(name)
            detail = f"{other} has the name {shown}: give it an id of its own"
            if other == _EARLIER and _may_be_number(name[container + 1 :], read.places[at]):
                line = name[container + 1 :].decode()
                detail = f"{other} has the name {shown}, perhaps line {line}, if it has no id: give every line an id"
            self._skipped.add(Skip("malformed", self._file, detail, read.places[at]))
        self._ids.add(name)
        return bool(other)

    def _report_other_names(self) -> None:
        """Report the other names of files that were reached again.

        A file was not read by its other names. If its first name is gone or belongs to another file by now, neither was
        the file itself.
        """
        for file, file_id in self._reached_again.items():
            first = self._found.names[file]
            lost = file in self._replaced or first in self._gone
            for name in self._found.other_names[file_id]:
                if lost:
                    detail = f"was to be read as {display_name(first)}, which is gone or replaced"
                    self._skipped.add(Skip("unreadable", name, detail))
                else:
                    self._skipped.add(Skip("again", name))

    def documents(self) -> Documents:
        """All documents that have a row. Other names of their files are reported."""
        self._report_other_names()
        facts = np.concatenate(self._facts) if self._facts else np.empty(0, DOCUMENT)
        for row in self._named_rows:
            if facts["flags"][row] & EMPTY and not facts["container"][row]:
                self._skipped.warnings.append(
                    f"{display_name(self._names[row])}: this document is empty, so it is similar to nothing"
                )
        return Documents(ragged_bytes(self._names), facts, self._held, np.concatenate(self._met))


def _span(held: bytes, fact: np.void) -> bytes:
    """The bytes of a document, from bytes in memory: all of them, or a line."""
    return held[fact["start"] : fact["start"] + fact["extent"]] if fact["container"] else held
