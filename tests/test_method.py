"""docs/method.md says what is so: its Python blocks run, in order, in one namespace."""

from __future__ import annotations

import re
from pathlib import Path

METHOD = Path(__file__).resolve().parent.parent / "docs" / "method.md"


def python_blocks(page: str) -> list[str]:
    """The fenced Python blocks, each after as many empty lines as stand above it, so that errors name its lines."""
    found = re.finditer(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return ["\n" * page.count("\n", 0, block.start(1)) + block[1] for block in found]


def test_what_the_method_page_computes() -> None:
    page = METHOD.read_text(encoding="utf-8")
    blocks = python_blocks(page)
    assert len(blocks) == page.count("```python") > 0
    namespace: dict[str, object] = {"__name__": "method"}
    for block in blocks:
        exec(compile(block, str(METHOD), "exec", dont_inherit=True), namespace)


def test_no_line_of_the_method_page_is_long() -> None:
    # A row of a table cannot be broken.
    prose = [line for line in METHOD.read_text(encoding="utf-8").splitlines() if not line.startswith("|")]
    assert [line for line in prose if len(line) > 120] == []
