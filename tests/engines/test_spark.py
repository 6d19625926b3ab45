"""The engine on Spark beside its protocol, which test_engines.py holds: lost workers, bounds, sessions and errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.engines import spark
from simdocs.engines.engine import WorkerState
from simdocs.engines.spark import Spark, run_tasks
from simdocs.errors import ClusterError, MissingExtraError, UsageError
from simdocs.names import flag
from tests.cli.corpus import A1, A, B, lay
from tests.engines.test_engines import doubled
from tests.spark import with_spark

MANY = 5
"""Tasks that are not so few that they run in the calling process."""


def killed_once(task: tuple[int, Path], _state: WorkerState) -> int:
    """Kill the worker at one task, but only the first time that it runs."""
    number, mark = task
    if number == 5 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def killed(_task: int, _state: WorkerState) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def where(_task: int, _state: WorkerState) -> tuple[str, int]:
    return os.getcwd(), os.getpid()


class Unpicklable(Exception):  # noqa: N818  (nor can it be made again from its message)
    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def refusing(_task: int, _state: WorkerState) -> None:
    raise Unpicklable("one", "two")


@with_spark
def test_a_task_whose_worker_was_killed_runs_again(spark_session, tmp_path: Path):
    mark = tmp_path / "killed"
    with Spark(2) as engine:
        assert list(engine.map(killed_once, ((number, mark) for number in range(20)))) == list(range(0, 40, 2))
    assert mark.exists()


@with_spark
def test_workers_are_kept_between_jobs(spark_session):
    """A worker that ends imports everything again. Spark ends those that leave some of their input unread."""
    processes = set[int]()
    for _ in range(4):
        with Spark(2) as engine:
            processes |= {process for _, process in engine.map(where, range(MANY))}
    assert len(processes) <= 2  # the session has two cores


@with_spark
def test_a_worker_that_is_always_killed_is_an_error_and_the_session_stays(spark_session):
    with pytest.raises(ClusterError, match="cannot do the work: Python worker exited unexpectedly"), Spark(1) as engine:
        list(engine.map(killed, range(MANY)))
    with Spark(1) as engine:
        assert list(engine.map(doubled, range(MANY))) == [0, 2, 4, 6, 8]


@with_spark
def test_workers_find_names_from_the_working_directory_of_the_caller(spark_session, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Spark(1) as engine:
        done = set(engine.map(where, range(MANY)))
    assert {directory for directory, _ in done} == {str(tmp_path)}
    assert os.getpid() not in {process for _, process in done}


@with_spark
def test_a_few_tasks_run_in_the_calling_process(spark_session):
    """Otherwise a crowd, whose rounds compare a few pairs each, costs a job of Spark for each round."""
    with Spark(1) as engine:
        assert {process for _, process in engine.map(where, range(MANY - 1))} == {os.getpid()}


@with_spark
def test_an_error_that_cannot_be_pickled_is_named(spark_session):
    with pytest.raises(Exception, match="missing 1 required positional argument"), Spark(1) as engine:
        list(engine.map(refusing, range(MANY)))


def test_workers_without_the_directory_or_with_another_version_are_errors(tmp_path: Path):
    ((well, error),) = run_tasks(doubled, bytes(tmp_path / "gone"), simdocs.__version__, iter([1]))
    assert not well
    assert str(error).startswith(f"{tmp_path}/gone: a worker of Spark does not see this directory: keep")
    ((well, error),) = run_tasks(doubled, bytes(tmp_path), "9.9", iter([1]))
    assert str(error) == f"the workers of Spark have simdocs {simdocs.__version__}, not 9.9: install the same one"


@with_spark
def test_a_session_that_was_there_is_used_and_stays(spark_session, tmp_path: Path):
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    lay(tmp_path, {"a": A, "b": A1, "c": B})
    expected = simdocs.dedupe(tmp_path, threshold=0.5)
    found = simdocs.dedupe(tmp_path, threshold=0.5, engine="spark")
    assert list(found.rows()) == list(expected.rows()) != []
    assert SparkContext._active_spark_context is context
    assert context.parallelize([1, 2], 2).sum() == 3


@with_spark
@pytest.mark.parametrize("wrong", [{"spark_master": "local[1]"}, {"spark_conf": {"spark.task.maxFailures": 2}}])
def test_what_a_session_that_is_there_cannot_take_is_refused(spark_session, wrong, tmp_path: Path):
    lay(tmp_path, {"a": A, "b": A1})
    with pytest.raises(
        UsageError, match=f"^{flag(next(iter(wrong)))} has no effect on the Spark session that is there"
    ):
        simdocs.dedupe(tmp_path, engine="spark", **wrong)


@with_spark
def test_interrupted_tasks_are_cancelled_and_the_session_stays(spark_session, tmp_path: Path):
    with pytest.raises(KeyboardInterrupt), Spark(2) as engine:
        results = engine.map(slow, [tmp_path] * 20)
        next(results)
        raise KeyboardInterrupt
    time.sleep((spark._TOGETHER + 1) * SECONDS)  # a worker may end the few tasks of a job that is cancelled
    done = len(list(tmp_path.iterdir()))
    assert done < 20
    with Spark(2) as engine:
        assert list(engine.map(doubled, range(MANY))) == [0, 2, 4, 6, 8]
    assert len(list(tmp_path.iterdir())) == done


SECONDS = 0.5
"""How long a slow task takes."""


def slow(directory: Path, _state: WorkerState) -> None:
    time.sleep(SECONDS)
    (directory / f"{os.getpid()}-{len(list(directory.iterdir()))}").touch()


NEW_SESSION = """
import sys
from simdocs.engines.spark import Spark
from tests.engines.test_engines import doubled
{before}
try:
    with Spark(1, {master!r}, {conf!r}) as engine:
        print(list(engine.map(doubled, range(5))))
except Exception as error:
    print(type(error).__name__, error)
"""


def of_new_session(before: str = "", master: str = "local[1]", conf: Any = None, **environment: str) -> str:
    """What a new process prints that makes a session of its own."""
    done = subprocess.run(
        [sys.executable, "-c", NEW_SESSION.format(before=before, master=master, conf=conf)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])} | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert not done.stderr
    return done.stdout.strip()


@with_spark
def test_a_new_session_is_quiet():
    assert of_new_session() == "[0, 2, 4, 6, 8]"


@with_spark
def test_a_python_without_the_package_is_one_line(tmp_path: Path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "empty"], check=True)
    said = of_new_session(f"sys.executable = {str(tmp_path / 'empty/bin/python')!r}")
    assert said == f"ClusterError Spark cannot do the work: No module named 'numpy' {HINT}"


HINT = "(--spark-conf spark.log.level=WARN shows its log)"


@with_spark
@pytest.mark.parametrize(
    ("java", "master", "conf", "expected"),
    [
        ("/nowhere", "local[1]", {}, "/nowhere/bin/java: No such file or directory"),
        ("", "local[1]", {"spark.executor.memory": "0"}, "Executor memory must be a positive number"),
        ("", "local[1]", {"spark.driver.memory": "lots"}, "Invalid maximum heap size: -Xmxlots"),
        ("", "nonsense", {}, "Master must either be yarn or start with spark, k8s, or local"),
    ],
)
def test_a_session_that_cannot_be_made_is_one_line(java, master, conf, expected):
    said = of_new_session(master=master, conf=conf, **({"JAVA_HOME": java} if java else {}))
    assert said.startswith("ClusterError Spark cannot be started: ")
    assert said.endswith(
        f"{expected} (check --spark-master, --spark-conf, and that JAVA_HOME or PATH names Java 17 or later)"
    )


@pytest.mark.parametrize("master", ["sc://host", "sc://host:15002/;token=x"])
def test_spark_connect_is_refused(master):
    pytest.importorskip("pyspark", reason="no pyspark: pip install 'simdocs[spark]'")
    with pytest.raises(UsageError, match="not Spark Connect"), Spark(1, master):
        pass


def test_without_pyspark_the_message_says_what_to_install(monkeypatch, tmp_path: Path):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    lay(tmp_path, {"a": A, "b": A1})
    with pytest.raises(MissingExtraError, match=r"^--engine spark needs pyspark.*: pip install 'simdocs\[spark\]'$"):
        simdocs.dedupe(tmp_path, engine="spark")
