"""The program with --engine spark: updates, signals, spark-submit and settings; not its answers."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simdocs.cli.program import run
from simdocs.model.ragged import batches
from simdocs.reading import read_tasks
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import PROGRAM
from tests.cli.spark_answers import as_csv, lay_generated, outcome, restored_signals, texts
from tests.spark import with_spark

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_generated(tmp_path_factory.mktemp("spark"))


@pytest.mark.slow
@with_spark
def test_an_update_has_the_bytes_of_a_new_build(corpus, spark_session, monkeypatch, capfd, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(corpus / "docs", "docs")
    shutil.copytree(corpus / "rows", "rows")
    outcome(capfd, "index", "docs", "rows", "-o", "x.index", "--engine", "spark")
    lay(tmp_path, {"docs/new.txt": A, "docs/1/0001.txt": B, "rows/e.csv": as_csv(texts(9, 20))})
    with Path("rows/a.jsonl").open("ab") as lines:
        lines.write(b'\n{"id": "last", "text": "' + A1 + b'"}\n')
    with restored_signals():
        assert run(["index", "docs", "rows", "-o", "x.index", "--engine", "spark"]) == 3
        assert run(["index", "docs", "rows", "-o", "y.index", "-j1"]) == 3
    capfd.readouterr()
    of_both = [
        {path.name: path.read_bytes() for path in Path(name).iterdir() if path.name != "run.json"}
        for name in ("x.index", "y.index")
    ]
    assert of_both[0] == of_both[1]


@with_spark
def test_files_that_vanish_or_change_before_they_are_read_are_named(spark_session, tmp_path, monkeypatch, capfd):
    """The walk is over when tasks are cut."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(batches, "__defaults__", (4096,))
    monkeypatch.setattr(read_tasks, "_TASK_BYTES", 4096)
    cutting = read_tasks.Cutting
    said = []
    for engine in ("local", "spark"):
        shutil.rmtree("docs", ignore_errors=True)
        lay(tmp_path, {f"docs/{number:02}": text.encode() for number, text in enumerate(texts(5, 40))})

        def tampering(*arguments, **more):
            Path("docs/07").unlink()
            Path("docs/08").unlink()
            Path("docs/08").symlink_to("09")
            return cutting(*arguments, **more)

        monkeypatch.setattr("simdocs.pipeline.reading.Cutting", tampering)
        said.append(outcome(capfd, "dedupe", "docs", "-v", "--engine", engine, "-j1", "-o", "out/a"))
    assert said[0].status == 3
    assert "docs/08" in said[0].said
    assert said[0] == said[1]


@pytest.fixture
def java_of(tmp_path: Path):
    """The Java processes and Python workers that were started with a certain directory for temporary files."""

    def found() -> list[str]:
        mark = f"TMPDIR={tmp_path}".encode()
        alive = []
        for process in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if process.name.isdigit() and mark in (process / "environ").read_bytes().split(b"\0"):
                    alive.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        return alive

    return found


@with_spark
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_and_leaves_nothing(number, corpus, java_of, tmp_path: Path):
    command = [PROGRAM, "index", "docs", "rows", "-o", tmp_path / "x.index", "--engine", "spark"]
    env = os.environ | {"TMPDIR": str(tmp_path), "SPARK_LOCAL_DIRS": str(tmp_path)}
    with subprocess.Popen(
        [*command, "--spark-master", "local[1]"], cwd=corpus, env=env, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        until(lambda: any("pyspark.daemon" in each for each in java_of()))
        process.send_signal(number)
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == -number
    assert java_of() == []
    assert list(tmp_path.iterdir()) == []


def until(condition, patience: float = 120.0) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
@with_spark
def test_the_installed_program_says_no_more_than_with_its_own_workers(corpus, tmp_path: Path):
    said = []
    for engine in (("-j1",), ("--engine", "spark", "--spark-master", "local[2]")):
        command = [PROGRAM, "dedupe", "docs", "rows", *engine]
        said.append(subprocess.run(command, cwd=corpus, capture_output=True, check=False, timeout=300))
    assert [(each.returncode, each.stdout, each.stderr) for each in said[1:]] == [(3, said[0].stdout, said[0].stderr)]
    assert said[0].stdout


@with_spark
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("docs", "--exit-code"), 1),
        pytest.param(("nowhere",), 2, marks=pytest.mark.slow),
        pytest.param(("docs",), 0, marks=pytest.mark.slow),
    ],
)
def test_spark_submit_runs_the_installed_program(arguments, status, tmp_path: Path):
    import pyspark

    submit = Path(pyspark.__file__).parent / "bin/spark-submit"
    program = (ROOT / "examples/spark_submit.py", "dedupe", *arguments, "-t", "0.5", "--engine", "spark")
    lay(tmp_path, {"docs/a": A, "docs/b": A1})
    done = subprocess.run(
        [submit, "--master", "local[2]", *program],
        cwd=tmp_path,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == status
    assert done.stdout.startswith("docs/a\tdocs/b\t") == (status != 2)


def test_values_of_settings_are_not_recorded(tmp_path: Path, monkeypatch, capfd):
    """The words of the command line are in run.json."""
    lay(tmp_path, {"docs/a": A})
    monkeypatch.chdir(tmp_path)
    words = ["index", "docs", "-o", "x.index", "--spark-conf", "spark.secret=xyz", "--spark-conf=spark.other=xyz=z"]
    monkeypatch.setattr(sys, "argv", ["simdocs", *words])
    with restored_signals():
        assert run(["index", "docs", "-o", "x.index", "-j1"]) == 0
    recorded = Path("x.index/run.json").read_text()
    assert "xyz" not in recorded
    assert json.loads(recorded)["command"][-3:] == ["--spark-conf", "spark.secret=...", "--spark-conf=spark.other=..."]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--spark-conf", "spork=xyz"],
            "must be KEY=VALUE, with a KEY that begins with spark., not 'spork'",
        ),
        (["--spark-conf", "spark.x=1"], "--engine spark"),
        (
            ["--engine", "spark", "--spark-conf", "spark.master=yarn"],
            "--spark-conf cannot set spark.master: use --spark-master",
        ),
    ],
)
def test_settings_that_make_no_sense_are_refused(words, said, capfd):
    with restored_signals():
        assert run(["dedupe", str(ROOT / "examples"), *words]) == 2
    errors = capfd.readouterr().err
    assert said in errors
    assert "xyz" not in errors
