"""The source does not grow, and keeps the rules of ARCHITECTURE.md: small files, and names that say something."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from simdocs.commands import QUESTIONS
from tests.size import HELD, LIMITS, of_folder

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "simdocs").rglob("*.py"))

OF_TWO_MEANINGS = {"Path", "Text"}
"""Types that are still defined twice. None may be added."""
OF_COMMANDS = {name.capitalize() for names in QUESTIONS.values() for name in names}
"""What a command is asked has the name of the command, which may be that of its answer, too."""


def test_no_file_is_longer_than_450_lines() -> None:
    assert SOURCES
    assert [path.name for path in SOURCES if len(path.read_text().splitlines()) > 450] == []


def test_no_file_has_a_name_that_says_nothing() -> None:
    empty_names = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
    every = [*SOURCES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    assert [path for path in every if path.stem in empty_names] == []


def types_of(path: Path) -> Iterator[str]:
    """Yield the name of every class and every type alias that a file defines at its top level."""
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            yield from (name for name in names if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name))


def test_no_type_has_two_meanings() -> None:
    sources = (path for path in SOURCES if path.parent.name != "commands")  # options classes are called as commands are
    defined = Counter(name for path in sources for name in types_of(path) if not name.startswith("_"))
    assert {name for name, count in defined.items() if count > 1} <= OF_TWO_MEANINGS | OF_COMMANDS


def test_the_program_is_no_larger_than_the_last_issue_left_it() -> None:
    most, now = json.loads(LIMITS.read_text()), of_folder(ROOT / "simdocs")
    assert [name for name in HELD if now[name] > most[name]] == [], f"it is larger than {most}: take something away"
