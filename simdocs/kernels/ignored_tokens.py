"""Tokens that are left out of every document as boilerplate, and the number of documents that have each token."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from simdocs.model.ragged import Index, Mask, Ragged, Tokens

_AT_ONCE = 1 << 18
"""Tokens that are looked up at once: their places take 2 MiB."""

_TABLE_BITS = 16
"""High bits of a token that select its cell in a table of 64 KiB, which tells most tokens that are not ignored."""


def digest_of(ignored: Tokens) -> str:
    """A digest of ignored tokens: the first half of the SHA-256 of their bytes, in hexadecimal; empty if none are."""
    return hashlib.sha256(np.ascontiguousarray(ignored).data).hexdigest()[:32] if len(ignored) else ""


def leave_out(rows: Ragged, ignored: Tokens) -> Ragged:
    """The same rows without the ignored tokens: Ragged uint32, in the same order.

    rows: Ragged uint32. ignored: (I,) uint32, ascending.
    """
    if not len(ignored) or not len(rows.values):
        return rows
    return rows.keep(~are_among(rows.values, ignored))


def are_among(tokens: Tokens, ignored: Tokens) -> Mask:
    """Which tokens (T,) are among the ignored ones (I,), which ascend: bool (T,)."""
    found = np.zeros(len(tokens), bool)
    if not len(ignored):
        return found
    shift = np.uint32(32 - _TABLE_BITS)
    table = np.zeros(1 << _TABLE_BITS, bool)
    table[ignored >> shift] = True
    for at in range(0, len(tokens), _AT_ONCE):
        part = tokens[at : at + _AT_ONCE]
        likely = np.flatnonzero(table[part >> shift])
        values = part[likely]
        places = np.minimum(np.searchsorted(ignored, values), len(ignored) - 1)
        found[at + likely] = ignored[places] == values
    return found


class Frequencies(NamedTuple):
    """Counts of tokens.

    tokens: uint32 (n,), ascending, without repeats.
    counts: int64 (n,), all above 0.
    missing: the largest number by which the frequency of a token may be above its count; 0 is the count of tokens that
        are not listed.
    """

    tokens: Tokens
    counts: Index
    missing: int = 0


NOTHING = Frequencies(np.empty(0, np.uint32), np.empty(0, np.int64))
"""No token was counted yet."""


def frequencies(tokens: Tokens) -> Frequencies:
    """How often each token occurs among the tokens (T,) uint32 of some documents, whose tokens are sets."""
    ordered = np.sort(tokens)
    begins = np.flatnonzero(_begins(ordered))
    return Frequencies(ordered[begins], np.diff(begins, append=len(ordered)))


def without_rarest(counted: Frequencies, most: int) -> Frequencies:
    """The counts of at most `most` tokens. From each, as much is subtracted as the largest count of those dropped."""
    size = len(counted.tokens)
    if size <= most:
        return counted
    less = int(np.partition(counted.counts, size - most - 1)[size - most - 1])
    left = counted.counts > less
    return Frequencies(counted.tokens[left], counted.counts[left] - less, counted.missing + less)


def merged(first: Frequencies, second: Frequencies) -> Frequencies:
    """The counts of both together."""
    tokens = np.concatenate((first.tokens, second.tokens))
    order = np.argsort(tokens, kind="stable")
    tokens, counts = tokens[order], np.concatenate((first.counts, second.counts))[order]
    begins = np.flatnonzero(_begins(tokens))
    if len(begins):  # or else reduceat would fail
        counts = np.add.reduceat(counts, begins)
    return Frequencies(tokens[begins], counts, first.missing + second.missing)


def _begins(ordered: Tokens) -> Mask:
    """Which of these ascending tokens differ from the one before."""
    begins = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return begins
