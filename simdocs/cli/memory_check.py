"""A check for enough memory before NumPy is imported, because NumPy itself fails without a clear message."""

from __future__ import annotations

_NEEDED = 128 << 20
"""Bytes of address space that every command needs (all of them need 160 MiB or more). If NumPy does not find enough, it
says in twenty lines that it was installed badly, or its linear algebra library ends the program with a status that
means something else."""


def check_memory() -> None:
    """Raise MemoryError if less address space is left than NumPy needs."""
    import resource

    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    import mmap

    try:
        mmap.mmap(-1, _NEEDED).close()
    except OSError:
        raise MemoryError from None
