"""What Spark shows: a bar at a terminal, which Ctrl-C ends, and nothing with -q."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, lay
from tests.cli.program import PROGRAM
from tests.cli.spark_answers import texts
from tests.cli.test_terminals import screen_of
from tests.spark import with_spark

ROOT = Path(__file__).resolve().parents[2]


class Terminal:
    """A program at a terminal of its own, of 100 columns, at which can be typed."""

    def __init__(self, process: subprocess.Popen[bytes], side: int) -> None:
        self.process, self._side, self.seen = process, side, b""

    def wait_for(self, pattern: str, patience: float = 120.0) -> None:
        """Wait until the program writes this."""
        end = time.monotonic() + patience
        while not re.search(pattern.encode(), self.seen):
            assert time.monotonic() < end, self.seen
            assert self._read(), self.seen

    def type(self, keys: bytes) -> None:
        os.write(self._side, keys)

    def end(self) -> list[str]:
        """The rows that are left on the screen when the program has ended, without those that are empty."""
        while self._read():
            pass
        self.process.wait(60)
        return [row for row in screen_of(self.seen.replace(b"\r\n", b"\n"), 100) if row]

    def _read(self) -> bool:
        try:
            readable, _, _ = select.select([self._side], [], [], 120)
            piece = os.read(self._side, 1 << 16) if readable else b""
        except OSError:  # how Linux says that the last writer is gone
            piece = b""
        self.seen += piece
        return bool(piece)


@contextlib.contextmanager
def at_terminal(*arguments: str, cwd: Path, env: dict[str, str]) -> Iterator[Terminal]:
    """The program, whose terminal sends it and its children a signal when Ctrl-C is typed, as a shell lets it."""
    side, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    streams = {"stdin": end, "stdout": end, "stderr": end}
    with subprocess.Popen(
        [PROGRAM, *arguments],
        cwd=cwd,
        env=os.environ | env | {"TERM": "xterm"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509  (no thread runs meanwhile)
        **streams,
    ) as process:
        os.close(end)
        try:
            yield Terminal(process, side)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            os.close(side)


def processes_of(directory: Path) -> list[str]:
    """The processes that were started with this directory for temporary files."""
    mark, found = f"TMPDIR={directory}".encode(), list[str]()
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and mark in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Enough documents that their work takes some seconds."""
    files = {f"docs/{number % 9}/{number}": text.encode() for number, text in enumerate(texts(3, 1500, 1000))}
    return lay(tmp_path / "here", files)


@with_spark
@pytest.mark.parametrize("moment", [pytest.param("starting Spark", marks=pytest.mark.slow), "reading: +[1-9][0-9]?%"])
def test_ctrl_c_at_a_terminal_ends_java_and_leaves_nothing(moment, documents, tmp_path: Path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    env = {"TMPDIR": str(scratch), "SPARK_LOCAL_DIRS": str(scratch)}
    command = ("index", "docs", "-o", "x.index", "--engine", "spark", "--spark-master", "local[1]")
    with at_terminal(*command, cwd=documents, env=env) as terminal:
        terminal.wait_for(moment)
        terminal.type(b"\x03")
        left = terminal.end()
    assert terminal.process.returncode == -signal.SIGINT
    said = ["simdocs: starting Spark", "simdocs: interrupted: nothing was written"]
    assert [row.removeprefix("^C") for row in left if row != "^C"] == said
    until = time.monotonic() + 20  # the process that starts Spark's workers ends once it sees that Java has
    while processes_of(scratch) and time.monotonic() < until:
        time.sleep(0.05)
    assert processes_of(scratch) == []
    assert list(scratch.iterdir()) == []
    assert [path.name for path in documents.iterdir()] == ["docs"]


@pytest.mark.slow
@with_spark
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_java_process_that_is_killed_is_one_line(number, documents, tmp_path: Path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    env = {"TMPDIR": str(scratch), "SPARK_LOCAL_DIRS": str(scratch)}
    command = ("index", "docs", "-o", "x.index", "--engine", "spark", "--spark-master", "local[1]")
    with at_terminal(*command, cwd=documents, env=env) as terminal:
        terminal.wait_for("reading: +[1-9][0-9]?%")
        for path in Path(f"/proc/{terminal.process.pid}/task").glob("*/children"):
            for child in path.read_text().split():
                os.kill(int(child), number)
        left = " ".join(terminal.end())
    assert terminal.process.returncode == 2
    assert re.match("simdocs: starting Spark simdocs: error: Spark cannot do the work: .*its log\\)$", left)
    assert processes_of(scratch) == []
    assert [path.name for path in documents.iterdir()] == ["docs"]


@pytest.mark.slow
@with_spark
def test_quiet_shows_nothing_at_a_terminal(tmp_path: Path):
    lay(tmp_path, {"docs/a": A, "docs/b": A1})
    command = ("dedupe", "docs", "-t", "0.5", "-q", "-o", "a.tsv", "--engine", "spark", "--spark-master", "local[1]")
    with at_terminal(*command, cwd=tmp_path, env={}) as terminal:
        assert terminal.end() == []
    assert (terminal.process.returncode, terminal.seen) == (0, b"")
    assert (tmp_path / "a.tsv").exists()
