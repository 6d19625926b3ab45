"""One question asked twice: by a call of the library, and by a command line with the same parameters."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import simdocs
from simdocs.cli import exits
from simdocs.errors import SHELL, spelled
from tests import asked
from tests.cli.program import simdocs as program
from tests.commands.building import content

ELSEWHERE = {
    "compare": "tests/api/test_compare.py: the results differ in kind",
    "similarity": "no command asks it",
    **dict.fromkeys(("act", "undo"), "tests/cli/test_act.py, tests/cli/test_act_links.py: they change files"),
}
"""Questions that are not asked here, and why."""

REQUESTS = {question: request for question, request in asked.REQUESTS.items() if question not in ELSEWHERE}

CALLS: dict[str, Callable[..., Any]] = {question: getattr(simdocs, question) for question in REQUESTS}

ARTIFACTS = {"shingle": "shingles", "signature": "signatures", "index": "index", "merge": "index"}

ALONE = ("show", "merge", "report")
"""Questions that no worker processes answer."""

SPELLINGS = {"k": "-k", "itself": "--self", "output": "-o", "jobs": "-j"}
SPELLINGS |= {"documents": "DOCS", "texts": "- for standard input"}
"""Parameters whose option is not `--` and their name, as errors spell them."""


@dataclass(frozen=True)
class Outcome:
    """How a question ended. status: as of the program. answer: rows, names, lines, or the files of an artifact."""

    status: int
    problems: tuple[str, ...] = ()
    answer: Any = None
    skipped: Mapping[str, int] | None = None


def option(parameter: str) -> str:
    """The option for a parameter."""
    return SPELLINGS.get(parameter, f"--{parameter.replace('_', '-')}")


def words_of(keywords: Mapping[str, Any]) -> list[str]:
    """Keywords of the library as words of a command line."""
    found: list[str] = []
    for name, value in keywords.items():
        if value is True:
            found.append(option(name))
        else:
            found += [
                word for each in (value if isinstance(value, tuple) else (value,)) for word in (option(name), each)
            ]
    return list(map(str, found))


def command(question: str, arguments: Sequence[str], keywords: Mapping[str, Any]) -> str:
    """The command line for a call, as errors suggest it."""
    if question == SHELL:
        return arguments[0]
    return " ".join(["simdocs", question, *arguments, *words_of(keywords)])


def by_library(question: str, arguments: Sequence[str], keywords: Mapping[str, Any]) -> Outcome:
    """How the library answers."""
    few = {} if question in ALONE else {"jobs": 1}
    try:
        with standard_input(arguments):
            result = CALLS[question](*arguments, **few | keywords)
    except simdocs.SimdocsError as error:
        # All problems of a request are one message.
        return Outcome(exits.status_of(error), tuple(spelled(error.message, option, command).split("; ")))
    if question in ARTIFACTS and "dry_run" not in keywords:
        status = exits.UNJUDGED if result.skipped.unjudged else exits.DONE
        return Outcome(status, (), taken(keywords["output"]), dict(result.skipped.counts))
    if question == "report":
        return Outcome(exits.DONE, (), result.drawn().decode().splitlines(), result.summary()["skipped"])
    if isinstance(result, tuple):
        return Outcome(exits.DONE, (), [drawn(row) for row in result])
    status = exits.UNJUDGED if result.skipped.unjudged else exits.DONE
    return Outcome(status, (), [drawn(row) for row in result.rows()], dict(result.skipped.counts))


def by_program(question: str, arguments: Sequence[str], keywords: Mapping[str, Any]) -> Outcome:
    """How the program answers."""
    few = [] if "jobs" in keywords or question in ALONE else ["-j1"]
    note = [] if question == "show" or "summary_json" in keywords else ["--summary-json", "note.json"]
    with standard_input(arguments) as stream:
        done = program(question, *arguments, *words_of(keywords), *few, *note, cwd=Path.cwd(), **stream)
    if done.status not in (exits.DONE, exits.UNJUDGED):
        assert done.out == b""
        line = done.err.splitlines()[-1].removeprefix("simdocs: error: ").partition(" (see: ")[0]
        return Outcome(done.status, tuple(line.split("; ")))
    summary = keywords.get("summary_json", "note.json")
    skipped = json.loads(Path(summary).read_bytes())["skipped"] if question != "show" else None
    answer = (
        taken(keywords["output"])
        if question in ARTIFACTS and "dry_run" not in keywords
        else done.out.decode("utf-8", "surrogateescape").splitlines()
    )
    return Outcome(done.status, (), answer, skipped)


def by_both(question: str, arguments: Sequence[str] = (), **keywords: Any) -> Outcome:
    """How both answer, which is the same."""
    if question in ARTIFACTS:
        keywords = {"output": f"made.{ARTIFACTS[question]}"} | keywords
    found, expected = by_library(question, arguments, keywords), by_program(question, arguments, keywords)
    if found.skipped is None:  # names and lines come without what was skipped
        assert found.status in (exits.DONE, expected.status)
        expected = Outcome(found.status, expected.problems, expected.answer)
    assert found == expected
    return found


def taken(output: str) -> dict[str, bytes]:
    """The content of an artifact, which is removed, so that the next one is made anew."""
    found = content(Path(output))
    shutil.rmtree(output)
    return found


def drawn(row: Any) -> str:
    """A row as the program prints it."""
    fields = row if isinstance(row, tuple) else (row,)
    return "\t".join(map(_drawn_field, fields))


def _drawn_field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(map(_drawn_field, value))
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6f}"
    return value.decode() if isinstance(value, bytes) else str(value)


@contextmanager
def standard_input(arguments: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The file `stdin` as standard input, for a request that reads it."""
    if "-" not in arguments:
        yield {}
        return
    saved = os.dup(0)
    with Path("stdin").open("rb") as given:
        os.dup2(given.fileno(), 0)
        try:
            yield {"stdin": Path("stdin").read_bytes()}
        finally:
            os.dup2(saved, 0)
            os.close(saved)
