"""Kill a writer, or let the disk fail, at each call that writes: the old or the new artifact is there, and the next
run succeeds."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pytest

from simdocs.artifacts.damage import damages
from simdocs.storage.targets import draft_name
from tests.amounts import slow
from tests.artifacts.tiny import found, save
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import PROGRAM, Done, environment, finished, simdocs, started
from tests.storage.faults import Faulty, calls_of

NAME = "a.index"
BUILD = ("index", "docs", "-j1", "-q", "-o", NAME)

STRACE = shutil.which("strace")
SYSCALLS = (
    *("mkdir", "mkdirat", "open", "openat", "write", "writev", "pwrite64", "fchmod", "fsync", "flock", "close"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir"),
)


def _traceable() -> bool:
    if STRACE is None:
        return False
    return subprocess.run([STRACE, "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0


traced = pytest.mark.skipif(not _traceable(), reason="strace is not installed, or may not trace")


def _killed(work, fault: Faulty) -> int:
    """Do the work with this fault in a child process, and return its exit code."""
    child = os.fork()
    if not child:
        with pytest.MonkeyPatch.context() as patch:
            try:
                fault.install(patch)
                work()
            finally:
                os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.reliability(
    "kill at any call",
    "`kill -9` at any call that writes",
    "Either the old output or the new one is there. The next run removes the temporary files.",
)
@pytest.mark.parametrize(("kind", "step"), [("signatures", 3), *slow(("signatures", 1), ("shingles", 1), ("index", 1))])
@pytest.mark.parametrize("there", [True, False], ids=["over-an-old-one", "new"])
def test_a_writer_killed_at_any_call_leaves_the_old_or_the_new_artifact(place, there, kind, step):
    """The writer is a child process, which cannot clean up."""
    target = f"a.{kind}"
    path = place / target
    if there:
        save(path, 0, kind)
    calls = calls_of(lambda: save(path, 1, kind))
    for at, name in [*list(enumerate(calls))[::step], (len(calls), "none")]:
        if not there:
            shutil.rmtree(path)
        old, new = found(path, kind), 2 * at + 2
        fault = Faulty(lambda: os.kill(os.getpid(), signal.SIGKILL), at)
        ended = _killed(lambda new=new: save(path, new, kind), fault)
        assert ended == (0 if name == "none" else -signal.SIGKILL), (at, name)
        assert found(path, kind) in ((new,) if name == "none" else (old, new)), (at, name)
        assert set(os.listdir(place)) <= {target, draft_name(target)}
        save(path, new + 1, kind)
        assert (found(path, kind), os.listdir(place)) == (new + 1, [target]), (at, name)


class Call(NamedTuple):
    """The n-th call of a function in a run of the program."""

    name: str
    number: int


class Bench:
    """A directory with docs and an old index of fewer documents, in which the program runs under strace."""

    def __init__(self, root: Path, *, there: bool) -> None:
        self.root, self.there = root, there
        self.env = environment(PYTHONDONTWRITEBYTECODE="1")
        lay(root, {"docs/a": A, "docs/b": B})
        assert simdocs(*BUILD[:-1], "old.index", cwd=root) == (0, b"", "")
        lay(root, {"docs/c": A1})
        self.new = self._built()
        self.old = content(root / "old.index") if there else {}
        self.log = root / "log"

    def _built(self) -> Mapping[str, bytes]:
        self.reset()
        assert simdocs(*BUILD, cwd=self.root) == (0, b"", "")
        return content(self.root / NAME)

    def reset(self) -> None:
        shutil.rmtree(self.root / NAME, ignore_errors=True)
        shutil.rmtree(self.root / draft_name(NAME), ignore_errors=True)
        if self.there:
            shutil.copytree(self.root / "old.index", self.root / NAME)

    def run(self, *inject: str) -> Done:
        assert STRACE is not None
        trace = ["-e", f"trace={','.join(SYSCALLS)}", *(part for one in inject for part in ("-e", f"inject={one}"))]
        command = [STRACE, "-f", "-y", "-q", "-o", str(self.log), *trace, "--", PROGRAM, *BUILD]
        with started(command, cwd=self.root, env=self.env) as process:
            return finished(process)

    @cached_property
    def calls(self) -> list[Call]:
        """Return those calls of a successful run that concern the index or its draft."""
        self.reset()
        assert self.run() == (0, b"", "")
        counts, about = Counter[str](), []
        for line in self.log.read_text().splitlines():
            if begun := re.match(r"\d+ +(\w+)\(", line):
                counts[begun[1]] += 1
                if self.is_about(line):
                    about.append(Call(begun[1], counts[begun[1]]))
        assert {call.name for call in about} >= {"openat", "write", "fsync", "close", "renameat2", "unlinkat"}
        return about

    def is_about(self, line: str) -> bool:
        """Return whether a call concerns the index, its draft, or the sync of their directory.

        Calls that close a directory do not count, because they never fail.
        """
        name = line.split()[1]
        if name.startswith("close"):
            return draft_name(NAME) + "/" in line
        return NAME in line or draft_name(NAME) in line or name.startswith("fsync")

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
        """Return which of the two artifacts is there, undamaged: "old", "new", or "mix" for anything else."""
        path = self.root / NAME
        if not path.exists():
            return "mix" if self.there else "old"
        assert list(damages(os.fsencode(path))) == []
        now = content(path)
        return "old" if now == self.old else "new" if now == self.new else "mix"

    def next_run(self) -> None:
        assert simdocs(*BUILD, cwd=self.root) == (0, b"", "")
        assert self.state() == "new"
        assert self.beside() == []

    def beside(self) -> list[str]:
        return [name for name in os.listdir(self.root) if name not in (NAME, "docs", "old.index", "log")]


def content(path: Path) -> dict[str, bytes]:
    """Return all files that depend only on documents and parameters."""
    return {one.name: one.read_bytes() for one in path.iterdir() if one.name != "run.json"}


def kill(bench: Bench, calls: list[Call]) -> None:
    states = []
    for call in calls:
        done = bench.injected(call, "signal=KILL")
        assert done.status in (-signal.SIGKILL, 128 + signal.SIGKILL), call
        states.append(bench.state())
        assert states[-1] in ("old", "new"), call
        assert bench.beside() in ([], [draft_name(NAME)]), call
        bench.next_run()
    assert sorted(states, reverse=True) == states, "first the old one, then the new one"


ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EROFS")


def refuse(bench: Bench, calls: list[Call], errors: tuple[str, ...]) -> None:
    for call in calls:
        for error in errors:
            done = bench.injected(call, f"error={error}")
            state = bench.state()
            if done.status == 0:
                assert (state, done.err) == ("new", ""), (call, error)
            else:
                assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1), (call, error, done)
                assert done.err.startswith(f"simdocs: error: {NAME}: "), (call, error, done)
                durable = "durability not confirmed" in done.err
                assert state == ("new" if durable else "old"), (call, error)
            assert bench.beside() in ([], [draft_name(NAME)]), (call, error)
            bench.next_run()


@pytest.fixture(scope="module")
def bench(memory: str | None) -> Iterator[Bench]:
    """A bench with an old index, which the short tests share."""
    with tempfile.TemporaryDirectory(prefix="simdocs-test-", dir=memory) as name:
        yield Bench(Path(name), there=True)


def last_of_each(calls: list[Call], *names: str) -> list[Call]:
    return [{call.name: call for call in calls}[name] for name in names]


@pytest.mark.reliability("killed for memory")
@pytest.mark.reliability("kill at any call")
@traced
@pytest.mark.xdist_group("bench")
def test_the_program_killed_at_some_calls_leaves_old_or_new(bench):
    calls = bench.calls
    assert len(calls) > 80
    kill(bench, last_of_each(calls, "write", "renameat2"))


@pytest.mark.reliability("disk errors")
@traced
@pytest.mark.xdist_group("bench")
def test_disk_errors_at_some_calls_are_reported_and_leave_old_or_new(bench):
    calls = bench.calls
    refuse(bench, last_of_each(calls, "write"), ("ENOSPC",))
    refuse(bench, last_of_each(calls, "fsync"), ("EIO",))


@pytest.mark.reliability(
    "interrupted calls",
    "a call that a signal interrupts (`EINTR`), such as a resized terminal or a debugger",
    "It is made again.",
)
@traced
@pytest.mark.xdist_group("bench")
def test_interrupted_calls_are_made_again(bench):
    some = last_of_each(bench.calls, "openat", "flock", "write", "pwrite64", "fchmod", "fsync")
    bench.reset()
    assert bench.run(*(f"{call.name}:error=EINTR:when={call.number}" for call in some)) == (0, b"", "")
    interrupted = [line for line in bench.log.read_text().splitlines() if "EINTR" in line and "(INJECTED)" in line]
    assert len(interrupted) == len(some)
    assert all(map(bench.is_about, interrupted))
    assert (bench.state(), bench.beside()) == ("new", [])


@pytest.mark.reliability("kill at any call")
@traced
@pytest.mark.slow
@pytest.mark.parametrize("there", [True, False], ids=["over-an-old-one", "new"])
def test_the_program_killed_at_every_call_leaves_old_or_new(place, there):
    bench = Bench(place, there=there)
    kill(bench, bench.calls)


@pytest.mark.reliability("disk errors")
@traced
@pytest.mark.slow
@pytest.mark.parametrize("there", [True, False], ids=["over-an-old-one", "new"])
@pytest.mark.parametrize("error", ERRORS)
def test_disk_errors_at_every_call_are_reported_and_leave_old_or_new(place, there, error):
    bench = Bench(place, there=there)
    refuse(bench, bench.calls, (error,))
