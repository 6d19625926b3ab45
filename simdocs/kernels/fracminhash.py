"""FracMinHash: of each set the tokens below a cut-off, a fixed fraction of all tokens that can occur.

Whether a token is below the cut-off depends on the token alone. So of the tokens that two sets share, the sketches have
those below the cut-off, and the containment of one set in the other can be told from them: Irber, Brooks, Reiter,
Pierce-Ward, Hera, Koslicki, Brown, Lightweight compositional analysis of metagenomes with FracMinHash and minimum
metagenome covers (2022).
"""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Index, Ragged, Tokens, offsets_of, ranges

SCALE = 64
"""A sketch has one of this many tokens, on average."""

CUT_OFF = np.uint32((1 << 32) // SCALE)
"""Tokens below it are in a sketch."""


def sketches(rows: Ragged) -> Ragged:
    """The tokens of each row that are below the cut-off: Ragged uint32, in the same order."""
    return rows.keep(rows.values < CUT_OFF)


def least_hits(sizes: Index, sketched: Index, shared: Index, recall: float) -> Index:
    """The number of tokens of a sketch that another set needs, to be a candidate for containing the set: int64 (N,).

    It is the largest number that a set at the threshold reaches with a probability of at least `recall`, if all tokens
    of the set are in the sketch with the same probability: the number of hits then has a hypergeometric distribution.
    With 0, the sketch excludes no set.

    sizes: (N,), the number of tokens of each set
    sketched: (N,), the number of these tokens in its sketch
    shared: (N,), the number of these tokens that a set at the threshold has
    """
    low = np.maximum(0, sketched + shared - sizes)
    counts = np.minimum(sketched, shared) - low + 1
    row = np.repeat(np.arange(len(sizes)), counts)
    hits, starts = ranges(low, counts), offsets_of(counts)[:-1]
    n, m, k = sizes[row], sketched[row], shared[row]
    follows = hits > low[row]
    # The ratio of the probability of so many hits to that of one hit less.
    ratio = np.ones(len(row))
    upper, lower = (m - hits + 1) * (k - hits + 1), hits * (n - m - k + hits)
    ratio[follows] = upper[follows] / lower[follows]
    logarithm = np.cumsum(np.log(ratio))
    logarithm -= np.repeat(np.maximum.reduceat(logarithm, starts), counts)
    weights = np.exp(logarithm)
    before = np.concatenate(([0.0], np.cumsum(weights)))[:-1]
    below = (before - before[starts][row]) / np.add.reduceat(weights, starts)[row]
    least: Index = low + np.add.reduceat(below <= 1 - recall, starts, dtype=np.int64) - 1
    return least


def sketch_table(sketches: Ragged, rows: Index, old_tokens: Tokens, old_rows: Index) -> tuple[Tokens, Tokens]:
    """The tokens of sketches, ascending, and the row that has each; rows with the same token ascend: uint32 (S,).

    sketches: Ragged uint32
    rows: the row of each sketch
    old_tokens, old_rows: (L,), further entries; if they ascend already, they are merged and not sorted again
    """
    new = np.sort(_entries(sketches.values, np.repeat(rows, sketches.lengths)))
    # A stable sort of integers finds runs that ascend.
    entries = np.sort(np.concatenate((_entries(old_tokens, old_rows), new)), kind="stable")
    return (entries >> np.uint64(32)).astype(np.uint32), entries.astype(np.uint32)


def _entries(tokens: Tokens, rows: Index) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return tokens.astype(np.uint64) << np.uint64(32) | rows.astype(np.uint64)
