"""How the program ends: one table from errors to exit statuses, and signals."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable, Collection, Mapping
from types import FrameType, MappingProxyType

from simdocs.errors import ArtifactError, LockedError, SimdocsError

DONE, FOUND, FAILED, UNJUDGED, DAMAGED, LOCKED = 0, 1, 2, 3, 4, 75

STATUS_OF: Mapping[type[BaseException], int] = MappingProxyType(
    {SimdocsError: FAILED, ArtifactError: DAMAGED, LockedError: LOCKED}
)
"""The exit status of each error; the nearest class in an error's ancestry counts."""

MEANINGS: Mapping[int, str] = MappingProxyType(
    {
        DONE: "success, also when nothing was found",
        FOUND: "with --exit-code: near-duplicates were found",
        FAILED: "usage error or fatal error; nothing was published",
        UNJUDGED: "success, but some documents could not be compared; before 1, and 2 with --strict",
        DAMAGED: "an artifact is damaged, of another kind or version, or has other parameters",
        LOCKED: "another run is writing the same artifact (--lock-wait waits for it)",
    }
)


BY_SIGNAL = "SIGINT, SIGTERM, SIGHUP and SIGPIPE end the program by that signal"

PRECEDENCE = "Of several, the status is the first of 2, 4, 75; then 3; then 1; then 0."

_BY_OPTION: Mapping[int, str] = MappingProxyType({FOUND: "--exit-code", UNJUDGED: "--strict", LOCKED: "--lock-wait"})
"""Statuses that only commands with this option have."""


def meanings(options: Collection[str]) -> Mapping[int, str]:
    """The statuses of a command that has these options."""
    return {
        status: meaning
        for status, meaning in MEANINGS.items()
        if status not in _BY_OPTION or _BY_OPTION[status] in options
    }


def is_for_want_of_memory(error: BaseException) -> bool:
    """Whether this is how a full memory shows."""
    if isinstance(error, ImportError):
        return "failed to map segment" in str(error)  # what the system's loader says of a library
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


def status_of(error: BaseException) -> int:
    """The exit status for this error."""
    return next((STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF), FAILED)


class Ended(BaseException):
    """A signal that ends the program: raised so that drafts are swept and workers stopped on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


_ONE = 1.0
"""Seconds within which several signals are one: `timeout` sends it to us, then to all of the group; and a terminal's
Ctrl-C reaches us directly and by whoever hands it on."""


def _end(number: int, _frame: FrameType | None) -> None:
    first = time.monotonic()

    def again(number: int, _frame: FrameType | None) -> None:
        if time.monotonic() - first >= _ONE:
            die_by(number)

    _hear(again)
    raise Ended(number)


def listen() -> None:
    """Let SIGINT, SIGTERM and SIGHUP end the program in order, but for those that it was started to ignore; and at once
    when they come again later."""
    _hear(_end)


def _hear(handler: Callable[[int, FrameType | None], None]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def die_by(number: int) -> None:
    """End by this signal, so that a shell's loop ends, too."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
