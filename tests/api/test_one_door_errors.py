"""The library and the command line refuse the same things, in the same words but for the spelling of parameters."""

from __future__ import annotations

import fcntl
import os
from typing import Any

import pytest

import simdocs
from simdocs.cli import exits
from simdocs.parameters import values
from simdocs.parameters.answers import Settings
from simdocs.parameters.recipes import HashFunctions
from simdocs.parameters.texts import FieldNames
from tests.api.one_door import CALLS, REQUESTS, by_both, words_of
from tests.api.one_door_cases import ARGUMENTS
from tests.cli.program import simdocs as program

ANY_WORD = (
    *(values.FreeText, FieldNames, values.PatternList, values.PathName, values.PathList),
    values.ArtifactName,
)
"""Kinds of values of which every word of a command line is one."""


def wrong_words(kind: values.Values) -> list[str]:
    """Words that stand for no value of this kind."""
    if isinstance(kind, values.Whole):
        return [str(kind.least - 1), "five", "1.5", "" if kind.most is None else str(kind.most + 1)]
    return {
        values.Choice: ["none of these", ""],
        values.Fraction: ["0", "1.5", "nan", "half"],
        values.Seconds: ["-1", "soon", "nan"],
        values.Seed: ["-1", "4294967296", "chance"],
        values.Size: ["-1", "12Q", "1.5M"],
        Settings: ["spark.x", "x"],
        HashFunctions: ["x-1", "", "5"],
    }[type(kind)]


def wrong_values(question: str, turn: int) -> dict[str, str]:
    """A wrong word for each parameter of a question that has any."""
    found = {}
    for name, parameter in REQUESTS[question].accepts.items():
        if not isinstance(parameter.values, (*ANY_WORD, values.Flag)):
            words = wrong_words(parameter.values)
            found[name] = words[turn % len(words)]
    return found


def usual(question: str) -> tuple[str, ...]:
    """Arguments of a question with which nothing is wrong."""
    return ARGUMENTS.get(question, ("docs",))


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("question", REQUESTS)
def test_all_wrong_words_are_refused_together_with_the_same_problems(ground, question, turn):
    wrong = wrong_values(question, turn)
    found = by_both(question, usual(question), **wrong)
    assert found.status == exits.FAILED
    for problem, word in zip(found.problems, wrong.values(), strict=True):
        assert problem.partition(": formula 1 ")[0].endswith(f", not {word!r}")


@pytest.mark.parametrize("question", REQUESTS)
def test_a_wrong_type_is_refused_for_every_parameter_with_what_is_wanted(ground, question):
    nothing = object()
    for name, parameter in REQUESTS[question].accepts.items():
        with pytest.raises(simdocs.UsageError) as caught:
            CALLS[question](*usual(question), **{name: nothing})
        assert caught.value.problems == (f"{name} must be {parameter.values.wanted}, not {nothing!r}",)


@pytest.mark.parametrize("question", REQUESTS)
def test_every_flag_of_the_command_line_refuses_a_value(ground, question):
    flags = [name for name, each in REQUESTS[question].accepts.items() if isinstance(each.values, values.Flag)]
    (word,) = words_of({flags[-1]: True})
    assert program(question, *usual(question), f"{word}=yes").status == exits.FAILED


WRONG_AND_CONTRADICTORY: list[tuple[str, dict[str, Any], int]] = [
    ("pairs", {"k": "five", "exact": True, "rows": 3}, 2),
    ("dedupe", {"list": "all", "plain": True, "jsonl": True}, 3),
    ("query", {"nearest": 3, "top": 2, "threshold": "much"}, 2),
    ("index", {"seed": "-1", "rule": "best", "recall": 0.9, "bands": 3}, 3),
    ("show", {"language": "de", "k": "0"}, 2),
    ("show", {"language": "de", "unit": "letter"}, 1),
]


@pytest.mark.parametrize(("question", "keywords", "problems"), WRONG_AND_CONTRADICTORY)
def test_wrong_values_and_contradictions_are_reported_together(ground, question, keywords, problems):
    found = by_both(question, usual(question), **keywords)
    assert (found.status, len(found.problems)) == (exits.FAILED, problems)


CONTRADICTIONS: list[tuple[str, tuple[str, ...], dict[str, Any], int]] = [
    ("dedupe", ("docs",), {"files_from": "list", "files0_from": "list0"}, 1),
    ("dedupe", (), {}, 1),
    ("dedupe", ("docs",), {"plain": True, "jsonl": True}, 2),
    ("dedupe", ("-", "-"), {}, 1),
    ("dedupe", ("docs",), {"language": "de", "root": ".", "shingles": "docs.shingles"}, 3),
    ("dedupe", ("docs",), {"against": "old.index", "cluster": "components"}, 1),
    ("pairs", ("docs",), {"measure": "containment", "rows": 3, "bands": 3}, 2),
    ("pairs", ("docs",), {"changed": True}, 1),
    ("passages", ("docs",), {"plain": True, "jsonl": True}, 2),
    (
        "dedupe",
        ("docs",),
        {"exact": True, "recall": 0.9, "rule": "nearest", "bands": 3, "max_candidates": 9, "verify": "estimate"},
        6,
    ),
    ("dedupe", ("docs",), {"exact": True, "against": "old.index"}, 1),
    ("dedupe", ("docs.index", "docs"), {}, 1),
    ("dedupe", ("docs.index",), {"hidden": True, "max_size": 9, "unit": "word", "num_perm": 9, "bands": 3}, 5),
    ("dedupe", ("docs",), {"against": "old.index", "k": 5, "scheme": "permutation", "recall": 0.5}, 3),
    ("dedupe", ("docs.shingles",), {"against": "old.index", "nfkc": True, "rows": 1}, 3),
    ("dedupe", ("docs",), {"num_perm": 1, "threshold": 0.3}, 1),
    ("dedupe", ("docs",), {"bands": 20, "rows": 7}, 1),
    ("dedupe", ("docs",), {"against": "docs"}, 1),
    ("dedupe", ("docs",), {"changed": True}, 1),
    ("dedupe", ("docs.index",), {"changed": True, "against": "old.index"}, 1),
    ("query", ("docs.index",), {}, 1),
    ("query", ("docs.index", "docs"), {"changed": True}, 1),
    ("query", ("docs.index",), {"changed": True, "files_from": "list", "itself": True, "hidden": True}, 3),
    ("query", ("docs.index", "docs"), {"nearest": 1, "top": 1, "threshold": 0.5}, 2),
    ("query", ("docs", "docs.index"), {}, 1),
    ("query", ("docs.index", "docs.index"), {}, 1),
    ("query", ("docs", "docs"), {}, 1),
    ("query", ("docs.index", "docs.shingles"), {"include": ("x",), "hidden": True}, 2),
    ("show", ("text",), {"language": "de"}, 1),
    ("shingle", ("docs",), {"language": "de", "unit": "word"}, 1),
    ("shingle", ("docs",), {"output": "x.index"}, 1),
    ("signature", ("docs.shingles",), {"k": 5, "nfkc": True, "text_field": "body", "follow": True}, 4),
    ("index", ("docs.signatures",), {"k": 5, "num_perm": 64}, 2),
    ("index", ("docs.index", "docs"), {}, 1),
    ("index", ("docs",), {"bands": 3, "rows": 4, "rule": "nearest", "recall": 0.9}, 1),
]


@pytest.mark.parametrize(("question", "arguments", "keywords", "problems"), CONTRADICTIONS)
def test_contradictions_are_the_same_usage_error(ground, question, arguments, keywords, problems):
    found = by_both(question, arguments, **keywords)
    assert (found.status, len(found.problems)) == (exits.FAILED, problems), found.problems


FAILURES: list[tuple[str, tuple[str, ...], dict[str, Any], int]] = [
    *((question, ("nowhere",), {}, exits.FAILED) for question in REQUESTS if question != "query"),
    ("query", ("nowhere.index", "docs"), {}, exits.FAILED),
    ("query", ("docs.index", "nowhere"), {}, exits.FAILED),
    ("query", ("docs.index", "docs"), {"root": "nowhere"}, exits.FAILED),
    ("query", ("docs.shingles", "docs"), {}, exits.DAMAGED),
    ("query", ("docs.index", "docs"), {"shingles": "docs.index"}, exits.DAMAGED),
    ("query", ("docs.index", "docs"), {"shingles": "gone.shingles"}, exits.DAMAGED),
    ("query", ("words.index", "docs.shingles"), {}, exits.DAMAGED),
    ("dedupe", ("docs",), {"against": "nowhere.index"}, exits.FAILED),
    ("dedupe", ("docs",), {"against": "docs.shingles"}, exits.DAMAGED),
    ("dedupe", ("docs.signatures",), {"against": "words.index"}, exits.DAMAGED),
    ("dedupe", ("docs",), {"against": "old.index", "root": "nowhere"}, exits.FAILED),
    ("dedupe", ("docs.index",), {"root": "nowhere"}, exits.FAILED),
    ("dedupe", ("docs.index",), {"shingles": "gone.shingles"}, exits.DAMAGED),
    ("dedupe", ("docs.shingles",), {"changed": True}, exits.DAMAGED),
    ("dedupe", ("silent.index",), {"changed": True}, exits.DAMAGED),
    ("query", ("silent.index",), {"changed": True}, exits.DAMAGED),
    ("dedupe", ("damaged.index",), {}, exits.DAMAGED),
    ("dedupe", (), {"files_from": "nowhere"}, exits.FAILED),
    ("dedupe", (), {"files0_from": "nowhere"}, exits.FAILED),
    ("shingle", ("docs",), {"output": "nowhere/x.shingles"}, exits.FAILED),
    ("shingle", ("docs",), {"output": "docs"}, exits.FAILED),
    ("shingle", ("docs.shingles",), {}, exits.DAMAGED),
    ("signature", ("docs.index",), {}, exits.DAMAGED),
    ("show", ("docs",), {}, exits.FAILED),
]


@pytest.mark.parametrize(("question", "arguments", "keywords", "status"), FAILURES)
def test_other_failures_are_the_same_error_with_the_same_status(ground, question, arguments, keywords, status):
    found = by_both(question, arguments, **keywords)
    assert found.status == status
    assert found.problems


def test_a_locked_artifact_is_the_same_error_with_the_same_status(ground):
    held = os.open("words.index", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        found = by_both("index", ("docs",), output="words.index", lock_wait=0.01)
    finally:
        os.close(held)
    assert (found.status, len(found.problems)) == (exits.LOCKED, 1)
