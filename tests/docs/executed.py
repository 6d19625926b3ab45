"""Run what the pages of the documentation show: their Python blocks and their console sessions."""

from __future__ import annotations

import os
import pty
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
SCRIPTS = Path(sys.executable).parent
ENVIRONMENT = {"PATH": f"{SCRIPTS}:/usr/bin:/bin", "COLUMNS": "100", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


def execute(page: Path) -> dict[str, object]:
    """Run a page's Python blocks in order, in one namespace, and return the namespace.

    Each block is compiled after as many empty lines as stand above it, so that errors name the lines of the page.
    """
    text = page.read_text(encoding="utf-8")
    found = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(found) == text.count("```python") > 0
    namespace: dict[str, object] = {"__name__": page.stem}
    for block in found:
        source = "\n" * text.count("\n", 0, block.start(1)) + block[1]
        exec(compile(source, str(page), "exec", dont_inherit=True), namespace)
    return namespace


def sessions(page: Path) -> list[tuple[str, str]]:
    """Each command of a page's console blocks, with the output that the page shows for it."""
    steps = []
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = step.partition("\n")
            while command.endswith("\\") or output.startswith("> "):
                line, _, output = output.partition("\n")
                command += f"\n{line.removeprefix('> ')}"
            steps.append((command, output))
    return steps


def at_terminal(command: str, directory: Path) -> str:
    """What somebody at a terminal of 100 columns sees of this command."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(directory)
        os.execve("/bin/sh", ["sh", "-c", command], ENVIRONMENT)
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
    """The output without the time that a run took."""
    return re.sub(r"in \d+\.\d\d s", "in some time", output)


def long_lines(page: Path) -> list[str]:
    """Lines that are too long; a row of a table cannot be broken."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if len(line) > 120 and not line.startswith("|")]
