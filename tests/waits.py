"""Waits that tests do without, in their own process and in the server that forks the program (`tests.cli.server`)."""

from __future__ import annotations

from collections.abc import Callable

from simdocs.corpora import stamp


def without_waits(change: Callable[[object, str, object], object] = setattr) -> None:
    """Read a file that was written just now a second time at once.

    The program waits up to a tenth of a second between the two readings, in case somebody is still writing. All files
    of tests were written just now, so this would be most of the time of many tests. What is started anew waits.
    """
    change(stamp, "_MOMENTS_NS", 0)
