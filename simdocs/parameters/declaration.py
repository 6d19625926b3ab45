"""The declaration of parameters and families: each parameter is a field of a group, with values, default and help.

A group of parameters is a class with typed fields, like a frozen dataclass. It is none, because creating a dataclass
takes half a millisecond at each start of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from importlib import import_module
from inspect import get_annotations
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar, dataclass_transform

from simdocs.parameters.values import Flag, Values

DOCUMENTS, TEXT, SHINGLES, SIGNATURES = "Documents", "Normalised text", "Shingles", "Signatures and bands"
GROUPS, UPDATE, ACTION, ANSWER, RUN = "Groups", "Update of an artifact", "Action", "Answer", "Run"
SECTIONS = (DOCUMENTS, TEXT, SHINGLES, SIGNATURES, GROUPS, UPDATE, ACTION, ANSWER, RUN)
"""The headings under which help lists parameters, in this order."""

_NONE: Mapping[str, str] = MappingProxyType({})


class Parameter:
    """One parameter.

    name: its name, which is that of the field.
    section: the heading under which help lists it.
    values: the values that it takes.
    default: its value if it is not given; None if there is no default, or if `derived` computes it.
    derived: computes the default from the other fields of the group.
    described: the default in words, if the value alone does not say it.
    help: one sentence or two about it.
    helps: `help` for the questions for which it differs.
    describes: the default in words for the questions for which it differs, because an artifact decides it.
    before: the name of the parameter before which help lists it, if that is not the order of declaration.
    """

    __slots__ = ("before", "default", "derived", "described", "describes", "help", "helps", "name", "section", "values")

    def __init__(
        self,
        values: Values,
        default: Any,
        derived: Callable[[Mapping[str, Any]], Any] | None,
        described: str | Callable[[], str],
        section: str,
        before: str,
    ) -> None:
        self.name, self.values, self.default, self.derived = "", values, default, derived
        self.described, self.section, self.before = described, section, before
        self.help, self.helps, self.describes = "", _NONE, _NONE

    def of(self, question: str) -> Parameter:
        """The same parameter with the words that a question has for it."""
        if question not in self.helps and question not in self.describes:
            return self
        other = copy(self)
        other.help = self.helps.get(question, self.help)
        if question in self.describes:
            other.described, other.default = self.describes[question], None
        return other

    @property
    def shown_default(self) -> str:
        """The default as help and the reference show it; empty if they show none."""
        described = self.described() if callable(self.described) else self.described
        if described or self.default is None or self.default == () or isinstance(self.values, Flag):
            return described
        each = self.default if isinstance(self.default, tuple) else (self.default,)
        return ",".join(f"{value:g}" if isinstance(value, float) else str(value) for value in each)


def parameter(
    values: Values,
    *,
    default: Any,
    help: str,  # noqa: A002  (as everywhere else that help is written)
    helps: Mapping[str, str] = _NONE,
    derived: Callable[[Mapping[str, Any]], Any] | None = None,
    described: str | Callable[[], str] = "",
    describes: Mapping[str, str] = _NONE,
    section: str = "",
    before: str = "",
) -> Any:
    """Declare a field of a group as a parameter: see Parameter. section: that of the group, if none is given."""
    declared = Parameter(values, default, derived, described, section, before)
    declared.help, declared.helps, declared.describes = help, helps, describes
    return declared


_REQUIRED = object()
"""The default of a field that has none."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(parameter,))
class Group:
    """A group of parameters, frozen. Each field that is not given has its default.

    defaults: the names of all fields, with their defaults.
    parameters: the declarations of the fields that are parameters, by name.
    """

    defaults: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    parameters: ClassVar[Mapping[str, Parameter]] = MappingProxyType({})

    def __init_subclass__(cls, section: str = "", init: bool = True, **more: Any) -> None:
        super().__init_subclass__(**more)
        defaults, parameters = dict(cls.defaults), dict(cls.parameters)
        for name, kind in get_annotations(cls).items():
            if "ClassVar" in str(kind):
                continue
            value = cls.__dict__.get(name, _REQUIRED)
            if value is not _REQUIRED:
                delattr(cls, name)
            if isinstance(value, Parameter):
                value.name, value.section = name, value.section or section
                parameters[name] = value
                value = value.default
            defaults[name] = value
        cls.defaults, cls.parameters = MappingProxyType(defaults), MappingProxyType(parameters)

    def __init__(self, **values: Any) -> None:
        fields = self.__dict__
        for name, default in self.defaults.items():
            fields[name] = values.pop(name, default)
            if fields[name] is _REQUIRED:
                raise TypeError(f"{type(self).__name__} needs {name}")
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")
        for name, declared in self.parameters.items():
            if declared.derived is not None and fields[name] is None:
                fields[name] = declared.derived(fields)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The group with those of its fields that were given; the others have their defaults."""
        return cls(**{name: given[name] for name in cls.defaults if name in given})

    def but(self, **others: Any) -> Self:
        """The same group with these other values."""
        return type(self)(**self.__dict__ | others)

    def fields(self) -> dict[str, Any]:
        """The fields by name."""
        return dict(self.__dict__)

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, with groups within it as dictionaries."""
        return {name: value.as_dict() if isinstance(value, Group) else value for name, value in self.__dict__.items()}

    def flattened(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and value of each field, and of those of the groups within it."""
        for name, value in self.__dict__.items():
            if isinstance(value, Group):
                yield from value.flattened()
            else:
                yield name, value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"


GroupType = TypeVar("GroupType", bound=Group)


def in_order(declared: Mapping[str, Parameter]) -> Mapping[str, Parameter]:
    """Parameters in the order in which help lists them: by section, and then as they are declared.

    declared: in the order of declaration.
    """
    ordered = sorted(declared, key=lambda name: SECTIONS.index(declared[name].section))
    for name in declared:
        if before := declared[name].before:
            ordered.remove(name)
            ordered.insert(ordered.index(before), name)
    return MappingProxyType({name: declared[name] for name in ordered})


def loaded(place: str) -> Any:
    """What is at a place, named as `module:name`, which is imported."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class Member:
    """An entry of a family: one line of help, and the place of its implementation, as `module:name`.

    The implementation is imported when it is first used, so that help needs no NumPy.
    """

    def __init__(self, help_text: str, implementation: str = "") -> None:
        self.help, self.implementation = help_text, implementation

    def load(self) -> Any:
        """The implementation."""
        return loaded(self.implementation)


MemberType = TypeVar("MemberType", bound=Member)


class Family(Mapping[str, MemberType], Generic[MemberType]):
    """A table of named members. A new member is one call of `register`; everything else follows from the table."""

    def __init__(self, members: Mapping[str, MemberType]) -> None:
        self._members = dict(members)

    def __getitem__(self, name: str) -> MemberType:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def register(self, name: str, member: MemberType) -> None:
        """Add a member. ValueError: the name is taken."""
        if name in self._members:
            raise ValueError(f"{name} is taken")
        self._members[name] = member

    def remove(self, name: str) -> None:
        """Remove a member. KeyError: there is no member with this name."""
        del self._members[name]
