"""Groups: greedy ones in rounds, their keep orders, and connected components.

Greedy groups are defined one document after the other. In keep order, a document is kept unless an earlier kept
document is similar enough; otherwise it is a duplicate of the most similar of those. Rounds give the same result. A
document that comes first among the undecided members in every bucket that it is in has been compared with all documents
kept before it. So it is kept, and it is compared with the later members of its buckets, many at a time. Members are
numbered in keep order.

matching/candidates.py runs the rounds. The steps here take time for what they are asked about, and not for all
members: a chain of documents, each similar only to its neighbours, needs a round for every document that is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from simdocs.kernels.buckets import distinct_pairs
from simdocs.model.ragged import Array, Floats, Index, Mask, Ragged, count_true_in_rows, distinct, offsets_of, ranges

UNDECIDED, KEPT, REMOVED = 0, 1, 2
"""The status of a member, as int8."""


def first_undecided(members: Index, starts: Index, ends: Index, status: Array) -> Index:
    """For each i, the first position from starts[i] on whose member is undecided, or ends[i]: int64 (n,).

    About four times as many members are looked at, at most, as there are before the positions found. Meanwhile each
    position takes some 100 bytes.

    members: (T,)
    starts, ends: int64 (n,), positions in members
    status: int8 (M,)
    """
    found = starts.copy()
    active = np.flatnonzero(found < ends)
    width = 1
    while len(active):
        lengths = np.minimum(ends[active] - found[active], width)
        positions = ranges(found[active], lengths)
        undecided = status[members[positions]] == UNDECIDED
        first = np.minimum.reduceat(np.where(undecided, positions, len(members)), offsets_of(lengths)[:-1])
        found[active] = np.minimum(first, found[active] + lengths)
        active = active[(first == len(members)) & (found[active] < ends[active])]
        width *= 2
    return found


def capped_members(buckets: Ragged, status: Array, max_kept: int) -> Index:
    """The kept members that were not compared with every member kept before them, because a bucket was closed.

    A bucket with `max_kept` kept members is closed: its later members are not compared through it. The members are
    int64, ascending.

    buckets: Ragged int64, members ascending in each bucket.
    status: int8 (M,).
    """
    kept = status[buckets.values] == KEPT
    closed = buckets.take(np.flatnonzero(count_true_in_rows(kept, buckets.offsets) > max_kept))
    inside = closed.keep(status[closed.values] == KEPT)
    rank = np.arange(len(inside.values)) - np.repeat(inside.offsets[:-1], inside.lengths)
    return distinct(inside.values[rank > max_kept]).astype(np.int64)


def pairs_with_always_kept(
    buckets: Ragged, always_kept: int, max_kept: int, size: int
) -> Iterator[tuple[Index, Index]]:
    """The distinct pairs of the members that are always kept with the other members of their buckets, in blocks.

    Members below `always_kept` are always kept. In each bucket, only the first `max_kept` of those are paired. size:
    the number of members, M. A block is two int64 arrays, the kept members and the others.
    """
    members, offsets = buckets.values, buckets.offsets
    ahead = count_true_in_rows(members < always_kept, offsets)
    paired = np.minimum(ahead, max_kept)
    positions = ranges(offsets[:-1], paired)
    starts = np.repeat(offsets[:-1] + ahead, paired)
    ends = np.repeat(offsets[1:], paired)
    yield from distinct_pairs(members[positions], starts, ends - starts, members, size)


def most_similar_kept(kept: Index, members: Index, jaccard: Floats) -> Index:
    """The number of the pair with the most similar kept member for each distinct member, ties to the earlier: int64.

    kept[i] and members[i] are a similar pair with this similarity: (P,) each. The results ascend by member.
    """
    order = np.lexsort((kept, -jaccard, members))
    best: Index = order[np.append(True, np.diff(members[order]) != 0)[: len(order)]]
    return best


KEEP_ORDERS: dict[str, Callable[[Array, Array], Array]] = {
    "first": lambda sizes, _: np.arange(len(sizes)),
    "longest": lambda sizes, _: -sizes,
    "shortest": lambda sizes, _: sizes,
    "newest": lambda _, mtimes: -mtimes,
    "oldest": lambda _, mtimes: mtimes,
}
"""What the policies in KEEP of options/families.py sort documents by, from their sizes and times of change."""


def keep_order(policy: str, sizes: Array, mtimes: Array) -> Index:
    """The row numbers in keep order: int64 (N,), the document to keep first, ties in row order.

    sizes, mtimes: int64 (N,), bytes and nanoseconds. KeyError: there is no such policy.
    """
    return np.argsort(KEEP_ORDERS[policy](sizes, mtimes), kind="stable")


def connect(labels: Index, left: Index, right: Index) -> Index:
    """The labels (M,) after left[i] and right[i] are joined for every i: the smallest member of each component.

    labels: from an earlier call, or np.arange(M). The method is hooking and pointer jumping: Shiloach and Vishkin, An
    O(log n) parallel connectivity algorithm (1982).
    """
    labels = labels.copy()
    while True:
        a, b = labels[left], labels[right]
        apart = a != b
        if not apart.any():
            return labels
        low, high = np.minimum(a, b)[apart], np.maximum(a, b)[apart]
        np.minimum.at(labels, high, low)
        while True:
            jumped = labels[labels]
            if np.array_equal(jumped, labels):
                break
            labels = jumped


def star_pairs(buckets: Ragged, size: int) -> Iterator[tuple[Index, Index]]:
    """The distinct pairs of the first member of each bucket with each other member, in blocks of two int64 arrays.

    buckets: Ragged int64, of members below `size`.
    """
    starts = buckets.offsets[:-1]
    yield from distinct_pairs(buckets.values[starts], starts + 1, buckets.lengths - 1, buckets.values, size)


def cross_component_pairs(buckets: Ragged, labels: Index) -> Iterator[tuple[Index, Index]]:
    """The distinct pairs that share a bucket but not a component, in blocks of two int64 arrays.

    The first of a pair is in the component with the smaller label. Each bucket is sorted by component, and a member is
    paired only with the members after the end of its own component. So a family of documents that is already joined
    costs nothing, however large it is.

    buckets: Ragged int64.
    labels: (M,), from `connect`.
    """
    bucket = np.repeat(np.arange(len(buckets)), buckets.lengths)
    order = np.lexsort((buckets.values, labels[buckets.values], bucket))
    members = buckets.values[order]
    label = labels[members]
    last = np.ones(len(members), bool)
    last[:-1] = (label[1:] != label[:-1]) | (bucket[1:] != bucket[:-1])
    stops = np.flatnonzero(last) + 1
    own_stop = stops[np.searchsorted(stops, np.arange(len(members)), side="right")]
    counts = np.repeat(buckets.offsets[1:], buckets.lengths) - own_stop
    paired = np.flatnonzero(counts)
    yield from distinct_pairs(members[paired], own_stop[paired], counts[paired], members, len(labels))


_BUFFERED = 1 << 18
"""Pairs that are added to a graph at once (8 MiB), because each addition takes time for every document."""


class PairGraph:
    """N documents and the pairs that connect them, in 16 bytes for each document, however many pairs there are."""

    def __init__(self, size: int) -> None:
        """size: N."""
        self._labels, self._counts = np.arange(size), np.zeros(size, np.int64)
        self._buffer, self._held = list[tuple[Index, Index, Mask]](), 0

    def __len__(self) -> int:
        return len(self._labels)

    def add(self, left: Index, right: Index, counted: Mask) -> None:
        """Add the pairs left[i], right[i] of documents. All of them connect; only those in `counted` (P,) count."""
        self._buffer.append((left, right, counted))
        self._held += len(left)
        if self._held >= _BUFFERED:
            self._connect()

    def _connect(self) -> None:
        if self._held:
            left, right, counted = map(np.concatenate, zip(*self._buffer, strict=True))
            self._labels = connect(self._labels, left, right)
            self._counts += np.bincount(left[counted], minlength=len(self))
        self._buffer, self._held = [], 0

    def groups(self) -> tuple[Index, Index, Index]:
        """The groups of two or more documents that pairs connect: the smallest row of each, ascending; the number of
        its documents; and that of the counted pairs that connect them. Three arrays of int64 (G,)."""
        self._connect()
        documents = np.bincount(self._labels, minlength=len(self))
        pairs = np.zeros(len(self), np.int64)
        np.add.at(pairs, self._labels, self._counts)
        first = np.flatnonzero(documents > 1)
        return first, documents[first], pairs[first]
