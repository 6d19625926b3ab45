"""The protocol of engines, which run functions on tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from simdocs.engines.worker_state import WorkerState

Task = TypeVar("Task")
Result = TypeVar("Result")


class Engine(Protocol):
    """Runs a function on many tasks, possibly several at a time."""

    @property
    def jobs(self) -> int:
        """The number of tasks that run at a time."""

    @property
    def state(self) -> WorkerState:
        """The objects that the calling process keeps for as long as the engine is open."""

    def start(self) -> None:
        """Start all workers now, before much is in memory.

        A worker that is forked later keeps the memory that this process had then, even what it frees afterwards.
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
