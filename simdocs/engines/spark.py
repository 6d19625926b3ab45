"""The engine that runs tasks on the workers of Spark."""

from __future__ import annotations

import math
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from types import TracebackType
from typing import Any, Generic, TypeVar
from uuid import uuid4

from simdocs.engines.engine import Result, Task, WorkerState
from simdocs.engines.run import Explain, Progress, no_explanation, no_progress
from simdocs.engines.spark_session import Java, Session, connect
from simdocs.engines.spark_worker import PROTOCOL, run_bundles
from simdocs.model.figures import counted
from simdocs.options.answers import Running
from simdocs.storage.syscalls import signals_deferred

_SECONDS = 3.0
"""The time that a bundle should take."""

_JOB = 0.1
"""The seconds that a job of Spark costs. Tasks that take less in all run in the calling process: rounds of grouping may
compare a few pairs each, thousands of times.
"""

_WAVE_BYTES = 128 << 20
"""The most bytes of the tasks of a wave, and of their answers. Of each, three waves may be in memory."""

_BUNDLE_BYTES = 16 << 20
"""The same for a bundle."""

_GROWTH = 2
"""How many times larger a bundle may be than one of the wave before. The first tasks say little about the others."""

_WAVES = 2
"""Waves that run at a time, so that no worker waits for the slowest one of a wave."""

_LOOK = 0.1
"""Seconds between two looks at whether a signal came, as in the local engine."""

_LONG_START = 30.0
"""Seconds after which it is said what Spark may be waiting for."""

_PATIENCE = 30.0
"""Seconds to wait at the end for calls of Spark that were interrupted."""

Returned = TypeVar("Returned")


def engine(running: Running, progress: Progress, explain: Explain, *, quiet: bool) -> Spark:
    """The engine for a run."""
    settings = dict(setting.partition("=")[::2] for setting in running.spark_conf)
    return Spark(running.jobs, running.spark_master or "", settings, progress, explain, quiet=quiet)


class _Aside(Generic[Returned]):
    """A call in a thread of its own. An exception that a signal raises here cannot leave a connection to Java between
    a question and its answer, and Spark sets no signal handlers.
    """

    def __init__(self, call: Callable[[], Returned]) -> None:
        self._call, self._ended = call, threading.Event()
        self._value: Returned | None = None
        self._error: BaseException | None = None
        with signals_deferred():
            threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._value = self._call()
        except BaseException as error:  # raised where the value is wanted
            self._error = error
        finally:
            self._ended.set()

    def wait(self, seconds: float) -> bool:
        """Wait until the call has ended, at most so long. Return whether it has."""
        return self._ended.wait(seconds)

    def value(self, watch: Callable[[], None] | None = None) -> Returned:
        """What the call returns. Raises what it raises. watch: is called now and then meanwhile."""
        while not self.wait(_LOOK):
            if watch is not None:
                watch()
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]


class Spark:
    """An engine on the workers of Spark: `with Spark(jobs) as engine: engine.map(function, tasks)`.

    The session that is there is used. Otherwise one is made when the first tasks come, and stopped with the engine.

    Tasks go out in bundles, each of which is a task of Spark that takes a few seconds, and bundles in waves, each of
    which is a job of Spark. Answers come back in the order of the tasks. If Spark runs a bundle again, because a worker
    was lost or is slow, nothing changes, because answers depend on tasks and files alone. At the end of a bundle its
    state is closed.

    Raises ClusterError: Spark cannot be started, or its workers lack what they need. WorkerError: a worker was lost,
    and Spark does not try again, or has tried often enough.
    """

    far = True

    def __init__(
        self,
        jobs: int | None = None,
        master: str = "",
        conf: Mapping[str, str] | None = None,
        progress: Progress = no_progress,
        explain: Explain = no_explanation,
        *,
        quiet: bool = False,
    ) -> None:
        """jobs: the number of bundles that run at a time; None: as many as Spark runs.

        master, conf: the cluster and the settings of a session that is made; see `connect`.
        progress: hears that Spark is being started. explain: says what was started, and each kind of work when it is
        done. quiet: Spark does not print its log.
        """
        self._jobs, self._master, self._conf = jobs, master, conf or {}
        self._progress, self._explain, self._quiet = progress, explain, quiet
        self.state = WorkerState()
        self._connecting: _Aside[Session] | None = None
        self._java, self._has_waited = Java(), False
        self._sizes: dict[str, int] = {}
        """The number of tasks in a bundle, by the name of their function."""
        self._flows: list[_Flow] = []

    def __enter__(self) -> Spark:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.state.close()
        if self._connecting is None:
            return
        if error is not None:
            self._java.give_up()
        for flow in list(self._flows):
            flow.cancel()
        # If Java has not even started by then, it ends by itself when this process ends.
        if self._connecting.wait(_PATIENCE):
            _Aside(partial(_close, self._connecting)).wait(_PATIENCE)
        self._connecting = None

    @property
    def jobs(self) -> int:
        """The number of bundles that run at a time."""
        return self._jobs or max(1, self._session.parallelism)

    @property
    def _session(self) -> Session:
        """The session. The first call makes or finds it."""
        if self._connecting is not None:
            return self._connecting.value()
        began = time.monotonic()
        self._connecting = _Aside(self._connect)
        session = self._connecting.value(partial(self._wait, began))
        jobs = self._jobs or session.parallelism
        self._explain(f"spark: {session.facts}, {counted(jobs, 'task')} at a time, {_seconds(began)}", detail=True)
        return session

    def _wait(self, began: float) -> None:
        """Show that Spark starts, and say once what it may be waiting for."""
        self._progress("starting Spark", 0, 0)
        if not self._has_waited and time.monotonic() - began > _LONG_START:
            self._has_waited = True
            wanted = "is it running, and has it a free core and the memory of an executor (spark.executor.memory)?"
            self._explain(f"spark: still waiting for workers of the cluster: {wanted}")

    def _connect(self) -> Session:
        session = connect(self._master, self._conf, self._jobs, self._java, quiet=self._quiet)
        try:
            session.look(self._jobs or session.parallelism)
        except BaseException:
            session.close()
            raise
        return session

    def start(self) -> None:
        """Connect to Spark, and ask the workers whether they have what they need."""
        assert self._session

    def reach(self, paths: Sequence[bytes]) -> bool:
        """Whether these files have the same devices and inodes for the workers. Raises ClusterError."""
        return not paths or _Aside(partial(self._session.reach, list(paths), self.jobs)).value()

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield function(task) for each task, in order. Only a few waves run ahead of the results that were taken."""
        return self.map_with_state(partial(_without_state, function), tasks)

    def map_with_state(
        self,
        function: Callable[[Task, WorkerState], Result],
        tasks: Iterable[Task],
        watch: Callable[[float], None] | None = None,  # noqa: ARG002  (tells of a task only what its worker says)
    ) -> Iterator[Result]:
        """Yield function(task, state) for each task, with the state of its bundle. Otherwise like map.

        A few tasks run in this process, with its own state, if tasks of this function have taken so little time that
        a job of Spark would cost more.
        """
        coming, name = iter(tasks), _name(function)
        if few := int(self._sizes.get(name, 1) * _JOB / _SECONDS):
            first = list(islice(coming, few + 1))
            if len(first) <= few:
                yield from self._here(function, first, name)
                return
            coming = chain(first, coming)
            del first
        flow = _Flow(self._session, self.jobs, function, self._sizes, exactly=self._jobs is not None)
        began = time.monotonic()
        self._flows.append(flow)
        try:
            for answer in flow.answers(coming):
                well, value = pickle.loads(answer)
                if not well:
                    raise value
                del answer
                yield value
            if flow.jobs:
                self._explain(f"spark: {flow.facts}, {_seconds(began)}", detail=True)
        finally:
            flow.cancel()
            self._flows.remove(flow)

    def _here(self, function: Callable[[Task, WorkerState], Result], tasks: list[Task], name: str) -> Iterator[Result]:
        """Yield function(task, state) for each task, and learn how long they take in this process."""
        for task in tasks:
            began = time.monotonic()
            result = function(task, self.state)
            _learn(self._sizes, name, time.monotonic() - began)
            yield result


def _learn(sizes: dict[str, int], name: str, seconds: float, most: float = math.inf) -> None:
    """Set the number of tasks in a bundle, if each takes this time, and at most so many may be in one."""
    wanted = min(_SECONDS / max(seconds, 1e-6), most)
    sizes[name] = max(1, min(int(wanted), _GROWTH * sizes.get(name, 1)))


def _seconds(began: float) -> str:
    return f"in {time.monotonic() - began:.1f} s"


def _close(connecting: _Aside[Session]) -> None:
    connecting.value().close()


class _Wave:
    """Bundles that run in one job of Spark."""

    def __init__(self, bundles: list[list[bytes]], running: _Aside[list[tuple[float, list[bytes]]]]) -> None:
        self.bundles, self.running = bundles, running


class _Flow:
    """The tasks of one map on their way to the workers, and their answers on the way back."""

    def __init__(
        self, session: Session, jobs: int, function: Callable[..., Any], sizes: dict[str, int], *, exactly: bool
    ) -> None:
        """exactly: never run more bundles than jobs, even if there is room for them."""
        self._session, self._sizes = session, sizes
        self._waves = min(_WAVES, jobs) if exactly else _WAVES
        self._width = jobs // self._waves if exactly else jobs
        """The number of bundles in a wave."""
        self._most = min(_BUNDLE_BYTES, _WAVE_BYTES // self._width)
        self._group = f"simdocs-{uuid4().hex}"
        self._properties = session.properties()
        self._name = _name(function)
        self._work = partial(run_bundles, pickle.dumps(function, PROTOCOL), self._most, session.directory)
        self._sent = list[_Wave]()
        """The waves that may still run."""
        self._tasks = self.jobs = 0

    @property
    def facts(self) -> str:
        """What was done, in words: the name of the function, and the numbers of tasks and of jobs of Spark."""
        words = self._name.rpartition(".")[2].strip("_").replace("_", " ")
        return f"{words}: {counted(self._tasks, 'task')} in {counted(self.jobs, 'job')}"

    def answers(self, tasks: Iterable[Any]) -> Iterator[bytes]:
        """Yield the pickled answer to each task, in order."""
        coming = (pickle.dumps(task, PROTOCOL) for task in tasks)
        ahead = deque[_Wave]()
        while True:
            while len(ahead) < self._waves and (some := self._take(coming)):
                ahead.append(self._send(some))
            if not ahead:
                return
            wave = ahead.popleft()
            answers = self._answers(wave)
            if some := self._take(coming):
                ahead.append(self._send(some))
            yield from self._in_order(wave.bundles, answers)

    def cancel(self) -> None:
        """Cancel the jobs that still run, and wait until they have ended."""
        if self._sent:
            _Aside(partial(self._session.cancel, self._group)).wait(_PATIENCE)
            for wave in self._sent:
                wave.running.wait(_PATIENCE)
            self._sent = []

    def _take(self, coming: Iterator[bytes]) -> list[bytes]:
        """The tasks of the next wave."""
        tasks, held = list[bytes](), 0
        for task in islice(coming, self._width * self._sizes.get(self._name, 1)):
            tasks.append(task)
            self._tasks += 1
            held += len(task)
            if held >= self._most * self._width:
                break
        return tasks

    def _send(self, tasks: list[bytes]) -> _Wave:
        """Send tasks to as many workers as there are, each of which gets some that follow one another."""
        width = min(self._width, len(tasks))
        cuts = [len(tasks) * place // width for place in range(width + 1)]
        bundles = [tasks[cuts[place] : cuts[place + 1]] for place in range(width)]
        wave = _Wave(bundles, _Aside(partial(self._session.run, self._work, bundles, self._group, self._properties)))
        self._sent.append(wave)
        self.jobs += 1
        return wave

    def _answers(self, wave: _Wave) -> list[list[bytes]]:
        """The answers to each bundle of a wave, when it has run."""
        done = wave.running.value()
        self._sent.remove(wave)
        count = sum(len(answers) for _, answers in done)
        seconds = sum(took for took, _ in done) / count
        size = sum(len(answer) for _, answers in done for answer in answers) / count
        _learn(self._sizes, self._name, seconds, self._most / max(size, 1))
        return [answers for _, answers in done]

    def _in_order(self, bundles: list[list[bytes]], answers: list[list[bytes]]) -> Iterator[bytes]:
        """Yield the answers to these bundles. What is left of one that ended early is sent again."""
        answers.reverse()
        for bundle in bundles:
            first = answers.pop()
            rest = bundle[len(first) :]
            first.reverse()
            while first:
                yield first.pop()
            if rest:
                wave = self._send(rest)
                yield from self._in_order(wave.bundles, self._answers(wave))


def _name(function: Callable[..., Any]) -> str:
    """The name of a function, also of one with arguments filled in."""
    while isinstance(function, partial):
        inner = next((each for each in function.args if callable(each)), None)
        function = function.func if inner is None else inner
    return f"{function.__module__}.{function.__qualname__}"


def _without_state(function: Callable[[Task], Result], task: Task, _state: WorkerState) -> Result:
    return function(task)
