"""Write the rows of documents' files to other files: those that are kept, the duplicates, or all with flags.

The files are read once more. Rows that are no documents, because they are malformed, too long or have a repeated id,
could not be judged, and are kept.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from simdocs.engines.engine import Run
from simdocs.errors import InputError, UsageError
from simdocs.extras import needs
from simdocs.matching.groups import Decision
from simdocs.model.documents import Documents
from simdocs.model.figures import counted
from simdocs.model.groups import Members, WrittenRows
from simdocs.model.ragged import Index, Mask
from simdocs.model.skipped import DocumentSkipped, Skip, explanation
from simdocs.names import display_name, flag, is_uri, name_to_text
from simdocs.options.answers import COMPRESSED, PROMISED
from simdocs.options.families import CONTAINERS, compression_of, noun_of, without_compression
from simdocs.options.recipes import Sequences
from simdocs.pipeline.reading import Intake
from simdocs.reading.compression import CompressedSink
from simdocs.reading.file_list import FileList, format_named, formats_of, need_libraries
from simdocs.reading.files import Stamp, is_directory
from simdocs.reading.find import Sources
from simdocs.reading.formats.row_writers import RowWriter, row_writer
from simdocs.reading.formats.rows import Flags, RowBatch, RowSource, opened_rows
from simdocs.storage.atomic_file import OutputStream, atomic_file
from simdocs.storage.atomic_tree import DraftTree, atomic_tree, check_tree
from simdocs.storage.stored_output import StoredTree

_STANDARD_OUTPUT = "/dev/stdout"

_UNWRITTEN = (*COMPRESSED, *PROMISED)
"""Suffixes that promise what no rows are written as."""


def row_targets(
    outputs: Mapping[str, str], found: FileList, sources: Sources, fields: Sequences, others: Sequence[str | None]
) -> tuple[dict[str, str], dict[str, str], list[str], list[str]]:
    """Where the rows of these files are written. Nothing is written yet.

    The outputs by parameter; the format of each that is one file; the format of each file that is read; and its path in
    an output that is a directory.

    outputs: the paths that were given, by parameter. sources: from which the files were found. others: files that are
    written, too. UsageError: a document is no row, rows of two files would be written to one file, an output is an
    input, lies in one, or holds one. InputError: there is no file with rows. OutputError: see `check_tree`.
    """
    numbers, meanings = formats_of(found, fields)
    read_as = [meanings[number] for number in numbers.tolist()]
    if texts := [number for number, form in enumerate(read_as) if not form]:
        raise no_rows(next(iter(outputs)), len(texts), found.names[texts[0]])
    if not read_as:
        raise InputError(f"no file with rows was found, so {flag(next(iter(outputs)))} has nothing to write")
    outputs = {name: _STANDARD_OUTPUT if path == "-" else path for name, path in outputs.items()}
    is_one_file = sources.listed is None and len(sources.names) == 1 and not is_directory(sources.names[0])
    _refuse_overlaps(outputs, others)
    forms = dict[str, str]()
    for parameter, path in outputs.items():
        if path == _STANDARD_OUTPUT and not is_one_file:
            if set(read_as) != {"jsonl"}:
                raise UsageError(
                    f"{flag(parameter)} -: only one file, or files of JSON Lines, can go to standard output"
                )
            forms[parameter] = "jsonl"
        elif is_one_file:
            if found.holds(os.fsencode(path)):
                raise UsageError(f"{_shown(path)}: this file is read in this run: choose another {flag(parameter)}")
            forms[parameter] = _form_of(parameter, path, read_as[0])
        else:
            name = os.fsencode(path)
            if format_named(name) or compression_of(name) or _suffix(path) in _UNWRITTEN:
                why = f"{_shown(path)} would be a directory, because more than one file or a directory is read"
                raise UsageError(f"{flag(parameter)}: {why}: choose a name without a suffix of a format")
            refuse_inputs(parameter, path, found, sources)
            check_tree(path)
    if "flagged_rows" in outputs and forms.get("flagged_rows", read_as[0]) == "lines":
        raise UsageError("--flagged-rows: a line has no fields: write one file with a name that ends in .jsonl")
    paths = [] if len(forms) == len(outputs) else _relative_names(found, sources, next(iter(outputs.values())))
    return outputs, forms, read_as, paths


def no_rows(parameter: str, count: int, example: bytes) -> UsageError:
    """The error that some documents are whole files, and no rows."""
    found = counted(count, "file is one text", "files are one text each")
    remedy = "leave them out with --include or --exclude, or say with --input-format which tables they are"
    if example == b"-":
        remedy = "say which format standard input has with --input-format"
    said = f"{flag(parameter)} writes rows of files such as {_suffixes('*')}"
    return UsageError(f"{said}, and {found}, such as {display_name(example)}: {remedy}")


def _relative_names(found: FileList, sources: Sources, output: str) -> list[str]:
    """The path of each file in a directory with rows: below the directory that was named, or the name of the file.

    Files of a list have paths below the directory that all of them have in common. UsageError: two have the same path.
    """
    every = [found.names[row] for row in range(len(found.names))]
    names, first = list[bytes](), dict[bytes, bytes]()
    for argument, count in enumerate(found.counts.tolist()):
        some = every[len(names) : len(names) + count]
        if argument == len(sources.names):
            some = list(map(os.path.abspath, some))
            above = os.path.commonpath(list(map(os.path.dirname, some))) if some else b""
        else:
            above = sources.names[argument] if is_directory(sources.names[argument]) else b""
        names += [name[len(os.path.join(above, b"")) :] if above else os.path.basename(name) for name in some]
    for name, path in zip(every, names, strict=True):
        if first.setdefault(path, name) != name:
            both = f"rows of {display_name(first[path])} and {display_name(name)}"
            target = display_name(os.path.join(os.fsencode(output), path))
            raise UsageError(f"{both} would both be written to {target}: name the directory that has both instead")
    return list(map(os.fsdecode, names))


def _refuse_overlaps(outputs: Mapping[str, str], others: Sequence[str | None]) -> None:
    """Raise UsageError if an output is another file that is written, or one of them lies in the other."""
    taken = [(_real(path), path) for path in others if path is not None]
    for parameter, path in outputs.items():
        real = _real(path)
        for there, other in taken:
            if _is_in(real, there) or _is_in(there, real):
                both = f"{_shown(other)} and {_shown(path)}"
                raise UsageError(f"{flag(parameter)}: {both} are not two different places: choose another name")
        taken.append((real, path))


def refuse_inputs(parameter: str, path: str, found: FileList, sources: Sources) -> None:
    """Raise UsageError if a directory that is written is in one that is read, or would replace a file that is read."""
    for name in sources.names:
        if (is_uri(name) or os.path.isdir(name)) and _is_in(_real(path), _real(os.fsdecode(name))):
            raise UsageError(f"{_shown(path)}: is in {display_name(name)}, which is read: choose another directory")
    if found.holds(os.fsencode(os.path.join(path, ""))):
        what = f"holds files that are read, and {flag(parameter)} would replace them"
        raise UsageError(f"{_shown(path)}: {what}: choose another name")


def _real(path: str) -> str:
    """The real path of a file, or the name of an object in one spelling, without a slash at the end."""
    if not is_uri(os.fsencode(path)):
        return os.path.realpath(path)
    scheme, _, rest = path.partition("://")
    return f"{ {'s3a': 's3', 'gcs': 'gs'}.get(scheme, scheme) }://{rest}".rstrip("/")


def _is_in(path: str, directory: str) -> bool:
    """Whether a real path is that of a directory, or of something below it."""
    return path == directory or path.startswith(os.path.join(directory, ""))


def _form_of(parameter: str, path: str, form: str) -> str:
    """The format of one file, by its suffix; that of the input if the suffix promises none.

    UsageError: it is not offered. MissingExtraError: the library that writes it is not installed.
    """
    name = os.fsencode(path)
    named, inner, wrong = format_named(name), format_named(without_compression(name)), ""
    CompressedSink(name, lambda _: None)  # fails now if it ever does
    if inner and not named:
        wrong = f"{inner.capitalize()} is compressed by itself: leave out {os.path.splitext(path)[1]}"
    elif not named and _suffix(path) in _UNWRITTEN:
        wrong = f"simdocs cannot write rows as .{_suffix(path)}: use {_suffixes('')}"
    if wrong:
        raise UsageError(f"{flag(parameter)} {_shown(path)}: {wrong}")
    if named and (library := CONTAINERS[named].needs):
        needs(library[0], library[1].replace("reading", "writing"), _shown(path))
    return named or form


def _suffixes(before: str) -> str:
    return ", ".join(before + suffix.decode() for member in CONTAINERS.values() for suffix in member.suffixes)


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].removeprefix(".").lower()


def _shown(path: str) -> str:
    return display_name(os.fsencode(path))


KEPT, REMOVED, FLAGGED = "kept_rows", "removed_rows", "flagged_rows"


_Writers = dict[str, RowWriter]


class RowDrafts:
    """The drafts of files, or directories of files, into which rows are written.

    outputs: where they will be, by parameter. intake, fields: the files whose rows are written, and how they are read.
    others: other files that are written. publishing: makes outputs of the drafts when it is left without an exception.
    Raises the errors of `row_targets`.
    """

    def __init__(
        self, outputs: Mapping[str, str], intake: Intake, fields: Sequences, others: Any, publishing: ExitStack
    ) -> None:
        assert intake.found is not None
        need_libraries(intake.found.names, fields)  # or else an output would lack all its rows
        self._found, self._fields, self._limit = intake.found, fields, intake.walking.max_size
        targets = row_targets(outputs, intake.found, intake.sources, fields, others)
        self._outputs, self._forms, self._read_as, self._paths = targets
        self._drafts: dict[str, OutputStream | DraftTree | StoredTree] = {}
        self._counts = Counter[str]()
        for name, path in self._outputs.items():
            draft: Any = atomic_file(path) if name in self._forms else atomic_tree(path, self._paths)
            self._drafts[name] = publishing.enter_context(draft)

    def write(self, decision: Decision, documents: Documents, run: Run) -> tuple[WrittenRows, ...]:
        """Write all rows, and make the drafts ready to be published. Return what was written.

        documents: those of the decision that were given. InputError: a file has changed since it was read. UsageError:
        a document is no row of a file.
        """
        texts = np.flatnonzero(documents.facts["container"] == 0)
        if len(texts):
            raise no_rows(next(iter(self._drafts)), len(texts), documents.raw_name(int(texts[0])))
        judged, count = _documents_of_files(documents), len(documents)
        corpus, pairs = decision.corpus, decision.pairs
        before = len(corpus) - count  # those of an index come first
        original, similarity = np.full(count, -1), np.full(count, np.nan)
        original[pairs.right - before], similarity[pairs.right - before] = pairs.left, pairs.score
        original[decision.known - before], similarity[decision.known - before] = decision.known, 1.0
        members = Members.of(pairs.renumbered(corpus.given_rows), corpus.given_rows(decision.kept_and_found()))
        group = members.labels(count).tolist()

        def flags(mine: range) -> Iterator[Flags]:
            """Yield the flags of each of these documents."""
            of_mine = original[mine.start : mine.stop]
            duplicates = np.flatnonzero(of_mine >= 0)
            names = dict(zip(duplicates.tolist(), corpus.printed_names(of_mine[duplicates]), strict=True))
            for at, row in enumerate(mine):
                score = float(similarity[row]) if at in names else None
                of = name_to_text(names[at]) if at in names else None
                yield Flags(of, score, None if group[row] < 0 else group[row])

        files = unjudged = lost = 0
        for number in range(len(self._found.names)):
            mine, stamp = judged.get(self._found.names[number], (range(0), self._found.stamp(number)))
            self._refuse_changed(number, stamp, mine)
            read, numbers = 0, documents.facts["line"][mine.start : mine.stop]
            with ExitStack() as stack:
                try:
                    source = stack.enter_context(self._opened(number))
                except DocumentSkipped as skip:
                    if mine:
                        raise self._changed(number) from None
                    self._report(number, skip, 0, run)
                    lost += 1
                    continue
                writers = self._writers(number, source, stack)
                for some in source.batches():
                    begin, end = np.searchsorted(numbers, (some.numbers[0], some.numbers[-1] + 1)).tolist()
                    places = numbers[begin:end] - some.numbers[0]
                    is_removed = np.zeros(len(some.numbers), bool)
                    here = mine[begin:end]
                    is_removed[places] = original[here.start : here.stop] >= 0
                    unjudged += self._write(source, some, places, is_removed, flags(here), writers)
                    read += len(some.numbers)
                    run.progress("writing rows", mine.start + end, len(documents))
                for writer in writers.values():
                    writer.end()
            self._refuse_changed(number, stamp, mine)
            files += 1
            if source.damage is not None:
                self._report(number, source.damage, read, run)
                lost += not read
        for draft in self._drafts.values():
            draft.prepare()
        counts, of_tree = self._counts, {name: files for name in self._outputs if name not in self._forms}
        return tuple(
            WrittenRows(name, os.fsencode(path), counts[name], of_tree.get(name), unjudged if name == KEPT else 0, lost)
            for name, path in self._outputs.items()
        )

    def _opened(self, number: int) -> AbstractContextManager[RowSource]:
        """The rows of a file, which is closed at the end. Raises DocumentSkipped, also when it is entered."""
        return opened_rows(self._found.source(number, self._limit), self._read_as[number], self._fields)

    def _writers(self, number: int, source: RowSource, stack: ExitStack) -> _Writers:
        """A writer of the rows of this file for each output. stack: closes their files."""
        writers: _Writers = {}
        for name, draft in self._drafts.items():
            if isinstance(draft, OutputStream):
                path, form, write = self._outputs[name], self._forms[name], draft.write
            else:
                path, form = self._paths[number], self._read_as[number]
                write = stack.enter_context(draft.file(path)).write
            sink, again = CompressedSink(os.fsencode(path), write), partial(self._opened, number)
            joined = name in self._forms and len(self._found.names) > 1
            writers[name] = row_writer(form, source, sink, again, flagged=name == FLAGGED, joined=joined)
        return writers

    def _write(
        self, source: RowSource, rows: RowBatch, places: Index, removed: Mask, flags: Iterator[Flags], writers: _Writers
    ) -> int:
        """Write some rows, and return how many were not judged.

        places: those of documents. removed: (n,), which rows are duplicates. flags: those of the documents.
        """
        is_row = np.ones(len(rows.numbers), bool)
        if noun_of(source.form) == "line":  # blank lines have numbers
            is_row[:] = [bool(row.strip()) for row in rows.data]
        for name, writer in writers.items():
            wanted = is_row
            if name == FLAGGED:
                of_rows = [Flags()] * len(is_row)
                for place, its in zip(places.tolist(), flags, strict=True):
                    of_rows[place] = its
                writer.write(rows._replace(flags=of_rows))
            else:
                wanted = removed == (name == REMOVED)
                writer.write(rows.take(np.flatnonzero(wanted)))
            self._counts[name] += int((wanted & is_row).sum())
        return int(is_row.sum()) - len(places)

    def _refuse_changed(self, number: int, stamp: Stamp, mine: range) -> None:
        """Raise InputError if a file with this stamp has changed. mine: its documents; without any, it may be gone."""
        now = Stamp.at(self._found.names[number]) if number not in self._found.held else stamp
        if (now is None and mine) or (now is not None and not stamp.same_bytes(now)):
            raise self._changed(number)

    def _changed(self, number: int) -> InputError:
        shown = display_name(self._found.names[number])
        return InputError(f"{shown}: changed before its rows were written, so nothing was written: run again")

    def _report(self, number: int, skip: DocumentSkipped, read: int, run: Run) -> None:
        """Report that only so many rows of a file can be read. InputError: it changed, or it is the only one."""
        name = self._found.names[number]
        if skip.reason == "changed":
            raise self._changed(number)
        if not read and len(self._found.names) == 1 and not self._paths:
            why = skip.detail or explanation(skip.reason)
            raise InputError(f"{display_name(name)}: no rows can be written: {why}")
        some = f"only {read:,} of its rows can be read, so the rest is in no output"
        none = "cannot be read, so none of its rows is in an output"
        run.skipped.warnings.append(f"{display_name(name)}: {some if read else none}")
        if not any(each.name == name and not each.line for each in run.skipped.kept(skip.reason)):
            run.skipped.add(Skip(skip.reason, name, skip.detail))


def _documents_of_files(documents: Documents) -> dict[bytes, tuple[range, Stamp]]:
    """For each file with documents, by its name, their rows, and its stamp when they were read."""
    found, files = dict[bytes, tuple[range, Stamp]](), documents.files
    for place, (start, stop) in enumerate(pairwise([*files["row"].tolist(), len(documents)])):
        name = documents.raw_name(start)[: int(documents.facts["container"][start])]
        stamp = (int(files[field][place]) for field in ("file_size", "mtime_ns", "ctime_ns", "inode"))
        found[name] = range(start, stop), Stamp(*stamp)
    return found
