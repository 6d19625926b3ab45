"""What the workers of a cluster do with the rows of a partition: each function takes record batches and yields some.

They stream: a worker holds one portion of a task, some entries of a bucket, or some texts at a time.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby, starmap
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from simdocs.commands.row_outputs import KEPT, no_rows
from simdocs.engines.engine import WorkerState
from simdocs.engines.local import reuse_memory
from simdocs.errors import ClusterError
from simdocs.kernels import jaccard, multisets
from simdocs.kernels.buckets import band_keys
from simdocs.model.documents import EMPTY
from simdocs.model.ragged import NO_TOKENS, Array, Index, Ragged
from simdocs.model.skipped import Skip
from simdocs.names import name_to_text
from simdocs.options.recipes import Bands, SignatureRecipe
from simdocs.pipeline.reading import read_task
from simdocs.pipeline.signing import shingled, sign_task, signing_of
from simdocs.reading.file_list import FileList
from simdocs.spark.tasks import PLACES, Share, changed, portions
from simdocs.version import __version__

Batches = Iterator[pa.RecordBatch]

_TOGETHER = 1 << 21
"""Bytes of texts that are compared together."""

_RANKS = {"first": 0, "longest": -1, "shortest": 1}
"""By how much the size of a document moves it back in keep order."""


class Plan(NamedTuple):
    """What workers must know.

    limit: the largest size of a document. of_rows: whether all documents must be rows of files.
    directory, version: those of the calling process.
    """

    recipe: SignatureRecipe
    limit: int
    cut: Bands = Bands(1, 1)
    threshold: float = 0.0
    keep: str = "first"
    of_rows: bool = False
    directory: bytes = b""
    version: str = __version__


def in_worker(plan: Plan, function: Callable[[Plan, Batches], Batches]) -> Callable[[Batches], Batches]:
    """The function as Spark calls it, in the directory from which names are found. ClusterError: another version."""

    def run(given: Batches) -> Batches:
        if plan.version != __version__:
            raise ClusterError(f"the workers of Spark have simdocs {__version__}, not {plan.version}: install the same")
        before = os.getcwdb()
        reuse_memory()
        os.chdir(plan.directory)
        try:
            yield from function(plan, given)
        finally:
            os.chdir(before)  # Spark may give this process to another program

    return run


def _batch(**columns: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({name: pa.array(column) for name, column in columns.items()})


_TYPES = {"long": pa.int64(), "double": pa.float64(), "binary": pa.binary(), "boolean": pa.bool_()}


def _rows(schema: str, rows: Iterable[tuple[Any, ...]]) -> pa.RecordBatch:
    """Rows as a batch of this schema, as Spark spells it."""
    kinds = dict(each.split() for each in schema.split(", "))
    fields = pa.schema([(name, _TYPES[kind]) for name, kind in kinds.items()])
    return pa.RecordBatch.from_pylist([dict(zip(kinds, row, strict=True)) for row in rows], fields)


def rows_of(batches: Batches) -> Iterator[tuple[Any, ...]]:
    """The rows of some batches."""
    return (row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True))


def _ranks(plan: Plan, sizes: Array) -> Index:
    return _RANKS[plan.keep] * sizes.astype(np.int64)


SIGNED = "high long, low long, rank long, id long, keys array<long>, said string"
"""A document: both halves of the digest of its text, its place in keep order, its id, and the keys of its buckets. Or
what a task has to say, as JSON."""


def signed(plan: Plan, tasks: Batches) -> Batches:
    """Read, shingle and sign the documents of tasks: from rows of (task, file, payload) to SIGNED."""
    recipe, cut = plan.recipe, plan.cut
    salts = np.arange(1, cut.bands + 1, dtype=np.uint64)[:, None] * np.uint64(0x9E3779B97F4A7C15)
    for number, _, payload in rows_of(tasks):
        task, said, documents, lines, empty = pickle.loads(payload), list[str](), 0, 0, 0
        how: dict[str, Any] = {"ignored": NO_TOKENS, "with_sets": False, "with_digests": False}
        work = partial(sign_task, worker=WorkerState(), recipe=recipe, sketching=recipe.sketching, **how)
        for places, read, (signatures, _) in portions(task, recipe.sequences, plan.limit, work):
            facts, lines = read.facts, lines + read.numbers
            if plan.of_rows and (texts := facts["container"] == 0).any():
                raise no_rows(KEPT, 1, read.names[int(np.argmax(texts))])
            there = np.flatnonzero((facts["flags"] & EMPTY) == 0)
            documents, empty = documents + len(facts), empty + len(facts) - len(there)
            said += (said_of(skip, task.found) for skip in read.skips)
            keys = (band_keys(signatures, there, cut.bands, cut.rows) + salts).T.ravel().view(np.int64)
            ranks, digests = _ranks(plan, facts["size"][there]), facts["digest"][there].view(np.int64)
            yield _batch(
                high=digests[:, 0],
                low=digests[:, 1],
                rank=ranks,
                id=(number << PLACES) + places[there],
                keys=pa.ListArray.from_arrays(np.arange(len(there) + 1) * cut.bands, keys),
                said=pa.nulls(len(there), pa.string()),
            )
        said.append(json.dumps({"documents": documents, "lines": lines, "empty": empty}))
        none, keyless = pa.nulls(len(said), pa.int64()), pa.nulls(len(said), pa.list_(pa.int64()))
        yield _batch(high=none, low=none, rank=none, id=np.full(len(said), number << PLACES), keys=keyless, said=said)


def said_of(skip: Skip, found: FileList) -> str:
    """A skip among these files, as JSON."""
    skip = skip.of_argument() if skip.name in map(found.names.__getitem__, found.named) else skip
    return json.dumps(skip._asdict() | {"name": name_to_text(skip.name), "root": ""})


TEXT = "left long, right long, rank long, text binary, name binary"
"""A text for a pair, compressed: that of its right document, or of the left one, where right is -1. Without a text, the
two are copies."""


def texts(plan: Plan, wanted: Batches) -> Batches:
    """Read documents of tasks again: from (task, id, payload, before, left, is_copy), sorted by task and id, to TEXT.

    The first row of each task has its payload, and the id -1. ClusterError: a document is not there any more.
    """
    for number, of_task in groupby(rows_of(wanted), itemgetter(0)):
        _, _, payload, before, _, _ = next(of_task)
        of_documents = groupby(of_task, itemgetter(1))  # noqa: B031  (it is used once)
        if (first := next(of_documents, None)) is not None:
            task = pickle.loads(payload)._replace(before=before or 0)
            yield from _texts_of(plan, number << PLACES, task, first, of_documents)


def _texts_of(plan: Plan, ids: int, task: Share, want: Any, wanted: Iterator[Any]) -> Batches:
    """The texts of a task. ids: that of its place 0. want, wanted: ids of the first document and others, with rows."""
    codec, fields = pa.Codec("zstd"), plan.recipe.sequences
    work = partial(read_task, sequences=fields, with_digests=False)
    for places, read, _ in portions(task, fields, plan.limit, lambda portion: (work(portion), None)):
        made, size, ranks = list[_Text](), 0, _ranks(plan, read.facts["size"]).tolist()
        for at, document in enumerate((ids + places).tolist()):
            if want is None or want[0] != document:
                continue
            packed = len(read.raws[at]).to_bytes(4, "little") + codec.compress(read.raws[at], asbytes=True)
            for *_, left, is_copy in want[1]:
                text = None if is_copy else packed
                made.append(_Text(left, -1 if left == document else document, ranks[at], text, read.names[at]))
                size += len(text or b"")
                if size > _TOGETHER:
                    yield _rows(TEXT, made)
                    made, size = [], 0
            want = next(wanted, None)
        yield _rows(TEXT, made)
    if want is not None:
        raise changed(task.found.names[0])


class _Text(NamedTuple):
    """A row of TEXT."""

    left: int
    right: int
    rank: int
    text: bytes | None
    name: bytes


EDGE = (
    "left long, left_rank long, left_name binary, right long, right_rank long, right_name binary"
    ", jaccard double, estimate double, is_copy boolean"
)


def compared(plan: Plan, sorted_texts: Batches) -> Batches:
    """The similar pairs: from TEXT, sorted by left and right, to EDGE."""
    held, of_left, size, first = list[_Text](), list[int](), 0, -1
    for row in starmap(_unpacked, rows_of(sorted_texts)):
        if size > _TOGETHER:
            yield _similar(plan, held, of_left)
            held, of_left, size, first = [held[first]], [-1], 0, 0
        first = len(held) if row.right < 0 else first
        of_left.append(-1 if row.right < 0 else first)
        held.append(row)
        size += 500 + len(row.text or b"")
    yield _similar(plan, held, of_left)


def _unpacked(left: int, right: int, rank: int, text: bytes | None, name: bytes) -> _Text:
    if text is not None:
        text = pa.Codec("zstd").decompress(pa.py_buffer(text)[4:], int.from_bytes(text[:4], "little"), asbytes=True)
    return _Text(left, right, rank, text, name)


def _similar(plan: Plan, held: list[_Text], of_left: list[int]) -> pa.RecordBatch:
    """The EDGE rows of texts of which each has its left one at the place in of_left, unless that is -1."""
    recipe, place, lefts = plan.recipe, np.full(len(held), -1), np.array(of_left, np.int64)
    raws, parts, order = [row.text for row in held if row.text is not None], [], [np.empty(0, np.int64)]
    for part in shingled(list(raws), recipe.shingling):
        parts.append(multisets.token_sets(part.tokens))
        order.append(part.places)
    place[[row.text is not None for row in held]] = np.argsort(np.concatenate(order))
    sets = Ragged.concat(parts, np.uint32)
    rights = np.flatnonzero((lefts >= 0) & (place >= 0))
    signatures = signing_of(recipe.sketching)(sets, recipe.sketching.num_perm, recipe.shingling.seed)
    left, right = place[lefts[rights]], place[rights]
    estimate = jaccard.estimates(signatures, left, right)
    likely = np.flatnonzero(~jaccard.below_prefilter(estimate, plan.threshold, recipe.sketching.num_perm))
    similarity = np.zeros(len(rights))
    similarity[likely] = jaccard.exact(sets, left[likely], right[likely])
    found = similarity >= plan.threshold
    same = np.flatnonzero((lefts >= 0) & (place < 0))
    edges = list[tuple[Any, ...]]()
    for at, *scores in zip(rights[found].tolist(), similarity[found].tolist(), estimate[found].tolist(), strict=True):
        edges.append((*_ends(held, of_left, at), *scores, False))
    edges += ((*_ends(held, of_left, at), 1.0, 1.0, True) for at in same.tolist())
    return _rows(EDGE, edges)


def _ends(held: list[_Text], of_left: list[int], at: int) -> tuple[Any, ...]:
    a, b = held[of_left[at]], held[at]
    return a.left, a.rank, a.name, b.right, b.rank, b.name


SETTLED = "id long, kept boolean"


def settled(plan: Plan, rows: Iterable[pa.RecordBatch]) -> Batches:  # noqa: ARG001
    """Decide greedily: from (left, right) to SETTLED, without those that cannot be decided yet.

    A row without a right is a document alone; one without a left, a document that has to wait.
    """
    table = pa.Table.from_batches(list(rows), pa.schema([("left", pa.int64()), ("right", pa.int64())]))
    left, right = (column.fill_null(-1).to_numpy() for column in table.columns)
    ids, places = np.unique(np.concatenate((left, right)), return_inverse=True)
    left, right = places[: len(left)], places[len(left) :]
    open_, kept, waits = ids >= 0, np.zeros(len(ids), bool), np.zeros(len(ids), bool)
    waits[right[~open_[left]]] = True
    while True:
        live = open_[left] & open_[right]
        left, right = left[live], right[live]
        ready = open_ & ~waits
        ready[right] = False
        if not ready.any():
            break
        kept |= ready
        open_[right[ready[left]]] = False
        open_ &= ~ready
    decided = (ids >= 0) & ~open_
    yield _batch(id=ids[decided], kept=kept[decided])
