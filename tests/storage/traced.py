"""Runs of a command under strace, which makes the n-th call of a system call fail, or kills the program there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.artifacts.tiny import draft_of
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import PROGRAM, Argument, Done, finished, simdocs, started
from tests.cli.traps import prelude
from tests.commands.building import damages

STRACE = shutil.which("strace")
NO_STRACE = "strace is not installed, or may not trace"


def _traceable() -> bool:
    if STRACE is None:
        return False
    return subprocess.run([STRACE, "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0


traced = pytest.mark.skipif(not _traceable(), reason=NO_STRACE)
"""Marks a test that needs strace. The run says loudly if such tests were skipped: see tests/conftest.py."""

SYSCALLS = (
    *("mkdir", "mkdirat", "open", "openat", "write", "writev", "pwrite64", "fchmod", "fsync", "flock", "close"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir"),
)
"""The calls that open, write and publish."""

RENAMES = ("rename", "renameat", "renameat2")


def strace(arguments: Sequence[Argument], log: Path, *options: str, cwd: Path, env: Mapping[str, str] | None) -> Done:
    """Run the program with these arguments under strace with these options."""
    assert STRACE is not None
    with started([STRACE, "-f", "-q", "-o", str(log), *options, "--", PROGRAM, *arguments], cwd=cwd, env=env) as run:
        return finished(run)


class Call(NamedTuple):
    """The n-th call of a function in a run of the program."""

    name: str
    number: int


_LATER = """
import time
from simdocs.reading import files

files.now = lambda: time.time_ns() + 3600 * 10**9
"""
"""Source that makes all documents an hour old, so that an update takes over what it knows of them."""


class Bench:
    """A directory with docs and an old output for fewer documents, in which a command runs under strace.

    Onto an old artifact, the command is an update, which reads only the new document. A merge is of an index of docs
    and of another one.
    """

    def __init__(self, root: Path, command: str, output: str, *, there: bool) -> None:
        self.root, self.output, self.there = root, output, there
        self.merges = command == "merge"
        given = ("part.index", "more.index") if self.merges else ("docs", "-j1")
        self.command = (*command.split(), *given, "-q", "-o", output)
        self.env = prelude(root, _LATER)
        self.log = root / "log"
        lay(root, {"docs/a": A, "docs/b": B})
        lay(root, {"more/d": A2})
        for name, documents in (("known", "docs"), ("more", "more")):
            assert simdocs("index", documents, "-q", "-o", f"{name}.index", cwd=root) == (0, b"", "")
        self._prepare()
        self._succeed()
        self.old = content(self.place) if there else {}
        self._kept = root / "kept"
        self.place.rename(self._kept)
        self.reset()
        lay(root, {"docs/c": A1})
        self._prepare()
        self._succeed()
        self.new = content(self.place)
        assert self.new != self.old

    def _prepare(self) -> None:
        """Build the artifact that a merge reads."""
        if self.merges:
            assert simdocs("index", "docs", "-q", "-o", "part.index", cwd=self.root) == (0, b"", "")

    def _succeed(self) -> None:
        assert simdocs(*self.command, cwd=self.root, env=self.env) == (0, b"", "")

    @property
    def place(self) -> Path:
        """Where the output is."""
        return self.root / self.output

    def reset(self) -> None:
        """Put the old output back, or nothing, and remove what the last run left."""
        for one in (self.place, *(self.root / name for name in self.beside())):
            _remove(one)
        if self.there:
            shutil.copytree(self._kept, self.place) if self._kept.is_dir() else shutil.copy(self._kept, self.place)

    def run(self, *inject: str) -> Done:
        """Run the command with these faults."""
        faults = [part for one in inject for part in ("-e", f"inject={one}")]
        return strace(
            self.command, self.log, "-y", "-e", f"trace={','.join(SYSCALLS)}", *faults, cwd=self.root, env=self.env
        )

    @cached_property
    def calls(self) -> list[Call]:
        """The calls of a successful run that concern the output or its draft."""
        self.reset()
        assert self.run() == (0, b"", "")
        counts, about = Counter[str](), []
        for line in self.log.read_text().splitlines():
            if begun := re.match(r"\d+ +(\w+)\(", line):
                counts[begun[1]] += 1
                if self.is_about(line):
                    about.append(Call(begun[1], counts[begun[1]]))
        names = {call.name for call in about}
        assert names >= {"openat", "write", "fsync", "close"}
        assert names & set(RENAMES)
        return about

    def is_about(self, line: str) -> bool:
        """Whether a call concerns the output, its draft, or the sync of their directory.

        Calls that close a directory do not count, because they never fail.
        """
        name, draft = line.split()[1], draft_of(self.output)
        if name.startswith("close"):
            return f"{draft}/" in line or f"{draft}." in line
        return self.output in line or draft in line or name.startswith("fsync")

    def injected(self, call: Call, fault: str) -> Done:
        """Run the program with this fault at that call, and check in the log that it happened there."""
        self.reset()
        done = self.run(f"{call.name}:{fault}:when={call.number}")
        lines = [line for line in self.log.read_text().splitlines() if "resumed" not in line]
        counts = [line for line in lines if re.match(rf"\d+ +{call.name}\(", line)]
        assert len(counts) >= call.number
        assert self.is_about(counts[call.number - 1]), counts[call.number - 1]
        if "signal" not in fault:
            assert "(INJECTED)" in counts[call.number - 1]
        return done

    def state(self) -> str:
        """Which of the two outputs is there, undamaged: "old", "new", or "mix" for anything else."""
        if not self.place.exists():
            return "mix" if self.there else "old"
        if self.place.is_dir():
            assert not damages(self.place)
        now = content(self.place)
        return "old" if now == self.old else "new" if now == self.new else "mix"

    def next_run(self) -> None:
        """The next run succeeds, and removes what a killed one left."""
        self._succeed()
        assert self.state() == "new"
        assert self.beside() == []

    def beside(self) -> list[str]:
        """The names of what does not belong there."""
        ours = (self.output, "docs", "more", "known.index", "more.index", "part.index", "kept", "log", "trap")
        return [name for name in os.listdir(self.root) if name not in ours]

    def left_a_draft_at_most(self) -> bool:
        """Whether nothing is there that does not belong there, but drafts."""
        return all(name.startswith(draft_of(self.output)) for name in self.beside())


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def content(path: Path) -> dict[str, bytes]:
    """The bytes of an answer, or of all files of an artifact that depend only on documents and parameters."""
    files = [one for one in path.iterdir() if one.name != "run.json"] if path.is_dir() else [path]
    return {one.name if path.is_dir() else "answer": one.read_bytes() for one in files}
