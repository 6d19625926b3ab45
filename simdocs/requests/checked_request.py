"""Requests: parameters that are checked when they are put together. All problems are reported at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from simdocs.errors import UsageError, mention, mentioned
from simdocs.parameter_declaration import Parameter
from simdocs.parameters import PARAMETERS
from simdocs.values import Values, refusal


@dataclass(frozen=True, init=False, eq=False, repr=False)
class CheckedRequest:
    """Parameters that are checked when they are put together. question: what they belong to."""

    question: ClassVar[str]

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
        return PARAMETERS.get(f"{cls.question}.{name}") or PARAMETERS[name]

    @classmethod
    def parameters(cls) -> Mapping[str, Parameter]:
        """The declarations of all its parameters, by name."""
        declared = {parameter.name for parameter in PARAMETERS.values()}
        return {field.name: cls.parameter(field.name) for field in fields(cls) if field.name in declared}

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

    mistyped = set(unknown) - {parameter.name for parameter in PARAMETERS.values()}
    near = sorted({name for each in mistyped for name in get_close_matches(each, names, 1, 0.7)})
    return f": did you mean {', '.join(near)}?" if near else ""
