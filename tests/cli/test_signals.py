"""Signals: the program ends by them, quietly, with its drafts swept and its workers gone."""

from __future__ import annotations

import os
import select
import signal
from functools import partial
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.corpus import lay
from tests.cli.every import EVERY, OPENED, READING
from tests.cli.program import PATIENCE, anew, in_shell, simdocs
from tests.cli.traps import prelude, trap

ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def pids(record: Path) -> list[int]:
    return [int(line) for line in record.read_text().split()]


def gone(pid: int) -> bool:
    """Whether the process is gone, or soon will be."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], PATIENCE)[0])
    finally:
        os.close(descriptor)


def listing(where: Path) -> list[str]:
    return sorted(name for name in os.listdir(where) if name not in ("trap", "workers"))


@pytest.mark.reliability("ctrl-C, SIGTERM or SIGHUP")
@pytest.mark.parametrize(
    ("number", "jobs"), [(signal.SIGTERM, "-j1"), (signal.SIGINT, "-j2"), (signal.SIGHUP, "-j2")], ids=str
)
def test_a_signal_during_the_work_ends_the_program_and_sweeps_drafts(here, number, jobs):
    """With -j2 a worker sends it, and would go on for long."""
    action = (
        "open('workers', 'a').write(f'{os.getpid()}\\n')\nos.kill(main, %d)\ntime.sleep(600 * (os.getpid() != main))"
    )
    env = trap(here, action % number, "open", "docs/c.txt", in_worker=jobs == "-j2")
    (here / "out").write_bytes(b"old")
    done = simdocs("dedupe", "docs", jobs, "-o", "out", "--summary-json", "note", cwd=here, env=env)
    assert done == (-number, b"", "")
    assert listing(here) == ["docs", "out"]
    assert (here / "out").read_bytes() == b"old"
    if jobs == "-j2":
        assert all(gone(pid) for pid in pids(here / "workers"))


@pytest.mark.reliability("ctrl-C, SIGTERM or SIGHUP")
@pytest.mark.parametrize("number", ENDING)
def test_a_signal_to_the_process_group_ends_the_program_and_its_workers(here, number):
    action = f"open('workers', 'a').write(f'{{os.getpid()}}\\n')\nos.killpg(0, {number})\ntime.sleep(600)"
    env = trap(here, action, "open", "docs/c.txt", in_worker=True)
    done = simdocs("dedupe", "docs", "-j2", "-o", "out", cwd=here, env=env)
    assert done == (-number, b"", "")
    assert listing(here) == ["docs"]
    assert all(gone(pid) for pid in pids(here / "workers"))


@pytest.mark.reliability("a signal while an output is published")
@pytest.mark.parametrize(("number", "event"), [(signal.SIGINT, "fcntl.flock"), (signal.SIGTERM, "os.rename")])
def test_a_signal_while_a_file_is_published_leaves_the_old_or_the_new_one(here, number, event, answer):
    (here / "out").write_bytes(b"old")
    env = trap(here, f"os.kill(main, {number})", event)
    done = simdocs("dedupe", "docs", "-j1", "-o", "out", cwd=here, env=env)
    assert done == (-number, b"", "")
    assert listing(here) == ["docs", "out"]
    assert (here / "out").read_bytes() in (b"old", answer)


@pytest.mark.reliability("a signal while simdocs starts")
@pytest.mark.parametrize(
    ("event", "number"),
    [
        ("simdocs.cli.exits", signal.SIGINT),
        ("simdocs.commands.resolve", signal.SIGTERM),
        *slow(*(("click", number) for number in ENDING), ("numpy", signal.SIGINT)),
    ],
)
def test_a_signal_while_modules_are_imported_ends_the_program(here, event, number):
    env = trap(here, f"os.kill(main, {number})", "import", f"'{event}'")
    assert anew("dedupe", "docs", "-o", "out", cwd=here, env=env) == (-number, b"", "")
    assert listing(here) == ["docs"]


AT_THE_END = """
import atexit, os

atexit.register(lambda: [os.kill(os.getpid(), {}), sum(range(9))])
"""


@pytest.mark.reliability("a signal when the answer is complete")
@pytest.mark.parametrize("number", [signal.SIGINT, *slow(*ENDING[1:])])
def test_a_signal_after_the_work_ends_the_program(here, number, answer):
    env = prelude(here, AT_THE_END.format(int(number)))
    assert simdocs("dedupe", "docs", "-j1", cwd=here, env=env) == (-number, answer, "")


FINALIZER = """
class Last:
    def __del__(self):
        os.kill(main, {})
        sum(range(9))

Last()
time.sleep(60)
"""


@pytest.mark.reliability("a signal while Python runs a finalizer")
@pytest.mark.parametrize("number", [signal.SIGTERM, *slow(signal.SIGINT, signal.SIGHUP)])
def test_a_signal_in_a_finalizer_is_not_lost(here, number):
    env = trap(here, FINALIZER.format(int(number)), "open", "docs/c.txt")
    done = simdocs("dedupe", "docs", "-j1", "-o", "out", cwd=here, env=env)
    assert done == (-number, b"", "")
    assert listing(here) == ["docs"]


@pytest.mark.reliability("nohup, background jobs")
@pytest.mark.parametrize(
    ("number", "jobs"),
    [
        *((signal.SIGINT, "-j2"), (signal.SIGHUP, "-j2")),
        *slow((signal.SIGTERM, "-j1")),
    ],
    ids=str,
)
def test_signals_ignored_at_the_start_stay_ignored(here, number, jobs, answer):
    """As with nohup, and in the background of a shell without job control: by the workers, too."""
    env = trap(here, f"os.killpg(0, {number})", "open", "docs/c.txt", in_worker=jobs == "-j2")
    before = partial(signal.signal, number, signal.SIG_IGN)
    assert simdocs("dedupe", "docs", jobs, cwd=here, env=env, before=before) == (0, answer, "")


@pytest.mark.reliability("ctrl-C, SIGTERM or SIGHUP")
@pytest.mark.parametrize("command", EVERY)
def test_ctrl_c_ends_every_command_by_that_signal(built, command):
    before = listing(built)
    words = [*EVERY[command], *(["-j1"] if command in READING else [])]
    env = trap(built, "os.kill(0, 2)", "open", OPENED[command])
    assert simdocs(*words, cwd=built, env=env) == (-signal.SIGINT, b"", "")
    assert listing(built) == before


@pytest.mark.reliability("a shell loop")
def test_ctrl_c_ends_a_loop_in_a_shell(built):
    """A shell goes on after a program that exits, and stops after one that was ended."""
    before = listing(built)
    env = trap(built, "os.kill(0, 2)", "open", OPENED["query"])
    done = in_shell('for n in 1 2 3; do simdocs "$@" -j1; echo again; done', *EVERY["query"], cwd=built, env=env)
    assert done == (-signal.SIGINT, b"", "")
    assert listing(built) == before


@pytest.mark.reliability("ctrl-C, SIGTERM or SIGHUP")
@pytest.mark.parametrize(("command", "number"), [("index", signal.SIGINT), ("query", signal.SIGTERM)])
def test_a_signal_from_a_worker_ends_every_command_and_its_workers(built, command, number):
    before = listing(built)
    action = f"open('workers', 'a').write(f'{{os.getpid()}}\\n')\nos.kill(main, {number})\ntime.sleep(600)"
    env = trap(built, action, "open", ".txt", in_worker=True)
    done = simdocs(*EVERY[command], "-j2", cwd=built, env=env)
    assert done == (-number, b"", "")
    assert listing(built) == before
    assert all(gone(pid) for pid in pids(built / "workers"))


SECOND = """
def again(event, arguments):
    if event == {event!r} and ".simdocs-tmp-" in repr(arguments):
        time.sleep({after})
        os.kill(main, {number})

sys.addaudithook(again)
"""


def twice(here: Path, event: str, after: float, number: int) -> dict[str, str]:
    """An environment in which a first signal is answered by tidying up, in which the second finds the program."""
    env = trap(here, "os.kill(main, 15)", "open", "docs/c.txt")
    with (here / "trap/sitecustomize.py").open("a") as hooks:
        hooks.write(SECOND.format(event=event, after=after, number=number))
    return env


TIDYING = [("dedupe", "out", "os.remove"), ("shingle", "x.shingles", "os.rmdir")]


@pytest.mark.reliability("a later second signal")
@pytest.mark.parametrize(("command", "output", "event"), TIDYING)
def test_a_second_signal_a_second_later_ends_the_program_at_once(here, command, output, event):
    env = twice(here, event, 1.1, signal.SIGTERM)
    done = simdocs(command, "docs", "-j1", "-o", output, cwd=here, env=env)
    assert done == (-signal.SIGTERM, b"", "")
    assert [name[:13] for name in listing(here)] == [".simdocs-tmp-", "docs"]
    assert simdocs(command, "docs", "-j1", "-o", output, cwd=here).status == 0
    assert listing(here) == ["docs", output]


@pytest.mark.reliability("two signals within a second")
@pytest.mark.parametrize(("command", "output", "event"), TIDYING)
def test_two_signals_in_quick_succession_count_as_one(here, command, output, event):
    """So `timeout` sends them."""
    env = twice(here, event, 0, signal.SIGTERM)
    done = simdocs(command, "docs", "-j1", "-o", output, cwd=here, env=env)
    assert done == (-signal.SIGTERM, b"", "")
    assert listing(here) == ["docs"]


@pytest.mark.reliability("simdocs is killed for memory")
@pytest.mark.reliability("kill -9")
def test_killing_the_program_leaves_no_worker(here):
    """Neither those at work nor those that wait, which have nothing but their pipe to tell them."""
    lay(here, {f"docs/w{at}": b"%d word " % at * 100_000 for at in range(4)})  # a batch each, and so a worker
    record = "open('workers', 'a').write(open(f'/proc/{main}/task/{main}/children').read())\nos.kill(main, 9)"
    env = trap(here, record, "open", "docs/w3", in_worker=True)
    done = simdocs("dedupe", "docs", "-j4", "-o", "out", cwd=here, env=env)
    assert (done.status, done.err) == (-signal.SIGKILL, "")
    workers = pids(here / "workers")
    assert len(workers) == 4
    assert all(gone(pid) for pid in workers)


@pytest.mark.reliability("a worker crashes or is killed")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_worker_that_dies_is_one_line_and_status_2(here, number):
    """By itself, or ended by the system for want of memory or of time."""
    env = trap(here, f"os.kill(os.getpid(), {number})", "open", "docs/c.txt", in_worker=True)
    done = simdocs("dedupe", "docs", "-j2", "-o", "out", cwd=here, env=env)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    assert done.err.startswith("simdocs: error: a worker process was killed, perhaps because memory ran out")
    assert listing(here) == ["docs"]


@pytest.mark.reliability("no more processes")
def test_a_worker_that_cannot_be_started_is_one_line_and_status_2(here):
    lay(here, {f"docs/w{at}": b"%d word " % at * 100_000 for at in range(2)})  # a batch each, and so a worker
    env = trap(here, "raise OSError(11, 'Resource temporarily unavailable')", "os.fork", at=2)
    done = simdocs("dedupe", "docs", "-j2", "-o", "out", cwd=here, env=env)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    assert "Resource temporarily unavailable" in done.err
    assert "standard output" not in done.err
    assert listing(here) == ["docs"]


@pytest.mark.parametrize(("jobs", "batches"), [(1, 2), (2, 1), (2, 2)])
def test_one_job_or_a_single_batch_forks_nothing(here, jobs, batches):
    lay(here, {f"docs/w{at}": b"%d word " % at * 100_000 for at in range(1, batches)})
    env = trap(here, "open('workers', 'a').write('x')", "os.fork")
    assert simdocs("signature", "docs", "-o", "x.signatures", f"-j{jobs}", cwd=here, env=env).status == 0
    assert (here / "workers").exists() == (jobs == batches == 2)
