"""docs/reliability.md names tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and not re.match(r"\|[-| ]+\|$", line)]


def names_in(path: Path) -> set[str]:
    return {one.name for one in ast.parse(path.read_bytes()).body if isinstance(one, ast.FunctionDef)}


def test_every_test_named_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
    assert len(named) > 100
    known = {path: names_in(ROOT / path) for path in {path for path, _ in named}}
    assert [(path, test) for path, test in named if test not in known[path]] == []


def test_every_case_has_a_test_or_says_that_it_has_none():
    cases = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in ROWS]
    told = [case for case in cases if len(case) == 3 and case[0] != "case"]
    assert len(told) > 60
    assert [case[0] for case in told if not re.search(r"`tests/[\w/]+\.py::test_\w+`|not tested", case[2])] == []
    assert all(len(case) in (2, 3) for case in cases)
