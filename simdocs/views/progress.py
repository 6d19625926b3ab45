"""Progress on a terminal, drawn by tqdm."""

from __future__ import annotations

import sys
import time
from typing import Any

from simdocs.views.wrapping import columns_of_terminal

_SOON = 0.3
"""Seconds before anything is drawn: a short run shows nothing, and does not pay for the import."""

_IN_BYTES = ("reading", "shingling")
"""Steps whose progress is counted in bytes; the others count documents or pairs."""

_UNCOUNTED = ("writing", "drawing")
"""Steps whose progress is not known."""

_SPARE = 5
"""Columns that stay free after the bar. A terminal echoes Ctrl-C there as ^C: if that began another line, the bar on
the line above could not be cleared."""

_NARROW = 70
"""Columns below which times and rates are left out, so that the bar itself has room."""


class ProgressBar:
    """A progress bar on standard error. If that is no terminal, nothing is drawn."""

    def __init__(self, *, quiet: bool) -> None:
        self._drawn = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._start = time.monotonic()
        self._step = ""
        self._bar: Any = None

    def __call__(self, step: str, done: int, total: int) -> None:
        """Draw the progress of a step, at most ten times a second. total: 0 if it is unknown."""
        if not self._drawn or time.monotonic() - self._start < _SOON:
            return
        if step != self._step:
            self.close()
            self._step = step
            self._bar = _bar(step, total)
        self._bar.ncols = columns_of_terminal() - _SPARE
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Remove the bar, before anything else is written to the terminal."""
        if self._bar is not None:
            self._bar.sp = _clear  # tqdm itself clears only the bar, and not what the terminal has echoed after it
            self._bar.close()
        elif self._step:  # Ctrl-C came while it was drawn for the first time
            _clear()
            sys.stderr.write("\r")
            sys.stderr.flush()
        self._bar, self._step = None, ""


def _clear(_line: str = "") -> None:
    """Clear the line that the cursor is on."""
    sys.stderr.write("\r" + " " * (columns_of_terminal() - 1))


def _bar(step: str, total: int) -> Any:
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread: processes are forked later
    in_bytes = step in _IN_BYTES
    if step in _UNCOUNTED:
        return tqdm(desc=step, leave=False, file=sys.stderr, bar_format="{desc} ...")
    narrow = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}" if total else "{desc}: {n_fmt}"
    return tqdm(
        desc=step,
        total=total or None,
        mininterval=0.1,
        leave=False,
        file=sys.stderr,
        unit="B" if in_bytes else "it",
        unit_scale=in_bytes,
        unit_divisor=1024,
        ncols=columns_of_terminal() - _SPARE,
        bar_format=narrow if columns_of_terminal() < _NARROW else None,
    )
