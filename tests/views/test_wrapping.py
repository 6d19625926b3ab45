"""Lines end between words, and a wrapped command still does what it did."""

from __future__ import annotations

import re
import subprocess
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.views.wrapping import COMMAND, END, flowed, unmarked, width_of, wrapped

WORDS = st.lists(st.text("ab-/é漢", min_size=1, max_size=9), min_size=1, max_size=20)


@given(WORDS, st.integers(1, 60))
def test_every_line_fits_or_is_one_word(words, columns):
    lines = wrapped(" ".join(words), columns).split("\n")
    assert [word for line in lines for word in line.split(" ")] == words
    for line in lines:
        assert width_of(line) <= columns or " " not in line
    for line, following in pairwise(lines):
        assert width_of(f"{line} {following.split(' ')[0]}") > columns  # no line ends too soon


PIECES = st.lists(st.text("ab-é漢  \t\n", max_size=12) | st.sampled_from(["\x1b[31;9m", "\x1b[0m"]), max_size=20)


@given(PIECES, st.integers(1, 30))
def test_pieces_flow_into_lines_that_fit_or_are_one_word(pieces, columns):
    """Only spaces change. Colours stay where they are between words, and take no columns."""
    lines = "".join(flowed(pieces, columns))
    assert "".join(lines.split()) == "".join("".join(pieces).split())
    for line in re.sub(r"\x1b[^m]*m", "", lines).split("\n"):
        assert width_of(line.expandtabs()) <= columns or len(line.split()) == 1
    kept = [line.split() for line in "".join(pieces).split("\n")]
    assert [word for line in lines.split("\n") for word in line.split()] == [word for line in kept for word in line]


def test_text_that_fits_flows_as_it_is():
    text = "  one [-two\tthree-]{+four+},  \n\n\x1b[2mfive\x1b[0m \n"
    assert "".join(flowed([text], 40)) == text
    assert (
        "".join(flowed(["one [-two", " ", "th", "ree-]", "{+four+}, five"], 12)) == "one [-two\nthree-]{+four+},\nfive"
    )


def test_numbers_stay_with_their_units_and_short_commands_are_not_divided():
    assert wrapped("that takes 3.56 KiB; 26 candidates", 17) == "that takes\n3.56 KiB;\n26 candidates"
    text = f"leave it out ({COMMAND}simdocs tune DOCS{END} looks for it)"
    assert wrapped(text, 36) == "leave it out (simdocs tune DOCS\nlooks for it)"
    assert wrapped(text, 34) == "leave it out (simdocs tune DOCS\nlooks for it)"
    assert wrapped(text, 27) == "leave it out (simdocs \\\ntune DOCS looks for it)"


@given(WORDS, st.integers(1, 60))
def test_indented_lines_fit_too(words, columns):
    lines = wrapped(" ".join(words), columns, "  ", "    ").split("\n")
    assert lines[0].startswith("  ")
    assert all(line.startswith("    ") for line in lines[1:])
    assert [word for line in lines for word in line.split()] == words


ARGUMENTS = st.lists(st.text("ab '\"$\\;|&<", min_size=1, max_size=12), min_size=1, max_size=8)


def test_wide_and_combining_characters_are_counted_as_terminals_do():
    assert (width_of("漢字"), width_of("e\u0301"), width_of("abc")) == (4, 1, 3)


@pytest.mark.parametrize("columns", [1, 10, 20, 40, 80, 200])
def test_a_wrapped_command_runs_as_before(columns):
    """Each line that goes on ends with a backslash; Python code may be cut at its spaces."""
    code = "import json,sys; [print(json.dumps(each)) for each in (sys.argv[1:], [1, 2])]"
    command = f"python3 -c '{code}' 'two  words' \"it's\" plain 'a'\"'\"'b c' | cat"
    text = wrapped(f"do this: {COMMAND}{command}{END}, or that ({COMMAND}simdocs help{END})", columns)
    shown = unmarked(text)
    assert "\\\n" in shown or columns >= 80
    begin, end = shown.index("python3"), shown.index("cat") + 3
    expected = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True)
    done = subprocess.run(["/bin/sh", "-c", shown[begin:end]], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (expected.stdout, b"")
    assert expected.stderr == b""
    # A command that is in brackets or before a comma stays with them.
    assert shown[end] == ","
    assert "(simdocs" in shown
    assert shown.endswith("help)")
