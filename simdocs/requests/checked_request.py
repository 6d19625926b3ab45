"""Requests: parameters that are checked when they are put together. All problems are reported at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, Self

from simdocs.errors import UsageError, mention, mentioned
from simdocs.parameters import PARAMETERS
from simdocs.parameters.declaration import Group, Parameter
from simdocs.parameters.values import Values, refusal


@dataclass(frozen=True, init=False, eq=False, repr=False)
class CheckedRequest:
    """Parameters that are checked when they are put together. question: what they belong to."""

    question: ClassVar[str]
    own: ClassVar[tuple[type[Group], ...]] = ()
    """Groups of which it has parameters instead of others of the same names."""

    def __init__(self, **given: Any) -> None:
        # Written by hand: a generated one for each of these classes would double the time that the program takes to
        # start.
        names = {field.name for field in fields(self)}
        if unknown := sorted(set(given) - names):
            raise TypeError(f"{self.question} has no parameter {', '.join(unknown)}{_meant(unknown, names)}")
        for name, value in given.items():
            object.__setattr__(self, name, value)
        wrong = dict(self._wrong_values())
        # A rule about a parameter whose value is wrong would be a guess at what was meant.
        problems = [*wrong.values(), *(problem for problem in self._rules() if not wrong.keys() & mentioned(problem))]
        if problems:
            raise UsageError(*problems)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.given().items())
        return f"<{type(self).__name__} {given}>" if given else f"<{type(self).__name__}>"

    @classmethod
    def parameter(cls, name: str) -> Parameter:
        """The declaration of one of its parameters."""
        declared = next((group.parameters[name] for group in cls.own if name in group.parameters), PARAMETERS[name])
        return declared.of(cls.question)

    @classmethod
    def parameters(cls) -> Mapping[str, Parameter]:
        """The declarations of all its parameters, by name."""
        return {field.name: cls.parameter(field.name) for field in fields(cls) if field.name in PARAMETERS}

    def but(self, **others: Any) -> Self:
        """The same request with these other values."""
        return type(self)(**{field.name: getattr(self, field.name) for field in fields(self)} | others)

    def given(self) -> dict[str, Any]:
        """The parameters that were given, by name."""
        every = {name: getattr(self, name) for name in self.parameters()}
        return {name: value for name, value in every.items() if value is not None and value != ()}

    def _wrong_values(self) -> Iterator[tuple[str, str]]:
        """Parameters with wrong values, and what is wrong; a wrong value is left out for the rules that follow."""
        for name, parameter in self.parameters().items():
            value = getattr(self, name)
            if value is None:
                continue
            try:
                checked = parameter.values.check(value)
            except ValueError as wanted:
                checked = None
                yield name, f"{mention(name)} {refusal(parameter.values, wanted, value)}"
            object.__setattr__(self, name, checked)

    def _checked_argument(self, name: str, values: Values) -> Iterator[str]:
        """What is wrong with an argument that is no parameter."""
        try:
            object.__setattr__(self, name, values.check(getattr(self, name)))
        except ValueError as wanted:
            yield f"{name} must be {wanted}, not {getattr(self, name)!r}"

    def _rules(self) -> Iterator[str]:
        yield from ()


def _meant(unknown: Sequence[str], names: Iterable[str]) -> str:
    """The end of a message: names that unknown ones may stand for, unless those are parameters of other questions."""
    from difflib import get_close_matches

    mistyped = set(unknown) - PARAMETERS.keys()
    near = sorted({name for each in mistyped for name in get_close_matches(each, names, 1, 0.7)})
    return f": did you mean {', '.join(near)}?" if near else ""


def contradictions(
    given: Mapping[str, Any], recipe: object, name: str, fixed: Sequence[str], free: Sequence[str] = ()
) -> Iterator[str]:
    """Yield a message for each parameter that was given and that the artifact was built without.

    fixed: the groups of parameters that the artifact decides. free: parameters that may differ.
    """
    for group in fixed:
        for parameter, value in getattr(recipe, group).flattened():
            if parameter in given and parameter not in free and given[parameter] != value:
                yield _contradiction(parameter, given[parameter], value, name)


def _contradiction(parameter: str, asked: object, built: object, name: str) -> str:
    option = mention(parameter)
    if built is False or (parameter == "ignore_common" and built == PARAMETERS[parameter].default):
        return f"{name} was built without {option}: rebuild it with {option}, or leave the option out"
    if built is True:
        return f"{name} was built with {option}: rebuild it without, or give the option here"
    return f"{name} was built with {option} {built}, not {asked}: rebuild it, or leave the option out"


NOT_FOR_EXACT: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        ("recall", "rule", "bands", "rows", "max_candidates", "verify", "against"),
        f"{mention('exact')} finds and compares every pair",
    )
)
"""Parameters about pairs that may be missed or are not compared: an exact join misses none."""

NOT_FOR_EXACT_QUERY: Mapping[str, str] = MappingProxyType(
    {"verify": f"{mention('exact')} finds and compares every pair"}
)
"""Parameters of a query that cannot be combined with an exact join."""

NOT_FOR_CONTAINMENT: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("recall", "rule", "bands", "rows"), "containment is computed for every pair in any case"),
        "verify": "signatures do not tell the containment",
    }
)
"""Parameters about signatures, which say little about containment."""

NOT_FOR_PAIRS: Mapping[str, str] = MappingProxyType(
    {
        "against": f"{mention('pairs')} finds pairs only within the documents",
        "keep": f"{mention('pairs')} does not choose documents to keep",
        "max_candidates": f"{mention('pairs')} has no such limit",
    }
)
"""Parameters that all pairs do not need."""

NOT_FOR_COMPONENTS: Mapping[str, str] = MappingProxyType(
    {
        "pairs": f"{mention('pairs')} lists pairs, not groups",
        "against": f"{mention('against')} keeps every document of the index, and a component keeps one",
        "max_candidates": "components have no such limit",
    }
)
"""Parameters that cannot be combined with connected components."""

NOT_FOR_EXPLANATIONS: Mapping[str, str] = MappingProxyType(
    {
        "pairs": f"{mention('explain')} explains groups",
        "list": f"{mention('explain')} lists all documents",
    }
)
"""What an explanation of groups cannot be."""

NOT_FOR_NEAREST: Mapping[str, str] = MappingProxyType(
    {
        "threshold": f"{mention('nearest')} ignores the threshold",
        "top": f"{mention('nearest')} limits the number of matches already",
        "max_memory": "only a few token sets are in memory at once",
    }
)
"""Parameters that the nearest documents do not need."""


def containment_instead(nearest: int) -> str:
    """How to ask for as many documents that contain others as the nearest that were asked for."""
    containment = f"{mention('measure')} containment {mention('top')} {nearest}"
    return f"use {containment} instead of {mention('nearest')} {nearest}"


def not_together(*names: str, why: str = "") -> str:
    """The problem that these parameters exclude each other. why: the reason, or what to do."""
    *most, last = map(mention, names)
    return f"{', '.join(most)} and {last} cannot be combined" + (f": {why}" if why else "")
