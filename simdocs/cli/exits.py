"""The end of the program: one table from errors to exit statuses, and signals."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from types import FrameType, MappingProxyType

from simdocs.errors import ArtifactError, LockedError, SimdocsError

DONE, FOUND, FAILED, UNJUDGED, DAMAGED, LOCKED = 0, 1, 2, 3, 4, 75

STATUS_OF: Mapping[type[BaseException], int] = MappingProxyType(
    {SimdocsError: FAILED, ArtifactError: DAMAGED, LockedError: LOCKED}
)
"""The exit status of each class of errors. For a subclass, the nearest base class counts."""

MEANINGS: Mapping[int, str] = MappingProxyType(
    {
        DONE: "done, also if nothing was found",
        FOUND: "with --exit-code: near-duplicates were found, or what else the option of the command says",
        FAILED: "usage error or fatal error; nothing was written, unless the message says otherwise",
        UNJUDGED: "done, but some documents could not be compared, or were left as they were",
        DAMAGED: "an artifact is damaged, of another kind or version, or has other parameters",
        LOCKED: "another run is writing the same artifact (--lock-wait waits for it)",
    }
)


BY_SIGNAL = "SIGINT, SIGTERM, SIGHUP and SIGPIPE end the program by that signal"

PRECEDENCE = "If several apply, 2, 4 and 75 come first, then 3, then 1."

_BY_OPTION: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {FOUND: ("exit_code",), UNJUDGED: ("strict", "candidates", "yes", "partitions"), LOCKED: ("lock_wait",)}
)
"""The statuses that only commands with certain options have: one of these."""


def meanings(options: Mapping[str, str]) -> Mapping[int, str]:
    """The statuses of a command with these options, and what they mean. options: the help of each, by its name."""
    found = options.get("exit_code", "").removeprefix("Exit with 1 if ").rstrip(".")
    return {
        status: f"with --exit-code: {found}" if status == FOUND else meaning
        for status, meaning in MEANINGS.items()
        if status not in _BY_OPTION or not options.keys().isdisjoint(_BY_OPTION[status])
    }


def is_out_of_memory(error: BaseException) -> bool:
    """Whether this error means that memory has run out."""
    if isinstance(error, ImportError):
        return "failed to map segment" in str(error)  # the message of the system's loader of libraries
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


def status_of(error: BaseException) -> int:
    """The exit status for this error."""
    return next((STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF), FAILED)


class Ended(BaseException):
    """A signal ends the program. This is raised so that drafts are removed and workers are stopped first."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


_ONE = 1.0
"""Seconds within which several signals count as one. `timeout` sends its signal to the program and then to its whole
group, and a parent process may pass on the Ctrl-C that the terminal has sent to the program, too."""


def _end(number: int, _frame: FrameType | None) -> None:
    first = time.monotonic()

    def again(number: int, _frame: FrameType | None) -> None:
        if time.monotonic() - first >= _ONE:
            die_by(number)

    _hear(again)
    raise Ended(number)


def listen() -> None:
    """Let SIGINT, SIGTERM and SIGHUP raise Ended from now on, because there is something to tidy up.

    A later signal ends the program at once. Signals that were ignored when the program started stay ignored.
    """
    sys.unraisablehook = _raise_again
    _hear(_end)


def stop_listening() -> None:
    """Let these signals end the program at once, because nothing is left to tidy up."""
    _hear(signal.SIG_DFL)


def _raise_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise Ended once more if it was raised where no exception can leave, as in a finalizer."""
    ended = unraisable.exc_value
    if not isinstance(ended, Ended):
        sys.__unraisablehook__(unraisable)
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        raise Ended(ended.number)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, _SOON)


_SOON = 0.001
"""Seconds after which a finalizer has probably ended. If it has not, Ended is raised again later."""


def _hear(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def leave_with(status: int) -> None:
    """End the process with this status, after all that is registered for the end was called.

    The interpreter would also free every object, which takes 0.04 s and more. This is left to it, and the function
    returns, if a thread runs, or a profiler or a debugger may wait for the end.
    """
    # What was not imported has no threads and nothing to call. There may be too little memory to import it.
    threading, atexit = sys.modules.get("threading"), sys.modules.get("atexit")
    has_threads = threading is not None and threading.active_count() > 1
    is_watched = sys.gettrace() or sys.getprofile() or sys.flags.inspect or sys.flags.dev_mode
    if has_threads or is_watched:
        return
    if atexit is not None:
        atexit._run_exitfuncs()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with contextlib.suppress(OSError, ValueError):  # nobody is left who could report it
            stream.flush()
    os._exit(status)


def die_by(number: int) -> int:
    """End the program by this signal, so that a loop in a shell ends, too. If it is blocked, return the exit status."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number
