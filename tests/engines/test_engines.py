"""What an engine promises."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import pytest

from simdocs.engines.engine import Run, WorkerState
from simdocs.engines.local import Local
from simdocs.model.skipped import Skip


def doubled(number: int, _state: WorkerState) -> int:
    return 2 * number


def picky(number: int, _state: WorkerState) -> int:
    if number == 7:
        raise ValueError("not seven")
    return number


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_the_order_of_their_tasks(jobs):
    with Local(jobs) as engine:
        assert engine.jobs == jobs
        assert list(engine.map(doubled, range(100))) == list(range(0, 200, 2))
        engine.start()
        assert list(engine.map(doubled, [])) == []
        assert list(engine.map(doubled, range(3))) == [0, 2, 4]


def half_done(number: int, state: WorkerState) -> None:
    if number < 2:
        state.tell(0.5)
    else:
        time.sleep(0.3)


def test_a_task_does_not_begin_with_what_the_one_before_had_done():
    shares = list[float]()
    with Local(2) as engine:
        results = engine.map(half_done, range(4), shares.append)
        next(results), next(results)
        shares.clear()
        list(results)
    assert set(shares) == {0.0}


def test_a_task_tells_nothing_to_those_who_watched_the_ones_before():
    shares = list[float]()
    with Local(1) as engine:
        list(engine.map(half_done, [0], shares.append))
        list(engine.map(half_done, [1]))
    assert shares == [0.5]


def test_another_run_reports_to_the_same_place_and_counts_from_nothing():
    run = Run(Local(1), progress=Mock(), explain=Mock())
    run.tally.candidates = 1
    run.skipped.add(Skip("hidden", b"x"))
    again = run.again()
    assert (again.engine, again.progress, again.explain) == (run.engine, run.progress, run.explain)
    assert (again.tally.candidates, again.skipped.unjudged) == (0, 0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_in_a_task_is_raised_by_map(jobs):
    taken = []
    with pytest.raises(ValueError, match="not seven"), Local(jobs) as engine:
        taken.extend(engine.map(picky, range(20)))
    assert taken == list(range(7))


@pytest.mark.reliability("more pairs than memory holds")
@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_are_taken_a_few_ahead_of_their_results(jobs):
    taken = []

    def tasks():
        for number in range(1000):
            taken.append(number)
            yield number

    with Local(jobs) as engine:
        results = engine.map(doubled, tasks())
        next(results)
        assert len(taken) <= 3 * jobs + 1
        results.close()


class Seen:
    """Counts the tasks that its worker has run, and writes into a directory which workers began and ended."""

    def __init__(self) -> None:
        self.name, self.tasks = f"{os.getpid()}-{threading.get_ident()}-{uuid4().hex}", 0
        self.directory: Path | None = None

    def close(self) -> None:
        assert self.directory is not None
        (self.directory / f"{self.name}.ended").touch()


def counted(directory: Path, state: Any) -> tuple[str, int]:
    seen = state.get(Seen)
    if seen.directory is None:
        seen.directory = directory
        (directory / f"{seen.name}.begun").touch()
    seen.tasks += 1
    return seen.name, seen.tasks


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_worker_keeps_its_own_state_between_tasks(jobs, tmp_path: Path):
    with Local(jobs) as engine:
        results = [*engine.map(counted, [tmp_path] * 20), *engine.map(counted, [tmp_path] * 20)]
    workers = {worker for worker, _ in results}
    assert len(workers) <= jobs
    for worker in workers:
        tasks = [number for name, number in results if name == worker]
        assert sorted(tasks) == list(range(1, len(tasks) + 1))
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{end}" for name in workers for end in ("begun", "ended")
    }
