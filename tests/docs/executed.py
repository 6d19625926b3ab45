"""Run the Python blocks and the console sessions of the documentation."""

from __future__ import annotations

import os
import pty
import re
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.cli.stand_in import where_it_is

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
SCRIPTS = Path(sys.executable).parent
ENVIRONMENT = {"PATH": f"{SCRIPTS}:/usr/bin:/bin", "COLUMNS": "100", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


def execute(page: Path) -> dict[str, object]:
    """Run a page's Python blocks in order, in one namespace, and return the namespace.

    Each block is compiled after as many empty lines as stand above it, so that errors name the lines of the page. A
    block that begins with `# needs A, B` is left out without these modules, which `missing` in the namespace then has.
    """
    text = page.read_text(encoding="utf-8")
    found = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(found) == text.count("```python") > 0
    missing = set[str]()
    namespace: dict[str, object] = {"__name__": page.stem, "missing": missing}
    for block in found:
        if absent := _absent(r"# needs (.*)", block[1]):
            missing.update(absent)
            continue
        source = "\n" * text.count("\n", 0, block.start(1)) + block[1]
        exec(compile(source, str(page), "exec", dont_inherit=True), namespace)
    return namespace


def missing_for_sessions(page: Path) -> dict[str, list[str]]:
    """Return, for each section of a page that says `<!-- needs A, B -->` below its heading, the modules not here."""
    return {heading: _absent(r"<!-- needs (.*) -->", text) for heading, text in _sections(page)}


def _absent(pattern: str, text: str) -> list[str]:
    """Return the modules that the beginning of a text says it needs, and that cannot be imported."""
    needed = re.match(pattern, text)
    return [name for name in needed[1].split(", ") if find_spec(name) is None] if needed else []


def _sections(page: Path) -> list[tuple[str, str]]:
    """Return the heading of each section of a page, and what is below it."""
    found = re.split(r"^##? ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [(heading, text) for heading, _, text in (section.partition("\n") for section in found)]


def sessions(page: Path) -> dict[str, list[tuple[str, str]]]:
    """Return, for each section of a page (## heading), the commands of its console blocks with the output shown.

    The commands of a section run in order in one directory; sections do not depend on each other.
    """
    sections: dict[str, list[tuple[str, str]]] = {}
    for heading, section in _sections(page):
        for block in re.findall(r"^```console\n(.*?)^```", section, re.DOTALL | re.MULTILINE):
            steps = sections.setdefault(heading, [])
            steps += map(_step, re.split(r"^\$ ", block, flags=re.MULTILINE)[1:])
    return sections


def _step(text: str) -> tuple[str, str]:
    command, _, output = text.partition("\n")
    while output.startswith("> "):  # the command goes on in this line
        line, _, output = output.partition("\n")
        command += f"\n{line.removeprefix('> ')}"
    return command, output


def at_terminal(command: str, directory: Path) -> str:
    """Return what this command prints on a terminal of 100 columns."""
    environment = ENVIRONMENT | {"PATH": f"{where_it_is()}:{ENVIRONMENT['PATH']}"}
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(directory)
        os.execve("/bin/sh", ["sh", "-c", command], environment)
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(terminal)
    os.waitpid(child, 0)
    return seen.decode().replace("\r\n", "\n")


def without_seconds(output: str) -> str:
    """Return the output without the time that a run took."""
    return re.sub(r"in \d+\.\d\d s", "in some time", output)
