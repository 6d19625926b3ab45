"""Number the documents in row order, as the results of tasks come in, and collect the records of their files."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.containers.recognise import format_of_document, lookalike_of
from simdocs.corpora.file_list import FileList
from simdocs.corpora.identity import content_digest
from simdocs.errors import UsageError
from simdocs.model.columns import GrowingArray, GrowingByteStrings
from simdocs.model.documents import DOCUMENT, EMPTY, FILE, MET, NUMBERED, Documents, SourceFiles
from simdocs.model.ragged import BlockPlaces, Rows
from simdocs.model.skipped import REPLACED, Skip, Skipped, explanation
from simdocs.names import display_name
from simdocs.options.recipes import Recipe
from simdocs.pipeline.read_documents import HeldBack, Missed

if TYPE_CHECKING:
    from simdocs.corpora.containers.names import LineNames, SeenNames
    from simdocs.pipeline.read_documents import Read


class FileRecords:
    """Collects the records of files with documents, in row order. cut_short: names of files not read to their ends."""

    def __init__(self) -> None:
        self._files = GrowingArray(FILE)
        self._rows = 0
        self._begun: NDArray[np.void] | None = None
        """The record of the container whose documents are coming in."""
        self._digests = list[bytes]()
        """Those of its parts or blocks."""
        self.cut_short = set[bytes]()

    def enter(self, read: Read, taken: BlockPlaces, *, ended: bool, name: bytes) -> None:
        """Add the records of the next task.

        taken: the places of the documents that get a row.
        ended: whether a file ends with this task.
        name: the name of that file.
        """
        if read.digests is not None:
            if self._begun is None:
                self._begun = read.files.copy()
                self._begun["row"] = self._rows
            self._digests += read.digests
            without_text = 0 if read.missed.textless is None else len(read.missed.textless.skips)
            self._begun["skipped"] += len(read.missed.skips) + without_text + len(read.names) - len(taken)
        elif len(taken):
            files = read.files[taken]
            files["row"] = np.arange(self._rows, self._rows + len(taken))
            self._files.add(files)
        self._rows += len(taken)
        if ended and self._begun is not None:
            self._end(self._begun, cut_short=name in self.cut_short)
            self._begun, self._digests = None, []

    def _end(self, file: NDArray[np.void], *, cut_short: bool) -> None:
        if file["row"][0] == self._rows:
            return  # it has no documents
        file["skipped"] += cut_short
        if self._digests:  # or else the content is known
            file["content"] = np.frombuffer(content_digest(*self._digests), "<u8")
        self._files.add(file)

    def all(self) -> SourceFiles:
        """All records."""
        return SourceFiles(self._files.all())


class Register:
    """Numbers documents in row order, as the results of tasks come in.

    recipe: how the files were read.
    """

    def __init__(self, found: FileList, skipped: Skipped, recipe: Recipe) -> None:
        self._found, self._skipped, self._sequences = found, skipped, recipe.sequences
        self._textless = HeldBack(recipe.sequences)
        self._without_stop_words = recipe.shingling.ignore_stop_words
        self._textless_files: list[Skip] = []
        """The files that were named and have no document with a text."""
        self._lacking: Skip | None = None
        """The first container of which no document has the text fields."""
        self._text_field_met = False
        self._names = GrowingByteStrings()
        self._facts, self._met = GrowingArray(DOCUMENT), GrowingArray(MET)
        self._held: dict[int, bytes] = {}
        self._file = b""
        self._seen: tuple[SeenNames, LineNames] | None = None
        """The names of lines that were seen, and which of them are paths; None until a container is met."""
        self._named_like_lines: set[bytes] | None = None
        self._refused = set[bytes]()
        self._lines_met = False
        self._reached_again = frozenset(found.other_rows.tolist())
        self._replaced = set[int]()
        self._named = {found.names[file] for file in found.named}
        self._named_rows: list[int] = []
        self._gone = set[bytes]()
        self._files = FileRecords()
        self._earlier = GrowingArray(np.int32)
        self._ends = np.cumsum(found.counts)
        self._counts = np.zeros(len(found.counts), np.int64)
        self._done = 0
        self.rows = 0

    def enter(self, read: Read, done: int, earlier: Rows | None = None) -> BlockPlaces:
        """Number the documents of the next task. Return the places, among those read, of documents with a row.

        done: the number of files that end with this task.
        earlier: the row of each document in an earlier artifact, or -1.
        A line with the name of an earlier line or the path of a file gets no row, and is added to skipped.
        """
        repeated = self._repeated(read)
        self._skip_of(read, repeated, ended=done > 0)
        taken, facts, names = np.arange(len(read.names)), read.facts, read.names
        if repeated:
            taken = np.delete(taken, list(repeated))
            facts, names = facts[taken], [names[at] for at in taken.tolist()]
        are_lines = read.digests is not None
        files = np.full(len(taken), self._done) if are_lines else self._done + np.array(read.places, np.int64)[taken]
        if self._is_noted(files, are_lines=are_lines):
            for row, (at, file) in enumerate(zip(taken.tolist(), files.tolist(), strict=True), self.rows):
                self._note(row, file, read, at)
        self._names.add(names)
        self._facts.add(facts)
        self._met.add(self._found.met[files])
        if are_lines:
            self._lines_met |= len(taken) > 0
            self._seen_names[0].add(names, np.arange(self.rows, self.rows + len(taken)))
        self._earlier.add(np.full(len(taken), -1) if earlier is None else earlier[taken])
        self._counts += np.bincount(np.searchsorted(self._ends, files, side="right"), minlength=len(self._counts))
        self.rows += len(taken)
        self._done += done
        name = self._found.names[self._done - 1] if done else b""
        self._files.enter(read, taken, ended=done > 0, name=name)
        return taken

    def _is_noted(self, files: Rows, *, are_lines: bool) -> bool:
        """Whether these files may have documents for `_note`."""
        if are_lines:  # which all belong to one file
            return self._done in self._found.held or self._done in self._reached_again
        return bool(len(files) and (self._found.named or self._found.held or self._reached_again))

    def _note(self, row: int, file: int, read: Read, at: int) -> None:
        """Record whether the document in this row was named, is held, or has a file that was replaced."""
        if file in self._found.named:
            self._named_rows.append(row)
            if not self._sequences.plain and (alike := lookalike_of(int(read.facts["flags"][at]))):
                self._skipped.warnings.append(alike.warning(read.names[at]))
        if file in self._found.held:
            self._held[row] = self._found.held[file]
        elif file in self._reached_again:
            inode = read.files["inode"][at if len(read.files) > 1 else 0]
            if inode != self._found.file_id(file)[1]:
                self._replaced.add(file)

    @property
    def files_done(self) -> int:
        """The number of files whose documents have been entered."""
        return self._done

    def skip(self, skip: Skip) -> None:
        """Record the skip of a file or line. A file that was named as an argument is reported in any case."""
        gone = skip.reason in ("vanished", "special") or (skip.reason, skip.detail) == ("changed", REPLACED)
        if gone and self._reached_again:
            self._gone.add(skip.name)
        if skip.reason in ("binary", "special", "vanished") and skip.name in self._named:
            skip = skip._replace(reason="named", detail=skip.detail or explanation(skip.reason))
        self._skipped.add(skip)

    def _skip_of(self, read: Read, repeated: dict[int, Skip], *, ended: bool) -> None:
        """Record the skips of a task, and then those of repeated names.

        If no document of a container has a text, the file is reported, not each skip.
        """
        self._miss(read.missed)
        for skip in repeated.values():
            self._skipped.add(skip)
        self._text_field_met |= self._textless.any_text and read.digests is not None
        if ended:
            self._end_of_file()

    def _end_of_file(self) -> None:
        held, is_named = self._textless, self._done in self._found.named
        if not held.any_text and (whole := held.as_file()):
            self._skipped.add(whole)
            self._lacking = self._lacking or whole
            if is_named:
                self._textless_files.append(whole)
        elif not held.any_text and held.is_empty and is_named:
            file = self._found.names[self._done]
            if file not in self._files.cut_short:
                self._skipped.warnings.append(f"{display_name(file)}: no documents were found in this file")
        held.forget()

    def _miss(self, missed: Missed) -> None:
        """Record the skips of a part. If only some documents of the file are wanted, the others may have texts."""
        held, skips = self._textless, missed.skips
        if missed.textless is not None and self._done in self._found.lines:
            skips = sorted((*skips, *missed.textless.skips), key=attrgetter("line"))
        elif missed.textless is not None:
            held.add(missed.textless)
        for skip in skips:
            self.skip(skip)
        held.any_text |= missed.documents > 0
        held.is_empty &= not (missed.documents or missed.skips)
        for skip in held.released() if held.any_text else ():
            self.skip(skip)

    def skip_rest(self, skip: Skip, is_textless: bool) -> None:
        """Record that a file could not be read to its end. is_textless: it was named, and is no table with texts."""
        self._files.cut_short.add(skip.name)
        self.skip(skip)
        if is_textless:
            self._textless_files.append(skip)

    @property
    def lacking(self) -> Skip | None:
        """The first container of which no document has the text fields; None if a document of any has them."""
        return None if self._text_field_met else self._lacking

    @property
    def _seen_names(self) -> tuple[SeenNames, LineNames]:
        if self._seen is None:
            from simdocs.corpora.containers.names import LineNames, SeenNames

            names = self._names
            # A method of self would make a cycle of references, which stays in memory until it is collected.
            self._seen = SeenNames(lambda row: names.all()[row]), LineNames()
        return self._seen

    def _repeated(self, read: Read) -> dict[int, Skip]:
        """The skip of each document with the name of an earlier one of its file, or of a file, by ascending place."""
        container = int(read.facts["container"][0]) if len(read.names) else 0
        if not container:
            return {}
        seen, paths = self._seen_names
        if read.names[0][:container] != self._file:
            self._file, self._refused = read.names[0][:container], set()
            seen.forget()
        if self._named_like_lines is None:
            self._named_like_lines = {name for name in self._found.names if b"#" in name}
        repeated = seen.repeated(read.names)
        if not (repeated or self._refused or self._named_like_lines) and paths.are_no_paths(self._file):
            return {}
        like_files, skips = set[int](), dict[int, Skip]()
        for at, name in enumerate(read.names):
            if name in self._refused:
                repeated.add(at)
            elif at not in repeated and (name in self._named_like_lines or paths.is_path(name, container)):
                like_files.add(at)
                self._refused.add(name)
        first = {name: at for at, name in reversed(list(enumerate(read.names)))} if repeated else {}
        for at in sorted(repeated | like_files):
            detail, noun = f"a file has the name {display_name(read.names[at])}: give it an id of its own", self._noun
            if at not in like_files:
                detail = self._why_repeated(read, at, first[read.names[at]], noun)
            skips[at] = Skip("malformed", self._file, detail, read.places[at], noun=noun)
        return skips

    @property
    def _noun(self) -> str:
        """What messages call a document of the container that is read."""
        from simdocs.corpora.containers.container import container

        return container(format_of_document(self._file, self._sequences)).noun

    def _why_repeated(self, read: Read, at: int, first: int, noun: str) -> str:
        """Why a document has the name of an earlier one: at least one of them has it as its id.

        first: the place of the first document that was read now and has this name.
        noun: what messages call a document.
        """
        name, shown, field = read.names[at], display_name(read.names[at]), "--id-field"
        row = self._seen_names[0].row_of(name)
        flags = read.facts["flags"][first] if row is None else self._facts.all()["flags"][row]
        if read.facts["flags"][at] & NUMBERED:
            why = f"an earlier {noun} has the id {read.places[at]}, and this one has none"
        elif flags & NUMBERED:
            number = display_name(name[int(read.facts["container"][at]) + 1 :])
            why = f"{noun} {number} has no id, so its name is {shown}, too"
        else:
            return f"an earlier {noun} has the same id ({shown}): name a field of unique ids, or '', with {field}"
        return f"{why}: give every {noun} an id, or name a field that every {noun} has with {field}"

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
        if self._textless_files and not self._lines_met:
            file = self._textless_files[0]
            raise UsageError(f"{display_name(file.name)}: {file.detail}")
        self._report_other_names()
        names, facts, given = self._names.all(), self._facts.all(), self._found.given_names
        for row in self._named_rows:
            if facts["flags"][row] & EMPTY:
                name = display_name(names[row])
                why = "this document is empty"
                if self._without_stop_words and facts["size"][row]:
                    why = "this document has no words left without stop words"
                self._skipped.warnings.append(f"{name}: {why}, so it matches nothing")
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
