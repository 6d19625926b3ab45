"""Exit statuses, as the table has them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.corpus import A, lay
from tests.cli.program import bound_by_modes, environment, in_shell, simdocs


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
