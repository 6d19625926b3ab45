"""A toy engine: it runs tasks on threads of this process. It is no alias of another engine."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Any

from simdocs.engines.engine import Returned, Task, WorkerState


class Threads:
    near = True

    def __init__(self, jobs: int) -> None:
        self.jobs, self.state = jobs, WorkerState()
        self._own = threading.local()
        self._states: list[WorkerState] = []
        self._pool = ThreadPoolExecutor(jobs)

    def __enter__(self) -> Threads:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
        for state in (self.state, *self._states):
            state.close()

    def start(self) -> None:
        """Threads share the memory of the process, so there is nothing to do before it grows."""

    def map(
        self,
        function: Callable[[Task, WorkerState], Returned],
        tasks: Iterable[Task],
        watch: Callable[[float], None] | None = None,
    ) -> Iterator[Returned]:
        coming, running = iter(tasks), deque[Future[Returned]]()
        while True:
            few = islice(coming, 2 * self.jobs - len(running))
            running.extend(self._pool.submit(partial(self._run, function, task)) for task in few)
            if not running:
                return
            yield running.popleft().result()

    def _run(self, function: Callable[[Any, WorkerState], Returned], task: Any) -> Returned:
        if not hasattr(self._own, "state"):
            self._own.state = WorkerState()
            self._states.append(self._own.state)
        return function(task, self._own.state)
