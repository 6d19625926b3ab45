"""The program with --engine spark: the same bytes, messages and exit statuses as one process of this machine."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from simdocs.cli.program import run
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import PROGRAM
from tests.corpora.arrow_files import HAS_PYARROW, as_parquet, table
from tests.spark import with_spark

ROOT = Path(__file__).resolve().parents[2]


def texts(seed: int, number: int, words: int = 120) -> list[str]:
    """Texts, of which a third are copies of earlier ones with or without edits."""
    dice = random.Random(seed)
    vocabulary = ["".join(dice.choices("abcdefghijklmnop", k=dice.randint(2, 9))) for _ in range(2000)]
    made: list[list[str]] = []
    for _ in range(number):
        words_of_it = dice.choices(vocabulary, k=dice.randint(words // 2, 2 * words))
        if made and dice.random() < 0.35:
            words_of_it = list(dice.choice(made))
            for _ in range(dice.randint(0, 3)):
                words_of_it[dice.randrange(len(words_of_it))] = dice.choice(vocabulary)
        made.append(words_of_it)
    return [" ".join(each) for each in made]


def as_csv(rows: Sequence[str]) -> bytes:
    page = io.StringIO(newline="")
    csv.writer(page).writerows([("id", "text"), *((f"c{number}", text) for number, text in enumerate(rows))])
    return page.getvalue().encode()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files and containers that share texts, some of several parts, with documents that cannot be judged."""
    root = tmp_path_factory.mktemp("spark")
    files = {f"docs/{number % 7}/{number:04}.txt": text.encode() for number, text in enumerate(texts(1, 400))}
    files |= {f"docs/packed/{number}.gz": gzip.compress(text.encode()) for number, text in enumerate(texts(1, 12))}
    files |= {"docs/binary": b"\0\1\2", "docs/empty.txt": b"", "docs/broken.gz": gzip.compress(b"x" * 9999)[:-9]}
    lines = [json.dumps({"id": f"j{number}", "text": text}) for number, text in enumerate(texts(2, 2600, 200))]
    lines[40:40] = ["{not json", json.dumps({"id": "j3", "text": "again"}), json.dumps({"other": 1})]
    files["rows/a.jsonl"] = "\n".join(lines).encode()
    files["rows/b.jsonl.gz"] = gzip.compress("\n".join(lines[:300]).encode())
    files["rows/c.csv"] = as_csv(texts(3, 300))
    files["rows/settings.json"] = b'{"colour": "red"}'
    if HAS_PYARROW:
        files["rows/d.parquet"] = as_parquet(table([(f"p{number}", text) for number, text in enumerate(texts(4, 300))]))
    return lay(root, files)


@contextlib.contextmanager
def restored_signals() -> Iterator[None]:
    """The program sets handlers of signals."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    hook = sys.unraisablehook
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in kept.items():
            signal.signal(number, handler)


def outcome(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, dict[str, bytes]]:
    """The status of the program in this process, what it says, and the files of its output, without run.json."""
    out = Path("out")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    with restored_signals():
        status = run([*arguments])
    files = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    said = capfd.readouterr()
    return status, said.out + said.err, {name: data for name, data in files.items() if not name.endswith("run.json")}


ANSWERS: dict[str, tuple[str, ...]] = {
    "groups": ("dedupe", "docs", "rows", "-o", "out/a.tsv"),
    "components": ("dedupe", "docs", "rows", "--cluster", "components", "--format", "jsonl", "-o", "out/a"),
    "pairs": ("dedupe", "docs", "rows", "--pairs", "-t", "0.6", "-o", "out/a.jsonl"),
    "kept": ("dedupe", "docs", "rows", "--list", "kept", "-0", "-o", "out/a"),
    "lines": ("dedupe", "rows/a.jsonl", "--list", "kept-lines", "-o", "out/a"),
    "all groups": ("dedupe", "docs", "--list", "groups", "--keep", "longest", "-o", "out/a.csv"),
    "exact": ("dedupe", "docs", "--exact", "-o", "out/a.tsv"),
    "without common words": ("dedupe", "docs", "--unit", "word", "--ignore-common", "0.9", "-o", "out/a.tsv"),
    "rows": ("dedupe", "rows/a.jsonl", "rows/b.jsonl.gz", "--kept-rows", "out/kept", "--removed-rows", "out/removed"),
    "against": ("dedupe", "docs", "--against", "old.index", "-o", "out/a.tsv"),
    "query": ("query", "old.index", "docs", "--nearest", "2", "-o", "out/a.tsv"),
    "shingles": ("shingle", "docs", "rows", "-o", "out/x.shingles"),
    "signatures": ("signature", "docs", "rows", "-o", "out/x.signatures"),
    "index": ("index", "docs", "rows", "-o", "out/x.index"),
}


TRIED = [(name, "2") for name in ANSWERS] + [(name, jobs) for name in ("groups", "index") for jobs in ("1", "8")]

SOON = (("groups", "8"), ("pairs", "2"), ("rows", "2"), ("against", "2"), ("index", "2"))
"""What is tried in the short form of these tests."""


@with_spark
@pytest.mark.parametrize(
    ("name", "jobs"), [pytest.param(*each, marks=() if each in SOON else pytest.mark.slow) for each in TRIED]
)
def test_the_bytes_are_those_of_one_process(name, jobs, corpus, spark_session, monkeypatch, capfd):
    monkeypatch.chdir(corpus)
    if not Path("old.index").exists():
        outcome(capfd, "index", "rows", "-o", "old.index", "-j1")
    alone = outcome(capfd, *ANSWERS[name], "-j1")
    assert alone[2]
    assert outcome(capfd, *ANSWERS[name], "--engine", "spark", "-j", jobs) == alone


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
    from simdocs.corpora import read_tasks

    monkeypatch.chdir(tmp_path)
    cut = read_tasks.tasks
    said = []
    for engine in ("local", "spark"):
        shutil.rmtree("docs", ignore_errors=True)
        lay(tmp_path, {f"docs/{number:02}": text.encode() for number, text in enumerate(texts(5, 40))})

        def tampering(*arguments):
            Path("docs/07").unlink()
            Path("docs/08").unlink()
            Path("docs/08").symlink_to("09")
            return cut(*arguments)

        monkeypatch.setattr("simdocs.pipeline.reading.tasks", tampering)
        said.append(outcome(capfd, "dedupe", "docs", "-v", "--engine", engine, "-j1", "-o", "out/a"))
    assert said[0][0] == said[1][0] == 3
    assert "docs/08" in said[0][1]
    without_time = [(status, text.partition("\nread ")[0], files) for status, text, files in said]
    assert [each[2] for each in without_time] == [without_time[0][2]] * 2
    assert [line for line in said[1][1].splitlines() if "docs/0" in line] == [
        line for line in said[0][1].splitlines() if "docs/0" in line
    ]


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
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
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
        (["--spark-conf", "spark.x=1"], "--spark-conf needs --engine spark"),
        (["--spark-master", "yarn"], "--spark-master needs --engine spark"),
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
