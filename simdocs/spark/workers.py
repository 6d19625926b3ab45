"""What the workers of a cluster do with the rows of a partition: each function takes record batches and yields some.

They stream: a worker holds one portion of a task, some entries of a bucket, or some texts at a time.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby, starmap
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from simdocs.engines.engine import WorkerState
from simdocs.engines.local import reuse_memory
from simdocs.errors import ClusterError
from simdocs.kernels import jaccard, multisets
from simdocs.kernels.buckets import band_keys
from simdocs.model.documents import EMPTY
from simdocs.model.ragged import NO_TOKENS, Array, Index, Mask, Ragged
from simdocs.names import display_name, name_to_text
from simdocs.options.recipes import Bands, SignatureRecipe
from simdocs.pipeline.reading import Read, read_task
from simdocs.pipeline.shingling import shingled
from simdocs.pipeline.signing import sign_task, signing_of
from simdocs.spark.tasks import PLACES, Share, portions
from simdocs.version import __version__

Batches = Iterator[pa.RecordBatch]

KEY_BYTES = 5
"""Bytes of a key. Of 10^9 documents, 10^7 pairs share one by chance, without being similar."""

_TOGETHER = 1 << 21
"""Bytes of texts that are compared together."""

_RANKS = {"first": 0, "longest": -1, "shortest": 1}
"""By how much the size of a document moves it back in keep order."""


class Plan(NamedTuple):
    """What workers must know.

    limit: the largest size of a document. crowd: the most documents in a bucket of which all pairs are listed at once.
    directory, version: those of the calling process.
    """

    recipe: SignatureRecipe
    limit: int
    cut: Bands = Bands(1, 1)
    threshold: float = 0.0
    keep: str = "first"
    crowd: int = 64
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


def _numbers(batch: pa.RecordBatch, name: str) -> Index:
    return batch[name].to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def _ranks(plan: Plan, sizes: Array) -> Index:
    return _RANKS[plan.keep] * sizes.astype(np.int64)


SIGNED = "high long, low long, rank long, id long, keys binary"
"""A document: both halves of the digest of its text, its place in keep order, its id, and its keys. Without a digest:
what a task has to say, as JSON."""


def signed(plan: Plan, tasks: Batches) -> Batches:
    """Read, shingle and sign the documents of tasks: from rows of (task, payload) to SIGNED."""
    recipe, cut = plan.recipe, plan.cut
    for number, _, payload in rows_of(tasks):
        task, state, said, documents, lines, empty = pickle.loads(payload), WorkerState(), list[bytes](), 0, 0, 0

        def work(portion: Any, state: WorkerState = state) -> Any:
            how = {"with_sets": False, "with_digests": False}
            return sign_task(portion, state, recipe=recipe, sketching=recipe.sketching, ignored=NO_TOKENS, **how)

        for places, read, (signatures, _) in portions(task, recipe.sequences, plan.limit, work):
            facts, lines = read.facts, lines + read.numbers
            there = np.flatnonzero((facts["flags"] & EMPTY) == 0)
            documents, empty = documents + len(facts), empty + len(facts) - len(there)
            said += (_said(**skip._asdict() | {"name": name_to_text(skip.name), "root": ""}) for skip in read.skips)
            keys = (band_keys(signatures, there, cut.bands, cut.rows).T >> np.uint64(64 - 8 * KEY_BYTES)).copy()
            keys = keys.view(np.uint8).reshape(len(there), cut.bands, 8)[:, :, :KEY_BYTES]
            digests = facts["digest"][there].view(np.int64)
            yield _batch(
                high=digests[:, 0],
                low=digests[:, 1],
                rank=_ranks(plan, facts["size"][there]),
                id=(number << PLACES) + places[there],
                keys=[each.tobytes() for each in keys],
            )
        said.append(_said(documents=documents, lines=lines, empty=empty))
        none = pa.nulls(len(said), pa.int64())
        yield _batch(high=none, low=none, rank=none, id=np.full(len(said), number << PLACES), keys=said)


def _said(**facts: Any) -> bytes:
    return json.dumps(facts).encode("utf-8", "backslashreplace")


ENTRY = "key long, rank long, id long"


def entries(plan: Plan, documents: Batches) -> Batches:
    """The entries in buckets of the first copy of each text: from SIGNED, sorted by all, to ENTRY."""
    bands = plan.cut.bands
    for every, is_first in _with_firsts(documents):
        batch = every.filter(pa.array(is_first))
        data = np.frombuffer(b"".join(batch["keys"].to_pylist()), np.uint8)
        keys = np.zeros((len(batch), bands, 8), np.uint8)
        keys[:, :, :KEY_BYTES] = data.reshape(-1, bands, KEY_BYTES)
        keys[:, :, KEY_BYTES] = np.arange(bands) % 128
        rank, ids = (np.repeat(_numbers(batch, name), bands) for name in ("rank", "id"))
        yield _batch(key=keys.view(np.int64).ravel(), rank=rank, id=ids)


PAIR = "left long, right long"


def copies(plan: Plan, documents: Batches, *, chained: bool) -> Batches:  # noqa: ARG001
    """The first copy of each text with the others; chained: each copy with the next one."""
    first = before = -1
    for batch, is_first in _with_firsts(documents):
        ids = _numbers(batch, "id")
        start = np.maximum.accumulate(np.where(is_first, np.arange(len(ids)), -1))
        firsts = np.where(start < 0, first, ids[start])
        left = np.append(before, ids[:-1]) if chained else firsts
        yield _batch(left=left[~is_first], right=ids[~is_first])
        first, before = int(firsts[-1]), int(ids[-1])


def _with_firsts(documents: Batches) -> Iterator[tuple[pa.RecordBatch, Mask]]:
    """Yield batches of documents, and which of them are the first copies of their texts."""
    last = (None, None)
    for every in documents:
        batch = every.filter(every["high"].is_valid())
        if len(batch):
            high, low = _numbers(batch, "high"), _numbers(batch, "low")
            differs = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
            yield batch, np.append((high[0], low[0]) != last, differs)
            last = high[-1], low[-1]


LISTED = "key long, rank long, left long, right long"
"""Both documents of a pair, the first in keep order on the left; or an entry of a crowded bucket, without a right."""


def listed(plan: Plan, sorted_entries: Batches) -> Batches:
    """The pairs in buckets, and the entries of crowded ones: from ENTRY, sorted by all, to LISTED."""
    held, crowd = np.empty((3, 0), np.int64), None
    for batch in chain(sorted_entries, [None]):
        more = [] if batch is None else [np.stack([_numbers(batch, name) for name in ("key", "rank", "id")])]
        key, rank, ids = held = np.concatenate([held, *more], axis=1)
        if not len(key):
            continue
        begins = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
        sizes = np.diff(np.append(begins, len(key)))
        crowded = np.repeat((sizes > plan.crowd) | (key[begins] == crowd), sizes)
        done = crowded | (np.arange(len(key)) < (len(key) if batch is None else begins[-1]))
        crowd = key[-1] if crowded[-1] else None
        small = np.flatnonzero(done & ~crowded)
        for apart in range(1, plan.crowd):
            left = small[:-apart][key[small[:-apart]] == key[small[apart:]]]
            if not len(left):
                break
            right = left + apart
            none = pa.nulls(len(left), pa.int64())
            yield _batch(key=none, rank=none, left=ids[left], right=ids[right])
        if crowded.any():
            none = pa.nulls(int(crowded.sum()), pa.int64())
            yield _batch(key=key[crowded], rank=rank[crowded], left=ids[crowded], right=none)
        held = held[:, ~done]


TEXT = "left long, right long, rank long, text binary, name binary"
"""A text for a pair, compressed: that of its right document, or of the left one, where right is -1. Without a text, the
two are copies."""


def texts(plan: Plan, wanted: Batches) -> Batches:
    """Read documents of tasks again: from (task, id, left, is_copy, payload, before), sorted by task and id, to TEXT.

    The first row of each task has its payload, and the id -1. ClusterError: a document is not there any more.
    """
    for number, of_task in groupby(rows_of(wanted), itemgetter(0)):
        *_, payload, before = next(of_task)
        of_documents = groupby(of_task, itemgetter(1))  # noqa: B031  (it is used once)
        if (first := next(of_documents, None)) is not None:
            task = pickle.loads(payload)._replace(before=before or 0)
            yield from _texts_of(plan, number << PLACES, task, first, of_documents)


def _texts_of(plan: Plan, ids: int, task: Share, want: Any, wanted: Iterator[Any]) -> Batches:
    """The texts of a task. ids: that of its place 0. want, wanted: ids of the first document and others, with rows."""
    codec, fields = pa.Codec("zstd"), plan.recipe.sequences

    def work(portion: Any) -> tuple[Read, None]:
        return read_task(portion, fields, with_digests=False), None

    for places, read, _ in portions(task, fields, plan.limit, work):
        made, size, ranks = list[_Text](), 0, _ranks(plan, read.facts["size"]).tolist()
        for at, document in enumerate((ids + places).tolist()):
            if want is None or want[0] != document:
                continue
            packed = len(read.raws[at]).to_bytes(4, "little") + codec.compress(read.raws[at], asbytes=True)
            for _, _, left, is_copy, *_ in want[1]:
                text = None if is_copy else packed
                made.append(_Text(left, -1 if left == document else document, ranks[at], text, read.names[at]))
                size += len(text or b"")
                if size > _TOGETHER:
                    yield _rows(TEXT, made)
                    made, size = [], 0
            want = next(wanted, None)
        yield _rows(TEXT, made)
    if want is not None:
        name = display_name(task.found.names[0])
        raise ClusterError(f"{name}, or a file after it: changed while Spark was at work: run again")


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
