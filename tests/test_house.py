"""The house is as it is drawn: layers, small files, no names that say nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "simdocs").rglob("*.py"))


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


def test_defaults_are_spelt_in_parameters_alone() -> None:
    declared = (ROOT / "simdocs" / "cli" / "options.py").read_text()
    literal = re.findall(
        r"(?<!show_)default=(?!None|Walking|Shingling|Sketching|Banding|Grouping|Sequences|PARAMETERS)([^,\n]+)",
        declared,
    )
    assert literal == ['"auto"']


def test_only_one_module_changes_a_disk() -> None:
    calls = re.compile(
        r"os\.(rename|replace|unlink|mkdir|rmdir|fsync|ftruncate|link|symlink)\b|O_CREAT|write_bytes|write_text"
    )
    found = [path.relative_to(ROOT).as_posix() for path in SOURCES if calls.search(path.read_text())]
    assert found == ["simdocs/storage/syscalls.py"]


def test_only_cli_imports_click_and_only_views_rich_and_tqdm() -> None:
    for path in SOURCES:
        room = path.relative_to(ROOT / "simdocs").parts[0]
        imported = set(re.findall(r"^\s*(?:from|import) (click|rich|tqdm)\b", path.read_text(), re.MULTILINE))
        allowed = {"cli": {"click"}, "views": {"rich", "tqdm"}}.get(room, set())
        assert imported <= allowed, path
