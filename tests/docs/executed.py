"""Pages whose Python blocks run, in order, in one namespace."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def execute(page: Path) -> dict[str, object]:
    """Run a page's blocks: their namespace. Each is compiled after as many empty lines as stand above it, so that
    errors name its lines."""
    text = page.read_text(encoding="utf-8")
    found = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(found) == text.count("```python") > 0
    namespace: dict[str, object] = {"__name__": page.stem}
    for block in found:
        source = "\n" * text.count("\n", 0, block.start(1)) + block[1]
        exec(compile(source, str(page), "exec", dont_inherit=True), namespace)
    return namespace


def long_lines(page: Path) -> list[str]:
    """Lines that are too long; a row of a table cannot be broken."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if len(line) > 120 and not line.startswith("|")]
