"""Processes that run the program as forks of a server that has it imported: each takes a tenth of the time of a start.

A `Forked` process has what `subprocess.Popen` has. It is for command lines in which the start itself is not what is
tested: what the interpreter reads when it starts (its own variables, the locale) is the server's.
"""

from __future__ import annotations

import atexit
import io
import os
import pickle
import re
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

READ_AT_START = re.compile(r"PYTHON(?!PATH$|DONTWRITEBYTECODE$)|LC_|LANG|LOCPATH|TZ$|LD_|OPENBLAS_")
"""Variables of which the interpreter, its libraries or NumPy take heed when they start, and never again."""


def at_start(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that matter at the start of a process."""
    return {name: value for name, value in env.items() if READ_AT_START.match(name)}


class Server:
    """A server, started with an environment and options of the interpreter."""

    def __init__(self, env: Mapping[str, str], *options: str) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (`stop` closes it)
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, *options, "-c", "from tests.cli import server; server.start()"]
        with theirs:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=env, stdin=theirs, stdout=self._log, stderr=self._log, start_new_session=True
            )
        atexit.register(self.stop)

    def stop(self) -> None:
        self._requests.close()
        self._process.wait()
        self._log.close()

    def ask(self, channel: int, streams: Sequence[int]) -> None:
        """Have a process forked with these streams, which reads its job from the channel and tells its end there."""
        try:
            socket.send_fds(self._requests, [b"."], [channel, *streams])
        except BrokenPipeError:
            self._log.seek(0)
            raise RuntimeError(f"the server has ended: {self._log.read().decode()}") from None


@cache
def server(*options: str) -> Server:
    """This process's server with these options of the interpreter."""
    return Server({"PATH": os.defpath, "LC_ALL": "C.UTF-8"}, *options)


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
        options: Sequence[str] = (),
        stdin: int | BinaryIO,
        stdout: int | BinaryIO,
        stderr: int | BinaryIO,
    ) -> None:
        job = Job([os.fsdecode(word) for word in arguments], os.fspath(cwd), dict(env), umask, before)
        self.returncode: int | None = None
        self._channel, channel = socket.socketpair()
        self.stdin, given_in = _ours_and_theirs(stdin, reads=True)
        self.stdout, given_out = _ours_and_theirs(stdout, reads=False)
        self.stderr, given_err = _ours_and_theirs(stderr, reads=False)
        try:
            server(*options).ask(channel.fileno(), [given_in, given_out, given_err])
        finally:
            channel.close()
            for given in (given_in, given_out, given_err):
                os.close(given)
        self._channel.sendall(pickle.dumps(job))
        self._channel.shutdown(socket.SHUT_WR)
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
        if self.returncode is None and select.select([self._channel], [], [], 0)[0]:
            self.returncode = self._number()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once it has ended."""
        if self.returncode is None:
            if not select.select([self._channel], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("simdocs", timeout or 0)
            self.returncode = self._number()
        return self.returncode

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
