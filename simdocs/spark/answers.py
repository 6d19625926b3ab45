"""What a cluster finds, with the names of documents: from options to DataFrames."""

from __future__ import annotations

import os
from typing import Any

from pyspark.sql import functions as F  # noqa: N812  (as everywhere)

from simdocs.commands.resolve import banding_of, of_signatures
from simdocs.commands.row_outputs import refuse_inputs
from simdocs.model.skipped import Skipped
from simdocs.reading.file_list import FileList
from simdocs.reading.find import find
from simdocs.spark import Answer
from simdocs.spark.commands import Dedupe
from simdocs.spark.flow import Flow, flow_of, groups, similar_pairs
from simdocs.spark.rows import RowOutputs
from simdocs.spark.workers import Plan

_ROWS = 100_000
"""About how many rows a part has at least."""


def listed(options: Any, skipped: Skipped) -> tuple[Any, FileList]:
    """What was asked, with every default, and the files. UsageError: the output is among them."""
    asked = of_signatures(options)
    files = find(asked.intake.sources, asked.intake.walking, skipped)
    refuse_inputs("output", os.fsdecode(options.output or os.devnull), files, asked.intake.sources)
    return asked, files


def found(spark: Any, options: Any, skipped: Skipped) -> Answer:
    """The answer to `spark dedupe` or `spark pairs`. skipped: gets what a walk leaves out.

    UsageError: no bands reach the recall. InputError: documents cannot be listed.
    """
    asked, files = listed(options, skipped)
    cut, keep = banding_of(asked.options, asked.recipe.sketching).cut, getattr(options, "keep", "first")
    outputs = RowOutputs(options, files, asked.intake.sources, asked.recipe.sequences)
    limit, of_rows = asked.intake.walking.max_size, bool(outputs.files)
    plan = Plan(asked.recipe, limit, cut, asked.options.threshold, keep, of_rows, os.getcwdb())
    flow = flow_of(spark, plan, files, options.partitions, apart=of_rows)
    names = ("kept", "duplicate") if isinstance(options, Dedupe) else ("document", "other")
    edges = (groups if isinstance(options, Dedupe) else similar_pairs)(flow).persist()
    columns = (F.col(f"{side}_name").cast("string") for side in ("left", "right"))
    parts = min(flow.partitions, 1 + edges.count() // _ROWS)
    rows = edges.repartitionByRange(parts, "left", "right").sortWithinPartitions("left", "right")
    rows = rows.select(*columns, "jaccard", "estimate").toDF(*names, "jaccard", "estimate")
    if of_rows:
        outputs.write(flow, edges.select(F.col("right").alias("id")))
    read = (F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in ("documents", "empty"))
    return Answer(rows.persist(), _skips(flow), flow.said().select(*read))


def _skips(flow: Flow) -> Any:
    said = flow.said().where("reason is not null").join(flow.heads.select("task", "before").hint("merge"), "task")
    line = F.when(F.col("line") > 0, F.col("line") + F.coalesce("before", F.lit(0))).otherwise(0)
    return said.orderBy("task").select("reason", "name", "detail", line.alias("line"))
