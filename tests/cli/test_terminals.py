"""What people at a terminal see, and pipes do not."""

from __future__ import annotations

import re
import signal

import pytest

from tests.cli.corpus import A1, A, jaccard, lay
from tests.cli.every import EVERY
from tests.cli.program import environment, simdocs
from tests.cli.terminal import on_terminal
from tests.cli.traps import trap


def plain(out: bytes) -> str:
    return re.sub(rb"\x1b\[[0-9;]*m", b"", out).decode()


def test_a_table_by_default(here):
    done = on_terminal("dedupe", "docs", cwd=here)
    assert (done.status, done.err) == (0, "")
    for word in ("docs/a.txt", "docs/b.txt", jaccard(A, A1), "estimate"):
        assert word in plain(done.out)
    assert "kept" in plain(done.out)


def test_a_file_is_not_a_terminal(here, answer):
    done = on_terminal("dedupe", "docs", "-o", "x", which=["stdout", "stderr"], cwd=here)
    assert (done.status, done.out) == (0, b"")
    assert (here / "x").read_bytes() == answer


def test_nothing_found_shows_nothing(here):
    assert on_terminal("dedupe", "docs/a.txt", cwd=here)[:2] == (0, b"")


@pytest.mark.parametrize(
    ("variables", "option", "colored"),
    [
        ({}, "auto", True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "auto", False),
        ({"TERM": "xterm", "NO_COLOR": ""}, "auto", True),
        ({"TERM": "dumb"}, "auto", False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, "auto", True),
        ({"TERM": "xterm", "FORCE_COLOR": "1"}, "never", False),
        ({"TERM": "dumb"}, "always", True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "always", True),
    ],
)
def test_colors(here, variables, option, colored):
    done = on_terminal("dedupe", "docs", "--color", option, cwd=here, env=environment(**variables))
    assert (b"\x1b[" in done.out) == colored
    assert "docs/b.txt" in plain(done.out)


@pytest.mark.parametrize("columns", [30, 79])
def test_no_line_is_wider_than_the_terminal(here, columns):
    lay(here, {"docs/" + "long name " * 12: A})
    done = on_terminal("dedupe", "docs", "--color", "never", columns=columns, cwd=here)
    assert max(map(len, plain(done.out).split("\n"))) <= columns
    squeezed = re.sub(r"\s", "", plain(done.out))
    assert squeezed.count("longname") == 12
    assert jaccard(A, A1) in squeezed


def test_a_summary_on_standard_error(here, answer):
    done = on_terminal("dedupe", "docs", which=["stderr"], cwd=here)
    assert done.out == answer
    assert "3 documents" in done.err
    assert "1 duplicate of 1 document" in done.err
    assert "\x1b" not in done.err


def test_progress_of_a_run_that_takes_its_time(here, answer):
    env = trap(here, "time.sleep(0.5)", "open", "docs/a.txt") | {"TERM": "xterm"}
    done = on_terminal("dedupe", "docs", "-j1", which=["stderr"], cwd=here, env=env)
    assert (done.status, done.out) == (0, answer)
    assert "\rreading: " in done.err
    *_, bar, summary = done.err.split("\r")
    assert bar.strip() == ""
    assert summary.startswith("3 documents")
    quiet = on_terminal("dedupe", "docs", "-j1", "-q", which=["stderr"], cwd=here, env=env)
    assert quiet == (0, answer, "")


@pytest.mark.parametrize("command", ["shingle", "index", "query", "dedupe"])
def test_progress_that_is_interrupted(shelved, command):
    """The bar is taken away, and the cursor is where it was, and can be seen."""
    for name in ("f", "g"):
        lay(shelved, {f"{where}/{name}": A * 2500 for where in ("docs", "more")})  # a batch each
    env = trap(shelved, "time.sleep(0.5)", "open", "/f'") | {"TERM": "xterm"}
    with (shelved / "trap/sitecustomize.py").open("a") as hooks:
        hooks.write(INTERRUPTED)
    done = on_terminal(*EVERY[command], "-j1", which=["stderr"], cwd=shelved, env=env)
    assert (done.status, done.out) == (-signal.SIGINT, b"")
    *_, bar, blank, after = done.err.split("\r")
    assert "%" in bar
    assert (blank.strip(), after) == ("", "")
    assert "\x1b" not in done.err


INTERRUPTED = """
def interrupt(event, arguments):
    if event == "open" and "/g'" in repr(arguments):
        os.kill(main, 2)

sys.addaudithook(interrupt)
"""


def test_q_is_quiet_there_too(here):
    done = on_terminal("dedupe", "docs", "-q", which=["stderr"], cwd=here)
    assert (done.status, done.err) == (0, "")


def test_a_hint_where_somebody_must_type(here):
    lay(here, {"copy": b"what somebody types\n"})
    typed = b"What somebody types\n\x04"
    done = on_terminal("dedupe", "copy", "-", which=["stdin"], typed=typed, cwd=here)
    assert (done.status, done.names) == (0, [("copy", "-")])
    assert done.err == "simdocs: reading standard input: type, then Ctrl-D\n"
    quiet = on_terminal("dedupe", "copy", "-", "-q", which=["stdin"], typed=typed, cwd=here)
    assert quiet == (0, done.out, "")


WAITING = {
    "index": ["index", "-", "-o", "new.index"],
    "query": ["query", "x.index", "-"],
    "a list": ["dedupe", "--files-from", "-"],
    "shingle --show": ["shingle", "--show", "-"],
}


@pytest.mark.parametrize("command", WAITING)
def test_a_hint_in_every_command(shelved, command):
    typed = b"docs/a.txt\n\x04"
    done = on_terminal(*WAITING[command], which=["stdin"], typed=typed, cwd=shelved)
    assert (done.status, done.err) == (0, "simdocs: reading standard input: type, then Ctrl-D\n")
    quiet = on_terminal(*WAITING[command], "-q", which=["stdin"], typed=typed, cwd=shelved)
    assert quiet == (0, done.out, "")


def test_no_hint_where_nobody_is_asked(here):
    assert on_terminal("dedupe", "docs", which=["stdin"], cwd=here).err == ""
    assert simdocs("dedupe", "docs", "-", stdin=A, cwd=here).err == ""


def test_help_on_a_narrow_terminal():
    done = on_terminal("dedupe", "--help", columns=60)
    assert done.status == 0
    assert "\x1b" not in done.out.decode()
