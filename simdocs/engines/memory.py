"""The memory that this process can still take, as the system, its control groups and its limits say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_UNLIMITED = 1 << 60
"""Control groups without a limit have `max`, or a number near 2^63, as their limit."""


def available_memory(top: Path = Path("/")) -> int | None:
    """The bytes that this process can still take, or None if the system does not say it.

    This is the least that the system, a control group and a limit leave. top: the directory that has proc and sys.
    """
    return min((*_of_system(top), *_of_groups(top), *_of_process(top)), default=None)


def _of_system(top: Path) -> Iterator[int]:
    """The memory that Linux can give without swapping, or else all memory of the machine."""
    if (meant := _field(_text(top / "proc/meminfo"), "MemAvailable:")) is not None:
        yield meant << 10
    elif "SC_PHYS_PAGES" in os.sysconf_names:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_groups(top: Path) -> Iterator[int]:
    """The memory left by the limits of the control groups that this process is in, and of those above them."""
    for line in _text(top / "proc/self/cgroup").splitlines():
        _, controllers, name = line.split(":", 2)
        if controllers in ("", "memory"):
            mount, files = ("", _FILES_OF_2) if not controllers else ("memory", _FILES_OF_1)
            group = Path(name)
            for one in (group, *group.parents):
                yield from _of_group(top / "sys/fs/cgroup" / mount / str(one).lstrip("/"), *files)


_FILES_OF_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_FILES_OF_2 = ("memory.max", "memory.current", "inactive_file")
"""In a control group of version 1 or 2: the file of its limit, that of its use, and what counts as used but is a cache
of files."""


def _of_group(directory: Path, limit: str, usage: str, cached: str) -> Iterator[int]:
    most, used = _text(directory / limit).strip(), _text(directory / usage).strip()
    if most.isdecimal() and used.isdecimal() and int(most) < _UNLIMITED:
        cache = _field(_text(directory / "memory.stat"), cached) or 0
        yield max(int(most) - int(used) + cache, 0)


def _of_process(top: Path) -> Iterator[int]:
    """The memory that `ulimit -v` leaves."""
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _text(top / "proc/self/statm").split()
    if most != resource.RLIM_INFINITY and pages:
        yield max(most - int(pages[0]) * os.sysconf("SC_PAGE_SIZE"), 0)


def _text(path: Path) -> str:
    """The contents of a file, or nothing if it cannot be read."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _field(text: str, name: str) -> int | None:
    """The number that follows a name at the beginning of a line."""
    for line in text.splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == name and words[1].isdecimal():
            return int(words[1])
    return None
