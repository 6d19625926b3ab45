"""The declaration of options and families: each option is a field of a group, with its values, default and help.

A group is a class with typed fields, like a frozen dataclass. It is none, because creating a dataclass takes half a
millisecond at each start of the program. `Options` is the base of what a command is asked, which Click, Python and the
reference read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from importlib import import_module
from inspect import get_annotations
from itertools import count
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from simdocs.errors import UsageError
from simdocs.options.values import FLAG, Values, without_secret

READING, TEXT, SHINGLES, SIGNATURES, OUTPUT, RUN = ("reading", "text", "shingles", "signatures", "output", "run")
SHARED: Mapping[str, str] = MappingProxyType(
    {
        READING: "which files are read, and which of their fields",
        TEXT: "how texts are normalised",
        SHINGLES: "how texts are cut into shingles",
        SIGNATURES: "how signatures and bands find candidates",
        OUTPUT: "where the answer goes, and in which format",
        RUN: "workers, messages and exit statuses",
    }
)
"""The groups of options that commands share, in the order in which help lists them, with what they are about."""


class Option:
    """One option.

    name: its name in Python, which is that of the field.
    values: the values that it takes.
    default: its value if it is not given; None if there is no default, or if `derived` computes it.
    help: one sentence or two about it.
    metavar: the placeholder for its value in help.
    spellings: how it is spelled on the command line.
    derived: computes the default from the other fields of the group.
    described: the default in words, if the value alone does not say it.
    shared: the group of SHARED that it belongs to; empty: it is an option of its command.
    decided: whether an artifact may decide it, so that it is None until `resolved` fills it in.
    shell: whether it is only for the command line, and no keyword in Python.
    turn: its place among all options. Help lists those of a shared group as they are declared.
    """

    _turns: ClassVar[Iterator[int]] = count()

    def __init__(
        self,
        values: Values,
        *,
        default: Any = None,
        help: str,  # noqa: A002  (as everywhere else that help is written)
        metavar: str = "NAME",
        spellings: tuple[str, ...] = (),
        derived: Callable[[Mapping[str, Any]], Any] | None = None,
        described: str | Callable[[], str] = "",
        shared: str = "",
        shell: bool = False,
    ) -> None:
        self.name, self.values, self.default, self.help = "", values, default, help
        self.metavar, self.spellings, self.derived, self.described = metavar, spellings, derived, described
        self.shared, self.shell, self.decided, self.turn = shared, shell, False, next(self._turns)

    @property
    def flag(self) -> str:
        """Its spelling in messages."""
        return self.spellings[-1] if self.name not in ("output", "jobs", "quiet", "verbose") else self.spellings[0]

    def but(self, **others: Any) -> Any:
        """The same option with these other attributes, for a command that has other words for it."""
        other = copy(self)
        for name, value in others.items():
            setattr(other, name, value)
        return other

    @property
    def shown_default(self) -> str:
        """The default as help and the reference show it; empty if they show none."""
        described = self.described() if callable(self.described) else self.described
        if described or self.default is None or self.default == () or self.values is FLAG:
            return described
        each = self.default if isinstance(self.default, tuple) else (self.default,)
        return ",".join(f"{value:g}" if isinstance(value, float) else str(value) for value in each)


def option(values: Values, **more: Any) -> Any:
    """Declare a field of a group as an option: see Option. spellings: `--` and its name, if none are given."""
    return Option(values, **more)


def switch(help_text: str, **more: Any) -> Any:
    """Declare a field of a group as an option without a value, which is off if it is not given: see `option`."""
    return option(FLAG, default=False, help=help_text, **more)


_REQUIRED = object()
"""The default of a field that has none."""


class Group:
    """A group of options, frozen. Each field that is not given has its default.

    defaults: the names of all fields, with their defaults.
    options: the declarations of the fields that are options, by name.
    """

    defaults: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    options: ClassVar[Mapping[str, Option]] = MappingProxyType({})

    def __init_subclass__(cls, shared: str = "", *, decided: bool = False, shell: bool = False, **more: Any) -> None:
        super().__init_subclass__(**more)
        defaults, options = dict[str, Any](), dict[str, Option]()
        for base in reversed(cls.__mro__[1:]):
            defaults |= getattr(base, "defaults", {})
            options |= getattr(base, "options", {})
        for name, kind in get_annotations(cls).items():
            if "ClassVar" in str(kind):
                continue
            value = cls.__dict__.get(name, _REQUIRED)
            if value is not _REQUIRED:
                delattr(cls, name)
            if isinstance(value, Option):
                if not value.name:  # or else a command has other words for an option of a group
                    value.name, value.spellings = name, value.spellings or (f"--{name.replace('_', '-')}",)
                    value.shared, value.decided, value.shell = value.shared or shared, decided, value.shell or shell
                options[name] = value
                value = value.default
            defaults[name] = value
        cls.defaults, cls.options = (MappingProxyType(defaults), MappingProxyType(options))

    def __init__(self, **values: Any) -> None:
        fields = self.__dict__
        for name, default in self.defaults.items():
            fields[name] = values.pop(name, default)
            if fields[name] is _REQUIRED:
                raise TypeError(f"{type(self).__name__} needs {name}")
        if values:
            raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")
        for name, declared in self.options.items():
            if declared.derived is not None and fields[name] is None:
                fields[name] = declared.derived(fields)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The group with those of its fields that were given; the others have their defaults."""
        return cls(**{name: given[name] for name in cls.defaults if given.get(name) is not None})

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

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"


Rule = Callable[[Any], str]
"""Returns what is wrong with options that exclude or need each other, as a sentence; empty: nothing is."""


class Options(Group):
    """What was asked of a command: a subclass for each, whose docstring is the text of its help.

    It inherits the groups whose options it takes. All of a subclass's fields that are no options are its arguments.

    command: its name on the command line.
    takes: its arguments on the command line: the placeholder, how many words (-1: any number), and whether shells
        offer only directories.
    examples: command lines for its help. usual: the options that its short help shows.
    rules: what excludes or needs what; each class has those of its bases, too.
    arguments: its arguments with their defaults.
    """

    command: ClassVar[str] = ""
    takes: ClassVar[Mapping[str, tuple[str, int, bool]]] = MappingProxyType({})
    examples: ClassVar[Sequence[str]] = ()
    usual: ClassVar[Sequence[str]] = ()
    rules: ClassVar[tuple[Rule, ...]] = ()
    arguments: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    without: ClassVar[frozenset[str]] = frozenset()
    """Options of the inherited groups that the command does not take. They have their defaults."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        arguments = dict[str, Any]()
        for base in reversed(cls.__mro__):
            if issubclass(base, Options):
                plain = (name for name in get_annotations(base) if name in cls.defaults and name not in cls.options)
                arguments |= {name: cls.defaults[name] for name in plain}
        ours, theirs = get_annotations(cls), [name for base in cls.__mro__[1:] for name in get_annotations(base)]
        named = dict.fromkeys([*(name for name in ours if name in theirs), *theirs, *ours])
        kept = [cls.options[name] for name in named if name in cls.options and name not in cls.without]
        own, places = [each for each in kept if not each.shared], list(SHARED)
        shared = [each for each in kept if each.shared]
        shared.sort(key=lambda each: (places.index(each.shared), each.turn))
        cls.options = MappingProxyType({each.name: each for each in [*own, *shared]})
        cls.arguments = MappingProxyType(arguments)
        rules = (rule for base in reversed(cls.__mro__) for rule in base.__dict__.get("rules", ()))
        cls.rules = tuple(dict.fromkeys(rules))

    def __init__(self, **given: Any) -> None:
        if unknown := sorted(given.keys() - self.arguments.keys() - self.options.keys()):
            raise TypeError(f"{self.command} has no option {', '.join(unknown)}")
        fields, wrong = self.__dict__, list[str]()
        fields |= {name: self.defaults[name] for name in self.without}
        fields |= {name: given.get(name, default) for name, default in self.arguments.items()}
        for name, declared in self.options.items():
            fields[name] = None if declared.decided else declared.default
            value = given.get(name)
            if value is None or (isinstance(value, tuple) and not value):
                continue
            try:
                fields[name] = declared.values.check(value)
            except ValueError as wanted:
                wrong.append(f"{declared.flag} {declared.values.refusal(wanted, value)}")
        problems = wrong or [*self._check(), *filter(None, (rule(self) for rule in self.rules))]
        if problems:
            raise UsageError(*problems)

    @property
    def path(self) -> str | None:
        """The file to which the answer is written; None for standard output."""
        return None

    @property
    def is_wanted(self) -> bool:
        """Whether the answer itself is wanted, and not only what is written beside it."""
        return True

    def problem_of_shell(self) -> str:
        """What the command line lacks although Python does not need it; empty: nothing."""
        return ""

    @property
    def publishes_itself(self) -> bool:
        """Whether the answer is an artifact, which is published when it is complete, and not a table to draw."""
        return False

    def _check(self) -> Iterator[str]:
        """Yield what is wrong with the arguments, and put them into their normal types."""
        yield from ()

    def checked_argument(self, name: str, values: Values, missing: str = "") -> Iterator[str]:
        """Put an argument into its normal type. Yield a problem if that is impossible, or `missing` if it is empty."""
        try:
            self.__dict__[name] = values.check(getattr(self, name))
        except ValueError as wanted:
            yield f"{name} must be {wanted}, not {without_secret(getattr(self, name))!r}"
            return
        if missing and not getattr(self, name):
            yield missing

    def filled(self, **values: Any) -> Self:
        """The same options with these other values, which are not checked again."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__ | values)
        return other

    def differ(self, names: Sequence[str]) -> list[Option]:
        """Those of these options that have another value than they have if they are not given."""
        there = (self.options[name] for name in names if name in self.options)
        return [each for each in there if getattr(self, each.name) != (None if each.decided else each.default)]


def flags(options: Sequence[Option]) -> str:
    """The spellings of options in a message: `--bands and --rows`."""
    *most, last = (each.flag for each in options)
    return f"{', '.join(most)} and {last}" if most else last


GroupType = TypeVar("GroupType", bound=Group)


def loaded(place: str) -> Any:
    """What is at a place, named as `module:name`, which is imported now, so that help needs no NumPy."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class Member(NamedTuple):
    """An entry of a family of which only one line of help is known here."""

    help: str
