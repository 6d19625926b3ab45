"""The engine on Spark beside its protocol, which test_engines.py holds: lost workers, bounds, sessions and errors."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path

import pytest

import simdocs
from simdocs.engines import spark, spark_session
from simdocs.engines.spark import Spark
from simdocs.engines.spark_errors import in_words
from simdocs.engines.spark_worker import run_bundles
from simdocs.errors import ClusterError, MissingExtraError, UsageError, WorkerError
from simdocs.names import flag
from tests.cli.corpus import A1, A, B, lay
from tests.engines.test_engines import doubled, picky
from tests.spark import with_spark


def killed_once(task: tuple[int, Path]) -> int:
    """Kill the worker at one task, but only the first time that it runs."""
    number, mark = task
    if number == 5 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def killed(_task: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def repeated(number: int) -> bytes:
    return bytes([number]) * 1000


def where(_task: int) -> tuple[str, int]:
    return os.getcwd(), os.getpid()


class Unpicklable(Exception):  # noqa: N818  (nor can it be made again from its message)
    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def refusing(_task: int) -> None:
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
            assert engine.reach([b"/"])
            processes |= {process for _, process in engine.map(where, range(4))}
    assert len(processes) <= 2  # the session has two cores


@with_spark
def test_a_worker_that_is_always_killed_is_an_error_and_the_session_stays(spark_session):
    with pytest.raises(WorkerError, match="a Python worker of Spark was killed"), Spark(1) as engine:
        list(engine.map(killed, [0]))
    with Spark(1) as engine:
        assert list(engine.map(doubled, [4])) == [8]


@with_spark
@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_bundles_that_end_early_lose_no_answer(spark_session, monkeypatch, jobs):
    monkeypatch.setattr(spark, "_BUNDLE_BYTES", 2500)
    # The first answers say that all are small, so bundles grow until those of the others no longer fit.
    with Spark(jobs) as engine:
        tasks = [0] * 3 + [0, 1] * 20
        results = engine.map(repeated_if_odd, tasks)
        assert list(results) == [repeated_if_odd(task) for task in tasks]


def repeated_if_odd(number: int) -> bytes:
    return bytes(1000) if number % 2 else b"."


def test_a_bundle_ends_early_when_its_answers_are_large():
    function = pickle.dumps(repeated_of_task)
    bundle = [pickle.dumps(number) for number in range(10)]
    ((_, answers),) = run_bundles(function, 2500, None, iter([bundle]))
    assert [pickle.loads(answer) for answer in answers] == [(True, repeated(number)) for number in range(3)]
    ((_, answers),) = run_bundles(function, 1, None, iter([bundle]))
    assert len(answers) == 1  # so that every bundle gets on


def repeated_of_task(number: int, _state: object) -> bytes:
    return repeated(number)


@with_spark
def test_workers_find_names_from_the_working_directory_of_the_caller(spark_session, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Spark(1) as engine:
        ((directory, process),) = engine.map(where, [0])
    assert directory == str(tmp_path)
    assert process != os.getpid()


@with_spark
def test_a_few_tasks_run_in_the_calling_process_if_that_costs_less_than_a_job(spark_session, monkeypatch):
    """Otherwise a crowd, whose rounds compare a few pairs each, costs a job of Spark for each round."""

    def processes(tasks: int) -> set[int]:
        return {process for _, process in engine.map(where, range(tasks))}

    monkeypatch.setattr(spark, "_SECONDS", 1e6)
    monkeypatch.setattr(spark, "_JOB", 1e6)  # whatever a task takes, a job costs more
    with Spark(1) as engine:
        assert os.getpid() not in processes(100)  # nothing is known of the function before
        assert processes(3) == {os.getpid()}
        assert list(engine.map(doubled, range(100))) == list(range(0, 200, 2))
        assert list(engine.map(doubled, range(3))) == [0, 2, 4]
        assert os.getpid() not in processes(10_000)
        monkeypatch.setattr(spark, "_SECONDS", 1e-9)
        monkeypatch.setattr(spark, "_JOB", 0.5e-9)  # every task takes longer, which the first one here shows
        assert processes(1) == {os.getpid()}
        assert os.getpid() not in processes(1)


@with_spark
def test_an_error_in_the_calling_process_is_raised_by_map(spark_session, monkeypatch):
    monkeypatch.setattr(spark, "_JOB", 1e6)
    with Spark(1) as engine:
        assert list(engine.map(picky, range(6))) == list(range(6))
        with pytest.raises(ValueError, match="not seven"):
            list(engine.map(picky, [7]))


@with_spark
def test_an_error_that_cannot_be_pickled_is_named(spark_session):
    with pytest.raises(RuntimeError, match="Unpicklable: one and two"), Spark(1) as engine:
        list(engine.map(refusing, [0]))


@with_spark
def test_what_workers_do_not_see_is_an_error_before_anything_is_read(spark_session, tmp_path: Path):
    here = os.fsencode(f"/proc/self/task/{threading.get_native_id()}/comm")  # a worker has another process there
    (tmp_path / "file").touch()
    with Spark(2) as engine:
        assert engine.reach([bytes(tmp_path / "file"), b"/gone/since"])
        assert not engine.reach([b"/proc/self/stat"])  # each process has a file of its own
        with pytest.raises(ClusterError, match=r"comm: worker \S+ does not see it: keep documents where all machines"):
            engine.reach([here])


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
def test_jobs_have_the_properties_that_the_caller_has_set(spark_session):
    """Such as a pool of the scheduler, although jobs are sent by other threads."""
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    context.setLocalProperty("simdocs.test", "of the caller")
    try:
        with Spark(1) as engine:
            assert list(engine.map(property_of_task, [0])) == ["of the caller"]
    finally:
        context.setLocalProperty("simdocs.test", None)


def property_of_task(_task: int) -> str:
    from pyspark import TaskContext

    return TaskContext.get().getLocalProperty("simdocs.test")


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
    done = len(list(tmp_path.iterdir()))
    assert done < 20
    with Spark(2) as engine:
        assert list(engine.map(doubled, [4])) == [8]
    assert len(list(tmp_path.iterdir())) == done


def slow(directory: Path) -> None:
    from time import sleep

    sleep(1)
    (directory / f"{os.getpid()}-{len(list(directory.iterdir()))}").touch()


NEW_SESSION = """
import sys
from simdocs.engines.spark_session import Java, connect
from simdocs.engines.spark import Spark
{before}
try:
    with Spark(1, "local[1]", {conf}) as engine:
        engine.start()
        print(list(engine.map(str, [1, 2])))
except Exception as error:
    print(type(error).__name__, error)
"""


def of_new_session(before: str = "", conf: str = "{}", **environment: str) -> str:
    """What a new process prints that makes a session of its own."""
    done = subprocess.run(
        [sys.executable, "-c", NEW_SESSION.format(before=before, conf=conf)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert not done.stderr
    return done.stdout.strip()


@with_spark
def test_a_new_session_is_quiet():
    assert of_new_session() == "['1', '2']"


@with_spark
def test_a_python_without_the_package_is_one_line(tmp_path: Path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "empty"], check=True)
    said = of_new_session(f"sys.executable = {str(tmp_path / 'empty/bin/python')!r}")
    assert said.startswith("ClusterError worker ")
    assert "the Python of Spark's workers has no numpy: install simdocs there, or send an archive" in said


@pytest.mark.slow
@with_spark
def test_another_version_on_a_worker_is_one_line():
    said = of_new_session("from simdocs.engines import spark_session; spark_session.__version__ = '9.9'")
    assert said.startswith("ClusterError worker ")
    assert f"has simdocs {simdocs.__version__}, not 9.9 as here: use the same environment on every machine" in said


@with_spark
@pytest.mark.parametrize(
    ("environment", "conf", "expected"),
    [
        (
            {"JAVA_HOME": "/nowhere"},
            {},
            "--engine spark needs Java, and JAVA_HOME has none: install Java 17 or later, or let JAVA_HOME name it",
        ),
        (
            {},
            {"spark.executor.memory": "0"},
            "Spark cannot be started: Executor memory must be a positive number: check --spark-master, --spark-conf"
            " and the settings of Spark",
        ),
    ],
)
def test_a_session_that_cannot_be_made_is_one_line(environment, conf, expected):
    assert of_new_session(conf=repr(conf), **environment) == f"ClusterError {expected}"


@with_spark
@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ('openjdk version "1.8.0_392"', "is Java 8: install"),
        ("Error: LinkageError occurred while loading main class", "does not work: install"),
    ],
)
def test_a_java_that_is_too_old_or_does_not_work_is_named(said, meant, tmp_path: Path):
    java = tmp_path / "bin/java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    java.chmod(0o755)
    expected = f"--engine spark needs Java 17 or later, and {java} {meant}"
    assert expected in of_new_session(JAVA_HOME=str(tmp_path))


@with_spark
def test_a_setting_that_java_refuses_is_named():
    conf = {"spark.driver.memory": "lots"}
    assert "Spark cannot be started: Invalid maximum heap size: -Xmxlots: check" in of_new_session(conf=repr(conf))


@with_spark
def test_secret_settings_are_not_on_the_command_line_of_java(monkeypatch):
    shown: list[str] = []

    class Stopped(Exception):  # noqa: N818
        pass

    def launch(conf, _streams):
        shown.extend(f"{key}={value}" for key, value in conf.getAll())
        raise Stopped

    import pyspark.java_gateway

    monkeypatch.setattr(pyspark.java_gateway, "launch_gateway", launch)
    monkeypatch.setattr(pyspark.SparkContext, "_gateway", None)
    monkeypatch.setattr(pyspark.SparkContext, "_active_spark_context", None)
    conf = {"spark.hadoop.fs.s3a.secret.key": "xyz", "spark.executor.memory": "1g"}
    with pytest.raises(ClusterError):
        spark_session.connect("local[1]", conf, None, spark_session.Java())
    assert "spark.executor.memory=1g" in shown
    assert not any("xyz" in each for each in shown)


@pytest.mark.parametrize("master", ["sc://host", "sc://host:15002/;token=x"])
def test_spark_connect_is_refused(master, monkeypatch):
    pytest.importorskip("pyspark", reason="no pyspark: pip install 'simdocs[spark]'")
    with pytest.raises(UsageError, match="not of Spark Connect"):
        spark_session.connect(master, {}, None, spark_session.Java())


def test_without_pyspark_the_message_says_what_to_install(monkeypatch, tmp_path: Path):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    lay(tmp_path, {"a": A, "b": A1})
    with pytest.raises(MissingExtraError, match=r"^--engine spark needs pyspark.*: pip install 'simdocs\[spark\]'$"):
        simdocs.dedupe(tmp_path, engine="spark")


@pytest.mark.parametrize(
    ("said", "kind", "meant"),
    [
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.9 than that in driver: 3.11, PySpark",
            ClusterError,
            f"the workers of Spark have Python 3.9, not {sys.version_info[0]}.{sys.version_info[1]} as here: let",
        ),
        ('Cannot run program "python9": error=2', ClusterError, "a worker of Spark cannot start Python (Cannot run"),
        ("ExecutorLostFailure (executor 1 exited", WorkerError, "an executor of Spark was lost too often"),
        ("is bigger than spark.driver.maxResultSize (1 GiB)", ClusterError, "raise it, or lower -j"),
        ("java.lang.OutOfMemoryError: Java heap space", ClusterError, "raise spark.driver.memory"),
        ("org.apache.spark.SparkException: Strange thing.\n\tat x", ClusterError, "cannot do the work: Strange thing"),
    ],
)
def test_errors_of_jobs_are_one_line_that_says_what_to_do(said, kind, meant):
    error = in_words(Exception(said), deque(), "yarn")
    assert type(error) is kind
    assert meant in str(error)
    assert "\n" not in str(error)


def test_a_master_that_gave_no_answer_is_named():
    log = deque(["ERROR All masters are unresponsive! Giving up."])
    error = in_words(Exception("stopped"), log, "spark://there:7077")
    assert str(error).startswith("spark://there:7077 gave no answer for a minute: check the address in --spark-master")


def test_a_cluster_that_gives_no_worker_is_mentioned_once(monkeypatch):
    said = list[str]()
    engine = Spark(explain=lambda line, detail=False: said.append(line))
    began = time.monotonic()
    engine._wait(began)
    assert said == []
    monkeypatch.setattr(spark, "_LONG_START", -1.0)
    engine._wait(began)
    engine._wait(began)
    assert len(said) == 1 and "still waiting for workers" in said[0]
