"""A family: a table of named members, such as the units of shingles, and where each is implemented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar


class Member:
    """An entry of a family: one line of help, and the place of its implementation, as `module:name`.

    The implementation is imported when it is first used, so that help needs no NumPy.
    """

    def __init__(self, help_text: str, implementation: str = "") -> None:
        self.help, self.implementation = help_text, implementation

    def load(self) -> Any:
        """The implementation."""
        module, _, name = self.implementation.partition(":")
        return getattr(import_module(module), name)


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
