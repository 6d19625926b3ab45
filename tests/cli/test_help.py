"""Help: -h on one screen, --help with the own options of a command, --help-all with all, `simdocs help TOPIC`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from simdocs.cli.program import each_command
from simdocs.options.declaration import SHARED
from tests.asked import ASKED, OPTIONS
from tests.cli.program import environment, simdocs

COMMANDS = tuple(name for name, _ in each_command() if name != "help")
LINES, COLUMNS = 24, 80
"""A small terminal; the last line is for the next prompt."""


@cache
def help_of(*words: str, columns: int = 80) -> str:
    done = simdocs(*words, env=environment(COLUMNS=str(columns)))
    assert (done.status, done.err) == (0, "")
    return done.out.decode()


def spellings(text: str) -> list[str]:
    """The options that stand at the beginning of lines, below a heading, each by its first spelling."""
    _, _, listed = re.split(r"^(\w.*:)$", text, maxsplit=1, flags=re.MULTILINE)
    return re.findall(r"^  (-[\w-]+)", listed, re.MULTILINE)


def options_mentioned(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text))


@pytest.mark.parametrize("command", COMMANDS)
def test_short_help_has_what_the_command_does_usual_options_and_two_examples_on_one_screen(command):
    text, asked = help_of(*command.split(), "-h"), ASKED[command]
    assert len(text.splitlines()) < LINES
    assert max(map(len, text.splitlines())) <= COLUMNS
    assert text.splitlines()[2].startswith(dict(each_command())[command].get_short_help_str())
    assert spellings(text) == [asked.options[name].spellings[0] for name in asked.usual]
    assert (0 if command == "check" else 3) <= len(asked.usual) <= 10
    assert text.count("\n  simdocs ") + text.count(" | simdocs ") >= len(asked.examples[:2])
    assert f"simdocs {command} --help" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_full_help_has_the_own_options_and_a_line_for_each_shared_group(command):
    declared = ASKED[command].options.values()
    text, everything = help_of(*command.split(), "--help"), help_of(*command.split(), "--help-all")
    own = [option.spellings[0] for option in declared if not option.shared]
    assert spellings(text) == own
    assert sorted(spellings(everything)) == sorted(option.spellings[0] for option in declared)
    for group, about in SHARED.items():
        has_some = any(option.shared == group for option in declared)
        assert bool(re.search(rf"^  {group} +{about}$", text, re.MULTILINE)) == has_some
        assert (f"\n{group.capitalize()}: {about}:\n" in everything) == has_some


@pytest.mark.parametrize("group", SHARED)
def test_help_of_a_group_has_all_its_options(group):
    named = {option.spellings[0] for option in OPTIONS.values() if option.shared == group}
    assert {*spellings(help_of("help", group))} == named
    assert group != "run" or "List everything that was skipped" in help_of("help", group)  # as dedupe says it


@pytest.mark.parametrize("command", COMMANDS)
def test_help_mentions_only_options_of_the_command(command):
    """What is said of an option in one command must make sense in another."""
    of_command = {spelling for option in ASKED[command].options.values() for spelling in option.spellings}
    text = help_of(*command.split(), "--help-all").partition("Examples:\n")[0]
    assert options_mentioned(text) <= of_command
    for example in ASKED[command].examples:
        for part in re.split(r" && | \| ", example):
            if part.startswith(f"simdocs {command} "):
                assert options_mentioned(part) <= of_command, example


@pytest.mark.parametrize("command", COMMANDS)
def test_help_wraps_to_the_width_of_the_terminal(command):
    """All but the examples, which can be copied as they are."""
    for line in help_of(*command.split(), "--help-all", columns=60).splitlines():
        assert len(line) <= 60 or "simdocs " in line


def test_help_is_at_most_100_columns_wide():
    assert 90 < max(map(len, help_of("dedupe", "--help-all", columns=200).splitlines())) <= 100


@pytest.mark.parametrize("command", ["dedupe", "spark pairs", ""])
def test_the_command_help_shows_the_full_help_of_a_command_or_of_the_program(command):
    assert simdocs("help", *command.split()) == simdocs(*command.split(), "--help")


def test_help_guide_prints_the_guide(tmp_path):
    """From any directory, and in any locale."""
    page = Path(__file__).parents[2] / "docs" / "guide.md"
    done = simdocs("help", "guide", cwd=tmp_path, env=environment(PYTHONIOENCODING="ascii"))
    assert done == (0, page.read_bytes(), "")
    assert "simdocs help guide" in help_of("-h")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_the_statuses_that_the_command_can_have(command):
    statuses = {"query": "0 1 2 3 4", "dedupe": "0 1 2 3 4", "audit": "0 1 2 3 4", "compare": "0 1 2 4"}
    statuses |= dict.fromkeys(("pairs", "passages"), "0 1 2 3 4")
    statuses |= {"report": "0 2 4", "info": "0 2 4", "check": "0 2 4", "merge": "0 2 4 75"}
    statuses |= dict.fromkeys(("shingle", "signature", "index"), "0 2 3 4 75")
    _, text = help_of(*command.split(), "--help").split("Exit status:\n")
    found = re.findall(r"^  (\d+) +\w", text, re.MULTILINE)
    assert found == statuses.get(command, "0 2 3 4").split()
    assert ("with --exit-code: near-duplicates were found" in text) == (
        "exit_code" in ASKED[command].options and command != "audit"
    )
    assert ("with --exit-code: the interval of the recall ends" in " ".join(text.split())) == (command == "audit")


def test_help_is_shown_before_anything_is_checked(here):
    """Also among other words, and without looking at a document."""
    assert simdocs("dedupe", "gone", "-k", "0", "-h", cwd=here) == simdocs("dedupe", "-h")
