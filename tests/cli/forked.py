"""Processes that run the program as forks of a server that has it imported: each takes a tenth of the time of a start.

A `Forked` process has what `subprocess.Popen` has. It is for command lines in which the start itself is not what is
tested: what the interpreter reads when it starts (its own variables, the locale) is the server's.
"""

from __future__ import annotations

import atexit
import io
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from tests.cli.server import NUMBER, Job

ROOT = Path(__file__).resolve().parents[2]

FORKS = sys.platform == "linux"

USUAL: Mapping[str, str] = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
"""The environment of a process, unless another is asked for."""

READ_AT_START = ("PYTHON", "LC_", "LANG", "LOCPATH", "TZ", "LD_", "OPENBLAS_", "ARROW_", "SIMDOCS_KERNELS")
"""Beginnings of variables that the interpreter, its libraries, NumPy or simdocs read once, and never again."""

READ_LATER = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING")
"""Variables of the interpreter that the server reads for each process."""


def at_start(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that matter at the start of a process."""
    return {name: env[name] for name in env if name.startswith(READ_AT_START) and name not in READ_LATER}


class Server:
    """A server, started with an environment and options of the interpreter."""

    def __init__(self, env: Mapping[str, str], *options: str) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="simdocs-tests-")
        self.path = Path(self._place.name, "socket")
        with socket.socket(socket.AF_UNIX) as listener, Path(self._place.name, "log").open("wb") as log:
            listener.bind(str(self.path))
            listener.listen(64)
            start = ["-c", "from tests.cli import server; server.start()", str(listener.fileno())]
            self._process = subprocess.Popen(
                [sys.executable, *options, *start],
                cwd=ROOT,
                env=env,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                pass_fds=[listener.fileno()],
                start_new_session=True,
            )
        atexit.register(self.stop)

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._place.cleanup()

    def run(self, job: Job, streams: Sequence[int]) -> socket.socket:
        """Have a process forked with these streams: the channel that reports its number and its end."""
        channel = socket.socket(socket.AF_UNIX)
        try:
            channel.connect(str(self.path))
            socket.send_fds(channel, [b"."], streams)
            channel.sendall(marshal.dumps(tuple(job)))
        except OSError:
            channel.close()
            raise RuntimeError(f"the server has ended: {self.path.with_name('log').read_text()}") from None
        return channel


def server(*options: str, env: Mapping[str, str] = USUAL) -> Server:
    """This process's server with these options of the interpreter, started in what matters of this environment."""
    return _server(tuple(sorted(at_start(env).items())), *options)


@cache
def _server(variables: tuple[tuple[str, str], ...], *options: str) -> Server:
    return Server({"PATH": os.defpath, **dict(variables)}, *options)


class Forked:
    """A process like one of `subprocess.Popen`, with the same names and meanings, in a session of its own."""

    def __init__(
        self,
        arguments: Sequence[str | bytes | Path],
        *,
        cwd: str | Path,
        env: Mapping[str, str],
        umask: int,
        before: Callable[[], object] | None,
        limits: Mapping[int, tuple[int, int]],
        options: Sequence[str] = (),
        stdin: int | BinaryIO,
        stdout: int | BinaryIO,
        stderr: int | BinaryIO,
    ) -> None:
        called = None if before is None else f"{before.__module__}:{before.__qualname__}"
        variables = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
        job = Job(list(map(os.fsencode, arguments)), os.fsencode(cwd), variables, umask, called, dict(limits))
        self.returncode: int | None = None
        self.stdin, given_in = _ours_and_theirs(stdin, reads=True)
        self.stdout, given_out = _ours_and_theirs(stdout, reads=False)
        self.stderr, given_err = _ours_and_theirs(stderr, reads=False)
        given = [given_in, given_out, given_err]
        try:
            self._channel = server(*options, env=env).run(job, given)
        finally:
            for descriptor in given:
                os.close(descriptor)
        self.pid = self._number()

    def _number(self) -> int:
        told = self._channel.recv(NUMBER.size, socket.MSG_WAITALL)
        assert told, "the server that forks processes has ended"
        number: int = NUMBER.unpack(told)[0]
        return number

    def __enter__(self) -> Forked:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()
        self._channel.close()

    def poll(self) -> int | None:
        """The exit status, if it has ended; negative if a signal ended it."""
        if self.returncode is None and self._has_answered(0):
            self.returncode = self._number()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once it has ended."""
        if self.returncode is None:
            if not self._has_answered(timeout):
                raise subprocess.TimeoutExpired("simdocs", timeout or 0)
            self.returncode = self._number()
        return self.returncode

    def _has_answered(self, timeout: float | None) -> bool:
        waiting = select.poll()  # select.select fails for descriptors above 1023
        waiting.register(self._channel, select.POLLIN)
        return bool(waiting.poll(None if timeout is None else 1000 * timeout))

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, given: bytes | None = None, timeout: float = 60) -> tuple[bytes, bytes]:
        """Write to its standard input, and read what it writes, until it has ended."""
        end = time.monotonic() + timeout
        out: dict[int, bytearray] = {}
        waiting = select.poll()
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                out[stream.fileno()] = bytearray()
                waiting.register(stream, select.POLLIN)
        left = memoryview(given or b"")
        if self.stdin is not None:
            os.set_blocking(self.stdin.fileno(), False)
            waiting.register(self.stdin, select.POLLOUT)
        reading = set(out)
        while reading or (self.stdin is not None and not self.stdin.closed):
            ready = waiting.poll(max(0, end - time.monotonic()) * 1000)
            if not ready:
                raise subprocess.TimeoutExpired("simdocs", timeout)
            for descriptor, _ in ready:
                if descriptor in out:
                    piece = os.read(descriptor, 1 << 16)
                    out[descriptor] += piece
                    if not piece:
                        waiting.unregister(descriptor)
                        reading.discard(descriptor)
                    continue
                assert self.stdin is not None
                try:
                    left = left[os.write(descriptor, left[: 1 << 16]) :] if left else left
                except BrokenPipeError:
                    left = left[:0]
                if not left:
                    waiting.unregister(descriptor)
                    self.stdin.close()
        self.wait(max(0, end - time.monotonic()))
        written = [bytes(out[stream.fileno()]) if stream else b"" for stream in (self.stdout, self.stderr)]
        return written[0], written[1]


def _ours_and_theirs(stream: int | BinaryIO, *, reads: bool) -> tuple[io.FileIO | None, int]:
    """Both ends of a pipe; or nothing, and another descriptor of the file that is given."""
    if stream == subprocess.PIPE:
        read, write = os.pipe()
        return (io.FileIO(write, "w"), read) if reads else (io.FileIO(read, "r"), write)
    if stream == subprocess.DEVNULL:
        return None, os.open(os.devnull, os.O_RDWR)
    return None, os.dup(stream if isinstance(stream, int) else stream.fileno())
