"""Open files by names of any length, even longer than PATH_MAX."""

from __future__ import annotations

import errno
import os

READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
"""Flags for reading: do not wait for the writer of a FIFO, do not inherit, do not become a controlling terminal."""

_CHUNK = 4000
"""Bytes of a path that is opened in one call: below PATH_MAX, which is 4096 on Linux. On macOS it is 1024, and longer
names cannot be opened."""


def open_name(name: bytes, flags: int = READ) -> int:
    """A descriptor of the file with this name. Raises OSError as os.open does, except for length."""
    try:
        return os.open(name, flags)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG or len(name) < _CHUNK:
            raise
    at = os.open(b"/" if name.startswith(b"/") else b".", READ | os.O_DIRECTORY)
    try:
        parts = _chunks(name)
        for part in parts[:-1]:
            below = os.open(part, READ | os.O_DIRECTORY, dir_fd=at)
            os.close(at)
            at = below
        return os.open(parts[-1], flags, dir_fd=at)
    finally:
        os.close(at)


def status_of(name: bytes) -> os.stat_result:
    """The status of the file with this name; links are followed. Raises OSError as os.stat does, except for length."""
    try:
        return os.stat(name)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG or len(name) < _CHUNK:
            raise
    descriptor = open_name(name)
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _chunks(name: bytes) -> list[bytes]:
    """The path, cut at slashes into relative paths of at most _CHUNK bytes."""
    parts: list[list[bytes]] = [[]]
    size = 0
    for component in filter(None, name.split(b"/")):
        size += len(component) + 1
        if size > _CHUNK:
            parts.append([])
            size = len(component) + 1
        parts[-1].append(component)
    return [b"/".join(part) for part in parts]
