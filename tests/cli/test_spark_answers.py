"""Spark gives the answers of one process, in bytes, messages, counts and exit statuses, whatever happens to tasks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simdocs.engines import spark
from simdocs.matching import verification_blocks
from simdocs.model.ragged import batches
from tests.cli.spark_answers import ANSWERS, OF_REAL, Outcome, lay_generated, lay_real, outcome
from tests.spark import CLUSTER, Sessions, kill_once, run_late, with_spark

Alone = Callable[..., Outcome]


@pytest.fixture(scope="module")
def known() -> dict[tuple[Path, tuple[str, ...]], Outcome]:
    """What one process said, by the working directory and the command."""
    return {}


@pytest.fixture
def alone(known, monkeypatch: pytest.MonkeyPatch, capfd) -> Alone:
    """What one process makes of a command in a directory, which is the working directory afterwards."""

    def alone(directory: Path, command: tuple[str, ...]) -> Outcome:
        monkeypatch.chdir(directory)
        if "old.index" in command and not Path("old.index").exists():
            outcome(
                capfd,
                "index",
                next(name for name in ("rows", "docs.jsonl.gz") if Path(name).exists()),
                "-o",
                "old.index",
                "-j1",
            )
        if (directory, command) not in known:
            known[directory, command] = outcome(capfd, *command, "-j1")
        return known[directory, command]

    return alone


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_generated(tmp_path_factory.mktemp("generated"))


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks that are so small that there are some for 64 partitions. The documents are few."""
    monkeypatch.setattr(batches, "__defaults__", (4096,))
    monkeypatch.setattr(verification_blocks, "_BLOCK_BYTES", 1 << 14)


def some(soon: set[tuple[str, ...]], *families: tuple[str, ...]) -> list[object]:
    """All combinations of members. All are slow but those that are wanted soon."""
    combined: list[tuple[str, ...]] = [()]
    for family in families:
        combined = [(*before, member) for before in combined for member in family]
    return [pytest.param(*each, marks=() if each in soon else pytest.mark.slow) for each in combined]


PARTITIONS = ("1", "2", "8", "64")

SOON = {("2", "pairs"), ("2", "rows"), ("2", "against"), ("8", "index"), ("8", "no answer"), ("64", "groups")}


@with_spark
@pytest.mark.parametrize(("jobs", "name"), some(SOON, PARTITIONS, tuple(ANSWERS)))
def test_any_number_of_partitions_gives_the_same(jobs, name, generated, spark_session, alone, small_tasks, capfd):
    expected = alone(generated, ANSWERS[name])
    assert expected.files or name in ("no answer", "nothing")
    assert outcome(capfd, *ANSWERS[name], "--engine", "spark", "-j", jobs) == expected


@with_spark
@pytest.mark.parametrize(
    "name", [pytest.param(*each.values, marks=each.marks) for each in some({("groups",)}, tuple(ANSWERS))]
)
def test_any_order_of_jobs_gives_the_same(name, generated, spark_session, alone, small_tasks, monkeypatch, capfd):
    expected = alone(generated, ANSWERS[name])
    monkeypatch.setattr(spark, "run_tasks", run_late)
    assert outcome(capfd, *ANSWERS[name], "--engine", "spark", "-j", "8") == expected


@with_spark
@pytest.mark.parametrize(
    "name", [pytest.param(*each.values, marks=each.marks) for each in some({("groups",)}, tuple(ANSWERS))]
)
def test_workers_that_are_killed_change_nothing(
    name, generated, spark_session, alone, small_tasks, monkeypatch, capfd, tmp_path: Path
):
    expected = alone(generated, ANSWERS[name])
    kill_once(monkeypatch, tmp_path)
    assert outcome(capfd, *ANSWERS[name], "--engine", "spark", "-j", "2") == expected
    assert list(tmp_path.iterdir()) or name == "nothing"


ON_OR_OFF = ("true", "false")


@pytest.mark.slow
@with_spark
@pytest.mark.parametrize(
    ("master", "adaptive", "ansi", "name"),
    some(set(), ("local[1,4]", "local[8,4]"), ON_OR_OFF, ON_OR_OFF, ("groups", "pairs", "rows", "index")),
)
def test_settings_of_a_session_change_nothing(master, adaptive, ansi, name, generated, spark_sessions, alone, capfd):
    """Nothing is asked in SQL, which these settings are about. Without -j there are as many partitions as cores."""
    conf = {"spark_sql_adaptive_enabled": adaptive, "spark_sql_ansi_enabled": ansi, "spark_scheduler_mode": "FAIR"}
    spark_sessions.use(master, **conf)
    expected = alone(generated, ANSWERS[name])
    assert outcome(capfd, *ANSWERS[name], "--engine", "spark") == expected


@pytest.mark.slow
@with_spark
@pytest.mark.parametrize("name", ["groups", "pairs", "rows", "against", "signatures", "index"])
def test_executors_that_are_killed_change_nothing(
    name, generated, spark_sessions: Sessions, alone, monkeypatch, capfd, tmp_path: Path
):
    spark_sessions.use(CLUSTER)
    expected = alone(generated, ANSWERS[name])
    kill_once(monkeypatch, tmp_path, executor=True)
    assert outcome(capfd, *ANSWERS[name], "--engine", "spark") == expected
    assert list(tmp_path.iterdir())


@pytest.mark.slow
@with_spark
@pytest.mark.parametrize("name", ["groups", "rows", "index"])
def test_a_killed_worker_is_an_error_where_spark_does_not_try_again(
    name, generated, spark_sessions: Sessions, monkeypatch, capfd, tmp_path: Path
):
    spark_sessions.use("local[2]")
    monkeypatch.chdir(generated)
    kill_once(monkeypatch, tmp_path)
    status, said, _, files = outcome(capfd, *ANSWERS[name], "--engine", "spark")
    assert (status, files) == (2, {})
    assert "simdocs: error: Spark cannot do the work: Python worker exited unexpectedly" in said


REAL = {"irplag": 467, "tldr_short": 5000, "licences_scancode": 1200, "peps_history_pd": 400}
"""Real corpora, and how many of their documents are compared here."""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Lays a corpus, once."""
    laid: dict[str, Path] = {}

    def of_name(name: str) -> Path:
        if name not in laid:
            laid[name] = lay_real(tmp_path_factory.mktemp("real"), name, REAL[name])
        return laid[name]

    return of_name


SOON_REAL = {("irplag", "8", "groups"), ("tldr_short", "2", "rows"), ("licences_scancode", "8", "index")}


@with_spark
@pytest.mark.parametrize(("corpus", "jobs", "name"), some(SOON_REAL, tuple(REAL), PARTITIONS, tuple(OF_REAL)))
def test_real_texts_give_the_same(corpus, jobs, name, real, spark_session, alone, capfd):
    expected = alone(real(corpus), OF_REAL[name])
    assert expected.status == 0
    assert all(expected.files.values())
    assert outcome(capfd, *OF_REAL[name], "--engine", "spark", "-j", jobs) == expected
