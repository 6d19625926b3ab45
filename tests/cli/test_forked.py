"""What the server forks does what the console script does; and what goes wrong in it is one test's failure."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from functools import partial

import pytest

from tests.cli import forked
from tests.cli.program import anew, finished, running, simdocs, started
from tests.cli.stand_in import stand_in
from tests.cli.traps import prelude, trap

pytestmark = pytest.mark.skipif(not forked.FORKS, reason="processes are forked on Linux only")

COMMANDS = {
    "a wrong option": ["dedupe", "docs", "--no-such-option"],
    "groups, explained": ["dedupe", "docs", "-v", "-j1"],
    "a status": ["dedupe", "docs", "--exit-code", "-j2"],
    "a text on standard input": ["show", "-", "-k", "40"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_forked_program_answers_as_one_that_is_started(here, command):
    done = [way(*COMMANDS[command], cwd=here, stdin=b"A text.\r\n" * 9) for way in (simdocs, anew)]
    statuses, outputs, errors = zip(*done, strict=True)
    assert (statuses[0], outputs[0]) == (statuses[1], outputs[1])
    assert re.sub(r"in [\d.]+ s", "", errors[0]) == re.sub(r"in [\d.]+ s", "", errors[1])


FACTS = """
import atexit, gc, os, resource, signal, sys, threading, warnings

def tell():
    streams = [
        (each.fileno(), each.encoding, each.errors, each.newlines, each.line_buffering, each.write_through)
        for each in (sys.stdin, sys.stdout, sys.stderr)
    ]
    set_by_program = ("ARROW_DEFAULT_MEMORY_POOL", "OPENBLAS_NUM_THREADS")
    facts = {
        "signals": [getattr(signal.getsignal(number), "__name__", signal.getsignal(number)) for number in range(1, 32)],
        "blocked": signal.pthread_sigmask(signal.SIG_BLOCK, []),
        "streams": streams,
        "descriptors": sorted(os.listdir("/proc/self/fd")),
        "directory": os.getcwd(),
        "variables": {name: os.environ[name] for name in sorted(os.environ) if name not in set_by_program},
        "mask": os.umask(0),
        "arguments": sys.argv,
        "session": (os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid()),
        "flags": sys.flags,
        "warnings": warnings.filters[-5:],
        "encoding": (sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()),
        "gc": (gc.isenabled(), gc.get_threshold()),
        "threads": threading.active_count(),
        "limits": [resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")],
        "depth": sys.getrecursionlimit(),
        "tracing": (sys.gettrace(), sys.getprofile()),
    }
    open("facts", "w").write("\\n".join(f"{name}: {fact}" for name, fact in facts.items()))

atexit.register(tell)
"""


def test_a_forked_process_is_as_one_that_is_started(here):
    """Signals, streams, descriptors, variables, umask, session, flags, warnings: as they are when it ends."""
    env = prelude(here, FACTS) | {"HOME": "/nowhere", "COLUMNS": "40", "PYTHONIOENCODING": "utf-8:strict"}
    del env["PYTHONDONTWRITEBYTECODE"]  # which the interpreter tells among its flags
    told = []
    for way in (partial(simdocs, served=True), anew):
        assert way("dedupe", "docs", "-j1", "-o", "öut", cwd=here, env=env).status == 0
        told.append((here / "facts").read_text())
        (here / "facts").unlink()
    assert told[0].splitlines() == told[1].splitlines()


def test_a_process_that_hangs_is_killed_and_others_run_meanwhile(here):
    env = trap(here, "open('reached', 'w').close()\ntime.sleep(600)", "open", "docs/a.txt")
    with running("dedupe", "docs", "-j1", cwd=here, env=env) as process:
        assert simdocs("dedupe", "docs", cwd=here).status == 0
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=0.1)
        assert process.poll() is None
    assert process.returncode == -signal.SIGKILL


def in_sh(script, *arguments, program, **how):
    """Run a line of shell, in which $0 is this program."""
    with started(["/bin/sh", "-c", script, program, *arguments], **how) as process:
        return finished(process)


def test_the_stand_in_ends_by_a_signal_and_is_the_console_script_in_another_locale(here):
    env = trap(here, "os.kill(main, 15)", "open", "docs/a.txt")
    assert in_sh('"$0" dedupe docs -j1; echo $?', cwd=here, env=env, program=stand_in()).out == b"143\n"
    told = "import os, sys; open('told', 'w').write(f'{sys.flags.hash_randomization} {sys.orig_argv[-1]}')"
    for locale in ("C", "C.UTF-8"):
        env = prelude(here / "docs", told) | {"LC_ALL": locale}
        assert in_sh('"$0" --version', cwd=here, env=env, program=stand_in()).status == 0
        shutil.rmtree(here / "docs/trap")
        assert (here / "told").read_text().endswith("--version") == (locale == "C")
