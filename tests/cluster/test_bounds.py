"""What a cluster moves, collects and holds, by Spark's log of events. This is for `make test-slow`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark import with_spark

PLAIN = {"spark.sql.adaptive.enabled": "false"}
"""The same number of tasks for any amount. Adaptive execution joins small partitions, so there are fewer for less."""


@with_spark
@pytest.mark.slow
def test_the_driver_collects_nothing_per_document_and_shuffles_follow_the_model(tmp_path: Path):
    pytest.importorskip("pyspark")
    from benchmarks.scale import measured
    from tests.spark import RETRYING

    few, many = (measured(count, tmp_path / str(count), RETRYING, **PLAIN) for count in (10_000, 40_000))
    assert many.duplicates > 3 * few.duplicates
    assert many.collected <= 1.2 * few.collected
    for cost in (few, many):
        assert cost.shuffled <= 1.3 * cost.model
        assert cost.grown <= 250 << 20
