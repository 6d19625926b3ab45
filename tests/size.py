"""How large the program is: code lines, files, classes and functions of each folder, and lines of C, tests and docs.

A code line is not blank, no comment, no import, and no part of a docstring or of a string that stands alone. Run this
file to print the figures, which `make size` does; `--save` makes those of today the most that tests allow.
"""

from __future__ import annotations

import ast
import io
import json
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMITS = Path(__file__).with_name("size.json")
"""The size that the last closed issue left, which no change may exceed."""

HELD = ("code", "files", "classes")
GENERATED = ("formats.md",)
"""Pages that `make docs` writes."""


def of_source(source: str) -> Counter[str]:
    """The figures of one file of Python."""
    tree, found = ast.parse(source), Counter[str](files=1)
    lines = {number for number, line in enumerate(source.splitlines(), 1) if line.strip()}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and token.line.strip().startswith("#"):
            lines.discard(token.start[0])
    for node in ast.walk(tree):
        alone = (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        if alone or isinstance(node, ast.Import | ast.ImportFrom):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        found["classes"] += isinstance(node, ast.ClassDef)
        found["functions"] += isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    found["code"] = len(lines)
    return found


def of_folder(folder: Path) -> Counter[str]:
    """The figures of all files of Python below a folder."""
    return sum((of_source(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")), Counter[str]())


def beside() -> dict[str, int]:
    """Lines of C and of tests, and words of docs that are written by hand."""
    c = [path for end in ("c", "h") for path in (ROOT / "simdocs").rglob(f"*.{end}")]
    pages = [page for page in (ROOT / "docs").rglob("*.md") if page.name not in GENERATED and not page.is_symlink()]
    return {
        "lines of C": sum(1 for path in c for line in path.read_text(encoding="utf-8").splitlines() if line.strip()),
        "lines of tests": sum(path.read_text(encoding="utf-8").count("\n") for path in (ROOT / "tests").rglob("*.py")),
        "words of docs": sum(len(page.read_text(encoding="utf-8").split()) for page in pages),
    }


def rows() -> Iterator[str]:
    """The table: a line for each folder, then for all, and then what stands beside."""
    yield f"{'':12}{'code':>7}{'files':>7}{'classes':>9}{'functions':>11}"
    folders = sorted(each for each in (ROOT / "simdocs").iterdir() if each.is_dir() and any(each.rglob("*.py")))
    for name, found in (*((each.name, of_folder(each)) for each in folders), ("simdocs", of_folder(ROOT / "simdocs"))):
        yield f"{name:12}{found['code']:7,}{found['files']:7,}{found['classes']:9,}{found['functions']:11,}"
    yield from (f"{count:,} {what}" for what, count in beside().items())


if __name__ == "__main__":
    print("\n".join(rows()))
    if "--save" in sys.argv:
        now = of_folder(ROOT / "simdocs")
        LIMITS.write_text(json.dumps({name: now[name] for name in HELD}) + "\n")
