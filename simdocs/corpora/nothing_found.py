"""What to say about names, directories and patterns that lead to no documents, which is hardly what was meant."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Sequence

from simdocs.errors import InputError, mention, shell_command
from simdocs.model.names import display_name

_BELOW = "a pattern with a slash is compared with the path below the directory"


def no_documents(directory: bytes) -> str:
    """The warning about a directory in which no document was found: a disk may not be mounted."""
    return f"{display_name(directory)}: no documents were found in this directory"


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
    return f"no file matches {mention('include')} {shown}{hint}"


def excludes_nothing(unmatched: Iterable[str], arguments: Sequence[bytes]) -> Iterator[str]:
    """Yield a warning for each unmatched pattern of `exclude` that is a path as it is printed.

    Others are not worth a warning: it is normal that nothing is there to be left out.
    """
    above = [os.fsdecode(name).rstrip("/") + "/" for name in arguments]
    for pattern in unmatched:
        if begun := [directory for directory in above if pattern.startswith(directory)]:
            right = pattern.removeprefix(max(begun, key=len)).strip("/")
            yield f"nothing matches {mention('exclude')} {pattern!r}: {_BELOW}: write {'/' + right!r}"


_LINES, _LONGEST = 5, 4096
"""How many lines of a text may be names of files if it is a list of them, and bytes of the longest."""


def is_list_of_names(text: bytes) -> bool:
    """Whether the first lines of a text are names of existing files, so that it is hardly meant as a document."""
    lines = text[: _LINES * _LONGEST].split(b"\n", _LINES)[:_LINES]
    names = lines if lines[-1] else lines[:-1]
    return bool(names) and all(name and b"\0" not in name and os.path.isfile(name) for name in names)


_LONG, _SHOWN = 255, 80
"""Bytes of a missing name from which on it is probably a text, and how many of them a message shows then."""

_URL = re.compile(rb"([A-Za-z][A-Za-z0-9+.-]*)://")

_DOWNLOADS = {
    **dict.fromkeys((b"http", b"https", b"ftp"), "curl -sSf {} -o FILE"),
    b"s3": "aws s3 cp {} FILE",
    b"gs": "gcloud storage cp {} FILE",
}
"""Commands that download what a URL names, by its scheme."""

_SUFFIX = re.compile(rb"\.[A-Za-z0-9]{1,5}$")


def not_found(name: bytes, error: OSError, *, listed: bool = False) -> InputError:
    """The error that there is no such file, with what to do if the name is a URL, a pattern, or a text.

    listed: it is an entry of a list.
    """
    shown = display_name(name if len(name) <= _LONG else name[:_SHOWN] + b"...")
    if url := _URL.match(name):
        if url[1].lower() == b"file":
            return InputError(f"{shown}: this is a URL: give the path, {shown[url.end() :]}")
        command = _DOWNLOADS.get(url[1].lower(), "").format(shown)
        example = f", for example with {shell_command(command)}" if command else ""
        return InputError(f"{shown}: this is a URL, and simdocs reads files: download it first{example}")
    (directory, pattern), hint = os.path.split(name), ""
    if error.errno == errno.ENOENT and {b"*", b"?"} & {pattern[at : at + 1] for at in range(len(pattern))}:
        where = display_name(directory or b".")
        hint = f": to select files by name, read {where} with {mention('include')} '{display_name(pattern)}'"
    elif b" " in name.strip() and not directory and not _SUFFIX.search(name) and not listed:
        hint = f": if this is a text and not the name of a file, give {mention('texts')}"
    return InputError(f"{shown}: {error.strerror or error}{hint}")
