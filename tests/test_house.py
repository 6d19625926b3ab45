"""The source keeps the rules of ARCHITECTURE.md: layers, small files, and names that say something."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "simdocs").rglob("*.py"))

OF_TWO_MEANINGS = {"Path", "Text"}
"""Types that are still defined twice. None may be added."""


def test_imports_point_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([linter, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_no_file_is_longer_than_400_lines() -> None:
    assert SOURCES
    assert [path.name for path in SOURCES if len(path.read_text().splitlines()) > 400] == []


def test_no_file_has_a_name_that_says_nothing() -> None:
    empty_names = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
    every = [*SOURCES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    assert [path for path in every if path.stem in empty_names] == []


def parameters_of(path: Path) -> Iterator[str]:
    """Yield the name of every parameter of every function in a file."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.arguments):
            some = [*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg]
            yield from (argument.arg for argument in some if argument is not None)


def test_no_parameter_has_a_name_that_says_nothing() -> None:
    found = {
        path.relative_to(ROOT / "simdocs").as_posix() for path in SOURCES if {"how", "one"} & {*parameters_of(path)}
    }
    assert found == set()


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
    defined = Counter(name for path in SOURCES for name in types_of(path) if not name.startswith("_"))
    assert {name for name, count in defined.items() if count > 1} <= OF_TWO_MEANINGS


def test_defaults_are_spelt_in_parameters_alone() -> None:
    declared = (ROOT / "simdocs" / "cli" / "options.py").read_text()
    assert re.findall(r"\bdefault=(?!None|PARAMETERS)[^,\n]+", declared) == []


def test_only_one_module_changes_a_disk() -> None:
    calls = re.compile(
        r"os\.(rename|replace|unlink|mkdir|rmdir|fsync|ftruncate|link|symlink)\b|O_CREAT|\.write_bytes|(?<!formatter)\.write_text"
    )
    found = [path.relative_to(ROOT).as_posix() for path in SOURCES if calls.search(path.read_text())]
    assert found == ["simdocs/storage/syscalls.py"]


def test_only_cli_imports_click_and_only_views_rich_and_tqdm() -> None:
    for path in SOURCES:
        room = path.relative_to(ROOT / "simdocs").parts[0]
        imported = set(re.findall(r"^\s*(?:from|import) (click|rich|tqdm)\b", path.read_text(), re.MULTILINE))
        allowed = {"cli": {"click"}, "views": {"rich", "tqdm"}}.get(room, set())
        assert imported <= allowed, path


def test_only_the_door_chooses_an_engine() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in SOURCES if "engines.local" in path.read_text()}
    assert found == {"simdocs/api/ask.py"}
