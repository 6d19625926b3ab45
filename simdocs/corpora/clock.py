"""What the times of a file cannot tell: changes within a tick of the clock, and writes that have not ended."""

from __future__ import annotations

import os
import time

from simdocs.corpora.identity import Stamp

_TICK_NS = 10_000_000
"""The coarsest clock by which a system stamps files: 100 ticks a second."""

RECENT_NS = 2_000_000_000
"""A file is stamped when a write begins. Its end may come later, and some file systems count in steps of 2 seconds."""

_MOMENTS_NS = 100_000_000
"""A file that was stamped no longer ago may be in the middle of a write, or of one write after the other."""

_WAITS = 3
"""How often to wait for a file that is written all the time."""

now = time.time_ns
"""The time by which files are judged."""


def settled(descriptor: int, status: os.stat_result) -> os.stat_result:
    """The status of an open file when its times are older than a tick, so that every later write changes them.

    status: its status now. If the file is written all the time, this gives up soon.
    """
    for _ in range(_WAITS):
        wait = _TICK_NS - (now() - max(status.st_mtime_ns, status.st_ctime_ns))
        if not 0 < wait <= _TICK_NS:
            break
        time.sleep(wait / 1e9)
        status = os.fstat(descriptor)
    return status


def is_recent(stamp: Stamp) -> bool:
    """Whether a file with this stamp may still be changing without a new stamp. A time to come proves nothing."""
    return now() - max(stamp.mtime_ns, stamp.ctime_ns) < RECENT_NS


def wait_between_readings(stamp: Stamp) -> None:
    """Wait until a file that was stamped in the last moments is older than that, so that a writer that goes on is seen.

    Such a file has other bytes when it is read again, or another time. All files grow older while this waits for one,
    so many of them together cost no more than one.
    """
    wait = _MOMENTS_NS - (now() - max(stamp.mtime_ns, stamp.ctime_ns))
    if 0 < wait <= _MOMENTS_NS:
        time.sleep(wait / 1e9)
