"""The twin of the candidates of an exact join: every two sets are looked at, one token after the other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

ROUNDING = 1e-6


def frequencies(tokens: Sequence[int]) -> list[int]:
    """Return how often each token occurs among them all."""
    counts = Counter(tokens)
    return [counts[token] for token in tokens]


def prefixes(sets: Sequence[set[int]], threshold: float) -> list[list[tuple[int, int]]]:
    """Return the prefix of each set: its tokens with their frequencies before them, the rare ones first."""
    counts = Counter(token for one in sets for token in one)
    ordered = [sorted((counts[token], token) for token in one) for one in sets]
    return [one[: len(one) - math.ceil(threshold * len(one) - 1e-9) + 1] for one in ordered]


def containment_candidates(sets: Sequence[set[int]], threshold: float, share: float) -> set[tuple[int, int]]:
    """Return the pairs whose larger set has enough tokens of the prefix of the smaller one.

    share: the share of its tokens by which a prefix is longer, and that the larger set has to have.
    """
    counts = Counter(token for one in sets for token in one)
    found = set()
    for pair in combinations(range(len(sets)), 2):
        small, large = sorted(pair, key=lambda row: (len(sets[row]), row))
        size = len(sets[small])
        part = math.ceil(threshold * size - 1e-9)
        least = min(part, 1 + int(share * size))
        prefix = sorted((counts[token], token) for token in sets[small])[: size - part + least]
        if size and sum(token in sets[large] for _, token in prefix) >= least:
            found.add(pair)
    return found


def candidates(sets: Sequence[set[int]], threshold: float) -> set[tuple[int, int]]:
    """Return the pairs that may be similar, by their lengths and by what their prefixes have in common."""
    prefix = prefixes(sets, threshold)
    found = set()
    for a, b in combinations(range(len(sets)), 2):
        common = set(prefix[a]) & set(prefix[b])
        if not common or min(map(len, (sets[a], sets[b]))) < threshold * max(map(len, (sets[a], sets[b]))) - ROUNDING:
            continue
        ends_first = min(a, b, key=lambda row: (prefix[row][-1], row))
        bound = len(common) + len(sets[ends_first]) - len(prefix[ends_first])
        if bound >= (len(sets[a]) + len(sets[b])) * threshold / (1 + threshold) - ROUNDING:
            found.add((a, b))
    return found
