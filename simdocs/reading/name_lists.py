"""Lists of files: those that users give, such as find -print0 writes, and those of data sets that were saved."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Set
from itertools import chain
from typing import Any

from simdocs.errors import InputError
from simdocs.model.skipped import DocumentSkipped, Skip, Skipped
from simdocs.names import display_name
from simdocs.reading.files import READ, FileId, file_id

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
    end, rest, number = b"\0" if nul_ended else b"\n", b"", 0
    for piece in chain(_contents(source, inputs), [b""]):
        if b"\0" in piece and not nul_ended:
            raise InputError(f"{display_name(source)}: this list has NUL bytes: read it with --files0-from")
        *whole, rest = (rest + piece).split(end)
        if rest and not piece:  # the last entry lacks its end
            whole, rest = [rest], b""
        for name in whole:
            number += 1
            if number > MOST_OF_A_LIST:
                raise InputError(f"{display_name(source)}: has more than {MOST_OF_A_LIST:,} entries: use several lists")
            if not name:
                skipped.add(Skip("malformed", source, f"entry {number} is empty: leave it out"))
            elif name == source == b"-":
                why = "is -, but standard input is the list itself: write ./- for a file of that name"
                skipped.add(Skip("malformed", source, f"entry {number} {why}"))
            else:
                yield number, name
        if len(rest) > LONGEST:
            raise of_entry(source, number + 1, rest, InputError(f"longer than {LONGEST:,} bytes"))


def _contents(source: bytes, inputs: set[FileId]) -> Iterator[bytes]:
    """Yield the bytes of a list in pieces, as soon as they can be read."""
    try:
        descriptor = os.dup(0) if source == b"-" else os.open(source, os.O_RDONLY | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb", buffering=0):
            status = os.fstat(descriptor)
            # Devices may never end, except terminals and /dev/null.
            is_device, is_block = stat.S_ISCHR(status.st_mode), stat.S_ISBLK(status.st_mode)
            is_null = is_device and status.st_rdev == os.stat(os.devnull).st_rdev
            if is_block or (is_device and not is_null and not os.isatty(descriptor)):
                raise InputError(
                    f"{display_name(source)}: this is a device, not a list of names: use a file, a FIFO or -"
                )
            inputs.add(file_id(status))
            while piece := os.read(descriptor, _AT_ONCE):
                yield piece
    except OSError as error:
        raise InputError(f"{display_name(source)}: {error.strerror or error}") from None


def of_entry(source: bytes, number: int, name: bytes, error: InputError) -> InputError:
    """The error about an entry that does not name a document, with a remedy."""
    where = f"{display_name(source)}: entry {number}"
    if b"\n" in name:  # most likely the entry is a whole list of lines
        lines = "if the list has one name on each line, read it with --files-from"
        return InputError(f"{where} has line feeds and is not the name of a file: {lines}")
    if name.endswith(b"\r"):
        return InputError(f"{where}: {error}: the list has CRLF line ends, and must have LF")
    return InputError(f"{where}: {error}: correct the entry or remove it")


_LINES, _LONGEST = 5, 4096
"""How many lines of a text are tested as names of files, and how many bytes are searched for each."""


def is_list_of_names(text: bytes) -> bool:
    """Whether the first lines of a text are names of existing files, so that it is probably not a document."""
    lines = text[: _LINES * _LONGEST].split(b"\n", _LINES)[:_LINES]
    names = lines if lines[-1] else lines[:-1]
    return bool(names) and all(name and b"\0" not in name and os.path.isfile(name) for name in names)


_STATE, _INFO, _SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
"""The files that describe a data set, or one of its splits, and the splits of one."""

_INDICES = ("_indices_data_files", "_indices_files")
"""What old versions list in the state if only some rows of the files belong to the data set, or in another order."""

MARKS = frozenset((b"state.json", b"dataset_dict.json"))
"""Files that only directories of saved data sets have, as a rule."""

_MOST = 1 << 24
"""Bytes of a description that are read."""


Head = Callable[[str, int], "bytes | None"]
"""Returns the first bytes, so many at most, of the file with this name in a directory; None if there is none."""


def saved_dataset(head: Head, names: Set[bytes]) -> tuple[frozenset[bytes] | None, frozenset[bytes]]:
    """The names of the files with the rows of the data set in a directory, or None if all its files are read; and the
    names of files and directories that must be there.

    names: of all that is there. Raises DocumentSkipped: malformed (its files are not its rows).
    """
    state = _read(head, _STATE)
    if state is not None and head(_INFO, 1) is not None and (files := _names(state.get("_data_files"))) is not None:
        if any(state.get(each) for each in _INDICES):
            remedy = "save it again after flatten_indices()"
            raise DocumentSkipped(
                "malformed", f"a data set of which only some rows are used, or in another order: {remedy}"
            )
        return files, files
    splits = _read(head, _SPLITS)
    if splits is not None and isinstance(listed := splits.get("splits"), list):
        needed = frozenset(os.fsencode(name) for name in listed if isinstance(name, str))
        return frozenset(names - {_SPLITS.encode()}), needed
    return None, frozenset()


def _names(listed: Any) -> frozenset[bytes] | None:
    """The names in a list of data files; None if this is no such list."""
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        return None
    names = [each.get("filename") for each in listed]
    if not all(isinstance(name, str) and "/" not in name and "\0" not in name for name in names):
        return None
    return frozenset(os.fsencode(name) for name in names)


def _read(head: Head, name: str) -> dict[str, Any] | None:
    """The JSON object in a file of the directory; None if there is none."""
    try:
        value = json.loads(head(name, _MOST) or b"")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def first_bytes(path: bytes, most: int) -> bytes | None:
    """The first bytes of the regular file at this path, which is no link; None if there is none."""
    try:
        file = os.open(path, READ | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return os.read(file, most) if stat.S_ISREG(os.fstat(file).st_mode) else None
    except OSError:
        return None
    finally:
        os.close(file)
