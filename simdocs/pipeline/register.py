"""Number the documents in row order, as the results of tasks come in, and collect the records of their files."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simdocs.errors import UsageError
from simdocs.model.documents import (
    DOCUMENT,
    EMPTY,
    FILE,
    INVALID,
    MET,
    NUMBERED,
    OTHER_ENCODING,
    Documents,
)
from simdocs.model.ragged import BlockPlaces, ByteStrings, GrowingArray, GrowingByteStrings, Rows
from simdocs.model.skipped import REPLACED, Skip, Skipped, and_more
from simdocs.names import display_name
from simdocs.options.families import noun_of
from simdocs.options.recipes import Recipe
from simdocs.reading.decode import LOOKALIKES, lookalike_of
from simdocs.reading.file_list import FileList, format_of_document
from simdocs.reading.files import content_digest

if TYPE_CHECKING:
    from simdocs.pipeline.reading import Read
    from simdocs.reading.batches import SeenNames


class Register:
    """Numbers documents in row order, as the results of tasks come in.

    recipe: how the files were read.
    """

    def __init__(self, found: FileList, skipped: Skipped, recipe: Recipe) -> None:
        self._found, self._skipped, self._sequences = found, skipped, recipe.sequences
        self._without_stop_words = recipe.shingling.ignore_stop_words
        self._textless: Skip | None = None
        """The first file that was named and has no row with a text."""
        self.lacking: Skip | None = None
        """The first file of which no row has the text fields."""
        self._warned = False
        """Whether a warning says already that the usual field of ids has other values."""
        self.without_ids = ""
        """The fields of the first row without an id."""
        self._is_empty = True
        """Whether the file whose rows come in has none so far, not even one to skip."""
        self._names = GrowingByteStrings()
        self._facts, self._met = GrowingArray(DOCUMENT), GrowingArray(MET)
        self._held: dict[int, bytes] = {}
        self._file = b""
        self._seen: SeenNames | None = None
        """The names of rows that were seen; None until there is one."""
        self.lines_met = False
        self._reached_again = frozenset(found.other_rows.tolist())
        self._replaced = set[int]()
        self._named = {found.names[file] for file in found.named}
        self._named_rows: list[int] = []
        self._gone = set[bytes]()
        self._files = GrowingArray(FILE)
        self._cut_short = set[bytes]()
        """Names of files that were not read to their ends."""
        self._begun: NDArray[np.void] | None = None
        """The record of the container whose documents are coming in."""
        self._digests = list[bytes]()
        """Those of its blocks."""
        self._earlier = GrowingArray(np.int32)
        self._ends = np.cumsum(found.counts)
        self._counts = np.zeros(len(found.counts), np.int64)
        self.files_done = 0
        """The number of files whose documents have been entered."""
        self.rows = 0

    def enter(self, read: Read, done: int, earlier: Rows | None = None, held: Sequence[bytes] = ()) -> BlockPlaces:
        """Number the documents of the next task. Return the places, among those read, of documents with a row.

        done: the number of files that end with this task.
        earlier: the row of each document in an earlier artifact, or -1.
        held: the texts of the documents, if their file can be read only once.
        A row with the name of an earlier row gets no row, and is added to skipped; but if it has the same text as the
        earlier one, it is named by its number.
        """
        repeated = self._repeated(read)
        for skip in (*read.skips, *repeated.values()):
            self.skip(skip)
        are_lines = read.digests is not None
        if are_lines:
            self._miss(read, ended=done > 0)
        taken, facts, names = np.arange(len(read.names)), read.facts, read.names
        if repeated:
            taken = np.delete(taken, list(repeated))
            facts, names = facts[taken], [names[at] for at in taken.tolist()]
        # The rows of a table belong to one file.
        places = np.zeros(len(taken), np.int64) if are_lines else np.array(read.places, np.int64)[taken]
        files, found = self.files_done + places, self._found
        noted = bool(found.named or found.held or self._reached_again)
        if are_lines:
            noted = self.files_done in found.held or self.files_done in self._reached_again
        if noted:
            for row, (at, file) in enumerate(zip(taken.tolist(), files.tolist(), strict=True), self.rows):
                self._note(row, file, read, at)
            self._held |= {row: held[at] for row, at in enumerate(taken.tolist() if held else (), self.rows)}
        self._names.add(names)
        self._facts.add(facts)
        self._met.add(self._found.met[files])
        if are_lines:
            self.lines_met |= len(taken) > 0
            self._seen_names.add(names, np.arange(self.rows, self.rows + len(taken)))
        self._earlier.add(np.full(len(taken), -1) if earlier is None else earlier[taken])
        self._counts += np.bincount(np.searchsorted(self._ends, files, side="right"), minlength=len(self._counts))
        self._record(read, taken, done)
        self.rows += len(taken)
        self.files_done += done
        return taken

    def _record(self, read: Read, taken: BlockPlaces, done: int) -> None:
        """Add the records of the files of a task. taken: the places of documents that get a row. done: see `enter`."""
        end = self.rows + len(taken)
        if read.digests is None:
            files = read.files[taken]
            files["row"] = np.arange(self.rows, end)
            self._files.add(files)
        else:
            if self._begun is None:
                self._begun = read.files.copy()
                self._begun["row"] = self.rows
            self._digests += read.digests
            self._begun["skipped"] += len(read.skips) + len(read.names) - len(taken)
        if done and self._begun is not None:
            if self._begun["row"][0] < end:  # or else it has no documents
                self._begun["skipped"] += self._found.names[self.files_done + done - 1] in self._cut_short
                if self._digests:  # or else the content is known
                    self._begun["content"] = np.frombuffer(content_digest(*self._digests), "<u8")
                self._files.add(self._begun)
            self._begun, self._digests = None, []

    def _note(self, row: int, file: int, read: Read, at: int) -> None:
        """Record whether the document in this row was named, is held, or has a file that was replaced."""
        if file in self._found.named:
            self._named_rows.append(row)
            if not self._sequences.plain and (alike := lookalike_of(int(read.facts["flags"][at]))):
                self._skipped.warnings.append(alike.warning(read.names[at]))
        if file in self._found.held:
            if read.digests is None:
                self._held[row] = self._found.held[file]
        elif file in self._reached_again:
            inode = read.files["inode"][at if len(read.files) > 1 else 0]
            if inode != self._found.met["inode"][file]:
                self._replaced.add(file)

    def skip(self, skip: Skip) -> None:
        """Record the skip of a file or line. A file that was named as an argument is reported in any case."""
        gone = skip.reason in ("vanished", "special") or (skip.reason, skip.detail) == ("changed", REPLACED)
        if gone and self._reached_again:
            self._gone.add(skip.name)
        self._skipped.add(skip.of_argument() if skip.name in self._named else skip)

    def _miss(self, read: Read, *, ended: bool) -> None:
        """Note what a file with many documents lacks."""
        file, is_named = self._found.names[self.files_done], self.files_done in self._found.named
        self._is_empty &= not (read.names or read.skips)
        self.without_ids = self.without_ids or read.without_ids
        if read.unusable_id is not None and not self._warned:
            from simdocs.reading.batches import named_by_numbers

            self._warned, warning = True, named_by_numbers(read.unusable_id)
            if warning not in self._skipped.warnings:  # documents may be read twice
                self._skipped.warnings.append(warning)
        if read.lacking:
            lacking = Skip("malformed", file, read.lacking)
            self.lacking = self.lacking or lacking
            self._textless = self._textless or (lacking if is_named else None)
        if ended:
            if self._is_empty and is_named and file not in self._cut_short:
                self._skipped.warnings.append(f"{display_name(file)}: no documents were found in this file")
            self._is_empty = True

    def skip_rest(self, skip: Skip, is_textless: bool) -> None:
        """Record that a file could not be read to its end. is_textless: it was named, and is no table with texts."""
        self._cut_short.add(skip.name)
        self.skip(skip)
        if is_textless:
            self._textless = self._textless or skip

    @property
    def _seen_names(self) -> SeenNames:
        if self._seen is None:
            from simdocs.reading.batches import SeenNames

            names = self._names
            # A method of self would make a cycle of references, which stays in memory until it is collected.
            self._seen = SeenNames(lambda row: names.all()[row])
        return self._seen

    def _repeated(self, read: Read) -> dict[int, Skip]:
        """The skip of each document with the name of an earlier one of its file, by ascending place."""
        container = int(read.facts["container"][0]) if len(read.names) else 0
        if not container:
            return {}
        if read.names[0][:container] != self._file:
            self._file = read.names[0][:container]
            self._seen_names.forget()
        if not (repeated := self._seen_names.repeated(read.names)):
            return {}
        first = {name: at for at, name in reversed(list(enumerate(read.names)))}
        noun, skips = noun_of(format_of_document(self._file, self._sequences)), dict[int, Skip]()
        for at in (places := sorted(repeated)):
            if not self._renamed(read, at, first, places):
                why = f"an earlier {noun} has the same id or number ({display_name(read.names[at])})"
                detail = f"{why}: name a field of unique ids, or '', with --id-field"
                skips[at] = Skip("malformed", self._file, detail, read.places[at], noun=noun)
        return skips

    def _renamed(self, read: Read, at: int, first: dict[bytes, int], places: list[int]) -> bool:
        """Name a row by its number, if an earlier one has the same id and the same text, and the name is free.

        places: gets that of a later row with this id, which is taken now.
        """
        from simdocs.reading.batches import named

        name, digest = read.names[at], read.facts["digest"]
        row = self._seen_names.row_of(name)
        earlier = digest[first[name]] if row is None else self._facts.all()["digest"][row]
        (by_number,) = named(self._file, [None], [read.places[at]])
        other = first.get(by_number, at)
        if (digest[at] != earlier).any() or other < at or self._seen_names.row_of(by_number) is not None:
            return False
        if other > at:
            insort(places, other)
        read.names[at], first[by_number] = by_number, at
        read.facts["flags"][at] |= NUMBERED
        return True

    def _report_other_names(self) -> None:
        """Report the other names of files that were reached again. Files are not read by these names.

        If the first name of a file is gone or belongs to another file by now, the file was not read at all.
        """
        order = np.argsort(self._found.other_rows, kind="stable").tolist()
        for at in order:
            file, name = int(self._found.other_rows[at]), self._found.other_names[at]
            first = self._found.names[file]
            if file in self._replaced or first in self._gone:
                detail = f"was to be read as {display_name(first)}, which is gone or replaced"
                self._skipped.add(Skip("unreadable", name, detail))
            else:
                self._skipped.add(Skip("again", name))

    def documents(self) -> Documents:
        """All documents that have a row. Other names of their files are reported.

        UsageError: the lines of a named file have no text, and no other line has one.
        """
        if self._textless is not None and not self.lines_met:
            raise UsageError(f"{display_name(self._textless.name)}: {self._textless.detail}")
        self._report_other_names()
        names, facts, given = self._names.all(), self._facts.all(), self._found.given_names
        for row in self._named_rows:
            if facts["flags"][row] & EMPTY:
                name = display_name(names[row])
                why = "this document is empty"
                if self._without_stop_words and facts["size"][row]:
                    why = "this document has no words left without stop words"
                self._skipped.warnings.append(f"{name}: {why}, so it matches nothing")
        for warning in self._of_odd_texts(names, facts):
            if warning not in self._skipped.warnings:  # documents may be read twice
                self._skipped.warnings.append(warning)
        return Documents(
            names.ragged,
            facts,
            self._files.all(),
            self._held,
            self._met.all(),
            self._earlier.all(),
            self._counts,
            {row: given[name] for row, name in enumerate(names) if name in given} if given else {},
        )

    def _of_odd_texts(self, names: ByteStrings, facts: NDArray[np.void]) -> Iterator[str]:
        """Yield a warning about texts of walks that look like tables, and about some that are not UTF-8."""
        are_files = facts["container"] == 0
        for alike in LOOKALIKES if not self._sequences.plain else ():
            rows = np.flatnonzero(are_files & (facts["flags"] & alike.flag > 0))
            rows = rows[~np.isin(rows, self._named_rows)]
            if len(rows):
                yield alike.warning(names[int(rows[0])], len(rows))
        invalid = np.flatnonzero(are_files & (facts["flags"] & INVALID > 0))
        if 0 < len(invalid) < are_files.sum():
            are = "this text is" if len(invalid) == 1 else "these texts are"
            yield f"{display_name(names[int(invalid[0])])}{and_more(len(invalid))}: {are} not UTF-8: {OTHER_ENCODING}"
