"""Runs the program with pseudo-terminals for streams."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
import threading
from collections.abc import Collection
from typing import Any

from tests.cli.program import PATIENCE, Argument, Done, environment, running

_STREAMS = ("stdin", "stdout", "stderr")


class _Screen:
    """A terminal's other side: collects what is written."""

    def __init__(self, columns: int) -> None:
        self.side, self.end = pty.openpty()
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.seen = b""
        self.reader = threading.Thread(target=self._read, daemon=True)

    def _read(self) -> None:
        try:
            while piece := os.read(self.side, 1 << 16):
                self.seen += piece
        except OSError:  # how Linux says that the last writer is gone
            pass

    def start(self, typed: bytes = b"") -> None:
        os.close(self.end)
        os.write(self.side, typed)
        self.reader.start()

    def stop(self) -> bytes:
        self.reader.join(PATIENCE)
        os.close(self.side)
        return self.seen.replace(b"\r\n", b"\n")


def on_terminal(
    *arguments: Argument,
    which: Collection[str] = ("stdout",),
    columns: int = 200,
    typed: bytes = b"",
    env: dict[str, str] | None = None,
    colored: bool = True,
    **how: Any,
) -> Done:
    """Run the program with a terminal as each of these streams. colored: whether it may have colours."""
    screens = {name: _Screen(columns) for name in _STREAMS if name in which}
    ends = {name: screen.end for name, screen in screens.items()}
    whole = environment(TERM="xterm", NO_COLOR=None if colored else "1") if env is None else env
    with running(*arguments, env=whole, **ends, **how) as process:
        for name, screen in screens.items():
            screen.start(typed if name == "stdin" else b"")
        out, err = process.communicate(timeout=PATIENCE)
    seen = {name: screen.stop() for name, screen in screens.items()}
    out, err = seen.get("stdout", out or b""), seen.get("stderr", err or b"")
    return Done(process.returncode, out, err.decode("utf-8", "surrogateescape"))
