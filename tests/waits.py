"""Waits that tests do without, in their own process and in the server that forks the program (`tests.cli.server`)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from simdocs.corpora import stamp

_fsync = os.fsync


def _not_for_files(descriptor: int) -> None:
    """Do as `os.fsync`, but do not wait for a disk: tests of power cuts look at the calls alone."""
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        _fsync(descriptor)


def without_waits(change: Callable[[object, str, object], object] = setattr) -> None:
    """Do not wait for the disk, and read a file that was written just now a second time at once.

    The program waits up to a tenth of a second between the two readings, in case somebody is still writing. All files
    of tests were written just now, so this would be most of the time of many tests. What is started anew waits.
    """
    change(stamp, "_MOMENTS_NS", 0)
    change(os, "fsync", _not_for_files)
