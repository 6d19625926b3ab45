"""What excludes or needs what: rules.txt has command lines, each with all that is said of it, or nothing."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from simdocs.cli import command
from simdocs.cli.program import simdocs
from simdocs.errors import UsageError

LINES = Path(__file__).with_name("rules.txt").read_text().splitlines()


def said(line: str) -> list[str]:
    """A command line, with what is said before anything is read."""
    name, *words = shlex.split(line.removeprefix("$ "))
    made: click.Command = simdocs.commands[name]
    try:
        made.invoke(made.make_context(name, words))
    except (click.UsageError, UsageError) as error:
        return [line, f"! {error}"]
    return [line]


def test_each_line_is_accepted_or_refused_in_these_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_answered", lambda _options: 0)
    assert [each for line in LINES if line.startswith("$") for each in said(line)] == LINES
    assert [len(said("$ compare" + " a" * texts)) for texts in (2000, 2001)] == [1, 2]
