"""Requests: frozen, of known parameters, and of parameters that go together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from simdocs.errors import spelled
from simdocs.parameters import PARAMETERS
from simdocs.requests import drawing, sources, studying
from simdocs.requests.request import Exclusion, Request
from tests.asked import asked, names_of, needed, problems_of, value_of


def kinds(request_type: type[Request] = Request) -> Iterator[type[Request]]:
    """Yield every kind of request that a command makes."""
    below = request_type.__subclasses__()
    for each in below:
        yield from kinds(each)
    if request_type.question and (not below or request_type is drawing.DrawnRequest):
        yield request_type


REQUESTS = sorted(set(kinds()), key=lambda request_type: request_type.__name__)


def together(request_type: type[Request], *names: str) -> dict[str, Any]:
    """Values of these parameters, and what they need beside them."""
    given: dict[str, Any] = {}
    for name in names:
        given |= needed(request_type, name)
    return given | {name: value_of(request_type, name) for name in names if name not in given}


@pytest.mark.parametrize("request_type", REQUESTS)
def test_two_parameters_that_exclude_each_other_are_a_problem_only_together(request_type):
    rules = [rule for rule in request_type.rules if isinstance(rule, Exclusion)]
    for rule in rules:
        names = [side.partition(" ")[0] for side in rule.sides]
        if not set(names) <= request_type.accepts.keys():
            continue
        given = together(request_type, *names)
        for condition in (*rule.sides, *rule.when):
            name, _, value = condition.partition(" ")
            given |= {name: value} if value else {}
        (problem,) = (each for each in problems_of(request_type, **given) if says(each, rule, names))
        for name in names:
            alone = {other: value for other, value in given.items() if other != name}
            assert problem not in problems_of(request_type, **alone)


def says(problem: str, rule: Exclusion, names: list[str]) -> bool:
    """Whether a problem is that of a rule."""
    return "cannot be combined" in problem and all(name in problem for name in names) and spelled(rule.why) in problem


@pytest.mark.parametrize("request_type", REQUESTS)
def test_each_problem_of_two_parameters_names_them_or_what_they_need(request_type):
    for pair in combinations(names_of(request_type), 2):
        if "jsonl" in pair and "changed" in pair:  # Standard input, and no documents.
            continue
        given = together(request_type, *pair)
        spelt = {*given, *(["list"] if "listing" in given else [])}
        spelt |= {"documents"} if not given.get("documents", True) else set()
        for problem in problems_of(request_type, **given):
            assert sum(name in problem for name in spelt) >= 2, (pair, problem)


@pytest.mark.parametrize("request_type", REQUESTS)
def test_each_parameter_alone_is_accepted_with_what_it_needs(request_type):
    for name in names_of(request_type):
        given = {name: value_of(request_type, name)}
        assert problems_of(request_type, **given | needed(request_type, name)) == ()
        # Whether it is needed shows here or, where an artifact may stand in the place of documents, later.
        later = name in ("language", "ignore_stop_words", "stop_words") and issubclass(
            request_type, sources.ReadRequest | studying.CompareRequest
        )
        assert bool(problems_of(request_type, **given)) == (bool(needed(request_type, name)) and not later)


@pytest.mark.parametrize("request_type", REQUESTS)
def test_a_request_is_frozen(request_type):
    request = asked(request_type)
    for name in (*vars(request), "anything"):
        with pytest.raises(AttributeError):
            setattr(request, name, None)
        with pytest.raises(AttributeError):
            delattr(request, name)


@pytest.mark.parametrize("request_type", REQUESTS)
def test_an_unknown_parameter_is_a_type_error_that_names_all_of_them(request_type):
    known = {*request_type.arguments, *request_type.accepts}
    unknown = sorted({*PARAMETERS.keys() - known, "nun_perm"})
    meant = r": did you mean num_perm\?" if "num_perm" in known else ""
    with pytest.raises(TypeError, match=f"^{request_type.question} has no parameter {', '.join(unknown)}{meant}$"):
        asked(request_type, **dict.fromkeys(unknown))


@pytest.mark.parametrize("request_type", REQUESTS)
def test_given_lists_what_was_given_in_its_normal_type_and_groups_have_it(request_type):
    for name, parameter in request_type.accepts.items():
        value = value_of(request_type, name)
        request = asked(request_type, **{name: value} | needed(request_type, name))
        checked = parameter.values.check(value)
        assert request.given[name] == checked
        assert f"{name}={checked!r}" in repr(request)
        holders = [request, *vars(request).values()]
        assert any(getattr(holder, name, None) == checked for holder in holders)
    empty = asked(request_type, **dict.fromkeys(request_type.accepts))
    assert empty.given == {}
    assert repr(empty) == f"<{request_type.__name__}>"
