"""Runs the installed console script in a process of its own; one that hangs is killed and fails its test."""

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

PROGRAM = str(Path(sys.executable).with_name("simdocs"))
PATIENCE = 20

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
    whole = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"} | changes
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
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def finished(process: subprocess.Popen[bytes], stdin: bytes | None = None) -> Done:
    """What came of it."""
    out, err = process.communicate(stdin, PATIENCE)
    return Done(process.returncode, out or b"", (err or b"").decode("utf-8", "surrogateescape"))


def simdocs(*arguments: Argument, stdin: bytes | None = None, **how: Any) -> Done:
    """Run the program with these arguments."""
    piped = {} if stdin is None else {"stdin": subprocess.PIPE}
    with started([PROGRAM, *arguments], **piped, **how) as process:
        return finished(process, stdin)


def in_shell(script: str, *arguments: Argument, **how: Any) -> Done:
    """Run a line of shell, in which `simdocs "$@"` is the program with these arguments."""
    line = script.replace("simdocs", f"'{PROGRAM}'")
    with started(["/bin/sh", "-c", line, "sh", *arguments], **how) as process:
        return finished(process)


def bound_by_modes() -> None:
    """Before the program starts: give up root's right to read, write and enter whatever it likes."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; who is not root has neither


def few_descriptors() -> None:
    """Before the program starts: at most 64 open files."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
