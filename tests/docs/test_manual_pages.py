"""Each command has a manual page with everything that its help has, in roff that every formatter accepts."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from docs.manpages import pages
from simdocs.cli.command import Command, OfCommand
from simdocs.cli.program import each_command, simdocs
from tests import strategies as some

ROOT = Path(__file__).resolve().parents[2]
PAGES = {name.removesuffix(".1"): text for name, text in pages().items()}
COMMANDS = {f"simdocs-{name.replace(' ', '-')}": command for name, command in each_command()}
ASKING = [name for name, command in COMMANDS.items() if isinstance(command, Command)]


every_page = pytest.mark.parametrize("name", PAGES)


def formatted(name: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a formatter on a page."""
    return subprocess.run(command, input=PAGES[name], capture_output=True, text=True, check=False)


def test_the_program_and_each_command_have_a_manual_page():
    assert {*PAGES} == {"simdocs", *COMMANDS}


@pytest.mark.parametrize("name", ASKING)
def test_manual_pages_have_every_option_with_default_and_choices(name):
    command, text = COMMANDS[name], re.sub(r"\\f.|\\(?=-)", "", PAGES[name])
    assert isinstance(command, Command)
    entries = [entry.split("\n") for entry in text.split("\n.TP\n")]
    tags = [entry[0] for entry in entries]
    context = click.Context(command, parent=click.Context(simdocs, **simdocs.context_settings))
    for option in (option for option in command.params if isinstance(option, OfCommand)):
        spelt = ", ".join(sorted(option.opts, key=len))
        (place,) = (place for place, tag in enumerate(tags) if f"{tag} ".startswith(f"{spelt} "))
        if default := option.get_help_extra(context).get("default"):
            assert f"Default: {default}." in " ".join(entries[place])
        values = option.declared.values
        members = list(values.family) if some.has_choices(values) else []
        assert tags[place + 1 :][: len(members)] == members


def test_manual_pages_have_every_environment_variable():
    sources = "".join(path.read_text() for path in (ROOT / "simdocs").rglob("*.py"))
    read = set(re.findall(r"environ\.get\(\"(\w+)\"", sources))
    described = set(re.findall(r"^\.TP\n\\fB([A-Z0-9_]+)\\fR$", PAGES["simdocs"], re.M))
    assert "NO_COLOR" in read
    assert read <= described


@every_page
def test_groff_formats_the_manual_pages_without_warnings(name):
    if shutil.which("groff") is None:
        pytest.skip("no groff here")
    done = formatted(name, "groff", "-man", "-Tutf8", "-ww", "-z")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
