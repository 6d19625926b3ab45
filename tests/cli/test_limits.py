"""Too little memory, too few files or processes: one line that says so, status 2, and what was there before stays."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.corpus import A, lay
from tests.cli.every import EVERY, READING
from tests.cli.program import Done, environment, simdocs
from tests.cli.traps import trap, with_workers

MIB = 1 << 20
MADE = ["docs", "more", "x.answer", "x.answer.journal.jsonl", "x.index", "x.shingles", "x.signatures"]

NO_MEMORY = "simdocs: error: not enough memory: -j 1 needs least, and --max-size leaves large documents out\n"


def at_most(what: int, limit: int) -> Callable[[], None]:
    """Before the program starts: no more of this than so much."""
    return lambda: resource.setrlimit(what, (limit, limit))


def listing(where: Path) -> list[str]:
    return sorted(name for name in os.listdir(where) if name != "trap")


@pytest.mark.reliability("too little memory to start")
@pytest.mark.parametrize(("command", "mebibytes"), [("index", 90), ("dedupe", 60), ("check", 120)])
def test_too_little_memory_to_start_is_one_line_and_status_2(built, command, mebibytes):
    """Where NumPy would end the program by itself, or give twenty lines of advice."""
    before = listing(built)
    done = simdocs(*EVERY[command], cwd=built, before=at_most(resource.RLIMIT_AS, mebibytes * MIB))
    assert done == (2, b"", NO_MEMORY)
    assert listing(built) == before


@pytest.mark.reliability("too little memory for Python")
@pytest.mark.parametrize("mebibytes", [16, 48, *slow(20, 24, 32)])
def test_too_little_memory_for_the_interpreter_is_never_another_status(here, mebibytes):
    """Which may say so in its own way, but never with a status that means something else."""
    done = simdocs("dedupe", "docs", "--exit-code", cwd=here, before=at_most(resource.RLIMIT_AS, mebibytes * MIB))
    assert done.out == b""
    if "simdocs: error" in done.err:
        assert (done.status, len(done.err.splitlines())) == (2, 1)
        assert done.err.startswith("simdocs: error: not enough memory")
    else:
        assert done.status != 0
        assert mebibytes < 24


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents that take memory, in files and in lines; and what is made of them."""
    root = tmp_path_factory.mktemp("large")
    text = b"".join(b"%d bottles of beer on the wall " % at for at in range(60_000))
    line = json.dumps({"text": text[:MIB].decode()}).encode()
    lay(root, {"docs/a": text, "docs/b": text + b"and one more", "docs/c": A, "docs/d.jsonl": b"\n".join([line] * 4)})
    for command, target in (("shingle", "x.shingles"), ("index", "x.index")):
        assert simdocs(command, "docs", "-o", target, cwd=root).status == 0
    return root


HEAVY = {
    "index": ("index", "docs", "-o", "x.index"),
    "query": ("query", "x.index", "docs"),
    "dedupe": ("dedupe", "docs", "-o", "answer"),
    "dedupe of shingles": ("dedupe", "x.shingles", "-o", "answer"),
}


def ladder(large: Path, command: str, jobs: str, rungs: range) -> list[Done]:
    """What came of this command with so many mebibytes of address space each."""
    words = [*HEAVY[command], "-q", jobs]
    lay(large, {"answer": b"old"})
    before = {name: (large / name).stat().st_ino for name in os.listdir(large)}
    tried = []
    for mebibytes in rungs:
        done = simdocs(*words, cwd=large, before=at_most(resource.RLIMIT_AS, mebibytes * MIB))
        if done.status == 0:
            assert done.err == ""
            before = {name: (large / name).stat().st_ino for name in os.listdir(large)}
        else:
            assert done == (2, b"", NO_MEMORY), mebibytes
            assert {name: (large / name).stat().st_ino for name in os.listdir(large)} == before
        tried.append(done)
    return tried


@pytest.mark.reliability("memory runs out later")
@pytest.mark.parametrize(("command", "jobs"), [("dedupe", "-j2"), *slow(("index", "-j1"))])
def test_memory_that_runs_out_during_the_work_is_one_line_and_status_2(large, command, jobs):
    """In whichever process, and at whichever array."""
    tried = ladder(large, command, jobs, range(140, 231, 90))
    assert tried[0].status == 2


@pytest.mark.reliability("memory runs out later")
@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
@pytest.mark.parametrize("command", HEAVY)
def test_any_amount_of_memory_gives_the_answer_or_one_line(large, command, jobs):
    tried = ladder(large, command, jobs, range(140, 400, 12))
    assert tried[0].status == 2
    assert tried[-1].status == 0


@pytest.mark.reliability("20 open files")
@pytest.mark.parametrize("command", ["index", "dedupe"])
def test_twenty_open_files_are_enough_for_two_workers(built, command):
    """Twenty are enough for two workers, which a machine with more cores may have to be told."""
    words = [*EVERY[command], *(["-j2"] if command in READING else [])]
    done = simdocs(*words, cwd=built, env=with_workers(built), limits={resource.RLIMIT_NOFILE: (20, 20)})
    assert (done.status, done.err) == (0, "")


@pytest.mark.reliability("fewer open files")
@pytest.mark.parametrize(
    ("command", "files"),
    [
        *[("index", 8), ("dedupe", 11)],
        *slow(("index", 11), ("query", 8), ("query", 11), ("dedupe", 8), ("check", 8), ("check", 11)),
    ],
)
def test_too_few_open_files_are_never_called_damage(built, command, files):
    """Never a word of damage, when it is the files that are too many."""
    words = [*EVERY[command], *(["-j2"] if command in READING else [])]
    done = simdocs(*words, cwd=built, env=with_workers(built), before=at_most(resource.RLIMIT_NOFILE, files))
    if done.status:
        assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
        assert "too many open files" in done.err.lower() or "ImportError" in done.err
        assert listing(built) == MADE
    else:
        assert done.err == ""


@pytest.mark.reliability("a small stack")
@pytest.mark.parametrize("command", ["dedupe", *slow("index", "query", "check")])
def test_a_small_stack_is_enough(built, command):
    done = simdocs(*EVERY[command], cwd=built, before=at_most(resource.RLIMIT_STACK, 256 << 10))
    assert (done.status, done.err) == (0, "")


@pytest.mark.reliability("a quota or limit on file sizes")
@pytest.mark.parametrize("command", ["index", "query"])
def test_a_limit_on_file_size_keeps_the_old_output(built, command):
    """A full quota shows in the same way."""
    words = [*EVERY[command], *(() if "-o" in EVERY[command] else ("-o", "new.tsv", "--summary-json", "note"))]
    done = simdocs(*words, cwd=built, limits={resource.RLIMIT_FSIZE: (16, 16)})
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    assert done.err.endswith("write error: File too large\n")
    assert listing(built) == MADE


@pytest.mark.reliability("a limit on processor time")
def test_a_limit_on_processor_time_keeps_the_old_output(tmp_path):
    """The system's signal ends the program; what it leaves behind is swept by the next."""
    lay(tmp_path, {"docs/a": A, "old.index/x": b""})
    env = environment()
    loop = trap(tmp_path, "while True: pass", "open", "docs/a") | env
    (tmp_path / "out").write_bytes(b"old")
    limit = {resource.RLIMIT_CPU: (1, resource.RLIM_INFINITY)}
    done = simdocs("dedupe", "docs", "-j1", "-o", "out", cwd=tmp_path, env=loop, limits=limit)
    assert done == (-signal.SIGXCPU, b"", "")
    assert (tmp_path / "out").read_bytes() == b"old"
    assert simdocs("dedupe", "docs", "-o", "out", cwd=tmp_path).status == 0
    assert listing(tmp_path) == ["docs", "old.index", "out"]
