"""Swaps of files and directories in a tree, at exact moments of a run of the program.

The program imports this module when it starts (see `armed`), so it needs nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

EVENTS = ("open", "os.scandir")
"""Audit events that count as moments if they are about a descriptor or a path of bytes: that is how documents are found
and read, unlike modules and artifacts."""

WAYS = (
    "link",
    "link",
    "copy",
    "copy",
    "copy",
    "exchange",
    "move",
    "remove",
    "write",
    "append",
    "fifo",
    "socket",
    "directory",
    "hard link",
)


class Swap(NamedTuple):
    """What happens to an entry of a tree at the moment of this number. other: another entry, or the target of a link.
    data: what is written."""

    moment: int
    way: str
    path: bytes
    other: bytes
    data: bytes


def swap(root: bytes, one: Swap, number: int) -> None:
    """Make a swap in the tree at root. What is taken away comes into the directory `outside` beside it.

    If it cannot be made, nothing or a part of it happens, always the same.
    """
    path, other = os.path.join(root, one.path), os.path.join(root, one.other)
    outside = os.path.join(os.path.dirname(root), b"outside")
    away = os.path.join(outside, b"away%d" % number)
    with contextlib.suppress(OSError, shutil.Error):
        if one.way == "exchange":
            os.rename(path, away)
            os.rename(other, path)
            os.rename(away, other)
        elif one.way == "append":
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK)
            os.write(descriptor, one.data)
            os.close(descriptor)
        else:
            os.rename(path, away)
            _put(one, path, other, outside)


def _put(one: Swap, path: bytes, other: bytes, outside: bytes) -> None:
    """Put something else where an entry was."""
    if one.way == "link":
        os.symlink(one.other, path)
    elif one.way == "copy":
        os.symlink(os.path.join(outside, b"copy", one.path), path)
    elif one.way == "hard link":
        os.link(other, path, follow_symlinks=False)
    elif one.way == "move":
        os.rename(other, path)
    elif one.way == "write":
        Path(os.fsdecode(path)).write_bytes(one.data)
    elif one.way == "directory":
        os.mkdir(path)
    elif one.way == "fifo":
        os.mkfifo(path)
    elif one.way == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)


def arm(root: bytes, swaps: Sequence[Swap], made: bytes) -> None:
    """From now on, make the swaps when their moments come, in whatever process. made: a directory that gets a file for
    each one that was made. swaps: in the order of their moments."""
    pending = list(enumerate(swaps))[::-1]
    state = {"moment": 0, "busy": 0}

    def hook(event: str, about: tuple[object, ...]) -> None:
        if event not in EVENTS or isinstance(about[0], str) or state["busy"]:
            return
        state["moment"] += 1
        state["busy"] = 1
        while pending and pending[-1][1].moment <= state["moment"]:
            number, one = pending.pop()
            with _alone(made), contextlib.suppress(FileExistsError):  # another process has made it
                os.close(os.open(os.path.join(made, b"%d" % number), os.O_CREAT | os.O_EXCL))
                swap(root, one, number)
        state["busy"] = 0

    sys.addaudithook(hook)


@contextlib.contextmanager
def _alone(made: bytes) -> Iterator[None]:
    """While no other process makes a swap."""
    descriptor = os.open(made, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def armed(root: bytes, swaps: Sequence[Swap], made: bytes) -> str:
    """Return source that makes the program arm itself when it starts."""
    return f"from tests.fuzz.swapping import Swap, arm\narm({root!r}, {list(swaps)!r}, {made!r})\n"
