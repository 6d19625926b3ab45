"""Find the files that arguments name: walk directories, read lists, take each file once, and explain missing ones."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from operator import itemgetter

from simdocs.corpora.file_list import FileList, Reached
from simdocs.corpora.patterns import Patterns
from simdocs.corpora.read_file import MOST, each_ahead, read_stream
from simdocs.corpora.stamp import FileId, file_id, is_directory, open_name, status_of
from simdocs.corpora.walk import Found, facts_of, held_facts, id_of, walk
from simdocs.errors import InputError
from simdocs.model.skipped import DocumentSkipped, Skip, Skipped
from simdocs.names import display_name, is_uri
from simdocs.options.texts import Walking

LONGEST = 1 << 20
"""The most bytes of an entry. No name of a file is nearly as long, and an entry may have no end."""

MOST_OF_A_LIST = 100_000_000
"""The largest number of entries, so that a list without end is not read for ever."""

_AT_ONCE = 1 << 16
"""Bytes that are read at once."""


def list_of(source: bytes, nul_ended: bool, skipped: Skipped, inputs: set[FileId]) -> Iterator[tuple[int, bytes]]:
    """Yield the entries of a list, as bytes, with their numbers from 1, while it is read. The last may lack its end.

    `-` is standard input. Malformed entries are added to skipped, the id of the list's file to inputs. InputError: the
    list cannot be read, is the other kind of list, has an entry longer than LONGEST, or too many entries.
    """
    for number, name in enumerate(_entries(source, nul_ended, inputs), 1):
        if number > MOST_OF_A_LIST:
            raise InputError(f"{display_name(source)}: has more than {MOST_OF_A_LIST:,} entries: use several lists")
        if why := _malformed(name, source):
            skipped.add(Skip("malformed", source, f"entry {number} {why}"))
        else:
            yield number, name


def _entries(source: bytes, nul_ended: bool, inputs: set[FileId]) -> Iterator[bytes]:
    """Yield the entries, malformed or not."""
    end, rest, number = b"\0" if nul_ended else b"\n", b"", 1
    for piece in _contents(source, inputs):
        if b"\0" in piece and not nul_ended:
            raise InputError(f"{display_name(source)}: this list has NUL bytes: read it with --files0-from")
        *whole, rest = (rest + piece).split(end)
        yield from whole
        number += len(whole)
        if len(rest) > LONGEST:
            raise of_entry(source, number, rest, InputError(f"longer than {LONGEST:,} bytes"))
    if rest:
        yield rest


def _malformed(name: bytes, source: bytes) -> str:
    """The fault of an entry, for a message; empty if it is a name."""
    if not name:
        return "is empty: leave it out"
    if name == source == b"-":
        return "is -, but standard input is the list itself: write ./- for a file of that name"
    return ""


def _contents(source: bytes, inputs: set[FileId]) -> Iterator[bytes]:
    """Yield the bytes of a list in pieces, as soon as they can be read."""
    try:
        descriptor = os.dup(0) if source == b"-" else open_name(source, os.O_RDONLY | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb", buffering=0):
            status = os.fstat(descriptor)
            if _is_endless(status, descriptor):
                raise InputError(
                    f"{display_name(source)}: this is a device, not a list of names: use a file, a FIFO or -"
                )
            inputs.add(file_id(status))
            while piece := os.read(descriptor, _AT_ONCE):
                yield piece
    except OSError as error:
        raise InputError(f"{display_name(source)}: {error.strerror or error}") from None


def _is_endless(status: os.stat_result, descriptor: int) -> bool:
    """Whether a file is a device that may never end. These are all except terminals and /dev/null."""
    if stat.S_ISCHR(status.st_mode):
        return not os.isatty(descriptor) and status.st_rdev != os.stat(os.devnull).st_rdev
    return stat.S_ISBLK(status.st_mode)


def of_entry(source: bytes, number: int, name: bytes, error: InputError) -> InputError:
    """The error about an entry that does not name a document, with a remedy."""
    where = f"{display_name(source)}: entry {number}"
    if b"\n" in name:  # most likely the entry is a whole list of lines
        lines = "if the list has one name on each line, read it with --files-from"
        return InputError(f"{where} has line feeds and is not the name of a file: {lines}")
    if name.endswith(b"\r"):
        return InputError(f"{where}: {error}: the list has CRLF line ends, and must have LF")
    return InputError(f"{where}: {error}: correct the entry or remove it")


_BELOW = "a pattern with a slash is compared with the path below the directory"


def no_documents(directory: bytes) -> str:
    """The warning that a directory has no documents: perhaps a disk is not mounted."""
    what = "below this prefix" if is_uri(directory) else "in this directory"
    return f"{display_name(directory)}: no documents were found {what}"


def includes_nothing(patterns: Sequence[str]) -> str:
    """The warning that no file matches these patterns of `include`, with what is most likely wrong with them."""
    shown = " or ".join(repr(pattern) for pattern in patterns)
    hint = ""
    if paths := [pattern for pattern in patterns if os.path.isfile(pattern)]:
        ending = os.path.splitext(paths[0])[1]
        hint = f": this is a file; the shell may have expanded a pattern: quote it, as in {'*' + ending!r}"
    elif any("/" in pattern for pattern in patterns):
        hint = f": {_BELOW}"
    elif endings := [pattern for pattern in patterns if not set("*?[") & set(pattern)]:
        hint = f": to match the end of a name, write {'*.' + endings[0].lstrip('.')!r}"
    return f"no file matches --include {shown}{hint}"


def excludes_nothing(unmatched: Iterable[str], arguments: Sequence[bytes]) -> Iterator[str]:
    """Yield a warning for each unmatched pattern of `exclude` that begins with one of the arguments.

    Others need no warning: a pattern may well match nothing.
    """
    above = [os.fsdecode(name).rstrip("/") + "/" for name in arguments]
    for pattern in unmatched:
        if begun := [directory for directory in above if pattern.startswith(directory)]:
            right = pattern.removeprefix(max(begun, key=len)).strip("/")
            yield f"nothing matches --exclude {pattern!r}: {_BELOW}: write {'/' + right!r}"


_LINES, _LONGEST = 5, 4096
"""How many lines of a text are tested as names of files, and how many bytes are searched for each."""


def is_list_of_names(text: bytes) -> bool:
    """Whether the first lines of a text are names of existing files, so that it is probably not a document."""
    lines = text[: _LINES * _LONGEST].split(b"\n", _LINES)[:_LINES]
    names = lines if lines[-1] else lines[:-1]
    return bool(names) and all(name and b"\0" not in name and os.path.isfile(name) for name in names)


_LONG, _SHOWN = 255, 80
"""A missing name of more than 255 bytes is probably a text. A message shows its first 80."""

_URL = re.compile(rb"([A-Za-z][A-Za-z0-9+.-]*)://")

_DOWNLOADS = {
    **dict.fromkeys((b"http", b"https", b"ftp"), "curl -sSf {} -o FILE"),
}
"""Commands that download a file, by the scheme of its URL."""

_SUFFIX = re.compile(rb"\.[A-Za-z0-9]{1,5}$")


def not_found(name: bytes, error: OSError, *, listed: bool = False) -> InputError:
    """The error that a file is missing, with a remedy if the name is a URL, a pattern, or a text.

    listed: the name is an entry of a list.
    """
    shown = display_name(name if len(name) <= _LONG else name[:_SHOWN] + b"...")
    if is_uri(name):
        return InputError(f"{shown}: {error.strerror or error}")
    if url := _URL.match(name):
        if url[1].lower() == b"file":
            return InputError(f"{shown}: this is a URL: give the path, {shown[url.end() :]}")
        command = _DOWNLOADS.get(url[1].lower(), "").format(shown)
        example = f", for example with {command}" if command else ""
        return InputError(f"{shown}: this is a URL, and simdocs reads files: download it first{example}")
    (directory, pattern), hint = os.path.split(name), ""
    if error.errno == errno.ENOENT and {b"*", b"?"} & {pattern[at : at + 1] for at in range(len(pattern))}:
        where = display_name(directory or b".")
        hint = f": to select files by name, read {where} with --include '{display_name(pattern)}'"
    elif b" " in name.strip() and not directory and not _SUFFIX.search(name) and not listed:
        hint = ": if this is a text and not the name of a file, give - for standard input"
    return InputError(f"{shown}: {error.strerror or error}{hint}")


_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)

_FEW = 1 << 16
"""Repeated entries of a list are dropped only when more than this many are held."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The names of documents and directories, or one list of such names.

    listed: the file of the list, or `-`.
    nul_ended: the names in the list end with NUL instead of a line feed.
    input_format: the container format of every file, and of standard input; empty: their names decide.
    """

    names: tuple[bytes, ...] = ()
    listed: bytes | None = None
    nul_ended: bool = False
    input_format: str = ""


def find(
    sources: Sources, walking: Walking, skipped: Skipped, many: Callable[[], None] | None = None, threads: int = 1
) -> FileList:
    """Find each file once, in row order: by argument, then bytewise by whole path. A list is one argument.

    many: is called once if there are many files, as soon as that is known.
    threads: how many may look at files.
    InputError: an argument that does not exist, or is a device or socket; a list that cannot be read.
    """
    reached, inputs = Reached(many), set[FileId]()
    search = _Search(walking, skipped, sources.input_format, threads)
    for name in sources.names:
        reached.add(_named(name, search), named=True, container=sources.input_format)
    if sources.listed is not None:
        reached.add(_listed(sources.listed, sources.nul_ended, search, inputs), container=sources.input_format)
    found = reached.files(inputs)
    if unmatched := search.patterns.unmatched_include:
        skipped.warnings.append(includes_nothing(unmatched))
    skipped.warnings += excludes_nothing(search.patterns.unmatched, sources.names)
    return found


class _Search:
    """The state of a search for files.

    of_pipes: the container format of standard input and FIFOs; empty: each is one text.
    limit: the most bytes of what can be read only once. Each document of a container has a limit, but all of them
        together have none but memory.
    threads: how many may look at files.
    opened: the FIFOs that were read, each of which can be read only once.
    """

    def __init__(self, walking: Walking, skipped: Skipped, of_pipes: str, threads: int) -> None:
        self.walking, self.skipped, self.of_pipes, self.threads = walking, skipped, of_pipes, threads
        self.limit = MOST if of_pipes else walking.max_size
        self.patterns = Patterns(walking.include, walking.exclude)
        self.opened = set[FileId]()


def _named(name: bytes, search: _Search) -> Iterator[Found]:
    """Yield the files of an argument. Warn if it is a directory without any."""
    unjudged, entries = search.skipped.unjudged, _expand(name, search)
    first = next(entries, None)
    if first is not None:
        yield first
        yield from entries
    elif not search.walking.include and search.skipped.unjudged == unjudged and is_directory(name):
        search.skipped.warnings.append(no_documents(name))


_Status = Callable[[], os.stat_result]

_ASKED = 1 << 8
"""Entries of a list for whose status stores are asked together."""

_Entry = tuple[bytes, bytes, int, bytes | None]
"""A file of an entry of a list: its name and facts, and `walked` and `held` as in Found."""


def _listed(source: bytes, nul_ended: bool, search: _Search, inputs: set[FileId]) -> Iterator[Found]:
    """Yield the files of all entries of a list, sorted by name."""
    entries, skipped, enough = list[_Entry](), search.skipped, _FEW
    for number, name, status in _with_statuses(list_of(source, nul_ended, skipped, inputs)):
        try:
            for found in _expand(name, search, status, listed=True):
                entries += [(name, facts, found.walked, found.held) for name, facts in found.files()]
        except InputError as error:
            raise of_entry(source, number, name, error) from None
        if len(entries) > enough:  # a list may have the same few names again and again
            entries = _without_repeats(entries, skipped)
            enough = max(_FEW, 2 * len(entries))
    for name, facts, walked, held in _without_repeats(entries, skipped):
        yield Found([name], facts, walked, held)


def _with_statuses(entries: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes, _Status | None]]:
    """Yield each entry; that of an object with a function that returns its status. Several are asked for at a time."""
    for are_uris, run in groupby(entries, lambda entry: is_uri(entry[1])):
        if not are_uris:
            yield from ((number, name, None) for number, name in run)
        while some := list(islice(run, _ASKED)):
            names = [name for _, name in some]
            for (number, name), status in zip(some, each_ahead(names, partial(_status_in, names)), strict=True):
                yield number, name, status


def _status_in(names: Sequence[bytes], place: int) -> os.stat_result:
    return status_of(names[place])


def _without_repeats(entries: list[_Entry], skipped: Skipped) -> list[_Entry]:
    """The entries sorted by name, without repeated ones of the same name and file, which are reported."""
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


def _expand(
    name: bytes, search: _Search, status_now: _Status | None = None, *, listed: bool = False
) -> Iterator[Found]:
    """Yield the files of an argument or of an entry of a list. status_now: returns its status, if it was asked for."""
    walking, skipped, opened = search.walking, search.skipped, search.opened
    if name == b"-":
        for found in _once(name, 0, search.limit, skipped):
            if not (listed or search.of_pipes) and found.held and is_list_of_names(found.held):
                skipped.warnings.append("-: each line is the name of a file: did you mean --files-from -?")
            yield found
        return
    try:
        status = status_of(name) if status_now is None else status_now()
        if stat.S_ISDIR(status.st_mode):
            yield from walk(name, walking, skipped, search.patterns, search.threads)
        elif stat.S_ISREG(status.st_mode):
            yield Found([name], facts_of(status))
        elif stat.S_ISFIFO(status.st_mode):
            if file_id(status) in opened:
                skipped.add(Skip("again", name))
                return
            opened.add(file_id(status))
            descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
            try:
                yield from _once(name, descriptor, search.limit, skipped)
            finally:
                os.close(descriptor)
        else:
            raise InputError(f"{display_name(name)}: this is a device or socket: name a file, directory or FIFO")
    except OSError as error:
        if error.errno in _MISSING:
            raise not_found(name, error, listed=listed) from None
        skipped.unlisted.add(name)
        skipped.add(Skip("unreadable", name, error.strerror or str(error)))


def _once(name: bytes, descriptor: int, limit: int, skipped: Skipped) -> Iterator[Found]:
    """Read a document whose bytes cannot be read twice, and yield it."""
    try:
        status = os.fstat(descriptor)
        data = read_stream(descriptor, limit)
    except DocumentSkipped as skip:
        skipped.add(Skip(skip.reason, name, skip.detail))
    except OSError as error:
        skipped.add(Skip("unreadable", name, error.strerror or str(error)))
    else:
        # Standard input may be one of the files. A pipe has an id of its own.
        yield Found([name], held_facts(len(data), status), held=data)
