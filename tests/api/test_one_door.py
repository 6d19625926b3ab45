"""The library and the command line are one door: every parameter has the same answer from both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import simdocs
from tests.amounts import slow
from tests.api.one_door import ARTIFACTS, REQUESTS, Outcome, by_both
from tests.api.one_door_cases import ARGUMENTS, CASES

ALIKE = ("shingle", "signature", "index", "dedupe", "pairs", "passages", "tune", "audit")
"""Each has most parameters of the one before, and more."""


def parameters() -> Iterator[Any]:
    """All questions with their parameters. The short form asks about no parameter of the question before again."""
    before: set[str] = set()
    for question, request in REQUESTS.items():
        own = set(request.accepts)
        inherited = before if question in ALIKE else set()
        for parameter in request.accepts:
            yield from slow((question, parameter)) if parameter in inherited else [(question, parameter)]
        before = own if question in ALIKE else before


@pytest.fixture(scope="module")
def plain_answers() -> dict[object, Outcome]:
    """Answers that several cases are compared with."""
    return {}


@pytest.mark.parametrize(("question", "parameter"), list(parameters()))
def test_every_parameter_has_the_same_answer_from_both_doors(ground, question, parameter, plain_answers):
    case = CASES[question][parameter]
    assert case.value != REQUESTS[question].accepts[parameter].default
    usual = ARGUMENTS.get(question, ("docs",))
    arguments = usual if case.arguments is None else case.arguments
    value = case.value.format(kind=ARTIFACTS[question]) if parameter == "output" else case.value
    found = by_both(question, arguments, **{parameter: value}, **case.beside)
    plain = case.without or arguments
    key = question, plain, *case.beside.items()
    if key not in plain_answers:
        plain_answers[key] = by_both(question, plain, **case.beside)
    assert (found != plain_answers[key]) == case.changes


def test_every_case_is_about_a_parameter():
    """If this fails for a new question, `_OWN` in one_door_cases.py needs the cases of its own parameters."""
    assert {question: sorted(cases) for question, cases in CASES.items()} == {
        question: sorted(request.accepts) for question, request in REQUESTS.items()
    }


LISTS = [
    ("dedupe", ("docs",), {"list": "kept"}),
    ("dedupe", ("docs",), {"list": "duplicates", "against": "old.index"}),
    ("dedupe", ("docs",), {"list": "groups"}),
    ("dedupe", ("docs",), {"list": "groups", "against": "old.index", "verify": "estimate"}),
    ("dedupe", ("docs.shingles",), {"list": "groups", "exact": True, "cluster": "components"}),
    ("dedupe", ("updated.index",), {"list": "groups", "changed": True}),
    ("pairs", ("docs.index",), {"threshold": 0.5}),
    ("dedupe", ("docs.signatures",), {"against": "old.index", "keep": "newest", "verify": "estimate"}),
    ("dedupe", ("docs.shingles",), {"exact": True, "cluster": "components", "list": "kept"}),
    ("query", ("docs.index", "docs.shingles"), {"nearest": 1, "itself": True}),
    ("query", ("docs.index", "docs.signatures"), {"top": 1, "threshold": 0.9}),
    ("query", ("docs.index",), {"files_from": "list", "list": "matches"}),
    ("query", ("updated.index",), {"changed": True, "nearest": 1}),
    ("query", ("updated.index",), {"changed": True, "list": "matches", "shingles": "docs.shingles"}),
    ("pairs", ("updated.index",), {"changed": True, "threshold": 0.5}),
    ("dedupe", ("updated.index",), {"changed": True, "list": "kept", "exact": True}),
    ("signature", ("docs.shingles",), {"num_perm": 16}),
    ("index", ("docs.signatures",), {"threshold": 0.6}),
    ("index", ("docs",), {"dry_run": True, "output": "old.index"}),
    ("index", ("docs.signatures",), {"dry_run": True, "output": "old.index", "num_perm": 128}),
    ("index", ("docs.index",), {"bands": 3, "rows": 5}),
    ("dedupe", ("docs",), {"against": "stop.index", "language": "de", "list": "duplicates"}),
]


@pytest.mark.parametrize(("question", "arguments", "keywords"), LISTS)
def test_lists_and_artifacts_have_the_same_answer_from_both_doors(ground, question, arguments, keywords):
    assert by_both(question, arguments, **keywords).answer


@pytest.mark.parametrize("call", [simdocs.index, simdocs.dedupe])
def test_the_library_spells_parameters_as_keywords_in_all_it_says(ground, call):
    (warning,) = call("docs", include=("*.none",)).skipped.warnings
    assert warning == "no file matches include '*.none'"
    with pytest.raises(simdocs.InputError, match=r"^list with NUL: this list has NUL bytes: read it with files0_from$"):
        call(files_from="list with NUL")
    with pytest.raises(simdocs.UnjudgedError, match=r"^strict: nothing was written"):
        call("docs", max_size=1, strict=True)
    with pytest.raises(simdocs.UsageError) as wrong:
        call("docs", num_perm=0)
    assert wrong.value.problems == (str(wrong.value),) == ("num_perm must be a whole number from 1 to 65536, not 0",)
