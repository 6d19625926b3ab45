"""From arguments to files: directories are walked, lists are read, and each file is taken once."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter

from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.file_list import FileList, Reached
from simdocs.corpora.identity import FileId, file_id
from simdocs.corpora.listing import Found, facts_of, held_facts, id_of
from simdocs.corpora.long_paths import status_of
from simdocs.corpora.name_lists import list_of, of_entry
from simdocs.corpora.nothing_found import excludes_nothing, includes_nothing, is_list_of_names, no_documents, not_found
from simdocs.corpora.patterns import Patterns
from simdocs.corpora.read_file import MOST, read_stream
from simdocs.corpora.unread import Unread
from simdocs.corpora.walk import walk
from simdocs.errors import InputError, mention
from simdocs.model.names import display_name
from simdocs.model.skipped import Skip, Skipped
from simdocs.recipes import Walking

_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)

_FEW = 1 << 16
"""Entries of a list that are held in any case before repeated ones are dropped."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where documents come from: names, or one list of names, which end with NUL or a line feed.

    jsonl: standard input holds JSON lines.
    """

    names: tuple[bytes, ...] = ()
    listed: bytes | None = None
    nul_ended: bool = False
    jsonl: bool = False


def find(sources: Sources, walking: Walking, skipped: Skipped) -> FileList:
    """Find each file once, in row order: by argument, then bytewise by whole path. A list is one argument.

    InputError: an argument that does not exist, or is a device or socket; a list that cannot be read.
    """
    reached, inputs = Reached(), set[FileId]()
    patterns = Patterns(walking.include, walking.exclude)
    search = _Search(walking, skipped, patterns, Unread(patterns, walking.hidden))
    for number, name in enumerate(sources.names):
        search.unread.argument = number
        if name == b"-" and sources.jsonl:
            # Each line has a limit, but all of them together have none but memory.
            reached.add(_once(name, 0, MOST, skipped), named=True, jsonl=True)
        else:
            reached.add(_named(name, search), named=True)
    if sources.listed is not None:
        reached.add(_listed(sources.listed, sources.nul_ended, search, inputs))
    found = reached.files(inputs, search.unread)
    if unmatched := search.patterns.unmatched_include:
        skipped.warnings.append(includes_nothing(unmatched))
    skipped.warnings += excludes_nothing(search.patterns.unmatched, sources.names)
    return found


@dataclass(frozen=True, slots=True)
class _Search:
    """How files are found. unread: what could not be looked at. opened: the FIFOs that were read; nobody writes to one
    again."""

    walking: Walking
    skipped: Skipped
    patterns: Patterns
    unread: Unread
    opened: set[FileId] = field(default_factory=set)


def _named(name: bytes, search: _Search) -> Iterator[Found]:
    """Yield the files that an argument stands for, or warn that it is a directory without any."""
    unjudged, entries = search.skipped.unjudged, _expand(name, search)
    first = next(entries, None)
    if first is not None:
        yield first
        yield from entries
    elif os.path.isdir(name) and not search.walking.include and search.skipped.unjudged == unjudged:
        search.skipped.warnings.append(no_documents(name))


_Entry = tuple[bytes, bytes, int, bytes | None]
"""A file that an entry of a list stands for: its name and facts, and what `walked` and `held` are in Found."""


def _listed(source: bytes, nul_ended: bool, search: _Search, inputs: set[FileId]) -> Iterator[Found]:
    """Yield the files that the entries of a list stand for, sorted by name."""
    entries, skipped, enough = list[_Entry](), search.skipped, _FEW
    for number, name in list_of(source, nul_ended, skipped, inputs):
        try:
            for found in _expand(name, search, listed=True):
                files = zip(found.names, found.facts, strict=True)
                entries += [(name, facts, found.walked, found.held) for name, facts in files]
        except InputError as error:
            raise of_entry(source, number, name, error) from None
        if len(entries) > enough:  # a list may have the same few names again and again
            entries = _without_repeats(entries, skipped)
            enough = max(_FEW, 2 * len(entries))
    for name, facts, walked, held in _without_repeats(entries, skipped):
        yield Found([name], [facts], walked, held)


def _without_repeats(entries: list[_Entry], skipped: Skipped) -> list[_Entry]:
    """The entries, sorted by name; the first one of those with the same name and file. The others are reported."""
    kept, seen = list[_Entry](), set[FileId]()
    for entry in sorted(entries, key=itemgetter(0)):
        name, identity = entry[0], id_of(entry[1])
        if not kept or name != kept[-1][0]:
            seen = set()
        if identity in seen:
            skipped.add(Skip("again", name))
        else:
            kept.append(entry)
            seen.add(identity)
    return kept


def _expand(name: bytes, search: _Search, *, listed: bool = False) -> Iterator[Found]:
    """Yield the files that an argument or an entry of a list stands for."""
    walking, skipped, opened = search.walking, search.skipped, search.opened
    if name == b"-":
        for found in _once(name, 0, walking.max_size, skipped):
            if not listed and found.held and is_list_of_names(found.held):
                skipped.warnings.append(f"-: each line is the name of a file: did you mean {mention('files_from')} -?")
            yield found
        return
    try:
        status = status_of(name)
        if stat.S_ISDIR(status.st_mode):
            yield from walk(name, walking, skipped, search.patterns, search.unread)
        elif stat.S_ISREG(status.st_mode):
            yield Found([name], [facts_of(status)])
        elif stat.S_ISFIFO(status.st_mode):
            if file_id(status) in opened:
                skipped.add(Skip("again", name))
                return
            opened.add(file_id(status))
            descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
            try:
                yield from _once(name, descriptor, walking.max_size, skipped)
            finally:
                os.close(descriptor)
        else:
            raise InputError(f"{display_name(name)}: this is a device or socket: name a file, directory or FIFO")
    except OSError as error:
        if error.errno in _MISSING:
            raise not_found(name, error, listed=listed) from None
        search.unread.add(name, len(name) + (not name.endswith(b"/")))
        skipped.add(Skip("unreadable", name, error.strerror or str(error)))


def _once(name: bytes, descriptor: int, limit: int, skipped: Skipped) -> Iterator[Found]:
    """Yield the document that is read from a descriptor, whose bytes cannot be read twice."""
    try:
        status = os.fstat(descriptor)
        data = read_stream(descriptor, limit)
    except DocumentSkipped as skip:
        skipped.add(Skip(skip.reason, name, skip.detail))
    except OSError as error:
        skipped.add(Skip("unreadable", name, error.strerror or str(error)))
    else:
        # Standard input may be one of the files. A pipe has an id of its own.
        yield Found([name], [held_facts(len(data), status)], held=data)
