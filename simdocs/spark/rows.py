"""Rows of the files that a cluster reads: those that are kept, and the duplicates, with all columns, as locally."""

from __future__ import annotations

import os
import pickle
from contextlib import ExitStack
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812  (as everywhere)

from simdocs.commands.row_outputs import KEPT, REMOVED, row_targets
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import SUCCESS, is_uri
from simdocs.options.recipes import Sequences
from simdocs.reading.compression import CompressedSink
from simdocs.reading.file_list import FileList
from simdocs.reading.find import Sources
from simdocs.reading.formats.row_writers import row_writer
from simdocs.reading.formats.rows import opened_rows
from simdocs.spark.commands import target_of
from simdocs.spark.flow import Flow
from simdocs.spark.tasks import PLACES, changed
from simdocs.spark.workers import Batches, Plan, rows_of
from simdocs.storage.atomic_file import atomic_file
from simdocs.storage.syscalls import create_directories


def complete(directory: str) -> None:
    """Say that a directory is complete."""
    with atomic_file(os.path.join(directory, SUCCESS)):
        pass


class RowOutputs:
    """Where rows go. directories: the outputs that are trees of files, which get `_SUCCESS`. files: each file, its
    format, and where its rows go, pickled; none if no rows are wanted.

    Raises the errors of `row_targets`; OutputError: a directory exists.
    """

    def __init__(self, options: Any, found: FileList, sources: Sources, fields: Sequences) -> None:
        given = {name: os.fsdecode(path) for name in (KEPT, REMOVED) if (path := getattr(options, name, None))}
        self.directories, self.files = list[str](), list[bytes]()
        if not given:
            return
        others = [os.fsdecode(options.output or os.devnull)]
        outputs, forms, read_as, paths = row_targets(given, found, sources, fields, others)
        self.directories = [path for name, path in outputs.items() if name not in forms]
        for path in self.directories:
            target_of(os.fsencode(path))
        for row, form in enumerate(read_as):
            targets = {
                name: (forms[name], path) if name in forms else (form, os.path.join(path, paths[row]))
                for name, path in outputs.items()
            }
            self.files.append(pickle.dumps((found.take(np.array([row])), form, targets)))

    def write(self, flow: Flow, duplicates: Any) -> None:
        """Write the rows of each file, one worker a file. duplicates: (id,). ClusterError: a file has changed."""
        files = flow.spark.createDataFrame(zip(flow.begins, self.files, strict=True), "file long, payload binary")
        placed = duplicates.select(F.shiftright("id", PLACES).alias("task"), "id")
        placed = placed.join(flow.heads.hint("merge"), "task").select("id", "file", "before")
        place = F.col("id").bitwiseAND((1 << PLACES) - 1)
        numbers = placed.select("file", (F.coalesce("before", F.lit(0)) + place).alias("number"))
        rows = files.withColumn("number", F.lit(0)).unionByName(numbers, allowMissingColumns=True)
        flow.map(flow.exchanged(rows, "file", "number"), written, "file long").count()
        for path in self.directories:
            complete(path)


def written(plan: Plan, wanted: Batches) -> Batches:
    """Write the rows of files: from (file, payload, number), sorted, to (file,). Number 0 has the payload."""
    for file, of_file in groupby(rows_of(wanted), itemgetter(0)):
        found, form, targets = pickle.loads(next(of_file)[1])
        duplicates = np.array([number for *_, number in of_file], np.int64)  # noqa: B031  (it is used once)
        opened = partial(_opened, plan, found, form)
        with ExitStack() as stack:
            try:
                source = stack.enter_context(opened())
            except DocumentSkipped as skip:
                if len(duplicates) or skip.reason == "vanished":
                    raise changed(found.names[0]) from None
                continue  # what reads documents has said why
            if not found.stamp(0).same_bytes(source.source.stamp):
                raise changed(found.names[0])
            writers = dict[str, Any]()
            for name, (its_form, path) in targets.items():
                if not is_uri(os.fsencode(path)):
                    create_directories(os.path.dirname(path) or ".")
                sink = CompressedSink(os.fsencode(path), stack.enter_context(atomic_file(path)).write)
                writers[name] = row_writer(its_form, source, sink, opened, flagged=False, joined=False)
            for rows in source.batches():
                is_duplicate = np.isin(rows.numbers, duplicates)
                for name, writer in writers.items():
                    writer.write(rows.take(np.flatnonzero(is_duplicate == (name == REMOVED))))
            for writer in writers.values():
                writer.end()
        yield pa.RecordBatch.from_pydict({"file": pa.array([file])})


def _opened(plan: Plan, found: FileList, form: str) -> Any:
    return opened_rows(found.source(0, plan.limit), form, plan.recipe.sequences)
