"""docs/reliability.md, from its template and the marks on tests.

One test of a case is marked `@pytest.mark.reliability(KEY, CASE, OUTCOME)`, its other tests with the key alone. A line
`{KEY}` of the template becomes a row. Tests are parsed, not imported.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "docs" / "reliability.template.md"

_ROW = re.compile(r"^\{(.+)\}$", re.MULTILINE)


class Mark(NamedTuple):
    """One mark: the test that has it, by its file and name, and its arguments."""

    file: str
    test: str
    arguments: tuple[str, ...]


def marks() -> Iterator[Mark]:
    """Every mark of every test, by file and line."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if "mark.reliability" not in source:
            continue
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.reliability":
                        arguments = tuple(str(ast.literal_eval(argument)) for argument in decorator.args)
                        yield Mark(path.relative_to(ROOT).as_posix(), node.name, arguments)


def page() -> str:
    """The page. ValueError: a mark and the template do not agree, or a case is described twice or not at all."""
    template = TEMPLATE.read_text(encoding="utf-8")
    wanted = _ROW.findall(template)
    found: dict[str, list[Mark]] = defaultdict(list)
    for mark in marks():
        found[mark.arguments[0]].append(mark)
    problems = [f"{key}: stands in the template more than once" for key in {*wanted} if wanted.count(key) > 1]
    problems += [f"{key}: no test has this mark" for key in wanted if key not in found]
    problems += [f"{key}: not in the template" for key in found if key not in wanted]
    for key, same in found.items():
        described = sum(len(mark.arguments) == 3 for mark in same)
        if described != 1 or any(len(mark.arguments) not in (1, 3) for mark in same):
            problems.append(f"{key}: described by {described} tests: one must say the case and the outcome")
    if problems:
        raise ValueError("; ".join(sorted(problems)))
    return _ROW.sub(lambda match: _row(found[match[1]]), template)


def _row(same: list[Mark]) -> str:
    case, outcome = next(mark.arguments[1:] for mark in same if len(mark.arguments) == 3)
    tests: dict[str, list[str]] = defaultdict(list)
    for mark in same:
        tests[mark.file].append(mark.test.removeprefix("test_").replace("_", " "))
    links = [_link(file, names) for file, names in tests.items()]
    return f"| {case} | {outcome} | {', '.join(links)} |"


def _link(file: str, names: list[str]) -> str:
    """A link to a file of tests, which shows what they say when it is pointed at."""
    path = Path(file)
    room = path.parent.relative_to("tests")
    return f'[{room / path.stem.removeprefix("test_")}](../{file} "{"; ".join(names)}")'
