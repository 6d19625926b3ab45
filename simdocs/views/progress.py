"""Progress on a terminal, drawn by tqdm."""

from __future__ import annotations

import sys
import time
from typing import Any

_SOON = 0.3
"""Seconds before anything is drawn: a short run shows nothing, and does not pay for the import."""


class Progress:
    """What a stage calls with (what, done, total): draws when standard error is a terminal, else does nothing."""

    def __init__(self, *, quiet: bool) -> None:
        self._drawn = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._start = time.monotonic()
        self._what = ""
        self._bar: Any = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Note how far the work is; total 0: unknown."""
        if not self._drawn or time.monotonic() - self._start < _SOON:
            return
        if what != self._what:
            from tqdm import tqdm

            self.close()
            tqdm.monitor_interval = 0  # no thread: processes are forked later
            self._bar = tqdm(desc=what, total=total or None, mininterval=0.1, leave=False, file=sys.stderr)
            self._what = what
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
        self._bar, self._what = None, ""
