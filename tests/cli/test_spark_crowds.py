"""Crowds on Spark: many documents on one template end with the answer of one process, in bounded memory."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import simdocs
from tests.cli.program import PROGRAM
from tests.cli.spark_taken import HEAP, PYTHON, RESULTS, taken
from tests.spark import with_spark

WORDS = 40
"""The words of a template."""

BUCKET = 50_000
"""The fewest documents in the largest bucket of a crowd."""


def template(dice: random.Random) -> list[str]:
    """The words that all documents of a crowd have in common."""
    vocabulary = ["".join(dice.choices("abcdefghijklmnop", k=dice.randint(3, 9))) for _ in range(2000)]
    return dice.choices(vocabulary, k=WORDS)


def numbers(dice: random.Random) -> list[str]:
    """Five words that make two documents on one template less similar than 0.8."""
    return [str(dice.randrange(10**8)) for _ in range(5)]


def in_one_word(documents: int, seed: int) -> Iterator[str]:
    """Yield texts that differ in one word in the middle. Each is similar to all others."""
    words = template(random.Random(seed))
    for number in range(documents):
        yield " ".join([*words[: WORDS // 2], f"{number:06}", *words[WORDS // 2 :]])


def in_the_end(documents: int, seed: int) -> Iterator[str]:
    """Yield texts that differ at the end. Two of them have a similarity of about 0.77."""
    dice = random.Random(seed)
    words = template(dice)
    for _ in range(documents):
        yield " ".join([*words, *numbers(dice)])


def in_families(documents: int, seed: int) -> Iterator[str]:
    """Yield texts of 20 families, each with an end. Two of one family differ in one word, others have 0.73."""
    dice = random.Random(seed)
    words = template(dice)
    ends = [numbers(dice) for _ in range(20)]
    for number in range(documents):
        yield " ".join([*words[:3], f"{number:06}", *words[3:], *ends[number % len(ends)]])


class Outcome(NamedTuple):
    """How a run ended, what it said, its answer, and its counts."""

    status: int
    said: bytes
    answer: bytes
    counts: dict[str, Any]


def read(directory: Path, status: int, said: bytes) -> Outcome:
    """What a run in this directory has left, which is removed."""
    answer, summary = directory / "answer.tsv", directory / "summary.json"
    counts = json.loads(summary.read_text())
    del counts["seconds"]
    outcome = Outcome(status, said, answer.read_bytes(), counts)
    answer.unlink()
    summary.unlink()
    return outcome


def same_answer(directory: Path, texts: Sequence[str], *options: str) -> Outcome:
    """What one process and Spark say of these documents, which must be the same, in memory that is bounded."""
    with (directory / "rows.jsonl").open("w") as rows:
        rows.writelines(f"{json.dumps({'text': text})}\n" for text in texts)
    command = ("dedupe", "rows.jsonl", "-o", "answer.tsv", "--summary-json", "summary.json", *options)
    alone = subprocess.run([PROGRAM, *command, "-j1"], cwd=directory, stderr=subprocess.PIPE, check=False, timeout=900)
    expected = read(directory, alone.returncode, alone.stderr)
    run = taken(directory, *command)
    assert read(directory, run.status, run.said) == expected
    assert 0 < run.heap < HEAP
    assert 0 < run.python < PYTHON
    assert 512 < run.results / len(texts) < RESULTS
    return expected


def largest_bucket(texts: Sequence[str]) -> int:
    """The number of documents in the largest bucket of 18 bands with 7 rows."""
    rows = simdocs.signature(texts=texts).signatures[:, : 18 * 7].reshape(len(texts), 18, 7)
    return max(int(np.unique(band, axis=0, return_counts=True)[1].max()) for band in rows.swapaxes(0, 1))


@pytest.mark.slow
@with_spark
def test_100_000_documents_that_differ_in_one_word_are_one_group(tmp_path: Path):
    """Each is compared with the kept one only."""
    outcome = same_answer(tmp_path, list(in_one_word(100_000, seed=1)))
    assert (outcome.status, outcome.said) == (0, b"")
    assert outcome.answer.count(b"\n") == 99_999
    assert (outcome.counts["groups"], outcome.counts["candidates"]) == (1, 99_999)


@pytest.mark.slow
@with_spark
def test_a_bucket_of_50_000_documents_below_the_threshold_is_capped(tmp_path: Path):
    """Almost all documents are kept, so most are not compared with all that were kept before, and are named."""
    texts = list(in_the_end(70_000, seed=20))
    assert largest_bucket(texts) >= BUCKET
    outcome = same_answer(tmp_path, texts, "--max-candidates", "2")
    assert outcome.status == 3
    assert outcome.said.count(b"not compared with all documents kept before it (--max-candidates)") >= 10
    assert outcome.counts["skipped"]["capped"] > BUCKET
    assert outcome.counts["verified"] > BUCKET
    assert outcome.counts["kept"] > 69_000


@pytest.mark.slow
@with_spark
@pytest.mark.parametrize(("options", "status"), [((), 0), (("--max-candidates", "10"), 3)])
def test_families_in_a_bucket_of_50_000_documents_are_told_apart(options, status, tmp_path: Path):
    """Documents of 20 families meet in one bucket. A smaller limit than 20 is reached, and some documents are named."""
    texts = list(in_families(60_000, seed=41))
    assert largest_bucket(texts) >= BUCKET
    outcome = same_answer(tmp_path, texts, *options)
    assert outcome.status == status
    assert (outcome.counts["groups"], outcome.counts["kept"]) == (20, 20)
    assert ("capped" in outcome.counts["skipped"]) == bool(options)
    assert outcome.counts["candidates"] > 10 * len(texts)
