"""What a command is asked: the base of its options class, which Click, Python and the reference read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import get_annotations
from types import MappingProxyType
from typing import Any, ClassVar, Self

from simdocs.errors import UsageError
from simdocs.options.declaration import SHARED, Group, Option
from simdocs.options.values import Values, refusal, without_secret

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
        named = dict.fromkeys(name for base in cls.__mro__ for name in get_annotations(base) if name in cls.options)
        kept = {name: cls.options[name] for name in named if name not in cls.without}
        own = {name: declared for name, declared in kept.items() if not declared.shared}
        shared = {name: each for group in SHARED for name, each in kept.items() if each.shared == group}
        cls.options, cls.arguments = (MappingProxyType(own | shared), MappingProxyType(arguments))
        rules = (rule for base in reversed(cls.__mro__) for rule in base.__dict__.get("rules", ()))
        cls.rules = tuple(dict.fromkeys(rules))

    def __init__(self, **given: Any) -> None:
        if unknown := sorted(given.keys() - self.arguments.keys() - self.options.keys()):
            raise TypeError(f"{self.command} has no option {', '.join(unknown)}{_meant(unknown, self.options)}")
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
                wrong.append(f"{declared.flag} {refusal(declared.values, wanted, value)}")
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

    def checked_argument(self, name: str, values: Values) -> Iterator[str]:
        """Put an argument into its normal type. Yield a problem if that is impossible."""
        try:
            self.__dict__[name] = values.check(getattr(self, name))
        except ValueError as wanted:
            yield f"{name} must be {wanted}, not {without_secret(getattr(self, name))!r}"

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


def _meant(unknown: Sequence[str], names: Mapping[str, Option]) -> str:
    from difflib import get_close_matches

    near = sorted({name for each in unknown for name in get_close_matches(each, names, 1, 0.7)})
    return f": did you mean {', '.join(near)}?" if near else ""
