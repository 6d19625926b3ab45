"""Runs the program in a process of its own; one that hangs is killed and fails its test.

`simdocs` runs it in a fork of a server that has it imported already (tests/cli/forked.py), which takes a tenth of the
time of a start, unless something is asked for that only a new process has. `anew` always starts the installed console
script: for tests about the start, and about limits.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.cli.forked import FORKS, USUAL, Forked, at_start

PROGRAM = str(Path(sys.executable).with_name("simdocs"))
PATIENCE = 60

Argument = str | bytes | Path


class Done(NamedTuple):
    """How a process ended: exit status (negative: by that signal), and what it wrote."""

    status: int
    out: bytes
    err: str

    @property
    def rows(self) -> list[list[bytes]]:
        """TSV, not unescaped."""
        return [line.split(b"\t") for line in self.out.splitlines()]

    @property
    def names(self) -> list[tuple[str, ...]]:
        """The first two columns, or the only one."""
        return [tuple(field.decode("utf-8", "surrogateescape") for field in row[:2]) for row in self.rows]


def environment(**changes: str | None) -> dict[str, str]:
    """A small environment; None takes a variable out."""
    whole = dict(USUAL) | changes
    return {name: value for name, value in whole.items() if value is not None}


@contextmanager
def started(
    arguments: Sequence[Argument],
    *,
    cwd: Path | str | None = None,
    env: Mapping[str, str] | None = None,
    before: Callable[[], object] | None = None,
    **streams: Any,
) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session of its own; whatever is left of it afterwards is killed."""
    with subprocess.Popen(
        arguments,
        cwd=cwd,
        env=environment() if env is None else env,
        start_new_session=True,
        preexec_fn=before,  # noqa: PLW1509  (no thread of ours runs while a process starts)
        **({"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams),
    ) as process:
        try:
            yield process
        finally:
            _end(process.pid)


@contextmanager
def running(
    *arguments: Argument,
    cwd: Path | str | None = None,
    env: Mapping[str, str] | None = None,
    umask: int | None = None,
    before: Callable[[], object] | None = None,
    limits: Mapping[int, tuple[int, int]] | None = None,
    options: Sequence[str] = (),
    served: bool = False,
    **streams: Any,
) -> Iterator[subprocess.Popen[bytes] | Forked]:
    """The program with these arguments. umask: another than that of this process. before: called just before it starts.
    limits: the soft and the hard limit of resources, for its work but not for its start. options: of the interpreter.
    As a forked process, if it would do the same as one that is started anew. served: by a server that is started in
    this environment, if that of the others is another; it is worth its start to a test that runs many commands in it.
    """
    env = environment() if env is None else env
    mask = _umask() if umask is None else umask
    limits = {} if limits is None else limits
    usual = at_start(env) == at_start(environment())
    if not FORKS or before not in (None, bound_by_modes) or not (usual or served):

        def prepare() -> None:
            os.umask(mask)
            for limited, bounds in limits.items():
                resource.setrlimit(limited, bounds)
            if before is not None:
                before()

        program = [sys.executable, *options, PROGRAM] if options else [PROGRAM]
        with started([*program, *arguments], cwd=cwd, env=env, before=prepare, **streams) as process:
            yield process
        return
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    words = [PROGRAM, *arguments]
    how = {"cwd": cwd or Path.cwd(), "env": env, "umask": mask, "before": before, "limits": limits, "options": options}
    with Forked(words, **how, **given) as forked:
        try:
            yield forked
        finally:
            _end(forked.pid)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _end(session: int) -> None:
    """Kill what is left of the processes of this session."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(session, signal.SIGKILL)


def finished(process: subprocess.Popen[bytes] | Forked, stdin: bytes | None = None, patience: float = PATIENCE) -> Done:
    """What came of it. patience: the seconds that it may take."""
    out, err = process.communicate(stdin, patience)
    status = process.wait()
    return Done(status, out or b"", (err or b"").decode("utf-8", "surrogateescape"))


def simdocs(*arguments: Argument, stdin: bytes | None = None, **how: Any) -> Done:
    """Run the program with these arguments, as `running` does."""
    piped = {} if stdin is None else {"stdin": subprocess.PIPE}
    with running(*arguments, **piped, **how) as process:
        return finished(process, stdin)


def anew(*arguments: Argument, stdin: bytes | None = None, patience: float = PATIENCE, **how: Any) -> Done:
    """Run the console script with these arguments in a process that is started for it. patience: see `finished`."""
    piped = {} if stdin is None else {"stdin": subprocess.PIPE}
    with started([PROGRAM, *arguments], **piped, **how) as process:
        return finished(process, stdin, patience)


def in_shell(script: str, *arguments: Argument, program: str = PROGRAM, **how: Any) -> Done:
    """Run a line of shell, in which `simdocs "$@"` is the program with these arguments, or a stand-in for it."""
    line = script.replace("simdocs", f"'{program}'")
    with started(["/bin/sh", "-c", line, "sh", *arguments], **how) as process:
        return finished(process)


class _Whose(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


_BOUND = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
_LIBC = ctypes.CDLL(None)
_WHOSE = _Whose(0x20080522, 0)  # of this process, in version 3 of the structure


def _capabilities() -> ctypes.Array[ctypes.c_uint32]:
    """Effective, permitted and inheritable: the low words of the three, then the high ones."""
    sets = (ctypes.c_uint32 * 6)()
    assert _LIBC.capget(ctypes.byref(_WHOSE), sets) == 0
    return sets


def bound_by_modes() -> None:
    """Before the program starts: give up root's right to read, write and enter whatever it likes."""
    sets = _capabilities()  # those of who is not root hold neither
    for at in range(3):
        sets[at] &= ~_BOUND
    for capability in (1, 2):
        _LIBC.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP: what is executed later does not get them back
    assert _LIBC.capset(ctypes.byref(_WHOSE), sets) == 0


FEW_FILES = {resource.RLIMIT_NOFILE: (64, 64)}
"""At most 64 open files."""
