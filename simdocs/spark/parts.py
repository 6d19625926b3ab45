"""Parts of answers: what a command writes with a cluster, and what it says in the end."""

from __future__ import annotations

import json
import os
import pickle
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812  (as everywhere)

import simdocs
from simdocs.engines.engine import Run
from simdocs.model.figures import counted
from simdocs.model.result import NAME, SIMILARITY, Result, table_head
from simdocs.model.skipped import FIRST, Skip, Skipped
from simdocs.names import text_to_name
from simdocs.options.answers import Running
from simdocs.options.sources import OfSignatures
from simdocs.spark.answers import found, listed
from simdocs.spark.commands import Dedupe, Pairs, Signature, target_of
from simdocs.spark.flow import SAID, flow_of
from simdocs.spark.rows import complete
from simdocs.spark.workers import Batches, Plan, rows_of, said_of
from simdocs.storage.syscalls import create_directories
from simdocs.views.output import Jsonl, Tsv


def write_rows(rows: Any, form: str, target: str) -> None:
    """Write rows in parts, which are complete when `_SUCCESS` is there."""
    if form != "parquet":
        names = {name: F.col(name).cast("binary") for name in rows.columns[:2]}
        drawn = rows.withColumns(names).mapInArrow(partial(_drawn, names=rows.columns, form=form), "value binary")
        rows = drawn.select(F.col("value").cast("string"))
    rows.write.format("parquet" if form == "parquet" else "text").save(target)


def _drawn(batches: Batches, *, names: list[str], form: str) -> Batches:
    """Rows as lines, drawn as on one machine."""
    head = table_head(**{name: SIMILARITY if name in ("jaccard", "estimate") else NAME for name in names})
    draw = (Tsv if form == "tsv" else Jsonl)(head)
    for batch in batches:
        lines = [draw.row(row)[:-1] for row in rows_of(iter((batch,)))]
        yield pa.RecordBatch.from_pydict({"value": pa.array(lines, pa.binary())})


def written(spark: Any, options: Pairs, run: Run) -> Result:
    """Find what was asked, and write it in parts."""
    answer = found(spark, options, run.skipped)
    if options.output:
        write_rows(answer.rows, options.format, target_of(options.output))
    _report(answer.skipped, run.skipped)
    ((documents, empty),), rows = answer.read.collect(), answer.rows.count()
    found_now = f"{counted(rows, 'duplicate')}, {documents - rows:,} kept"
    line = found_now if isinstance(options, Dedupe) else counted(rows, "similar pair")
    facts = {"documents": documents, "empty": empty, "rows": rows}
    return _result(options, run, facts, f"{counted(documents, 'document')}, {empty:,} empty; {line}")


def _result(options: Any, run: Run, facts: dict[str, Any], line: str) -> Result:
    facts |= {"skipped": run.skipped.counts, "seconds": None}
    return Result(options.command, skipped=run.skipped, facts=facts, lines=lambda _seconds, _verbose: [line])


def _report(skips: Any, skipped: Skipped) -> None:
    """Add what tasks have skipped. The first of each reason are named, or all of them with -v."""
    for reason, count in sorted(map(tuple, skips.groupBy("reason").count().collect())):
        some = skips.where(F.col("reason") == reason).limit(count if skipped.tell else FIRST).collect()
        skipped.extend(Skip(reason, text_to_name(each.name), each.detail, each.line) for each in some)
        skipped.count(reason, count - len(some))


def signatures_written(spark: Any, options: Signature, run: Run) -> Result:
    """Sign documents, and write the parts."""
    documents = signed(spark, options, run.skipped)
    return _result(options, run, {"documents": documents}, f"{counted(documents, 'document')} signed")


_LISTING = (*Running.options, "include", "exclude")
"""What decides about the list of files, and not about their signatures; and how work is done on one machine."""


def signed(spark: Any, options: Any, skipped: Skipped) -> int:
    """Write signatures in parts. Return how many documents were signed. skipped: gets those that were not."""
    target_of(options.output)
    asked, files = listed(options, skipped)
    plan = Plan(asked.recipe, asked.intake.walking.max_size, directory=os.getcwdb())
    flow = flow_of(spark, plan, files, options.partitions, whole=True)
    asked_here = (each for each in options.differ(tuple(OfSignatures.options)) if not each.shell)
    given = {each.name: getattr(options, each.name) for each in asked_here if each.name not in _LISTING}
    work = partial(_sign, output=os.path.abspath(os.fsdecode(options.output)), given=given)
    made = flow.map(flow.tasks.repartition(max(1, flow.count)), work, "said string")
    said = made.select(F.from_json("said", SAID).alias("said")).select("said.*").persist()
    ((documents,),) = said.agg(F.sum("documents")).collect()
    _report(said.where("reason is not null"), skipped)
    complete(os.fsdecode(options.output))
    return documents or 0


def _sign(_plan: Plan, tasks: Batches, *, output: str, given: dict[str, Any]) -> Batches:
    create_directories(output)
    for number, _, payload in rows_of(tasks):
        part = f"{output}/part-{number:06}.signatures"
        files = pickle.loads(payload).found
        made: Any = simdocs.signature(*files.names, output=part, jobs=1, lock_wait=600, **given)
        skips = (skip for reason in sorted(made.skipped.counts) for skip in made.skipped.kept(reason))
        said = [said_of(skip.of_walk(), files) for skip in skips]  # most files were met in a walk
        yield pa.RecordBatch.from_pydict({"said": [json.dumps({"documents": len(made.documents)}), *said]})
