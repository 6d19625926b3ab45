"""Every option of a command is a keyword of the Python function of its name, or stands here with what Python has."""

from __future__ import annotations

import inspect

import click
import pytest

import simdocs
from simdocs.cli.program import simdocs as program

PRINTING = {
    "color": "nothing is printed",
    "debug": "an exception has its traceback",
    "exit_code": "a result has `is_found`, and its length",
    "format": "`write` of a result takes it",
    "h": "help(simdocs.dedupe)",
    "header": "`write` of a result takes it",
    "nul": "list= returns a tuple of names",
    "output": "`write` of a result takes the path",
    "quiet": "nothing is printed",
    "summary": "`summary` of a result returns it, and summary_json= writes it",
    "verbose": "`skipped` of a result names everything, and a Comparison has all measures",
}
"""Options about what is printed, and what Python has instead of them."""

OTHERWISE = {
    ("dedupe", "report"): "simdocs.report takes what dedupe returned",
    ("dedupe", "report_size"): "a keyword of simdocs.report",
    ("tune", "list"): "a Tuning has both: `choices` and `curve`",
    ("act", "answer_file"): "the argument `answer`",
    ("shingle", "show"): "a hidden option, which says that show is a command of its own",
}
"""Other options that are no keywords, and what Python has instead of them."""

WITHOUT = {"help": "help(simdocs)"}
"""Commands that are no functions, and what Python has instead of them."""

CONTEXT = click.Context(program)

COMMANDS = [name for name in program.list_commands(CONTEXT) if name not in WITHOUT]


def missing(name: str) -> set[str]:
    """The options and arguments of a command that are no arguments of the function."""
    command = program.get_command(CONTEXT, name)
    assert command is not None
    options = {option.name for option in command.params if option.name is not None}
    return options - set(inspect.signature(getattr(simdocs, name)).parameters)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_a_keyword_or_there_is_something_else(name):
    excused = PRINTING.keys() | {option for command, option in OTHERWISE if command == name}
    assert missing(name) <= excused


def test_there_is_no_excuse_for_an_option_that_is_a_keyword():
    every = {(name, option) for name in COMMANDS for option in missing(name)}
    assert OTHERWISE.keys() <= every
    # `output` of the commands that build artifacts is a keyword, and that of the others is not.
    assert {option for _, option in every} >= PRINTING.keys()
    assert not [name for name in WITHOUT if hasattr(simdocs, name)]
