"""What people at a terminal see, and pipes do not."""

from __future__ import annotations

import re
import signal

import pytest

from tests.cli.corpus import A, lay
from tests.cli.every import EVERY
from tests.cli.program import environment, simdocs
from tests.cli.terminal import on_terminal
from tests.cli.traps import trap


def plain(out: bytes) -> str:
    return re.sub(rb"\x1b\[[0-9;]*m", b"", out).decode()


@pytest.mark.parametrize(
    ("variables", "colored"),
    [
        ({}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colors_follow_the_environment(here, variables, colored):
    done = on_terminal("dedupe", "docs", cwd=here, env=environment(**variables))
    assert (b"\x1b[" in done.out) == colored
    assert "docs/b.txt" in plain(done.out)


def test_only_standard_output_has_colors_that_are_forced(here):
    env = environment(FORCE_COLOR="1")
    for form, colored in (("table", True), ("tsv", False)):
        assert (b"\x1b[" in simdocs("dedupe", "docs", "--format", form, cwd=here, env=env).out) == colored
    assert simdocs("dedupe", "docs", "--format", "table", "-o", "x", cwd=here, env=env).status == 0
    assert b"\x1b" not in (here / "x").read_bytes()


def test_a_slow_run_shows_its_progress(here, answer):
    env = trap(here, "time.sleep(0.5)", "open", "docs/a.txt") | {"TERM": "xterm"}
    done = on_terminal("dedupe", "docs", "-j1", which=["stderr"], cwd=here, env=env)
    assert (done.status, done.out) == (0, answer)
    assert "\rreading: " in done.err
    *_, bar, summary = done.err.split("\r")
    assert bar.strip() == ""
    assert summary.startswith("3 documents")
    quiet = on_terminal("dedupe", "docs", "-j1", "-q", which=["stderr"], cwd=here, env=env)
    assert quiet == (0, answer, "")


@pytest.mark.parametrize(("command", "columns"), [("index", 40), ("query", 60)])
def test_a_narrow_terminal_shows_the_whole_bar(built, command, columns):
    """What is done, how far, and of how much: nothing is cut off."""
    lay(built, {f"{where}/{name}": A * 2500 for where in ("docs", "more") for name in ("f", "g")})
    env = trap(built, "time.sleep(0.5)", "open", "/f'") | {"TERM": "xterm"}
    done = on_terminal(*EVERY[command], "-j1", which=["stderr"], columns=columns, cwd=built, env=env)
    assert done.status == 0
    drawn = [bar.rstrip() for bar in done.err.split("\n")[0].split("\r") if "%" in bar]
    assert drawn
    for bar in drawn:
        assert len(bar) < columns
        assert re.fullmatch(r"[a-z ]+: +\d+%\|.{5,}\| [\d.]+[kMG]?/[\d.]+[kMG]?", bar), bar


@pytest.mark.reliability("a terminal as standard input")
@pytest.mark.parametrize("words", ["query x.index -", "dedupe --files-from -", "dedupe --files0-from -", "show -"])
def test_every_command_hints_that_it_reads_the_terminal(built, words):
    typed = b"docs\0\x04\x04" if "files0" in words else b"docs\n\x04"
    done = on_terminal(*words.split(), which=["stdin"], typed=typed, cwd=built)
    assert (done.status, done.err) == (0, "simdocs: reading standard input: type, then Ctrl-D\n")
    quiet = on_terminal(*words.split(), "-q", which=["stdin"], typed=typed, cwd=built)
    assert quiet == (0, done.out, "")


def test_a_pipe_as_standard_input_brings_no_hint(here):
    assert on_terminal("dedupe", "docs", which=["stdin"], cwd=here).err == ""
    assert simdocs("dedupe", "docs", "-", stdin=A, cwd=here).err == ""


def test_a_binary_format_is_refused_at_a_terminal_before_any_work(here):
    done = on_terminal("dedupe", "missing", "--format", "parquet", cwd=here)
    told = " ".join(done.out.decode().split()) + " ".join(done.err.split())
    assert done.status == 2
    assert "--format parquet is not for a terminal: use -o NAME.parquet, or redirect the output" in told


def screen_of(written: bytes, columns: int) -> list[str]:
    """The rows that a terminal of this width shows after these bytes. A line that is full goes on in the next row."""
    rows, row, column = [[" "] * columns], 0, 0
    for character in written.decode():
        if character == "\r":
            column = 0
        elif character == "\n":
            row, column = row + 1, 0
        else:
            if column == columns:
                row, column = row + 1, 0
            while row >= len(rows):
                rows.append([" "] * columns)
            rows[row][column] = character
            column += 1
        while row >= len(rows):
            rows.append([" "] * columns)
    return ["".join(cells).rstrip() for cells in rows]


@pytest.mark.reliability("ctrl-C at a progress bar")
@pytest.mark.parametrize(("command", "columns"), [("dedupe", 30), ("index", 200)])
def test_the_bar_is_gone_although_the_terminal_echoes_the_interrupt(built, command, columns):
    """Ctrl-C is typed at the terminal, which shows ^C after the bar."""
    for name in ("f", "g"):
        lay(built, {f"docs/{name}": A * 2500})  # a batch each
    env = trap(built, "time.sleep(0.5)", "open", "/f'") | {"TERM": "xterm"}
    with (built / "trap/sitecustomize.py").open("a") as hooks:
        hooks.write(ECHOED)
    done = on_terminal(*EVERY[command], "-j1", which=["stderr"], columns=columns, cwd=built, env=env)
    assert (done.status, done.out) == (-signal.SIGINT, b"")
    assert "%" in done.err
    assert "^C" in done.err
    assert "\x1b" not in done.err
    left = "nothing was written" if command == "index" else "the answer is incomplete"
    said = "".join(screen_of(done.err.encode(), columns))
    assert said.replace(" ", "") == f"simdocs:interrupted:{left}".replace(" ", "")


ECHOED = """
def interrupt(event, arguments):
    if event == "open" and "/g'" in repr(arguments):
        os.write(2, b"^C")
        os.kill(main, 2)

sys.addaudithook(interrupt)
"""


def test_a_table_that_is_laid_out_is_announced_and_its_announcement_cleared(here):
    env = trap(here, "time.sleep(0.5)", "open", "docs/a.txt") | {"TERM": "xterm"}
    done = on_terminal("dedupe", "docs", "-j1", which=["stdout", "stderr"], columns=80, cwd=here, env=env)
    assert done.status == 0
    assert "drawing ..." in done.err
    assert [row for row in screen_of(done.err.encode(), 80) if "drawing" in row or "%|" in row] == []
