"""The state that a worker keeps from one task to the next: caches and open files. And how far its task is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar


class Closable(Protocol):
    """An object that is released when its worker ends."""

    def close(self) -> None:
        """Release everything that is held. The object is not used afterwards."""


Kept = TypeVar("Kept", bound=Closable)


def untold(_share: float) -> None:
    """Tell nobody."""


class WorkerState:
    """The objects that one worker keeps, at most one of each type.

    An engine makes one for its own process and one for each of its workers, and closes it with the worker. Nothing in
    it crosses to another process: a function that needs it receives it beside its task.
    """

    def __init__(self, tell: Callable[[float], None] | None = None) -> None:
        self.tell = tell or untold
        """A function calls this as it works on a large task: the share of the task that is done, from 0 to 1."""
        self._kept: dict[type[Any], Any] = {}

    def get(self, kind: type[Kept]) -> Kept:
        """The object of this type. The first call makes it, by kind()."""
        if kind not in self._kept:
            self._kept[kind] = kind()
        kept: Kept = self._kept[kind]
        return kept

    def close(self) -> None:
        """Close all objects and forget them."""
        while self._kept:
            self._kept.popitem()[1].close()
