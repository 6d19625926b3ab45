"""ARCHITECTURE.md names functions where they are, in the order in which they are called."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "simdocs"
PAGE = (ROOT / "ARCHITECTURE.md").read_text()

Step = tuple[str, str]
"""A file below simdocs, and a function, a method or a class in it."""


def steps(heading: str) -> list[Step]:
    """What the list below a heading of the page names, in its order."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\d+\. (?:\*\*W\*\* )?`(\S+\.py)`: ((?:`[\w.]+`,? ?)+)\.", section, re.MULTILINE)
    return [(file, name) for file, names in rows for name in re.findall(r"`(.+?)`", names)]


WAYS = [steps("The way of a document"), steps("The way of `--threshold`")]


def defined(file: str) -> set[str]:
    """The functions and classes of a file, and the methods of these."""
    tree = ast.parse((SOURCE / file).read_text())
    found = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    inner = {f"{name}.{each.name}" for name, node in found.items() for each in node.body if hasattr(each, "name")}
    return found.keys() | inner


TOLD = """
import json, os, sys
found = {}
def note(frame, event, _):
    if event == "call":
        found.setdefault((frame.f_code.co_filename, frame.f_code.co_qualname))
from simdocs.cli.program import run
sys.setprofile(note)
status = run(sys.argv[1:])
sys.setprofile(None)
print(json.dumps(list(found)), file=sys.stderr)
sys.exit(status)
"""


def first_calls(*arguments: str) -> list[Step]:
    """The functions that a command calls, in the order of their first calls."""
    done = subprocess.run([sys.executable, "-c", TOLD, *arguments], capture_output=True, text=True, check=True)
    of_ours = ((Path(file), name) for file, name in json.loads(done.stderr.splitlines()[-1]))
    places = [(file.relative_to(SOURCE).as_posix(), name) for file, name in of_ours if file.is_relative_to(SOURCE)]
    return [in_numpy(*place) for place in places]


def in_numpy(file: str, name: str) -> Step:
    """The function in NumPy for which one in C stands; any other as it is."""
    if not file.startswith("kernels/native/"):
        return file, name
    both = (each for each in (SOURCE / "kernels").glob("*.py") if f"@accelerated\ndef {name}(" in each.read_text())
    return next((f"kernels/{each.name}" for each in both), file), name


@pytest.mark.parametrize("way", WAYS)
def test_what_the_page_names_is_in_the_file_that_it_names(way: list[Step]) -> None:
    assert len(way) > 5
    assert [(file, name) for file, name in way if name not in defined(file)] == []


def test_the_ways_of_the_page_are_those_of_a_run(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text(f"a small text {number} of some length, about the same " * 9)
    called = first_calls("dedupe", str(tmp_path), "--threshold", "0.7", "-j", "1", "-q")
    for way in WAYS:
        functions = [(file, name) for file, name in way if not name[0].isupper() or "." in name]
        assert [step for step in functions if step not in called] == []
        assert sorted(functions, key=called.index) == functions
