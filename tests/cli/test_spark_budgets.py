"""What a run on Spark may take, whatever the number of documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.corpus import lay
from tests.cli.spark_answers import texts
from tests.cli.spark_taken import HEAP, PYTHON, RESULTS, taken
from tests.spark import with_spark

JOBS = 25
"""The most jobs of a run that takes a minute. They follow from the time that it takes. Measured: 7 to 15."""


@pytest.mark.slow
@with_spark
@pytest.mark.parametrize("documents", [2000, 8000])
@pytest.mark.parametrize("command", ["dedupe", "index"])
def test_a_run_takes_no_more_than_is_promised(command, documents, tmp_path: Path):
    """Four times the documents take no more memory on the workers, and the same for each document on the driver."""
    made = texts(1, documents, 200)
    lay(tmp_path, {f"docs/{number % 50}/{number:06}.txt": text.encode() for number, text in enumerate(made)})
    lines = [json.dumps({"id": number, "text": text}) for number, text in enumerate(made)]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    found = {
        "dedupe": ("dedupe", "docs", "-o", "answer.tsv"),
        "index": ("index", "rows.jsonl", "-o", "rows.index"),
    }
    run = taken(tmp_path, *found[command])
    assert run.status == 0
    assert 0 < run.heap < HEAP
    assert 0 < run.python < PYTHON
    assert 0 < run.jobs < JOBS
    assert 512 < run.results / documents < RESULTS
