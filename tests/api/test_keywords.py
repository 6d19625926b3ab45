"""The typed keywords and the signatures of the public functions list exactly the parameters of the requests."""

from __future__ import annotations

import inspect
import pydoc
import re
import typing
from collections.abc import Callable

import pytest

import simdocs
from simdocs.api import keywords
from simdocs.parameters.families import UNITS
from tests import strategies as some
from tests.asked import REQUESTS

ARGUMENTS = {"documents", "artifacts", "index", "file", "answer", "journal"}
"""Fields of requests that are arguments by place."""

DECIDE_THE_RESULT = {"list", "dry_run", "trace", "passages", "text"}
"""Parameters by which the type of what comes back, or other arguments, differ: overloads have them, the typed keywords
do not."""

CASES = [
    (getattr(simdocs, question), request, getattr(keywords, f"{question.capitalize()}Keywords"))
    for question, request in REQUESTS.items()
    if question != "similarity"  # whose texts are its arguments
]


def keywords_of(request: type[typing.Any]) -> set[str]:
    """The fields of a request that are keywords in Python."""
    return {*request.arguments, *request.accepts} - ARGUMENTS


@pytest.mark.parametrize(("function", "request_type", "typed"), CASES)
def test_typed_keywords_are_the_fields_of_the_request(function, request_type, typed):
    assert set(typing.get_type_hints(typed)) == keywords_of(request_type) - DECIDE_THE_RESULT
    assert typed.__optional_keys__ == set(typing.get_type_hints(typed))
    if DECIDE_THE_RESULT & keywords_of(request_type):
        named = [set(inspect.signature(overload).parameters) for overload in typing.get_overloads(function)]
        assert set.union(*named) >= DECIDE_THE_RESULT & keywords_of(request_type)


def test_typed_keywords_of_similarity_are_the_parameters_that_decide_tokens():
    assert set(typing.get_type_hints(keywords.SimilarityKeywords)) == set(REQUESTS["similarity"].accepts)


@pytest.mark.parametrize(("function", "request_type", "typed"), CASES)
def test_typed_keywords_accept_none_and_the_members_of_their_family(function, request_type, typed):
    for name, hint in typing.get_type_hints(typed).items():
        if hint is typing.Any:
            continue
        assert type(None) in typing.get_args(hint), name
        literals = [arguments for kind in typing.get_args(hint) if (arguments := typing.get_args(kind))]
        values = request_type.accepts[name].values if name in request_type.accepts else None
        if some.has_choices(values) and literals:
            assert literals == [tuple(values.family)], name


@pytest.mark.parametrize(("function", "request_type", "typed"), CASES)
def test_help_lists_every_parameter(function, request_type, typed):
    found = inspect.signature(function).parameters
    by_place = [name for name, parameter in found.items() if parameter.kind is not parameter.KEYWORD_ONLY]
    assert by_place == sorted(ARGUMENTS & request_type.arguments.keys(), reverse=True)
    for name, parameter in found.items():
        if name in ("documents", "artifacts"):
            assert parameter.kind is parameter.VAR_POSITIONAL
        elif name in ARGUMENTS:
            assert parameter.default is (parameter.empty if name != "file" else None)  # a text can be given instead
        else:
            assert (parameter.kind, parameter.default) == (parameter.KEYWORD_ONLY, None)
    assert set(found) - ARGUMENTS == keywords_of(request_type)
    shown = pydoc.plain(pydoc.render_doc(function))
    assert all(f"{name}=None" in shown for name in keywords_of(request_type))


def entries(function: Callable[..., typing.Any]) -> dict[str, str]:
    """What the docstring of a function says about each keyword, on one line."""
    _, _, listed = (inspect.getdoc(function) or "").partition("Keywords, with their defaults in brackets:\n\n")
    texts = re.split(r"\n(?=    \S)", listed)
    return {name: " ".join(text.split()) for name, _, text in (entry.strip().partition(": ") for entry in texts)}


@pytest.mark.parametrize(
    ("function", "request_type"), [*(case[:2] for case in CASES), (simdocs.similarity, REQUESTS["similarity"])]
)
def test_help_explains_every_keyword_and_names_its_default(function, request_type):
    found = entries(function)
    assert list(found) == [name for name in inspect.signature(function).parameters if name in keywords_of(request_type)]
    assert all(found.values())
    for name, parameter in request_type.accepts.items():
        if parameter.default is not None and name in found:
            assert f"[{parameter.default!r}]" in found[name]
        if some.has_choices(parameter.values):
            assert all(repr(member) in found[name] for member in parameter.values.family)
    if "k" in found and request_type.question != "compare":
        assert found["k"] == f"Units in a shingle. [{', '.join(f'{name} {unit.k}' for name, unit in UNITS.items())}]"
    if "bands" in found:
        assert found["bands"] == "Number of bands, instead of a rule."


def test_help_of_a_function_begins_with_what_it_returns():
    for function in (*(case[0] for case in CASES), simdocs.similarity, simdocs.info, simdocs.check, simdocs.open):
        first = (inspect.getdoc(function) or "").partition("\n")[0]
        assert re.match(r"[A-Z][a-z]+ .*\.$", first), first


def test_help_lists_every_parameter_of_similarity():
    assert list(inspect.signature(simdocs.similarity).parameters) == ["a", "b", *REQUESTS["similarity"].accepts]
