"""The protocol of an engine, which runs tasks, and the state of its workers. A member is one file in this directory.

Functions, tasks and results must be picklable, because a worker may be another process. A task may name files: a worker
opens them itself, so it must see the same files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar


class Closable(Protocol):
    """An object that is released when its worker ends."""

    def close(self) -> None:
        """Release everything that is held. The object is not used afterwards."""


Kept = TypeVar("Kept", bound=Closable)


def untold(_share: float) -> None:
    """Ignore how much of a task is done."""


class WorkerState:
    """The objects that one worker keeps, at most one of each type.

    An engine makes one for its own process and one for each of its workers, and closes it with the worker. A worker may
    last as long as the engine, or for a few tasks. Nothing in it crosses to another process: a function that needs it
    receives it beside its task.
    """

    def __init__(self, tell: Callable[[float], None] | None = None, *, alone: bool = False) -> None:
        self.tell = tell or untold
        """A function calls this as it works on a large task: the share of the task that is done, from 0 to 1."""
        self.alone = alone
        """Whether there are no other workers, so that what is kept may take more memory."""
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


Task = TypeVar("Task")
Result = TypeVar("Result")


class Engine(Protocol):
    """Runs a function on many tasks, possibly several at a time: `with SomeEngine(jobs) as engine`."""

    def __enter__(self) -> Self:
        """Open the engine."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop all workers, at once if there was an error, and close the state of each."""

    @property
    def jobs(self) -> int:
        """The number of tasks that run at a time."""

    @property
    def far(self) -> bool:
        """Whether workers may be on other machines, so that they read large files better than this process."""

    @property
    def state(self) -> WorkerState:
        """The objects that the calling process keeps for as long as the engine is open."""

    def start(self) -> None:
        """Start all workers now, before much is in memory.

        A worker that is forked later keeps the memory that this process had then, even what it frees afterwards.
        """

    def reach(self, paths: Sequence[bytes]) -> bool:
        """Whether these files have the same devices and inodes for the workers as for this process.

        Raises ClusterError: a worker on another machine does not see one of them.
        """

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield function(task) for each task, in the order of the tasks.

        Raises what the function raises, at the turn of its task. WorkerError: a worker process was killed.
        """

    def map_with_state(
        self,
        function: Callable[[Task, WorkerState], Result],
        tasks: Iterable[Task],
        watch: Callable[[float], None] | None = None,
    ) -> Iterator[Result]:
        """Yield function(task, state) for each task, with the state of the worker that runs it. Otherwise like map.

        A result must not depend on what the state holds: any worker may run any task. watch: is called now and
        then while the next result is waited for, with the share of its task that the function says is done.
        """
