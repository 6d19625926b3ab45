"""In how many documents each token occurs, counted in little memory.

The counts of the most frequent tokens are held, and rare ones are dropped when there are too many: a summary as by
Misra and Gries, Finding repeated elements (1982), merged as by Agarwal et al., Mergeable summaries (PODS 2012), section
2. A count is then too small by at most the sum of what was subtracted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simdocs.model.ragged import Index, Mask, Tokens


class Frequencies(NamedTuple):
    """Counts of tokens. tokens: (n,) uint32, ascending, without repeats. counts: (n,) int64, all above 0.

    missing: the frequency of a token is at least its count, and at most its count and this together. A token without a
    count has a frequency of at most this.
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
