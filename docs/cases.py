"""The cases of docs/reliability.md, and the tests that hold each.

A case is what stands in bold in a section of the page. Its tests are marked `@pytest.mark.reliability(CASE)`, in small
or capital letters. Tests are parsed, not imported.

usage: python docs/cases.py    print each case with its tests, or fail if a case has none or a test names no case
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reliability.md"


def cases() -> list[str]:
    """Return the cases in the order of the page."""
    sections = PAGE.read_text(encoding="utf-8").partition("\n## ")[2]
    return [" ".join(case.split()) for case in re.findall(r"\*\*(.+?)\*\*", sections, re.DOTALL)]


def marks() -> Iterator[tuple[str, str]]:
    """Yield the case and the test of every mark: `tests/cli/test_walks.py::test_links_are_passed_by`."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if "mark.reliability" not in source:
            continue
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.reliability":
                        case = ast.literal_eval(decorator.args[0])
                        yield case, f"{path.relative_to(ROOT).as_posix()}::{node.name}"


def tests_of_cases() -> dict[str, list[str]]:
    """Return the tests of every case. ValueError: a case has no test or stands twice, or a mark names no case."""
    every = cases()
    tests: dict[str, list[str]] = {case.lower(): [] for case in every}
    problems = [
        f"{case}: stands on the page twice" for case in every if list(map(str.lower, every)).count(case.lower()) > 1
    ]
    for case, test in marks():
        if case.lower() in tests:
            tests[case.lower()].append(test)
        else:
            problems.append(f"{case}: marks {test}, but is not on the page")
    problems += [f"{case}: no test has this mark" for case in every if not tests[case.lower()]]
    if problems:
        raise ValueError("\n".join(sorted(set(problems))))
    return {case: tests[case.lower()] for case in every}


def main() -> None:
    """Print each case with its tests."""
    try:
        held = tests_of_cases()
    except ValueError as error:
        sys.exit(str(error))
    for case, tests in held.items():
        print(case, *tests, sep="\n    ")


if __name__ == "__main__":
    main()
