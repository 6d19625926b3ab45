"""Parts of answers: what a command writes with a cluster, and what it says in the end."""

from __future__ import annotations

import os
import pickle
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812  (as everywhere)

import simdocs
from simdocs.engines.engine import Run
from simdocs.errors import OutputError
from simdocs.model.figures import counted
from simdocs.model.result import NAME, SIMILARITY, Result, table_head
from simdocs.model.skipped import FIRST, Skip, Skipped
from simdocs.names import display_name, is_uri, text_to_name
from simdocs.options.answers import Running
from simdocs.options.sources import OfSignatures
from simdocs.spark.answers import found, listed
from simdocs.spark.commands import Dedupe, Pairs, Signature
from simdocs.spark.flow import flow_of
from simdocs.spark.workers import Batches, Plan, in_worker, rows_of
from simdocs.views.output_formats import Jsonl, Tsv


def target_of(output: bytes) -> str:
    """The name of a directory that Spark writes. OutputError: it exists."""
    path = os.fsdecode(output)
    if is_uri(output):
        return path.replace("s3://", "s3a://", 1)  # the name that Hadoop has for it
    if os.path.lexists(path):
        raise OutputError(f"{display_name(output)}: exists: name a directory that does not")
    return f"file://{os.path.abspath(path)}"


def write_rows(rows: Any, form: str, target: str) -> None:
    """Write rows in parts, which are complete when `_SUCCESS` is there."""
    if form == "parquet":
        rows.write.parquet(target)
        return
    names = [name for name, kind in rows.dtypes if kind == "string"]
    lines = rows.withColumns({name: F.col(name).cast("binary") for name in names})
    lines = lines.mapInArrow(partial(_drawn, names=rows.columns, form=form), "line binary")
    lines.select(F.col("line").cast("string")).write.text(target)


def _drawn(batches: Batches, *, names: list[str], form: str) -> Batches:
    """Rows as lines, drawn as on one machine."""
    head = table_head(**{name: SIMILARITY if name in ("jaccard", "estimate") else NAME for name in names})
    draw = (Tsv if form == "tsv" else Jsonl)(head)
    for batch in batches:
        lines = [draw.row(row)[:-1] for row in rows_of(iter((batch,)))]
        yield pa.RecordBatch.from_pydict({"line": pa.array(lines, pa.binary())})


def written(spark: Any, options: Pairs, run: Run) -> Result:
    """Find what was asked, and write it in parts."""
    target = target_of(options.output or b"")
    answer = found(spark, options, run.skipped)
    write_rows(answer.rows, options.format, target)
    _report(answer.skipped, run.skipped)
    ((documents, empty),), rows = answer.read.collect(), answer.rows.count()
    found_now = f"{counted(rows, 'duplicate')}, {documents - rows:,} kept"
    line = found_now if isinstance(options, Dedupe) else counted(rows, "similar pair")
    facts = {"documents": documents, "empty": empty, "skipped": run.skipped.counts, "rows": rows}
    return _result(options, run, facts, f"{counted(documents, 'document')}, {empty:,} empty; {line}")


def _result(options: Any, run: Run, facts: dict[str, Any], line: str) -> Result:
    return Result(options.command, skipped=run.skipped, facts=facts, lines=lambda _seconds, _verbose: [line])


def _report(skips: Any, skipped: Skipped) -> None:
    """Add what tasks have skipped. Of each reason, the first are named."""
    for reason, count in sorted(map(tuple, skips.groupBy("reason").count().collect())):
        some = skips.where(F.col("reason") == reason).select("name", "detail", "line").limit(FIRST).collect()
        skipped.extend(Skip(reason, text_to_name(name), detail, line) for name, detail, line in some)
        skipped.count(reason, count - len(some))


def signatures_written(spark: Any, options: Signature, run: Run) -> Result:
    """Sign documents, and write the parts."""
    documents = signed(spark, options)
    return _result(options, run, {"documents": documents}, f"{counted(documents, 'document')} signed")


SIGNED = "part string, documents long, skipped long"


def signed(spark: Any, options: Any) -> int:
    """Write signatures in parts, and a list of them. Return how many documents were signed."""
    target = target_of(options.output)
    asked, files = listed(options)
    plan = Plan(asked.recipe, asked.intake.walking.max_size, directory=os.getcwdb())
    tasks = flow_of(spark, plan, files, options.partitions, whole=True).tasks
    given = {each.name: getattr(options, each.name) for each in options.differ(tuple(OfSignatures.options))}
    left_out = (*Running.options, "files_from", "files0_from", "include", "exclude")
    given = {name: value for name, value in given.items() if name not in left_out}
    work = in_worker(plan, partial(_sign, output=os.path.abspath(os.fsdecode(options.output)), given=given))
    tasks.repartition(max(1, tasks.count())).mapInArrow(work, SIGNED).write.json(target)
    ((documents,),) = spark.read.json(target, SIGNED).agg(F.sum("documents")).collect()
    return documents or 0


def _sign(_plan: Plan, tasks: Batches, *, output: str, given: dict[str, Any]) -> Batches:
    for number, _, payload in rows_of(tasks):
        part = f"{output}/part-{number:06}.signatures"
        made: Any = simdocs.signature(*pickle.loads(payload).found.names, output=part, jobs=1, lock_wait=600, **given)
        yield pa.RecordBatch.from_pylist(
            [{"part": part, "documents": len(made.documents), "skipped": sum(made.skipped.counts.values())}]
        )
