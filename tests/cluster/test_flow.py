"""Spark's rows are those of this machine."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.model.skipped import WITHOUT_ROWS
from simdocs.names import name_to_text
from tests.cli.corpus import lay
from tests.cli.program import simdocs as simdocs_here
from tests.cluster.documents import lay_generated, lay_real, texts
from tests.spark import CLUSTER, RETRYING, with_spark

pytest.importorskip("pyspark", reason="no pyspark: pip install 'simdocs[spark]'")
from pyspark.sql import functions

import simdocs.spark
from simdocs.spark import answers, flow, parts

QUESTIONS = ("dedupe", "pairs")


def rows(found: Any) -> list[tuple[Any, ...]]:
    """Rows of an answer, with similarities to six digits."""
    return [(*names, round(score, 6), round(estimate, 6)) for *names, score, estimate in found]


def same(spark: Any, question: str, *documents: str, ours: dict[str, Any] | None = None, **options: Any) -> int:
    """Assert that Spark answers as this machine. ours: options of Spark alone. Return the number of rows."""
    made = getattr(simdocs.spark, question)(spark, *documents, **options, **(ours or {}))
    local = getattr(simdocs, question)(*documents, **options)
    alone, skipped = rows(local), local.skipped
    assert rows(map(tuple, made.rows.collect())) == alone
    here = [
        (reason, name_to_text(skip.name), skip.detail, skip.line)
        for reason in skipped.counts.keys() - WITHOUT_ROWS
        for skip in skipped.kept(reason)
    ]
    assert sorted(map(tuple, made.skipped.collect())) == sorted(here)
    spark.catalog.clearCache()
    return len(alone)


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents of all formats in the directories docs and rows. Those of one id are compared here, but not locally."""
    lay_generated(tmp_path)
    (tmp_path / "rows/b.jsonl.gz").unlink()
    lines = (tmp_path / "rows/a.jsonl").read_bytes().splitlines()
    (tmp_path / "rows/a.jsonl").write_bytes(b"\n".join(line for line in lines if b"again" not in line))
    monkeypatch.chdir(tmp_path)


@with_spark
@pytest.mark.parametrize("question", QUESTIONS)
def test_generated_documents_of_all_formats(question, spark, generated):
    assert same(spark, question, "docs", "rows", ours={"partitions": 3}) > 500


@with_spark
def test_parts_in_json_lines_are_those_of_one_machine(spark, generated, tmp_path: Path):
    parts.write_rows(simdocs.spark.pairs(spark, "docs", partitions=3).rows, "jsonl", f"file://{tmp_path}/parts")
    done = simdocs_here("pairs", "docs", "--format", "jsonl", cwd=tmp_path)
    made = b"".join(path.read_bytes() for path in sorted((tmp_path / "parts").glob("part-*")))
    assert made == done.out != b""


@with_spark
@pytest.mark.slow
@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize(("partitions", "ansi"), [(1, "true"), (2, "false"), (8, "true"), (64, "false")])
def test_partitions_and_ways_of_execution_change_nothing(partitions, ansi, adaptive, spark, generated):
    settings = {"spark.sql.adaptive.enabled": adaptive, "spark.sql.ansi.enabled": ansi}
    before = {name: spark.conf.get(name) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        assert same(spark, "dedupe", "docs", "rows", ours={"partitions": partitions}) > 500
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


@with_spark
@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_order_of_tasks_changes_nothing(question, spark, generated, monkeypatch):
    def shuffled(*given: Any, **how: Any) -> flow.Flow:
        made = flow.flow_of(*given, **how)
        return replace(made, tasks=made.tasks.repartition(5).orderBy(functions.rand(7)))

    monkeypatch.setattr(answers, "flow_of", shuffled)
    assert same(spark, question, "docs", "rows", ours={"partitions": 3}) > 500


@with_spark
@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("corpus", ["licences_scancode", "peps_history_pd", "tldr_short", "irplag"])
def test_real_documents(corpus, question, spark, tmp_path: Path, monkeypatch):
    lay_real(tmp_path, corpus, 1500)
    monkeypatch.chdir(tmp_path)
    assert same(spark, question, ".", threshold=0.7) > 20


@with_spark
def test_rows_of_files_are_those_of_one_machine(spark, generated, tmp_path: Path):
    mixed = (tmp_path / "rows/a.jsonl").read_bytes().replace(b"\n", b"\n\n", 3)
    (tmp_path / "rows/a.jsonl").write_bytes(mixed + b"\n" + mixed.replace(b'"id": "j', b'"id": "k'))
    (tmp_path / "rows/below").mkdir()
    (tmp_path / "rows/below/e.json").write_text(json.dumps([{"id": each, "text": each} for each in texts(3, 90)]))
    (tmp_path / "rows/settings.json").unlink()
    simdocs.dedupe("rows", kept_rows="kept", removed_rows="removed", jobs=1)
    simdocs.spark.dedupe(spark, "rows", kept_rows="kept too", removed_rows="removed too", partitions=3)
    for name in ("kept", "removed"):
        ours = {path.relative_to(tmp_path / name): path for path in (tmp_path / name).rglob("[!.]*.*")}
        assert len(ours) >= 3
        for path, made in ours.items():
            assert (tmp_path / f"{name} too" / path).read_bytes() == made.read_bytes()
        assert (tmp_path / f"{name} too/_SUCCESS").exists()


@with_spark
@pytest.mark.parametrize("directory", ["docs", "rows"])
def test_rows_are_not_written_of_what_is_one_text(directory, spark, generated):
    with pytest.raises(Exception, match=r"--kept-rows writes rows of files such as \*\.jsonl"):
        simdocs.spark.dedupe(spark, directory, kept_rows="kept")


@with_spark
@pytest.mark.slow
@pytest.mark.parametrize(
    ("master", "wanted", "pause"), [(RETRYING, "pyspark.daemon", 1), (CLUSTER, "CoarseGrainedExecutorBackend", 8)]
)
def test_workers_and_executors_that_are_killed_change_nothing(master, wanted, pause, spark_sessions, generated):
    killed = list[int]()
    done = threading.Event()

    def kill() -> None:
        while len(killed) < 3 and not done.wait(pause):
            victims = [each for each in _running(wanted) if each not in killed]
            if victims:
                killed.append(victims[-1])
                os.kill(victims[-1], signal.SIGKILL)

    spark = spark_sessions.use(master)
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        assert same(spark, "dedupe", "docs", "rows", ours={"partitions": 3}) > 500
    finally:
        done.set()
        killer.join()
    assert killed


def _running(wanted: str) -> list[int]:
    """The processes whose command has this word, the youngest last."""
    found = list[int]()
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if wanted.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return sorted(found)


@with_spark
@pytest.mark.slow
@pytest.mark.parametrize(("words", "edits", "count"), [(200, 1, 100_000), (200, 6, 50_000)])
def test_a_crowd_is_not_squared(words, edits, count, spark, tmp_path: Path, monkeypatch):
    dice = random.Random(1)
    template = texts(9, 1, words)[0].split()
    with (tmp_path / "crowd.jsonl").open("w") as file:
        for number in range(count):
            its = list(template)
            for place in dice.sample(range(len(its)), edits):
                its[place] = f"{number}x{place}"
            file.write(json.dumps({"text": " ".join(its)}) + "\n")
    monkeypatch.chdir(tmp_path)
    assert same(spark, "dedupe", "crowd.jsonl", ours={"partitions": 4}) > count // 2


@with_spark
@pytest.mark.parametrize(
    ("keep", "few"),
    [
        ("first", 20),
        ("longest", flow.FEW),
        *(pytest.param(keep, 20, marks=pytest.mark.slow) for keep in ("longest", "shortest")),
    ],
)
def test_crowds_and_rounds(keep, few, spark, tmp_path: Path, monkeypatch):
    for name, value in (("CROWD", 2), ("HEADS", 2), ("FEW", few)):
        monkeypatch.setattr(flow, name, value)
    # The last one is as similar to each of the two before it, of which the second is longer.
    words = [letter * 9 for letter in "abcdefghijvwxy"]
    tie = (words[10:12] + words[2:10], words[:8] + words[12:], words[:10])
    every = crowd(7, 60) + [" ".join(its) + space for its, space in zip(tie, (" ", "  ", ""), strict=True)]
    lay(tmp_path, {f"{number:03}": text.encode() for number, text in enumerate(every)})
    monkeypatch.chdir(tmp_path)
    assert same(spark, "dedupe", ".", keep=keep, threshold=0.6) > 20


def crowd(seed: int, number: int) -> list[str]:
    """Texts of a few families, of which each has been edited many times, with copies of some."""
    dice = random.Random(seed)
    made = [text.split() for text in texts(seed, 4, 60)]
    while len(made) < number:
        words = list(dice.choice(made))
        for _ in range(dice.randint(0, 6)):
            words[dice.randrange(len(words))] = dice.choice(words) + "x"
        made.append(words)
    return [" ".join(words) + " " * dice.randrange(9) for words in made]
