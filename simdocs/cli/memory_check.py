"""Room for NumPy where address space is limited: what it does without is not to be left to it."""

from __future__ import annotations

_NEEDED = 128 << 20
"""Bytes of address space without which no command gets to its end (all of them need 160 MiB or more). NumPy, where it
does not find its own part of them, says in twenty lines that it was installed badly, or its linear algebra library ends
the program by itself, with a status that means something else."""


def look_for_room() -> None:
    """MemoryError: less address space is left than NumPy needs."""
    import resource

    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    import mmap

    try:
        mmap.mmap(-1, _NEEDED).close()
    except OSError:
        raise MemoryError from None
