"""The commands by name, each imported when it is first needed."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module

import click


class CommandTable(MutableMapping[str, click.Command]):
    """Commands in the order of `names`. The module of each has the same name, and is in `package`."""

    def __init__(self, package: str, names: tuple[str, ...]) -> None:
        self._package, self._names = package, dict.fromkeys(names)
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._loaded:
            module = import_module(f"{self._package}.{name}")
            self._loaded[name] = getattr(module, name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._names[name], self._loaded[name] = None, command

    def __delitem__(self, name: str) -> None:
        del self._names[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names
