"""Which sets contain most of which other sets: a containment join without misses.

The containment of a in b is |a & b| / |a|. If it is at least t, they share at least ceil(t|a|) tokens, so b has one of
any |a| - ceil(t|a|) + 1 tokens of a. The rarest ones are looked for, which is prefix filtering on one side: Chaudhuri,
Ganti, Kaushik, A primitive operator for similarity joins (ICDE 2006), section 4.3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simdocs.kernels.buckets import equal_runs
from simdocs.kernels.jaccard import containments, overlaps
from simdocs.model.ragged import Index, Mask, Ragged, Tokens, distinct, offsets_of, ranges, row_blocks

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
        from simdocs.kernels.prefix_index import prefix_tokens  # most runs do not need it

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
        place, row = _looked_up(parts, some)
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


def _looked_up(parts: Parts, wholes: Ragged) -> tuple[Index, Index]:
    """Where the tokens of wholes are among the tokens of the parts, and the row of each; only those that are there."""
    row = np.repeat(np.arange(len(wholes)), wholes.lengths)
    likely = np.flatnonzero(parts.high[_first_bits(wholes.values)])
    values = wholes.values[likely]
    place = np.searchsorted(parts.tokens, values)
    there = np.flatnonzero(parts.tokens[np.minimum(place, len(parts.tokens) - 1)] == values) if len(values) else place
    return place[there], row[likely[there]]


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
