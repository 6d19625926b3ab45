"""Runs of the program: each in a process of its own, started anew or forked from one that has everything imported."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.cli.program import Argument, Done, bound_by_modes, simdocs, started
from tests.fuzz import server

Run = Callable[..., Done]
"""run(*arguments, cwd=..., stdin=...)"""


def fresh(*arguments: Argument, cwd: Argument, stdin: bytes = b"") -> Done:
    """The installed program, which has no more rights than others have."""
    return simdocs(*arguments, cwd=os.fsdecode(cwd), stdin=stdin, before=bound_by_modes)


@contextmanager
def forking() -> Iterator[Run]:
    """The same, some ten times faster. Warnings are errors."""
    command = [sys.executable, "-W", "error", server.__file__]
    with (
        tempfile.TemporaryDirectory() as place,
        started(command, before=bound_by_modes, stdin=subprocess.PIPE, stderr=None) as process,
    ):
        streams = [Path(place, name) for name in ("stdin", "stdout", "stderr")]

        def run(*arguments: Argument, cwd: Argument, stdin: bytes = b"") -> Done:
            for stream, data in zip(streams, (stdin, b"", b""), strict=True):
                stream.write_bytes(data)
            status = int(_asked(process, list(map(os.fsdecode, arguments)), os.fsdecode(cwd), list(map(str, streams))))
            return Done(status, streams[1].read_bytes(), streams[2].read_text("utf-8", "strict"))

        yield run


def _asked(process: subprocess.Popen[bytes], arguments: Sequence[str], cwd: str, streams: Sequence[str]) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"arguments": arguments, "cwd": cwd, "streams": streams}).encode() + b"\n")
    process.stdin.flush()
    return process.stdout.readline()


class _Whose(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


@contextmanager
def unprivileged() -> Iterator[None]:
    """While this process has no more rights than others have: see `bound_by_modes`."""
    libc, whose, sets = ctypes.CDLL(None), _Whose(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(ctypes.byref(whose), sets) == 0
    before = sets[0]
    sets[0] &= ~(1 << 1 | 1 << 2)  # of those in effect CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    assert libc.capset(ctypes.byref(whose), sets) == 0
    try:
        yield
    finally:
        sets[0] = before
        assert libc.capset(ctypes.byref(whose), sets) == 0
