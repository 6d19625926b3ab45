"""The pairs of sets that may be similar, by what their prefixes have in common.

For each pair that shares a token of the prefixes, all such tokens are counted. The rest of the tokens that they may
share come after the prefix of one of them. This gives an upper bound of what they share, which has to reach the
smallest overlap of two similar sets of their lengths: the position filter of Xiao, Wang, Lin and Yu, Efficient
similarity joins for near duplicate detection (WWW 2008), section 4, applied at the end of the prefixes. Before that,
pairs are dropped if one set is so much smaller that they cannot be similar (Arasu, Ganti, Kaushik, Efficient exact
set-similarity joins, VLDB 2006, section 5).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.join.prefix_index import PrefixIndex
from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.model.ragged import Floats, Index, Mask, offsets_of, ranges, row_blocks

_MATCHES_AT_ONCE = 1 << 18
"""Tokens that two prefixes share, for all pairs that are counted together: 16 MiB."""

_ROUNDING = 1e-6
"""How far rounding may lift a bound on the number of shared tokens above the whole number that it should be."""


def similar_candidates(index: PrefixIndex, members: Index, wanted: Mask | None = None) -> Iterator[tuple[Index, Index]]:
    """The pairs of one of these members with a later set of the index that may be similar, ascending, in blocks.

    All similar pairs are among them. A block is two int64 arrays and has all pairs of each of its left members.
    members: ascending. wanted: (N,), only pairs with a wanted set are returned; None: all are.
    """
    for some in match_blocks(index, members):
        keys, counts = _common(index, some, wanted) if len(some) > 1 else _common_of_one(index, some, wanted)
        left, right = some[keys // len(index)], keys % len(index)
        possible = counts + _uncounted(index, left, right) >= smallest_overlap(index, left, right)
        yield left[possible], right[possible]


def match_blocks(index: PrefixIndex, members: Index) -> Iterator[Index]:
    """These members in blocks whose prefixes share a bounded number of tokens with later sets, unless one has more."""
    for begin, end in row_blocks(offsets_of(index.matches[members]), _MATCHES_AT_ONCE):
        yield members[begin:end]


def smallest_overlap(index: PrefixIndex, left: Index, right: Index) -> Floats:
    """How many tokens two sets of these lengths share at least if they are similar, minus a margin for rounding."""
    both = index.lengths[left] + index.lengths[right]
    return np.asarray(both * (index.threshold / (1 + index.threshold)) - _ROUNDING, np.float64)


def _uncounted(index: PrefixIndex, left: Index, right: Index) -> Index:
    """How many tokens two sets may share that are not in both of their prefixes.

    The prefix that ends first contains all tokens of its set up to its last one, and so does the other prefix. So these
    tokens come after it.
    """
    first = index.last[left] <= index.last[right]
    uncounted: Index = np.where(first, index.rest[left], index.rest[right])
    return uncounted


def _common(index: PrefixIndex, members: Index, wanted: Mask | None) -> tuple[Index, Index]:
    """The pairs that share tokens of their prefixes, as i * N + right for members[i], and how many tokens."""
    mine = index.entries.take(members)
    later = index.ends[mine.values] - mine.values - 1
    place = np.repeat(np.repeat(np.arange(len(members)), mine.lengths), later)
    right = index.owners[ranges(mine.values + 1, later)]
    likely = _alike_in_length(index, members, place, right)
    if wanted is not None:
        likely &= wanted[members][place] | wanted[right]
    small = len(members) * len(index) < 1 << 32
    keys = (place[likely] * len(index) + right[likely]).astype(np.uint32 if small else np.int64)
    keys.sort()
    begins, counts = equal_runs(keys)
    return keys[begins].astype(np.int64), counts


def _alike_in_length(index: PrefixIndex, members: Index, place: Index, right: Index) -> Mask:
    """Whether members[place[i]] and right[i] have about the same length, as two similar sets do."""
    own, other = index.lengths[members], index.lengths[right]
    least, most = index.threshold * own - _ROUNDING, own / index.threshold + _ROUNDING
    alike: Mask = (other >= least[place]) & (other <= most[place])
    return alike


def _common_of_one(index: PrefixIndex, members: Index, wanted: Mask | None) -> tuple[Index, Index]:
    """The same as `_common` for a single member, in bounded memory."""
    counts = np.zeros(len(index), np.int64)
    entries = index.entries[int(members[0])]
    for begin, end in row_blocks(offsets_of(index.ends[entries] - entries - 1), _MATCHES_AT_ONCE):
        some = entries[begin:end]
        np.add.at(counts, index.owners[ranges(some + 1, index.ends[some] - some - 1)], 1)
    right = np.flatnonzero(counts)
    likely = _alike_in_length(index, members, np.zeros(len(right), np.int64), right)
    if wanted is not None and not wanted[members[0]]:
        likely &= wanted[right]
    return right[likely], counts[right[likely]]
