"""examples/Makefile makes its targets, remakes those that are out of date, and continues after an interruption."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import PATIENCE, PROGRAM, bound_by_modes, environment, finished, started
from tests.cli.stand_in import stand_in
from tests.cli.traps import trap

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="no make")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/Makefile"
ALL = ["shingle", "signature", "index", "dedupe", "query"]
MADE = ["corpus.index", "corpus.shingles", "corpus.signatures", "duplicates.tsv", "matches.tsv"]
ORDERED = [*(f"corpus.{kind}" for kind in ("shingles", "signatures", "index")), "duplicates.tsv", "matches.tsv"]
NOTES = ["corpus.seen", "new.seen", *(f"{stage}.options" for stage in ALL)]

DUPLICATES = b"the texts/a.txt\tthe texts/b with space.txt"


class Made(NamedTuple):
    """The exit status of make, the stages that it ran, and its standard error."""

    status: int
    ran: list[str]
    err: str


def command(*arguments: str, program: str = PROGRAM) -> list[str]:
    return ["make", f"SIMDOCS={program}", "CORPUS=the texts", "NEW=it's new", *arguments]


def make(there: Path, *arguments: str, **process_options: Any) -> Made:
    """Run make. The stages run in a stand-in for the program if the environment is the usual one."""
    before = process_options.get("before")
    alike = before in (None, bound_by_modes) and not process_options.keys() - {"before"}
    program = stand_in(bound=before is not None) if alike else PROGRAM
    with started(command(*arguments, program=program), cwd=there, **process_options) as process:
        done = finished(process)
    return Made(done.status, re.findall(rf"^{re.escape(program)} (\w+) ", done.out.decode(), re.MULTILINE), done.err)


@pytest.fixture
def there(tmp_path: Path) -> Path:
    shutil.copy(EXAMPLE, tmp_path)
    texts = {"a.txt": A, "b with space.txt": A1, "c\nd.txt": B}
    lay(tmp_path / "the texts", texts)
    return lay(tmp_path, {"it's new/x y.txt": A2})


def test_make_runs_every_stage_once_and_then_nothing(there):
    assert make(there) == (0, ALL, "")
    assert sorted(os.listdir(there / "build")) == sorted([*MADE, *NOTES])
    assert (there / "build/duplicates.tsv").read_bytes().startswith(DUPLICATES)
    assert (there / "build/matches.tsv").read_bytes().startswith(b"it's new/x y.txt\tthe texts/a.txt\t")

    assert make(there) == (0, [], "")
    with started(command("-n"), cwd=there) as process:
        assert finished(process) == (0, b"make: Nothing to be done for 'all'.\n", "")

    made = make(there, "-j2", "OUT=other")
    assert (made.status, sorted(made.ran), made.err) == (0, sorted(ALL), "")
    for answer in MADE[3:]:
        assert (there / "other" / answer).read_bytes() == (there / "build" / answer).read_bytes()

    assert make(there, "clean").status == 0
    assert os.listdir(there / "build") == []
    assert (there / "the texts/a.txt").read_bytes() == A


def test_a_changed_document_makes_the_right_stages_run_again(there):
    texts, new = there / "the texts", there / "it's new"
    assert make(there).ran == ALL

    def replaced() -> None:
        """Replace a text by a file of the same size and time."""
        times = (texts / "a.txt").stat().st_mtime_ns
        (texts / "other").write_bytes(A[::-1])
        os.utime(texts / "other", ns=(times, times))
        (texts / "other").rename(texts / "a.txt")

    changes: list[tuple[Callable[[], object], list[str]]] = [
        ((texts / "b with space.txt").touch, ALL),
        (lambda: lay(texts, {"deep/er/f.txt": B}), ALL),
        ((texts / "deep/er/f.txt").unlink, ALL),
        (replaced, ALL),
        (lambda: lay(texts, {".hidden/f": B, ".f": B}), []),
        ((new / "x y.txt").touch, ["query"]),
    ]
    for change, stages in changes:
        change()
        assert make(there, "-n") == (0, stages, "")
        for name in ORDERED:  # making the targets look up to date is faster than making them
            os.utime(there / "build" / name)
        assert make(there, "-n") == (0, [], "")


def test_a_changed_variable_makes_the_right_stages_run_again(there):
    lay(there, {"newer/a": A})
    settings: list[tuple[list[str], list[str]]] = [
        ([], ALL),
        (["NEW=newer"], ["query"]),
        (["NEW=newer", "query=--top 1", "dedupe=--keep longest"], ["dedupe", "query"]),
        (["NEW=newer", "query=--top 1", "dedupe=--keep longest", "index=-t 0.9"], ["index", "dedupe", "query"]),
        (["NEW=", "query=--top 1", "dedupe=--keep longest", "index=-t 0.9"], []),
    ]
    for arguments, stages in settings:
        assert make(there, *arguments) == (0, stages, "")
        assert make(there, *arguments, "-n") == (0, [], "")


def test_an_interrupted_make_continues_where_it_stopped(there):
    env = trap(there, "open('reached', 'w').close()\ntime.sleep(600)", "open", "tokens.npy")
    with started(command(), cwd=there, env=env) as process:
        deadline = time.monotonic() + PATIENCE
        while not (there / "reached").exists():
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert finished(process).status != 0
    assert [name for name in MADE if (there / "build" / name).exists()] == []
    assert make(there) == (0, ALL, "")
    assert sorted(os.listdir(there / "build")) == sorted([*MADE, *NOTES])
    assert make(there) == (0, [], "")


def test_make_stops_at_unreadable_documents(there):
    """Every make stops at the document, and older targets stay, until it is excluded or can be read."""
    assert make(there).ran == ALL
    closed = there / "the texts/closed.txt"
    closed.write_bytes(B)
    closed.chmod(0)
    for _ in range(2):
        made = make(there, before=bound_by_modes)
        assert (made.status, made.ran) == (2, ["shingle"])
        assert "closed.txt" in made.err
        assert (there / "build/duplicates.tsv").read_bytes().startswith(DUPLICATES)
    assert make(there, "-n").ran == ALL
    assert sorted(os.listdir(there / "build")) == sorted([*MADE, *NOTES])
    some = ["build/corpus.shingles", "shingle=--exclude closed.txt"]
    assert make(there, *some, before=bound_by_modes) == (0, ["shingle"], "")
    assert make(there, *some, before=bound_by_modes) == (0, [], "")
    closed.chmod(0o644)
    assert make(there, *some, before=bound_by_modes) == (0, ["shingle"], "")


@pytest.mark.reliability("cron")
def test_make_works_as_cron_runs_it(there):
    """The environment holds only PATH."""
    env = {name: value for name, value in environment().items() if name == "PATH"}
    assert make(there, "build/corpus.shingles", env=env, before=lambda: os.umask(0o077)) == (0, ["shingle"], "")
    assert {path.stat().st_mode & 0o077 for path in (there / "build").iterdir()} == {0}
