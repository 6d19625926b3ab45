"""What the times of a file cannot tell: changes within a tick of the clock, and writes that have not ended."""

from __future__ import annotations

import os
import time

from simdocs.corpora.identity import Stamp

_TICK_NS = 10_000_000
"""The coarsest clock by which a system stamps files: 100 ticks a second."""

RECENT_NS = 2_000_000_000
"""A file is stamped when a write begins. Its end may come later, and some file systems count in steps of 2 seconds."""

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
