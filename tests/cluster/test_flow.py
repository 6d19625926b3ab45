"""Spark's rows are those of this machine."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import simdocs
from tests.cli.corpus import lay
from tests.cluster.documents import lay_generated, texts
from tests.spark import with_spark

pytest.importorskip("pyspark", reason="no pyspark: pip install 'simdocs[spark]'")
import simdocs.spark
from simdocs.spark import flow

QUESTIONS = ("dedupe", "pairs")


def rows(found: Any) -> list[tuple[Any, ...]]:
    """Rows of an answer, with similarities to six digits."""
    return [(*names, round(score, 6), round(estimate, 6)) for *names, score, estimate in found]


def same(spark: Any, question: str, *documents: str, ours: dict[str, Any] | None = None, **options: Any) -> int:
    """Assert that Spark answers as this machine. ours: options of Spark alone. Return the number of rows."""
    made = getattr(simdocs.spark, question)(spark, *documents, **options, **(ours or {}))
    alone = rows(getattr(simdocs, question)(*documents, **options))
    assert rows(map(tuple, made.rows.collect())) == alone
    spark.catalog.clearCache()
    return len(alone)


@with_spark
@pytest.mark.parametrize("question", QUESTIONS)
def test_generated_documents_of_all_formats(question, spark, tmp_path: Path, monkeypatch):
    lay_generated(tmp_path)
    (tmp_path / "rows/b.jsonl.gz").unlink()
    lines = (tmp_path / "rows/a.jsonl").read_bytes().splitlines()
    (tmp_path / "rows/a.jsonl").write_bytes(b"\n".join(line for line in lines if b"again" not in line))
    monkeypatch.chdir(tmp_path)
    assert same(spark, question, "docs", "rows", ours={"partitions": 3}) > 500


@with_spark
@pytest.mark.parametrize(
    "keep", ["first", *(pytest.param(name, marks=pytest.mark.slow) for name in ("longest", "shortest"))]
)
def test_crowds_and_rounds(keep, spark, tmp_path: Path, monkeypatch):
    for name, value in (("CROWD", 2), ("HEADS", 2), ("FEW", 20)):
        monkeypatch.setattr(flow, name, value)
    lay(tmp_path, {f"{number:03}": text.encode() for number, text in enumerate(crowd(7, 60))})
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
