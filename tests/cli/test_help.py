"""Help: -h on one screen, --help with everything, `simdocs help COMMAND`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import simdocs as simdocs_package
from simdocs.cli.program import simdocs as program
from simdocs.parameters.families import KEEP
from tests.cli.program import environment, simdocs

COMMANDS = tuple(program.commands)
LINES, COLUMNS = 24, 80
"""A small terminal; the last line is for the next prompt."""


@cache
def help_of(*words: str, columns: int = 80) -> str:
    done = simdocs(*words, env=environment(COLUMNS=str(columns)))
    assert (done.status, done.err) == (0, "")
    return done.out.decode()


def spellings(text: str) -> list[str]:
    """The options that stand at the beginning of lines, below a heading."""
    _, _, listed = re.split(r"^(\w.*:)$", text, maxsplit=1, flags=re.MULTILINE)
    found = re.findall(r"^  (-.*?)(?:  |$)", listed, re.MULTILINE)
    return [spelling.split()[0] for row in found for spelling in row.split(", ")]


def options_mentioned(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text))


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_short_help_fits_one_screen(command):
    """Of the program, each command takes a line, however many there are, and all else half of a screen."""
    lines = help_of(*command.split(), "-h").splitlines()
    assert len(lines) < (LINES if command else LINES // 2 + len(COMMANDS))
    assert max(map(len, lines)) <= COLUMNS


@pytest.mark.parametrize("command", COMMANDS)
def test_short_help_has_what_the_command_does_usual_options_and_two_examples(command):
    text, full = help_of(command, "-h"), help_of(command, "--help")
    summary = program.commands[command].get_short_help_str()
    assert text.splitlines()[2].startswith(summary)
    usual = re.findall(r"^  -", text, re.MULTILINE)
    assert (0 if command in ("check", "help") else 3) <= len(usual) <= 10
    assert set(spellings(text)) <= set(spellings(full))
    examples = re.findall(r"^  .*simdocs .*$", text.partition("Examples:\n")[2], re.MULTILINE)
    assert len(examples) == 2
    assert text.endswith(f"\nAll options: simdocs {command} --help\n")


def test_short_help_shows_the_first_sentence_the_names_and_the_default_of_an_option():
    text = " ".join(help_of("dedupe", "-h").split())
    assert "--unit NAME Unit of a shingle: char, word, line, stopword" in text
    assert f"kept: {', '.join(KEEP)} [first]" in text
    formats = "--format NAME Format of the answer: table, tsv, jsonl, csv, ... [table on a terminal"
    assert formats in " ".join(help_of("tune", "-h").split())
    assert "--include GLOB In directories, only read files whose name matches GLOB --keep" in text
    assert "Units in a shingle [char 9, word 5, " in text


def test_help_of_the_program_lists_each_command_once_under_a_heading():
    assert sorted(name for names in program.sections.values() for name in names) == sorted({*COMMANDS} - {"help"})
    for option in ("-h", "--help"):
        text = help_of(option)
        for heading, names in program.sections.items():
            listed = text.partition(f"{heading}:\n")[2].partition("\n\n")[0].splitlines()
            assert listed == [f"  {name:9}  {program.commands[name].get_short_help_str()}" for name in names]


def test_every_command_is_a_public_function():
    """A function of the same name answers the same question in Python."""
    assert {*COMMANDS} - {"help"} <= {*simdocs_package.__all__}


def test_help_of_the_program_says_how_to_go_on():
    assert "simdocs COMMAND -h" in help_of("-h")
    assert "simdocs COMMAND --help" in help_of("--help")
    assert "Usage: simdocs " in help_of("--help").splitlines()[0]
    for line in help_of("--help").partition("Examples:\n")[2].partition("\n\n")[0].splitlines():
        assert re.fullmatch(r"  simdocs \S.*\S  +\w.*", line)


@pytest.mark.parametrize("command", COMMANDS)
def test_full_help_has_every_option_under_a_heading(command):
    text = help_of(command, "--help")
    expected = [spelling for parameter in program.commands[command].params for spelling in parameter.opts]
    shown = {spelling for spelling in expected if spelling.startswith("-")} - {"--show"} | {"--help"}
    assert set(spellings(text)) == shown
    assert len(spellings(text)) == len(shown)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_mentions_only_options_of_the_command(command):
    """What is said of an option in one command must make sense in another."""
    of_command = options_mentioned(" ".join(spellings(help_of(command, "--help"))))
    text = help_of(command, "--help").partition("Examples:\n")[0]
    assert options_mentioned(text) <= of_command
    for example in program.commands[command].examples:
        for part in re.split(r" && | \| ", example):
            if part.startswith(f"simdocs {command} "):
                assert options_mentioned(part) <= of_command, example


def test_full_help_lists_the_members_of_a_family_on_lines_of_their_own():
    text = help_of("dedupe", "--help")
    assert re.search(
        r"--unit NAME +Unit of a shingle\.  \[default: char\]\n      char +k characters in a row\n      word +", text
    )
    assert re.search(r"--keep NAME.*?\n      first .*?\n      longest .*?\n      shortest ", text, re.DOTALL)


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("columns", [60, 80, 100])
def test_help_wraps_to_the_width_of_the_terminal(command, columns):
    """All but the examples, which can be copied as they are."""
    for option in ("-h", "--help"):
        for line in help_of(*command.split(), option, columns=columns).splitlines():
            assert len(line) <= columns or "simdocs " in line


def test_help_is_at_most_100_columns_wide():
    text = help_of("dedupe", "--help", columns=200)
    assert 90 < max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_help_shows_the_full_help_of_a_command(command):
    assert simdocs("help", command) == simdocs(command, "--help")


def test_the_command_help_alone_shows_the_help_of_the_program():
    assert simdocs("help") == simdocs("--help")


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_help_guide_prints_the_guide(tmp_path, locale):
    """From any directory, and in any locale."""
    page = Path(__file__).parents[2] / "docs" / "guide.md"
    done = simdocs("help", "guide", cwd=tmp_path, env=environment(LC_ALL=locale, PYTHONIOENCODING="ascii"))
    assert done == (0, page.read_bytes(), "")
    for option in ("-h", "--help"):
        assert "simdocs help guide" in help_of(option)


def test_help_of_an_unknown_command_brings_a_suggestion():
    done = simdocs("help", "dedup")
    assert done[:2] == (2, b"")
    assert done.err.startswith("simdocs: error: no command 'dedup': did you mean dedupe?")
    assert "guide" not in done.err
    done = simdocs("help", "datasets")
    assert done.status == 2
    assert done.err.startswith("simdocs: error: no command 'datasets': the commands are dedupe, ")
    assert "; simdocs help guide prints the guide, which has a section about data sets (see" in done.err


def test_defaults_are_shown():
    text = help_of("dedupe", "--help")
    for option in ("--unit", "-k", "--threshold", "--recall", "--num-perm", "--keep", "--max-candidates", "--seed"):
        described = re.search(rf" {option}(?![\w-]).*?\n  -", text, re.DOTALL)
        assert described, option
        assert "default:" in described[0], option


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_the_statuses_that_the_command_can_have(command):
    statuses = {"query": "0 1 2 3 4", "dedupe": "0 1 2 3 4", "audit": "0 1 2 3 4", "compare": "0 1 2 4"}
    statuses |= dict.fromkeys(("pairs", "passages"), "0 1 2 3 4")
    statuses |= {"report": "0 2 4", "info": "0 2 4", "check": "0 2 4", "merge": "0 2 4 75", "help": "0 2"}
    statuses |= dict.fromkeys(("shingle", "signature", "index"), "0 2 3 4 75")
    _, text = help_of(command, "--help").split("Exit status:\n")
    found = re.findall(r"^  (\d+) +\w", text, re.MULTILINE)
    assert found == statuses.get(command, "0 2 3 4").split()
    assert ("with --exit-code: near-duplicates were found" in text) == (
        command in ("query", "dedupe", "pairs", "compare")
    )
    assert ("with --exit-code: the interval of the recall ends" in " ".join(text.split())) == (command == "audit")


@pytest.mark.parametrize("command", COMMANDS)
def test_output_says_whether_it_is_an_artifact_or_an_answer(command):
    text = " ".join(help_of(command, "--help").split())
    assert ("Write the artifact to PATH" in text) == (command in ("shingle", "signature", "index", "merge"))


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_is_shown_before_anything_is_checked(here, option):
    """Also among other words, and without looking at a document."""
    assert simdocs("dedupe", "gone", option, cwd=here) == simdocs("dedupe", option)
    assert simdocs("dedupe", "gone", "-k", "0", option, cwd=here) == simdocs("dedupe", option)
