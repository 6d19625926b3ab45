"""Exit statuses, as the table has them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.corpus import A1, A, jaccard, lay
from tests.cli.program import bound_by_modes, environment, in_shell, simdocs


def test_status_is_0_if_duplicates_are_found(here):
    done = simdocs("dedupe", "docs", cwd=here)
    assert (done.status, done.err) == (0, "")
    assert done.rows[0][:3] == [b"docs/a.txt", b"docs/b.txt", jaccard(A, A1).encode()]
    assert len(done.rows) == 1


def test_status_is_0_without_any_documents(tmp_path):
    assert simdocs("dedupe", tmp_path, "-q") == (0, b"", "")
    assert simdocs("dedupe", tmp_path, "-q", "--exit-code", "-j2") == (0, b"", "")


@pytest.mark.parametrize("what", ["dedupe", "pairs", "passages", "dedupe --list kept -o x"])
def test_exit_code_makes_status_1_if_something_is_found(here, what):
    assert simdocs(*what.split(), "docs", "--exit-code", cwd=here).status == 1
    assert simdocs(*what.split(), "docs/b.txt", "docs/c.txt", "--exit-code", cwd=here).status == 0


@pytest.mark.reliability("a removed working directory")
def test_a_removed_working_directory_matters_only_if_it_is_needed(here):
    """Names from the root do without one, but it is where an answer would go."""
    docs, script = str(here / "docs"), 'mkdir gone; cd gone; rmdir ../gone; simdocs "$@"'
    done = in_shell(script, "dedupe", docs, "-o", "x", cwd=here)
    why = "the working directory no longer exists: change to one that does"
    assert done == (2, b"", f"simdocs: error: {why}\n")
    assert in_shell(script, "dedupe", docs, "--list", "duplicates", cwd=here) == (0, f"{docs}/b.txt\n".encode(), "")
    assert os.listdir(here) == ["docs"]


@pytest.mark.reliability("a device or socket as an argument")
def test_a_device_as_a_document_is_status_2():
    done = simdocs("dedupe", "/dev/zero")
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    assert "/dev/zero" in done.err


@pytest.mark.reliability("a file without read permission")
@pytest.mark.reliability("a directory without read permission")
@pytest.mark.parametrize("name", ["d.txt", "below"])
def test_an_unreadable_file_or_directory_is_status_3(here, name):
    lay(here, {"docs/d.txt": A, "docs/below/e.txt": A})
    os.chmod(here / "docs" / name, 0)
    done = simdocs("dedupe", "docs", cwd=here, before=bound_by_modes)
    os.chmod(here / "docs" / name, 0o700)
    assert done.status == 3
    assert ("docs/a.txt", "docs/b.txt") in done.names
    assert done.err == f"simdocs: docs/{name}: skipped: cannot be read (Permission denied)\n"


@pytest.mark.reliability("a file without read permission")
@pytest.mark.reliability("a directory without read permission")
@pytest.mark.parametrize("name", ["docs", "docs/a.txt"])
def test_an_unreadable_argument_is_status_3(here, name):
    os.chmod(here / name, 0)
    lay(here, {"x": A, "y": A})
    done = simdocs("dedupe", "x", name, "y", cwd=here, before=bound_by_modes)
    os.chmod(here / name, 0o700)
    assert (done.status, done.names) == (3, [("x", "y")])
    assert done.err == f"simdocs: {name}: skipped: cannot be read (Permission denied)\n"


def test_a_file_larger_than_max_size_is_status_3(here):
    size = str(len(A))
    done = simdocs("dedupe", "docs", "--max-size", size, "--include", "[ab].txt", cwd=here)
    assert (done.status, done.out) == (3, b"")
    assert done.err == f"simdocs: docs/b.txt: skipped: larger than --max-size ({len(A1)} bytes)\n"


def test_status_3_comes_before_status_1(here):
    done = simdocs("dedupe", "docs", "--exit-code", "--max-size", str(len(A1)), cwd=lay(here, {"docs/z": A * 2}))
    assert (done.status, len(done.rows)) == (3, 1)


def test_strict_publishes_nothing(here):
    lay(here, {"docs/z": A * 2, "old": b"old"})
    strict = ("docs", "--max-size", str(len(A1)), "--strict", "--exit-code")
    done = simdocs("dedupe", *strict, cwd=here)
    assert (done.status, done.out) == (2, b"")
    skip, error = done.err.splitlines()
    assert skip.startswith("simdocs: docs/z: skipped: larger than --max-size")
    assert error.startswith("simdocs: error: --strict: ")
    assert simdocs("pairs", *strict, cwd=here)[:2] == (2, b"")
    done = simdocs("dedupe", *strict, "-o", "old", "--summary-json", "sum", "-q", cwd=here)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    assert (here / "old").read_bytes() == b"old"
    assert sorted(os.listdir(here)) == ["docs", "old"]


def test_the_module_runs_as_the_program(here, answer):
    done = subprocess.run(
        [sys.executable, "-m", "simdocs", "dedupe", "docs", "--exit-code"],
        cwd=here,
        capture_output=True,
        check=False,
        env=environment(),
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout == answer


def test_what_waits_for_the_end_of_the_interpreter_is_called(here):
    """What was registered, and a profiler. Nothing else is done: no object is freed, which would be printed last."""
    watched = [sys.executable, "-m", "cProfile", "-o", "figures", "-m", "simdocs", "dedupe", "docs", "--exit-code"]
    said = ["import atexit, sys", "from simdocs.__main__ import console", "atexit.register(print, 'the end')"]
    held = ["class Held:", "    __del__ = lambda self: print('freed')", "held = Held()"]
    lines = [*said, *held, "sys.argv[1:] = ['dedupe', 'docs', '--exit-code']", "console()"]
    registered = [sys.executable, "-c", "\n".join(lines)]
    for command, status, end in (watched, 0, b""), (registered, 1, b"the end\n"):  # the profiler exits with 0
        done = subprocess.run(command, cwd=here, capture_output=True, check=False, env=environment())
        assert (done.returncode, done.stderr, done.stdout.endswith(end)) == (status, b"", True)
        assert done.stdout.startswith(b"docs/")
    assert (here / "figures").stat().st_size
