"""The pairs of sets that share enough of their rarest tokens to be similar, or to be contained in each other.

For each pair, the tokens that count are counted. The index of the sets says which tokens count, and how many are
enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.model.ragged import Index, Mask, Ragged, offsets_of, row_blocks

_MATCHES_AT_ONCE = 1 << 18
"""Tokens that two prefixes share, for all pairs that are counted together: 16 MiB."""


class JoinIndex(Protocol):
    """Which of N sets share tokens that count."""

    def __len__(self) -> int: ...

    @property
    def entries(self) -> Ragged:
        """Of each set, its tokens that count in a pair with another set: N rows."""

    @property
    def matches(self) -> Index:
        """For each set, in how many later sets its entries have a token that may count: int64 (N,)."""

    def later(self, entries: Index) -> Index:
        """The same for each of these entries: int64 (n,)."""

    def shared(self, members: Index, place: Index, entries: Index) -> tuple[Index, Index]:
        """The pairs of sets with later ones that have the token of an entry, if it counts: one for each entry.

        The entries are those of members[place]. Pairs are a place, and a row of the index.
        """

    def shared_with_one(self, member: Index, entries: Index) -> Index:
        """The later sets of such pairs of one member, and perhaps of others that `possible` drops."""

    def possible(self, left: Index, right: Index, counts: Index) -> Mask:
        """Which of these pairs may be wanted, from the number of their tokens that count: bool (P,)."""


def similar_candidates(index: JoinIndex, members: Index, wanted: Mask | None = None) -> Iterator[tuple[Index, Index]]:
    """The pairs of one of these members with a later set of the index that may be similar, ascending, in blocks.

    All similar pairs are among them. A block is two int64 arrays and has all pairs of each of its left members.
    members: ascending. wanted: (N,), only pairs with a wanted set are returned; None: all are.
    """
    for some in match_blocks(index, members):
        keys, counts = _common(index, some, wanted) if len(some) > 1 else _common_of_one(index, some, wanted)
        left, right = some[keys // len(index)], keys % len(index)
        possible = index.possible(left, right, counts)
        yield left[possible], right[possible]


def match_blocks(index: JoinIndex, members: Index) -> Iterator[Index]:
    """These members in blocks whose entries share a bounded number of tokens with later sets, unless one has more."""
    for begin, end in row_blocks(offsets_of(index.matches[members]), _MATCHES_AT_ONCE):
        yield members[begin:end]


def _common(index: JoinIndex, members: Index, wanted: Mask | None) -> tuple[Index, Index]:
    """The pairs that share tokens that count, as i * N + right for members[i], and how many tokens."""
    mine = index.entries.take(members)
    place = np.repeat(np.arange(len(members)), mine.lengths)
    place, right = index.shared(members, place, mine.values)
    if wanted is not None:
        likely = wanted[members][place] | wanted[right]
        place, right = place[likely], right[likely]
    keys = place * len(index)
    keys += right
    if len(members) * len(index) < 1 << 32:
        keys = keys.astype(np.uint32)  # smaller numbers are sorted faster
    keys.sort()
    begins, counts = equal_runs(keys)
    return keys[begins].astype(np.int64), counts


def _common_of_one(index: JoinIndex, members: Index, wanted: Mask | None) -> tuple[Index, Index]:
    """The same as `_common` for a single member, in bounded memory."""
    counts = np.zeros(len(index), np.int64)
    entries = index.entries[int(members[0])]
    for begin, end in row_blocks(offsets_of(index.later(entries)), _MATCHES_AT_ONCE):
        np.add.at(counts, index.shared_with_one(members, entries[begin:end]), 1)
    right = np.flatnonzero(counts)
    if wanted is not None and not wanted[members[0]]:
        right = right[wanted[right]]
    return right, counts[right]
