"""The flow on a cluster: from tasks to similar pairs and groups, in DataFrames. Nothing per document is collected."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  (as everywhere)

from simdocs.reading.file_list import FileList
from simdocs.spark import workers
from simdocs.spark.tasks import PLACES, tasks_of
from simdocs.spark.workers import Plan, in_worker

CROWD = 16
"""The largest number of documents in a bucket of which all pairs are listed at once."""

FEW = 1 << 20
"""Edges that one task decides about. They take 100 MB there."""

HEADS = 8
"""The documents of each crowded bucket that are compared with each other in the first round, and twice as many in each
that follows."""


def held(frame: Any) -> Any:
    """The same rows, made now and held twice, so that the loss of an executor does not matter.

    Unlike that of a frame that is persisted, its plan is short, whatever it was made of.
    """
    return frame.localCheckpoint(storageLevel=StorageLevel.MEMORY_AND_DISK_2)


@dataclass(frozen=True)
class Flow:
    """One run on a session of Spark. partitions: those of each exchange. count: of the tasks. begins: the first task of
    each file, if it has tasks of its own."""

    spark: Any
    plan: Plan
    partitions: int
    tasks: Any
    count: int
    begins: list[int]

    @cached_property
    def signed(self) -> Any:
        """The documents: see `workers.SIGNED`; with the ids of the first copy of their text, and of the copy before."""
        some = self.tasks.repartition(max(1, min(self.count, 1 << 14)))
        made = self.map(some, workers.signed, workers.SIGNED)
        copies = Window.partitionBy("high", "low").orderBy("rank", "id")
        seen = {"first": F.first("id").over(copies), "before": F.lag("id").over(copies)}
        return made.repartition(self.partitions, "high", "low").withColumns(seen).persist()

    def map(self, frame: Any, function: Callable[..., Any], schema: str) -> Any:
        """What workers make of the rows of each partition."""
        return frame.mapInArrow(in_worker(self.plan, function), schema)

    def exchanged(self, frame: Any, *columns: str) -> Any:
        """The rows in partitions by the first column, sorted by all of these."""
        return frame.repartition(self.partitions, columns[0]).sortWithinPartitions(*columns)

    def said(self) -> Any:
        """What tasks say: (task, and what was skipped, or how much was read)."""
        lines = self.signed.where("said is not null").select(F.shiftright("id", PLACES).alias("task"), "said")
        return lines.withColumn("said", F.from_json("said", SAID)).select("task", "said.*")

    def entries(self) -> tuple[Any, Any]:
        """The pairs (left, right) in small buckets, and the entries (key, rank, id) of crowded ones."""
        firsts = self.signed.where("id = first").select(F.explode("keys").alias("key"), "rank", "id")
        size = F.count("*").over(Window.partitionBy("key"))
        shared = firsts.repartition(self.partitions, "key").withColumn("size", size).where("size > 1").persist()
        small = shared.where(F.col("size") <= CROWD)
        return _of_bucket(small, small).distinct(), shared.where(F.col("size") > CROWD).drop("size")

    def copies(self, *, chained: bool) -> Any:
        """The first copy of each text with the others, as pairs; chained: each copy with the next one."""
        copies = self.signed.where("id != first and said is null")
        return copies.select(F.col("before" if chained else "first").alias("left"), F.col("id").alias("right"))

    def compared(self, pairs: Any, copies: Any = None) -> Any:
        """The edges among these pairs, and those of copies, which are not compared: see `workers.EDGE`."""
        every = pairs.select("left", "right", F.lit(False).alias("is_copy"))
        if copies is not None:
            every = every.union(copies.select("left", "right", F.lit(True)))
        every = held(every)
        lefts = every.groupBy("left").agg(F.bool_and("is_copy").alias("is_copy"))
        ids = lefts.select(F.col("left").alias("id"), "left", "is_copy").union(every.select("right", "left", "is_copy"))
        wanted = ids.select(F.shiftright("id", PLACES).alias("task"), "id", "left", "is_copy")
        heads = self.heads.select("task", F.lit(-1).alias("id"), "payload", "before")
        rows = self.exchanged(heads.unionByName(wanted, allowMissingColumns=True), "task", "id")
        read = self.map(rows, workers.texts, workers.TEXT)
        return held(self.map(self.exchanged(read, "left", "right"), workers.compared, workers.EDGE))

    @cached_property
    def heads(self) -> Any:
        """The tasks, and how many lines of their file come before each that is cut: (task, file, payload, before)."""
        lines = self.said().where("lines is not null").select("task", "lines")
        rows = Window.partitionBy("file").orderBy("task").rowsBetween(Window.unboundedPreceding, -1)
        every = self.tasks.join(lines.hint("merge"), "task", "left")
        return held(every.select("task", "file", "payload", F.sum("lines").over(rows).alias("before")))


SAID = "reason string, name string, detail string, line long, documents long, empty long, lines long"


def flow_of(spark: Any, plan: Plan, found: FileList, partitions: int | None, **how: bool) -> Flow:
    """The flow over these files. partitions: None: as many as the session has for exchanges. how: see `tasks_of`."""
    partitions = partitions or int(spark.conf.get("spark.sql.shuffle.partitions"))
    tasks = list[tuple[int, int, bytes]]()
    for number, task in enumerate(tasks_of(found, plan.recipe.sequences, partitions, **how)):
        tasks.append((number, tasks[-1][1] if task.begin else number, pickle.dumps(task)))
    frame = spark.createDataFrame(tasks, "task long, file long, payload binary")
    return Flow(spark, plan, partitions, frame, len(tasks), sorted({file for _, file, _ in tasks}))


def similar_pairs(flow: Flow) -> Any:
    """All similar pairs, and each copy with the next one, as edges."""
    pairs, crowded = flow.entries()
    return flow.compared(pairs.union(_of_bucket(crowded, crowded)).distinct(), flow.copies(chained=True))


def groups(flow: Flow) -> Any:
    """Each duplicate with the kept document that is the most similar, as an edge."""
    pairs, crowded = flow.entries()
    edges = flow.compared(pairs, flow.copies(chained=False))
    copies, edges = edges.where("is_copy"), edges.where("not is_copy")
    edges, removed = _of_crowds(flow, edges, crowded)
    removed = held(removed.distinct())
    direct = _only(_without(edges, removed, "left"), removed, "right")
    of_copies = _without(copies, removed, "left")
    # A later copy of a removed text may be more similar to a document that is kept after the first copy, and before it.
    copy = [F.col(name).alias(f"copy_{name}") for name in ("right", "right_rank", "right_name", "left")]
    later = _only(copies, removed, "left").select(*copy)
    scores, ends = ("jaccard", "estimate"), ("", "_rank", "_name")
    ways = (
        edges.select(*(F.col(f"{a}{end}").alias(f"kept{end}") for end in ends), F.col(b).alias("of"), *scores)
        for a, b in (("left", "right"), ("right", "left"))
    )
    to_any = _without(reduce(DataFrame.union, ways), removed, "kept")
    met = later.join(to_any.hint("merge"), F.col("copy_left") == F.col("of"))
    met = met.where("struct(kept_rank, kept) < struct(copy_right_rank, copy_right)")
    of_both = (f"{side}{end}" for side in ("kept", "copy_right") for end in ends)
    every = direct.union(of_copies).union(met.select(*of_both, *scores, F.lit(True)))
    best = Window.partitionBy("right").orderBy(F.desc("jaccard"), "left_rank", "left")
    return every.withColumn("place", F.row_number().over(best)).where("place = 1").drop("place")


def _of_crowds(flow: Flow, edges: Any, crowded: Any) -> tuple[Any, Any]:
    """All edges that matter, and the ids of removed documents.

    In each round, the first documents of each crowded bucket are compared with each other. Those that are first in all
    of their buckets can then be decided, and those that are kept are compared with the other members.
    """
    crowded = held(crowded)
    waiting, still, most = edges.select("left", "right"), crowded, HEADS
    removed, kept = crowded.select("id").limit(0), crowded.select("id").limit(0)
    while not still.isEmpty():
        place = F.row_number().over(Window.partitionBy("key").orderBy("rank", "id"))
        placed = held(still.withColumn("place", place))
        heads = placed.where(F.col("place") <= most).select("key", "rank", "id")
        found = flow.compared(_of_bucket(heads, heads).distinct())
        edges, waiting = edges.union(found), waiting.union(found.select("left", "right"))
        decided = settle(flow, waiting, heads.select("id"), placed.where(F.col("place") > most).select("id"))
        now, lost = (decided.where(which).select("id") for which in ("kept", "not kept"))
        kept = kept.union(now)
        others = _without(crowded, kept, "id").join(heads.hint("merge"), ["key", "id"], "left_anti")
        members = _of_bucket(_only(crowded, now, "id"), others, both=True).distinct()
        found = flow.compared(members)
        gone = lost.union(_only(found, now, "left").select(F.col("right").alias("id"))).distinct().persist()
        removed, edges = removed.union(gone), edges.union(found)
        over = now.union(gone)
        waiting = held(_without(_without(waiting, over, "left"), over, "right"))
        still, most = held(_without(still, over, "id")), 2 * most
    return edges, removed.union(settle(flow, waiting).where("not kept").select("id"))


def settle(flow: Flow, edges: Any, alone: Any = None, waiting: Any = None) -> Any:
    """Decide greedily about the documents of these edges: (id, kept), without those that cannot be decided yet.

    Each round keeps the documents without an undecided earlier neighbour. When few edges are left, one task goes on.
    alone: other documents to decide about. waiting: documents that have to wait.
    """
    null = F.lit(None).cast("long")
    rows = edges.select("left", "right")
    rows = rows if alone is None else rows.union(alone.select("id", null))
    rows = held((rows if waiting is None else rows.union(waiting.select(null, "id"))).distinct())
    decided = list[Any]()
    while rows.count() > FEW:
        edges, members = rows.where("left + right is not null"), rows.where("left is not null").select("left")
        later = rows.where("right is not null").select(F.col("right").alias("id"))  # also those that have to wait
        ready = held(_without(members.distinct(), later, "left").select(F.col("left").alias("id"), F.lit(True)))
        if ready.isEmpty():
            break
        gone = _only(edges, ready, "left").select(F.col("right").alias("id"), F.lit(False)).distinct()
        decided.append(held(ready.union(gone).toDF("id", "kept")))
        rows = held(_without(_without(rows, decided[-1], "left"), decided[-1], "right"))
    else:
        decided.append(held(flow.map(rows.coalesce(1), workers.settled, workers.SETTLED)))
    return reduce(DataFrame.union, decided)


def _of_bucket(some: Any, others: Any, *, both: bool = False) -> Any:
    """The pairs of documents of the same bucket, the first in keep order on the left.

    both: `some` and `others` have no document in common, so each may be on the left.
    """
    a = some.select("key", F.struct("rank", "id").alias("a"))
    met = a.join(others.select("key", F.struct("rank", "id").alias("b")).hint("merge"), "key")
    if not both:
        return met.where("a < b").select(F.col("a.id").alias("left"), F.col("b.id").alias("right"))
    return met.select(F.least("a", "b")["id"].alias("left"), F.greatest("a", "b")["id"].alias("right"))


def _only(frame: Any, ids: Any, column: str) -> Any:
    """The rows whose column is one of these ids. The hint keeps Spark from collecting the ids."""
    return frame.join(ids.select(F.col("id").alias("_id")).hint("merge"), F.col(column) == F.col("_id"), "left_semi")


def _without(frame: Any, ids: Any, column: str) -> Any:
    """The rows whose column is none of these ids."""
    return frame.join(ids.select(F.col("id").alias("_id")).hint("merge"), F.col(column) == F.col("_id"), "left_anti")
