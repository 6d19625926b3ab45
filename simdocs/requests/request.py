"""Requests: a question, and what was given to it. All problems are reported at once.

The modules here have real annotations (they do not postpone their evaluation), because the groups that a request holds
are read from them.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import get_annotations
from types import MappingProxyType
from typing import Any, ClassVar, Self

from simdocs.errors import Problem, UsageError, mention
from simdocs.parameters import PARAMETERS
from simdocs.parameters.declaration import Group, Parameter
from simdocs.parameters.values import Values, refusal, without_secret

RequestRules = tuple[Callable[[Any], Iterator[Problem]], ...]


class Request:
    """A question and what was given to it. Each annotation of a subclass is a group that it holds, or an argument.

    question: the name of the question.
    rules: yield the problems of a request that no file decides.
    accepts: the declarations of its parameters, in the order in which help lists them.
    arguments: the names of its arguments, which are no parameters, with their defaults.
    groups: the type of each group, and the names of its parameters that are accepted.
    given: the parameters that were given, by name. The groups have the defaults of all others.
    """

    question: ClassVar[str] = ""
    rules: ClassVar[RequestRules] = ()
    accepts: ClassVar[Mapping[str, Parameter]] = MappingProxyType({})
    arguments: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    given: Mapping[str, Any]
    groups: ClassVar[Mapping[str, tuple[type[Group], tuple[str, ...]]]] = MappingProxyType({})

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        groups = dict[str, tuple[type[Group], tuple[str, ...]]]()
        arguments = dict[str, Any]()
        for owner in reversed(cls.__mro__):
            if not issubclass(owner, Request) or owner is Request:
                continue
            for name, kind in get_annotations(owner).items():
                if isinstance(kind, type) and issubclass(kind, Group):
                    groups[name] = kind, owner.__dict__.get(name) or tuple(kind.parameters)
                elif "ClassVar" not in str(kind):
                    arguments[name] = owner.__dict__.get(name)
        cls.groups, cls.arguments = MappingProxyType(groups), MappingProxyType(arguments)
        accepted = {name: group.parameters[name] for group, names in groups.values() for name in names}
        cls._accept(accepted)

    @classmethod
    def _accept(cls, accepted: Mapping[str, Parameter]) -> None:
        in_order = (name for name in PARAMETERS if name in accepted)
        cls.accepts = MappingProxyType({name: accepted[name].of(cls.question) for name in in_order})

    def __init__(self, **given: Any) -> None:
        known = {*self.arguments, *self.accepts}
        if unknown := sorted(set(given) - known):
            raise TypeError(f"{self.question} has no parameter {', '.join(unknown)}{_meant(unknown, known)}")
        wrong, checked = dict[str, Problem](), dict[str, Any]()
        for name, declared in self.accepts.items():
            value = given.pop(name, None)
            if value is None:
                continue
            try:
                checked[name] = declared.values.check(value)
            except ValueError as wanted:
                wrong[name] = Problem(f"{mention(name)} {refusal(declared.values, wanted, value)}", name)
        checked = {name: value for name, value in checked.items() if value != ()}
        self.__dict__.update(dict(self.arguments) | given)
        self.__dict__["given"] = MappingProxyType(checked)
        self._hold(checked)
        # A rule about a parameter whose value is wrong would be a guess at what was meant.
        found = (problem for rule in (type(self)._check, *self.rules) for problem in rule(self))
        problems = [*wrong.values(), *(problem for problem in found if not wrong.keys() & set(problem.parameters))]
        if problems:
            raise UsageError(*problems)

    def _hold(self, checked: Mapping[str, Any]) -> None:
        """Make the groups from the parameters that were given."""
        for name, (group, names) in self.groups.items():
            self.__dict__[name] = group.of({each: checked[each] for each in names if each in checked})

    def _check(self) -> Iterator[Problem]:
        """Yield the problems of the arguments, and put them into their normal types."""
        yield from ()

    def _checked_argument(self, name: str, values: Values) -> Iterator[Problem]:
        """Put an argument into its normal type. Yield a problem if that is impossible."""
        try:
            self.__dict__[name] = values.check(getattr(self, name))
        except ValueError as wanted:
            yield Problem(f"{name} must be {wanted}, not {without_secret(getattr(self, name))!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.given.items())
        return f"<{type(self).__name__} {given}>" if given else f"<{type(self).__name__}>"

    def but(self, **others: Any) -> Self:
        """The same request with these other values."""
        return type(self)(**{name: getattr(self, name) for name in self.arguments} | dict(self.given) | others)

    def has(self, condition: str) -> bool:
        """Whether a parameter was given and is not False, as `pairs`; or has a value, as `measure containment`."""
        name, _, value = condition.partition(" ")
        held = self.given.get(name)
        return held == value if value else held is not None and held is not False


def only(*names: str) -> Any:
    """Say that a request accepts only these parameters of a group. The others have their defaults."""
    return names


def _meant(unknown: Sequence[str], names: Iterable[str]) -> str:
    """The end of a message: names that were probably meant; empty if the unknown ones belong to other questions."""
    from difflib import get_close_matches

    mistyped = set(unknown) - PARAMETERS.keys()
    near = sorted({name for each in mistyped for name in get_close_matches(each, names, 1, 0.7)})
    return f": did you mean {', '.join(near)}?" if near else ""


class Exclusion:
    """The rule that two parameters exclude each other.

    sides: both, as conditions of `Request.has`.
    why: the reason, or what to do.
    when, unless: conditions for the rule.
    """

    def __init__(self, first: str, second: str, why: str = "", *, when: tuple[str, ...] = (), unless: str = "") -> None:
        self.sides, self.why, self.when, self.unless = (first, second), why, when, unless

    def holds(self, request: Request) -> bool:
        """Whether the rule applies to a request, and both parameters were given."""
        wanted = all(map(request.has, (*self.sides, *self.when)))
        return wanted and not (self.unless and request.has(self.unless))

    def __call__(self, request: Request) -> Iterator[Problem]:
        """Yield the problem, if there is one."""
        if self.holds(request):
            yield not_together(*self.sides, why=self.why)


class Need:
    """The rule that a parameter needs another one.

    name, needed: both, as conditions of `Request.has`.
    why: the reason, or what to do.
    unless: conditions, with any of which the rule does not apply.
    """

    def __init__(self, name: str, needed: str, why: str = "", *, unless: tuple[str, ...] = ()) -> None:
        self.name, self.needed, self.why, self.unless = name, needed, why, unless

    def __call__(self, request: Request) -> Iterator[Problem]:
        """Yield the problem, if there is one."""
        if request.has(self.name) and not any(map(request.has, (self.needed, *self.unless))):
            text = f"{_mentioned(self.name)} needs {_mentioned(self.needed)}" + (f": {self.why}" if self.why else "")
            yield Problem(text, *(each.partition(" ")[0] for each in (self.name, self.needed)))


def _mentioned(condition: str) -> str:
    name, _, value = condition.partition(" ")
    return f"{mention(name)} {value}" if value else mention(name)


def not_together(*conditions: str, why: str = "") -> Problem:
    """The problem that these parameters exclude each other. why: the reason, or what to do."""
    *most, last = map(_mentioned, conditions)
    text = f"{', '.join(most)} and {last} cannot be combined" + (f": {why}" if why else "")
    return Problem(text, *(each.partition(" ")[0] for each in conditions))


def needs(names: Iterable[str], what: str) -> Iterator[Problem]:
    """Yield for each of these parameters that it needs this, which is no parameter."""
    for name in names:
        yield Problem(f"{mention(name)} needs {what}", name)


def contradictions(
    given: Mapping[str, Any], recipe: object, name: str, fixed: Sequence[str], free: Sequence[str] = ()
) -> Iterator[Problem]:
    """Yield a problem for each parameter that was given and that the artifact was built without.

    fixed: the groups of parameters that the artifact decides.
    free: parameters that may differ.
    """
    for group in fixed:
        for parameter, value in getattr(recipe, group).flattened():
            if parameter in given and parameter not in free and given[parameter] != value:
                yield Problem(_contradiction(parameter, given[parameter], value, name), parameter)


def _contradiction(parameter: str, asked: object, built: object, name: str) -> str:
    option = mention(parameter)
    if is_unset(parameter, built):
        return f"{name} was built without {option}: rebuild it with {option}, or leave the option out"
    if built is True:
        return f"{name} was built with {option}: rebuild it without, or give the option here"
    return (
        f"{name} was built with {option} {in_words(built)}, not {in_words(asked)}: rebuild it, or leave the option out"
    )


def in_words(value: object) -> str:
    """A value, or several with commas between them."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def is_unset(parameter: str, value: object) -> bool:
    """Whether an artifact with this value was built without the parameter, rather than with a value of it."""
    return (
        value is False
        or value is None
        or value == ()
        or (parameter == "ignore_common" and value == PARAMETERS[parameter].default)
    )


def paths(documents: Sequence[Any], *, or_texts: bool = True) -> tuple[tuple[Any, ...], list[Problem]]:
    """The documents, with paths as bytes, and the problems of those that are no paths.

    or_texts: texts can be given instead.
    """
    found, wrong = list[Any](), list[Problem]()
    for document in documents:
        if hasattr(document, "recipe"):
            found.append(document)
            continue
        try:
            found.append(os.fsencode(document))
        except TypeError:
            texts = ", or texts as texts=[...]" if or_texts and hasattr(document, "__iter__") else ""
            kind = type(document).__name__
            wrong.append(Problem(f"{kind} is not a path: pass each path as a separate argument{texts}"))
    return tuple(found), wrong
