"""The prefix index: which sets share one of their rarest tokens, and so may be similar.

Sort the tokens of every set in one common order, the rare ones first. If the Jaccard similarity of x and y is at least
t, they share at least ceil(t|x|) tokens, so the first |x| - ceil(t|x|) + 1 tokens of x (its *prefix*) and the
corresponding prefix of y have one in common (Chaudhuri, Ganti, Kaushik, A primitive operator for similarity joins, ICDE
2006, section 4.3.1). Any order is correct. With rare tokens first, few sets share a token of their prefixes without
being similar (Bayardo, Ma, Srikant, Scaling up all pairs similarity search, WWW 2007, section 4.2).

For each pair that shares a token of the prefixes, all such tokens are counted. The rest of the tokens that they may
share come after the prefix of one of them. This gives an upper bound of what they share, which has to reach the
smallest overlap of two similar sets of their lengths: the position filter of Xiao, Wang, Lin and Yu, Efficient
similarity joins for near duplicate detection (WWW 2008), section 4, applied at the end of the prefixes. Before that,
pairs are dropped if one set is so much smaller that they cannot be similar (Arasu, Ganti, Kaushik, Efficient exact
set-similarity joins, VLDB 2006, section 5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simdocs.kernels.buckets import equal_runs
from simdocs.model.ragged import Array, Index, Keys, Mask, Ragged, Tokens, offsets_of, ranges, row_blocks

if TYPE_CHECKING:
    from simdocs.kernels.containment import ContainmentIndex

_PART_BITS = 3
"""High bits of a token that select the part in which it is sorted. With eight parts, sorting takes 2 bytes for each
token, and not 16. Each further bit would halve that, and take as much time again to choose the tokens of the parts."""

_PLACE_BITS = np.uint64(32 + _PART_BITS)
"""Bits of a place among all tokens. The others are the rest of the token."""


def token_frequencies(tokens: Tokens) -> Array:
    """For each token, how often it occurs among them all: int32 (T,). If none repeats in a set, in how many sets.

    tokens: (T,) uint32, those of all sets, end to end.
    """
    found = np.empty(len(tokens), np.int32)
    for places, sizes in equal_tokens(tokens):
        found[places] = np.repeat(sizes, sizes)
    return found


def equal_tokens(tokens: Tokens) -> Iterator[tuple[Index, Index]]:
    """Yield the places of all tokens in blocks, so ordered that equal ones are runs; and the lengths of the runs.

    The places of equal tokens ascend. tokens: (T,) uint32.
    """
    part_of = (tokens >> np.uint32(32 - _PART_BITS)).astype(np.uint8)
    for part in range(1 << _PART_BITS):
        places = np.flatnonzero(part_of == part)
        # Sorting numbers of 8 bytes is several times as fast as an indirect sort of the tokens.
        keys = tokens[places].astype(np.uint64)
        keys <<= _PLACE_BITS  # this drops the bits of the part
        keys |= places.view(np.uint64)
        keys.sort()
        _, sizes = equal_runs(keys >> _PLACE_BITS)
        keys &= (np.uint64(1) << _PLACE_BITS) - np.uint64(1)
        yield keys.view(np.int64), sizes


_SORT_BLOCK = 1 << 17
"""Tokens that are sorted at once: 1 MiB, which stays in the cache."""

_ROUNDING = 1e-9
"""How far rounding may lift the product of a threshold and a length above the whole number that it should be."""

_MARGIN = 1e-6
"""How far rounding may lift a bound on the number of shared tokens above the whole number that it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixIndex:
    """The prefixes of N sets, with an entry for each token of a prefix that is in another prefix, too.

    threshold: the Jaccard similarity from which two sets are similar
    lengths: int64 (N,), the lengths of the sets
    rest: int64 (N,), the number of tokens after the prefix of each set
    last: uint64 (N,), the place of the last token of the prefix in the common order
    owners: int32 (E,), the set of each entry; entries of a token are together, and their owners ascend
    ends: (E,), the end of the entries with the same token
    entries: Ragged of N rows, the entries of each set
    matches: int64 (N,), the number of entries of later sets that have a token of the prefix
    """

    threshold: float
    lengths: Index
    rest: Index
    last: Keys
    owners: Array
    ends: Array
    entries: Ragged
    matches: Index

    def __len__(self) -> int:
        return len(self.lengths)

    def later(self, entries: Index) -> Index:
        """How many entries of later sets have the token of each of these: int64 (n,)."""
        later: Index = self.ends[entries] - entries - 1
        return later

    def shared(self, members: Index, place: Index, entries: Index) -> tuple[Index, Index]:
        """The pairs of members[place] with later sets of about the same length, one for each token that they share."""
        later = self.later(entries)
        place, right = np.repeat(place, later), self.owners[ranges(entries + 1, later)]
        own, other = self.lengths[members], self.lengths[right]
        least, most = self.threshold * own - _MARGIN, own / self.threshold + _MARGIN
        alike = (other >= least[place]) & (other <= most[place])
        return place[alike], right[alike]

    def possible(self, left: Index, right: Index, counts: Index) -> Mask:
        """Whether pairs may be similar whose prefixes share these numbers of tokens: bool (P,)."""
        own, other = self.lengths[left], self.lengths[right]
        alike = (other >= self.threshold * own - _MARGIN) & (other <= own / self.threshold + _MARGIN)
        # The prefix that ends first contains all tokens of its set up to its last one, and so does the other prefix. So
        # the tokens that are not in both of them come after it.
        uncounted = np.where(self.last[left] <= self.last[right], self.rest[left], self.rest[right])
        # So many tokens they share at least if they are similar.
        least = (own + other) * (self.threshold / (1 + self.threshold)) - _MARGIN
        return np.asarray(alike & (counts + uncounted >= least))


def prefix_index(sets: Ragged, threshold: float) -> PrefixIndex:
    """The prefix index of these sets. sets: Ragged uint32, each row without repeats."""
    lengths = sets.lengths
    wanted = prefix_lengths(lengths, threshold)
    tokens, owners, last = _shared_tokens(sets, wanted, token_frequencies(sets.values))
    number = np.int32 if len(tokens) < 1 << 31 else np.int64
    place: Array = np.full(len(tokens), -1, number)
    sharing, ends, size = [np.empty(0, np.int32)], [np.empty(0, number)], 0
    matches = np.zeros(len(sets), np.int64)
    for places, sizes in equal_tokens(tokens):
        shared, repeats = places[np.repeat(sizes > 1, sizes)], sizes[sizes > 1]
        end = np.repeat(size + np.cumsum(repeats), repeats)
        here = np.arange(size, size + len(shared))
        np.add.at(matches, owners[shared], end - here - 1)
        place[shared] = here
        sharing.append(owners[shared])
        ends.append(end.astype(number))
        size += len(shared)
    found = place >= 0
    counts = np.bincount(owners[found], minlength=len(sets))
    entries = Ragged.from_lengths(place[found], counts)
    return PrefixIndex(
        threshold=threshold,
        lengths=lengths,
        rest=lengths - wanted,
        last=last,
        owners=np.concatenate(sharing),
        ends=np.concatenate(ends),
        entries=entries,
        matches=matches,
    )


def bytes_needed(tokens: int, sets: int, threshold: float) -> int:
    """About how many bytes these numbers of tokens and sets take, with their prefix index while it is made.

    By measurement on generated texts, it is 14 for each token at 0.8, when most is needed to count the tokens, and 27
    at 0.3, when most is needed for the prefixes.
    """
    prefixed = int((1 - threshold) * tokens) + sets
    return max(15 * tokens, 4 * tokens + 40 * prefixed) + 64 * sets


def smallest_part(lengths: Index, threshold: float) -> Index:
    """The smallest number of tokens that is this part of a set of each length: int64 (N,)."""
    part: Index = np.ceil(threshold * lengths - _ROUNDING).astype(np.int64)
    return part


def prefix_lengths(lengths: Index, threshold: float) -> Index:
    """How many of its rarest tokens a set of each length needs, to share one with every similar set: int64 (N,)."""
    wanted = lengths - smallest_part(lengths, threshold) + 1
    short_enough: Index = np.minimum(wanted, lengths)
    return short_enough


def prefix_tokens(sets: Ragged, threshold: float) -> Ragged:
    """The tokens of the prefix of each set, the rare ones first: Ragged uint32. sets: as of `prefix_index`."""
    wanted = prefix_lengths(sets.lengths, threshold)
    blocks = prefix_blocks(sets, wanted, token_frequencies(sets.values))
    tokens = [np.empty(0, np.uint32), *(keys.astype(np.uint32) for _, keys in blocks)]
    return Ragged.from_lengths(np.concatenate(tokens), wanted)


def _shared_tokens(sets: Ragged, wanted: Index, frequency: Array) -> tuple[Tokens, Array, Keys]:
    """The tokens of all prefixes that occur in several sets, the set of each, and the last token of each prefix.

    The last token is returned as its place in the common order.
    """
    tokens, owners = [np.empty(0, np.uint32)], [np.empty(0, np.int32)]
    last = np.zeros(len(sets), np.uint64)
    for rows, keys in prefix_blocks(sets, wanted, frequency):
        filled = rows[wanted[rows] > 0]
        last[filled] = keys[np.cumsum(wanted[filled]) - 1]
        several = keys >> np.uint64(32) > 1
        tokens.append(keys[several].astype(np.uint32))
        owners.append(np.repeat(rows.astype(np.int32), wanted[rows])[several])
    return np.concatenate(tokens), np.concatenate(owners), last


def prefix_blocks(sets: Ragged, wanted: Index, frequency: Array) -> Iterator[tuple[Index, Keys]]:
    """Yield rows of the sets, and the tokens of their prefixes as places in the common order, in blocks.

    The common order is by frequency and then by token: a place is the one times 2^32, plus the other.
    """
    shift = np.uint64(32 + int(frequency.max(initial=1)).bit_length())
    most_rows = 1 << (64 - int(shift))
    for first, stop in row_blocks(sets.offsets, _SORT_BLOCK):
        for at in range(first, stop, most_rows):
            end = min(at + most_rows, stop)
            cut = slice(sets.offsets[at], sets.offsets[end])
            offsets = sets.offsets[at : end + 1] - sets.offsets[at]
            keys = np.repeat(np.arange(end - at, dtype=np.uint64) << shift, np.diff(offsets))
            keys |= frequency[cut].astype(np.uint64) << np.uint64(32)
            keys |= sets.values[cut]
            keys.sort()
            keys &= (np.uint64(1) << shift) - np.uint64(1)
            yield np.arange(at, end), keys[ranges(offsets[:-1], wanted[at:end])]


JoinIndex: TypeAlias = "PrefixIndex | ContainmentIndex"
"""Which sets share tokens that count."""

_MATCHES_AT_ONCE = 1 << 18
"""Tokens that two prefixes share, for all pairs that are counted together: 16 MiB."""


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
        _, right = index.shared(members, np.zeros(end - begin, np.int64), entries[begin:end])
        np.add.at(counts, right, 1)
    right = np.flatnonzero(counts)
    if wanted is not None and not wanted[members[0]]:
        right = right[wanted[right]]
    return right, counts[right]
