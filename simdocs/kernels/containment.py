"""Which sets contain most of which other sets: joins without misses.

The containment of a in b is |a & b| / |a|. If it is at least t, they share at least ceil(t|a|) tokens, so b has one of
any |a| - ceil(t|a|) + 1 tokens of a. The rarest ones are looked for, which is prefix filtering on one side: Chaudhuri,
Ganti, Kaushik, A primitive operator for similarity joins (ICDE 2006), section 4.3.

The containment index: which sets share the rarest tokens of the smaller one, and so may contain most of it.

The larger containment of two sets is that of the smaller one in the larger one, because |a & b| / |a| is at least
|a & b| / |b| if a is the smaller one. If it is at least t, they share at least ceil(t|a|) tokens.

Sort the tokens of every set in one common order, the rare ones first. The *prefix* of a set of n tokens is its first
n - ceil(tn) + c tokens. After it come ceil(tn) - c tokens. If a larger set b has ceil(t|a|) tokens of a, at least c of
them are therefore in the prefix of a. So the candidates of a are all sets that are at least as large and have c tokens
of its prefix. A larger set may be larger by any factor, so there is no other filter by length, and the tokens of b are
looked up whether they are in its own prefix or not.

With c = 1, this is the prefix filter of Chaudhuri, Ganti, Kaushik, A primitive operator for similarity joins (ICDE
2006), section 4.3. A longer prefix with c > 1 leaves fewer pairs to compare that share a few rare tokens by chance
(Wang, Li, Feng, Can we beat the prefix filtering?, SIGMOD 2012, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simdocs.kernels.buckets import equal_runs
from simdocs.kernels.jaccard import containments, overlaps
from simdocs.kernels.prefix_index import equal_tokens, prefix_blocks, prefix_tokens, smallest_part, token_frequencies
from simdocs.model.ragged import (
    Array,
    GrowingArray,
    Index,
    Mask,
    Ragged,
    Tokens,
    count_true_in_rows,
    distinct,
    offsets_of,
    ranges,
    row_blocks,
)

_HIGH_BITS = 24
"""High bits of a token that are looked up first, in a table of 16 MiB. Most tokens end there."""

_LOOKED_UP = 1 << 20
"""Tokens that are looked up at once."""

_PAIRS_AT_ONCE = 1 << 22
"""Occurrences of tokens in pairs that are held at once: 64 MiB."""


class Parts(NamedTuple):
    """N sets that may be contained in others, and their rarest tokens.

    sets: Ragged uint32, each row ascending, without repeats
    threshold: the smallest containment that counts
    tokens: uint32 (P,), their rarest tokens, ascending, without repeats
    owners: Ragged int64, the rows that have each of these tokens
    high: bool (2^24,), the first bits of all of these tokens
    """

    sets: Ragged
    threshold: float
    tokens: Tokens
    owners: Ragged
    high: Mask

    @classmethod
    def of(cls, sets: Ragged, threshold: float) -> Parts:
        """Prepare sets to be looked for. threshold: the smallest containment that counts, above 0."""
        prefixes = prefix_tokens(sets, threshold)
        owner = np.repeat(np.arange(len(sets)), prefixes.lengths)
        order = np.argsort(prefixes.values, kind="stable")
        ordered = prefixes.values[order]
        begins, sizes = equal_runs(ordered)
        high = np.zeros(1 << _HIGH_BITS, bool)
        tokens = ordered[begins]
        high[_first_bits(tokens)] = True
        return cls(sets, threshold, tokens, Ragged.from_lengths(owner[order], sizes), high)


def containers(parts: Parts, wholes: Ragged) -> tuple[Index, Index, Index]:
    """The pairs of a set (left) that is contained in one of the wholes (right), and how many tokens they share.

    Three int64 arrays, ascending by right, then left. It equals, for Python sets, all pairs with
    len(a & b) / len(a) >= threshold. A set without tokens is contained in none. wholes: Ragged uint32, each row
    ascending, without repeats.
    """
    found = [np.empty((3, 0), np.int64)]
    for first, end in row_blocks(wholes.offsets, _LOOKED_UP):
        some = wholes.cut(first, end)
        row = np.repeat(np.arange(len(some)), some.lengths)
        likely = np.flatnonzero(parts.high[_first_bits(some.values)])
        values = some.values[likely]
        place = np.searchsorted(parts.tokens, values)
        if len(values):  # or else there may be no tokens, either
            there = np.flatnonzero(parts.tokens[np.minimum(place, len(parts.tokens) - 1)] == values)
            place, likely = place[there], likely[there]
        row = row[likely]
        hits = offsets_of(parts.owners.lengths[place])
        for at, stop in row_blocks(hits, _PAIRS_AT_ONCE):
            pairs = _contained(parts, some, place[at:stop], row[at:stop])
            pairs[1] += first
            found.append(pairs)
    left, right, common = np.concatenate(found, axis=1)
    # A document whose hits were divided is found with a part more than once.
    order = np.lexsort((left, right))
    fresh = np.ones(len(order), bool)
    fresh[1:] = (left[order][1:] != left[order][:-1]) | (right[order][1:] != right[order][:-1])
    order = order[fresh]
    return left[order], right[order], common[order]


def _contained(parts: Parts, wholes: Ragged, place: Index, row: Index) -> Index:
    """Pairs that share one of these tokens and are at the threshold, and their overlap: (3, P)."""
    sizes = parts.owners.lengths[place]
    owner = parts.owners.values[ranges(parts.owners.offsets[place], sizes)]
    pairs = distinct(np.repeat(row, sizes) * len(parts.sets) + owner)
    left, right = pairs % len(parts.sets), pairs // len(parts.sets)
    lefts, at = np.unique(left, return_inverse=True)
    both = Ragged.concat([parts.sets.take(lefts), wholes], np.uint32)
    common = overlaps(both, at, len(lefts) + right)
    enough = containments(common, parts.sets.lengths[left]) >= parts.threshold
    return np.stack((left[enough], right[enough], common[enough]))


def _first_bits(tokens: Tokens) -> Index:
    return (tokens >> np.uint32(32 - _HIGH_BITS)).astype(np.int64)


_SHARE_TO_SHARE = 1 / 16
"""The share of its tokens by which the prefix of a set is longer, and that it has to share with a larger set."""

_BLOCK = 1 << 18
"""Entries that are looked at at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainmentIndex:
    """The sets that have each token of a prefix, as entries; those of a token are together, and their owners ascend.

    lengths: int64 (N,), the lengths of the sets
    least: int64 (N,), the number of tokens of the prefix that a larger set needs
    owners: int32 (E,), the set of each entry
    ends: (E,), the end of the entries with the same token
    before: (E + 1,), the number of earlier entries that have the token in the prefix of their set
    prefixed: int32, the owners of entries that have the token in the prefix of their set
    entries: Ragged of N rows, the entries of each set
    matches: int64 (N,), the number of tokens of later sets that count
    """

    lengths: Index
    least: Index
    owners: Array
    ends: Array
    before: Array
    prefixed: Array
    entries: Ragged
    matches: Index

    def __len__(self) -> int:
        return len(self.lengths)

    def later(self, entries: Index) -> Index:
        """In how many later sets the token of each of these entries may count: int64 (n,)."""
        larger, smaller = _later(self.ends, self.before, entries)
        return np.asarray(larger + smaller)

    def shared(self, members: Index, place: Index, entries: Index) -> tuple[Index, Index]:
        """The pairs of members[place] with later sets, one for each token of the prefix of the smaller one.

        Of two sets of one length, the first counts as the smaller one.
        """
        larger, smaller = _later(self.ends, self.before, entries)
        right = np.concatenate(
            (
                self.owners[ranges(entries + 1, larger)],
                self.prefixed[ranges(self.before[entries + 1], smaller)],
            )
        )
        place = np.concatenate((np.repeat(place, larger), np.repeat(place, smaller)))
        own, other = self.lengths[members][place], self.lengths[right]
        is_larger = other >= own
        is_larger[int(larger.sum()) :] ^= True
        return place[is_larger], right[is_larger]

    def possible(self, left: Index, right: Index, counts: Index) -> Mask:
        """Whether one of two sets may contain the other, from the number of tokens of its prefix: bool (P,)."""
        part = np.where(self.lengths[left] <= self.lengths[right], left, right)
        return np.asarray(counts >= self.least[part])


def containment_index(sets: Ragged, threshold: float) -> ContainmentIndex:
    """The containment index of these sets. sets: Ragged uint32, each row without repeats. threshold: t, above 0."""
    lengths = sets.lengths
    part = smallest_part(lengths, threshold)
    least = np.minimum(part, 1 + (_SHARE_TO_SHARE * lengths).astype(np.int64))
    in_prefix = _in_prefix(sets, lengths - part + least)
    owner = np.repeat(np.arange(len(sets), dtype=np.int32), lengths)
    number = np.int32 if len(owner) < 1 << 31 else np.int64
    place: Array = np.full(len(owner), -1, number)
    owners, ends, marks, size = GrowingArray(np.int32), GrowingArray(number), GrowingArray(bool), 0
    for places, sizes in equal_tokens(sets.values):
        useful = (sizes > 1) & (count_true_in_rows(in_prefix[places], offsets_of(sizes)) > 0)
        shared, repeats = places[np.repeat(useful, sizes)], sizes[useful]
        place[shared] = np.arange(size, size + len(shared))
        owners.add(owner[shared])
        marks.add(in_prefix[shared])
        ends.add(np.repeat(size + np.cumsum(repeats), repeats).astype(number))
        size += len(shared)
    found = place >= 0
    entries = Ragged(place[found], offsets_of(count_true_in_rows(found, sets.offsets)))
    before = np.zeros(size + 1, number)
    np.cumsum(marks.all(), out=before[1:])
    matches = np.zeros(len(sets), np.int64)
    for at in range(0, size, _BLOCK):
        some = np.arange(at, min(at + _BLOCK, size))
        np.add.at(matches, owners.all()[some], sum(_later(ends.all(), before, some)))
    prefixed = owners.all()[marks.all()]
    return ContainmentIndex(
        lengths=lengths,
        least=least,
        owners=owners.all(),
        ends=ends.all(),
        before=before,
        prefixed=prefixed,
        entries=entries,
        matches=matches,
    )


def bytes_needed(tokens: int, sets: int, threshold: float) -> int:
    """About how many bytes these numbers of tokens and sets take, with their containment index.

    By measurement on real texts it is 24 to 29 for each token at 0.8, where the tokens of prefixes are up to twice as
    often in other sets, and 37 to 39 at 0.5 and below, where nearly every token is in a prefix.
    """
    entries = min(1, 2 * (1 - threshold + _SHARE_TO_SHARE)) * tokens
    return 14 * tokens + int(26 * entries) + 64 * sets


def _in_prefix(sets: Ragged, wanted: Index) -> Mask:
    """Which tokens of the sets are in the prefixes of these lengths: bool (T,)."""
    frequency = token_frequencies(sets.values)
    found = np.zeros(len(sets.values), bool)
    for rows, keys in prefix_blocks(sets, wanted, frequency):
        cut = slice(sets.offsets[rows[0]], sets.offsets[rows[-1] + 1])
        filled = rows[wanted[rows] > 0]
        last = keys[np.cumsum(wanted[filled]) - 1]
        places = frequency[cut].astype(np.uint64) << np.uint64(32) | sets.values[cut]
        found[cut] = places <= np.repeat(last, sets.lengths[filled])
    return found


def _later(ends: Array, before: Array, entries: Index) -> tuple[Index, Index]:
    """How many later sets have the token of each entry, if its own prefix has it; and how many prefixes of them do."""
    end, after = ends[entries], before[entries + 1]
    return np.where(after > before[entries], end - entries - 1, 0), before[end] - after
