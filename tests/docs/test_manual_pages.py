"""Each command has a manual page with everything that its help has, in roff that every formatter accepts."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from simdocs.cli.command import Command, OfCommand
from simdocs.cli.program import simdocs
from tests import strategies as some

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "man").glob("*.1"))
COMMANDS = {f"simdocs-{name}": command for name, command in simdocs.commands.items()}
ASKING = [name for name, command in COMMANDS.items() if isinstance(command, Command)]

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]
ASKED = {".TH", ".SH", ".SS", ".PP", ".TP", ".RS", ".RE", ".PD", ".EX", ".EE", ".nh", ".ad"}
ESCAPES = re.compile(r"\\(f[BIR]|-|&|\((rs|aq|ga|ha|ti)|\" )")


def page_of(name: str) -> Path:
    return ROOT / "docs" / "man" / f"{name}.1"


every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def printed(page: Path) -> str:
    """Return what a formatter without fonts prints, with lines of any length."""
    command = ["groff", "-man", "-Tascii", "-rLL=1000n", "-P-cbou"]
    done = subprocess.run([*command, page], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_program_and_each_command_have_a_manual_page():
    assert {page.stem for page in PAGES} == {"simdocs", *COMMANDS}


@every_page
def test_manual_pages_have_their_sections_in_the_usual_order(page):
    headings = re.findall(r"^\.SH (.*)$", page.read_text(), re.MULTILINE)
    more = ["COMMANDS", "FILES", "ENVIRONMENT"] if page.stem == "simdocs" else []
    without = ["EXIT STATUS", "EXAMPLES"] if page.stem == "simdocs-help" else []
    assert [heading for heading in headings if heading not in more] == [
        each for each in SECTIONS if each not in without
    ]
    assert {*more} <= set(headings)


@pytest.mark.parametrize("name", ASKING)
def test_manual_pages_have_every_option_with_default_and_choices(name):
    command, text = COMMANDS[name], re.sub(r"\\f.|\\(?=-)", "", page_of(name).read_text())
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
    described = set(re.findall(r"^\.TP\n\\fB([A-Z0-9_]+)\\fR$", page_of("simdocs").read_text(), re.M))
    assert "NO_COLOR" in read
    assert read <= described


@every_page
def test_manual_pages_use_plain_roff(page):
    text = page.read_text()
    assert text.isascii()
    assert text.endswith("\n") and "\n\n" not in text
    for line in text.splitlines():
        assert not line.startswith("'"), line
        assert not line.startswith(".") or line.split()[0] in ASKED or line.startswith('.\\" '), line
        assert ESCAPES.sub("", line).count("\\") == 0, line
        fonts = "".join(re.findall(r"\\f([BIR])", line))
        assert not line.startswith(".SH") or fonts == "", line
    assert re.search(r"(?<!\\)-(?!\\)-", text) is None  # an option whose hyphens a formatter would make typographic
    assert text.count(".EX") == text.count(".EE") and text.count(".RS") == text.count(".RE")
    assert len(re.findall(r"\\f[BI]", text)) == text.count("\\fR")


@every_page
def test_groff_formats_the_manual_pages_without_warnings(page):
    if shutil.which("groff") is None:
        pytest.skip("no groff here")
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


@every_page
def test_mandoc_formats_the_manual_pages_without_warnings(page):
    if shutil.which("mandoc") is None:
        pytest.skip("no mandoc here")
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], capture_output=True, text=True, check=False)
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []


@pytest.mark.parametrize("name", ASKING)
def test_examples_in_the_manual_pages_come_out_as_typed(name):
    if shutil.which("groff") is None:
        pytest.skip("no groff here")
    lines = printed(page_of(name)).splitlines()
    command = COMMANDS[name]
    assert isinstance(command, Command)
    assert command.asked.examples
    for example in command.asked.examples:
        assert f"       {example}" in lines
