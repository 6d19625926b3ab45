"""Kill a writer, or let the disk fail, at each call that writes: the old or the new artifact is there, and the next
run succeeds."""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.artifacts.tiny import draft_of, found, save
from tests.storage.faults import calls_of, killed
from tests.storage.traced import Bench, Call, traced

INDEX = ("index", "a.index")
COMMANDS = (
    *(("dedupe", "out.tsv"), ("pairs", "out.jsonl"), ("query known.index", "out.tsv")),
    *(("shingle", "a.shingles"), ("signature", "a.signatures"), INDEX, ("merge", "a.index")),
)
"""Each command that writes, and its output."""


@pytest.mark.reliability("kill -9 at any call that writes")
@pytest.mark.parametrize(("kind", "step"), [("signatures", 5), *slow(("signatures", 1), ("shingles", 1), ("index", 1))])
@pytest.mark.parametrize("there", [True, False], ids=["over-an-old-one", "new"])
def test_a_writer_killed_at_any_call_leaves_the_old_or_the_new_artifact(place, there, kind, step):
    target = f"a.{kind}"
    path = place / target
    if there:
        save(path, 0, kind)
    calls = calls_of(lambda: save(path, 1, kind))
    for at, name in [*list(enumerate(calls))[::step], (len(calls), "none")]:
        if not there:
            shutil.rmtree(path)
        old, new = found(path, kind), 2 * at + 2
        ended = killed(lambda new=new: save(path, new, kind), at)
        assert ended == (0 if name == "none" else -signal.SIGKILL), (at, name)
        assert found(path, kind) in ((new,) if name == "none" else (old, new)), (at, name)
        assert set(os.listdir(place)) <= {target, draft_of(target)}
        save(path, new + 1, kind)
        assert (found(path, kind), os.listdir(place)) == (new + 1, [target]), (at, name)


def kill(bench: Bench, calls: list[Call]) -> None:
    states = []
    for call in calls:
        done = bench.injected(call, "signal=KILL")
        assert done.status in (-signal.SIGKILL, 128 + signal.SIGKILL), call
        states.append(bench.state())
        assert states[-1] in ("old", "new"), call
        assert bench.left_a_draft_at_most(), call
        bench.next_run()
    assert sorted(states, reverse=True) == states, "first the old one, then the new one"


ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EROFS", "EACCES")


def refuse(bench: Bench, calls: list[Call], errors: tuple[str, ...]) -> None:
    for call in calls:
        for error in errors:
            done = bench.injected(call, f"error={error}")
            state = bench.state()
            if done.status == 0:
                assert (state, done.err) == ("new", ""), (call, error)
            else:
                assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1), (call, error, done)
                assert done.err.startswith(f"simdocs: error: {bench.output}: "), (call, error, done)
                durable = "durability not confirmed" in done.err
                assert state == ("new" if durable else "old"), (call, error)
            assert bench.left_a_draft_at_most(), (call, error)
            bench.next_run()


@pytest.fixture(scope="module")
def bench(memory: str | None) -> Iterator[Bench]:
    """A bench with an old index, which the short tests share."""
    with tempfile.TemporaryDirectory(prefix="simdocs-test-", dir=memory) as name:
        yield Bench(Path(name), *INDEX, there=True)


def last_of_each(calls: list[Call], *names: str) -> list[Call]:
    return [{call.name: call for call in calls}[name] for name in names]


@pytest.mark.reliability("simdocs is killed for memory")
@pytest.mark.reliability("kill -9 at any call that writes")
@traced
@pytest.mark.xdist_group("bench")
def test_the_program_killed_at_some_calls_leaves_old_or_new(bench):
    calls = bench.calls
    assert len(calls) > 80
    read = re.findall(r'openat\(.*"docs/(\w)"', bench.log.read_text())
    assert read == ["c"], "the others are taken over"
    kill(bench, last_of_each(calls, "renameat2"))


@pytest.mark.reliability("a full, broken or read-only disk")
@traced
@pytest.mark.xdist_group("bench")
def test_disk_errors_at_some_calls_are_reported_and_leave_old_or_new(bench):
    calls = bench.calls
    refuse(bench, last_of_each(calls, "fsync"), ("EIO",))


@pytest.mark.reliability("interrupted calls")
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


@pytest.fixture(params=COMMANDS, ids=[command for command, _ in COMMANDS])
def every(request, place, there) -> Bench:
    """A bench for each command."""
    return Bench(place, *request.param, there=there)


OLD_OR_NOT = pytest.mark.parametrize("there", [True, False], ids=["over-an-old-one", "new"])


@pytest.mark.reliability("kill -9 at any call that writes")
@traced
@pytest.mark.slow
@OLD_OR_NOT
def test_every_command_killed_at_every_call_leaves_old_or_new(every):
    kill(every, every.calls)


@pytest.mark.reliability("a full, broken or read-only disk")
@traced
@pytest.mark.slow
@OLD_OR_NOT
@pytest.mark.parametrize("error", ERRORS)
def test_disk_errors_at_every_call_of_every_command_are_reported_and_leave_old_or_new(every, error):
    refuse(every, every.calls, (error,))
