"""Usage errors: one line each, that says what is wrong, with what, and what to do."""

from __future__ import annotations

import json
import os
import unicodedata

import click
import pytest

from tests.cli.every import DECLARED, EVERY, OPENED, READING
from tests.cli.program import Done, simdocs
from tests.cli.traps import trap


def is_one_line(done: Done) -> bool:
    """Whether it failed as failures should: status 2, nothing but one harmless line on standard error."""
    line, end, rest = done.err.partition("\n")
    controls = [one for one in line if unicodedata.category(one)[0] == "C"]
    return (done.status, done.out, end, rest, controls) == (2, b"", "\n", "", []) and line.startswith(
        "simdocs: error: "
    )


HOSTILE = b"\x1b]52;c;aGk=\x07two\nlines\rback\xff\xfe" + "\u202etxt\x9b31m".encode()


@pytest.mark.parametrize(
    "before",
    [["dedupe"], ["dedupe", "--unit"], ["show"], [], ["dedupe", "docs", "-o"]],
    ids=lambda before: " ".join(before) or "command",
)
def test_values_named_in_an_error_are_harmless(here, before):
    value = HOSTILE + b"/gone" if before[-1:] in (["dedupe"], ["show"], ["-o"]) else HOSTILE
    assert is_one_line(simdocs(*before, value, cwd=here))


def test_an_output_named_in_an_error_is_harmless(here):
    path = b"docs/" + HOSTILE
    (here / "docs" / "c.txt").rename(here / os.fsdecode(path))
    done = simdocs("dedupe", "docs", "-o", path, cwd=here)
    assert is_one_line(done)
    assert "would be overwritten" in done.err


@pytest.mark.reliability("an unexpected error of simdocs")
def test_every_command_has_a_sample_line():
    """Other tests run these lines on broken streams, in any environment, and under signals."""
    assert {line.partition(" ")[0] for line in EVERY} == {*DECLARED} - {"help", "spark"}


@pytest.mark.parametrize("command", EVERY)
def test_an_unexpected_error_is_one_line_in_every_command(built, command):
    """One line, and how to see more."""
    env = trap(built, "raise RuntimeError('what is this?')", "open", OPENED[command])
    words = [*EVERY[command], *(["-j1"] if command in READING else [])]
    line = "simdocs: error: RuntimeError: what is this? (unexpected: --debug shows where)\n"
    assert simdocs(*words, cwd=built, env=env) == (2, b"", line)
    if command == "dedupe":
        debug = simdocs(*words, "--debug", cwd=built, env=env)
        assert (debug.status, debug.out, debug.err[:9], debug.err.endswith(line)) == (2, b"", "Traceback", True)
        assert simdocs(*words, cwd=built, env=env | {"SIMDOCS_DEBUG": "1"}) == debug


@pytest.mark.parametrize("command", sorted(set(DECLARED) - {"check", "help", "spark"}))
def test_an_option_with_one_value_that_is_given_twice_is_an_error(tmp_path, command):
    declared = DECLARED[command].params
    valued = {
        each.opts[0]: each for each in declared if isinstance(each, click.Option) and not (each.is_flag or each.hidden)
    }
    arguments = ["x" for each in declared if isinstance(each, click.Argument)]
    twice = [word for name in valued for word in (name, "1", name, "2")]
    done = simdocs(command, *arguments, *twice, cwd=tmp_path)
    assert is_one_line(done)
    assert valued
    for name, option in valued.items():
        assert (f"{option.declared.flag} is given more than once" in done.err) == (not option.multiple), name


def test_a_random_seed_is_drawn_anew_and_is_in_the_summary(here):
    seeds = set()
    for _ in range(2):
        assert simdocs("dedupe", "docs", "--seed", "random", "--summary-json", "note", cwd=here).status == 0
        seeds.add(json.loads((here / "note").read_bytes())["parameters"]["shingling"]["seed"])
    assert len(seeds) == 2
    assert all(0 <= seed < 1 << 32 for seed in seeds)
