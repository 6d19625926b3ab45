"""The twin of the similarities of two documents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


def jaccard(left: set[int], right: set[int]) -> float:
    """Return |A & B| / |A | B|, or 0 if a document has no tokens."""
    return len(left & right) / len(left | right) if left and right else 0.0


def multiset_jaccard(left: Sequence[int], right: Sequence[int]) -> float:
    """Return the sum of the minima of the counts over the sum of their maxima."""
    a, b = Counter(left), Counter(right)
    return (a & b).total() / (a | b).total() if a and b else 0.0


def containment(left: set[int], right: set[int]) -> float:
    """Return |A & B| / |A|, or 0 if A has no tokens."""
    return len(left & right) / len(left) if left else 0.0


def multiset_containment(left: Sequence[int], right: Sequence[int]) -> float:
    """Return the sum of the minima of the counts over the sum of those of the left one."""
    a, b = Counter(left), Counter(right)
    return (a & b).total() / a.total() if a else 0.0


def estimate(left: Sequence[int], right: Sequence[int]) -> float:
    """Return the share of places in which two signatures agree."""
    return sum(a == b for a, b in zip(left, right, strict=True)) / len(left)


def below_prefilter(estimated: float, threshold: float, num_perm: int) -> bool:
    """Return whether an estimate is more than 5 standard errors below the threshold, and K >= 64."""
    return num_perm >= 64 and estimated < threshold - 5 * math.sqrt(threshold * (1 - threshold) / num_perm)


def cosine(left: Sequence[int], right: Sequence[int]) -> float:
    """Return the cosine of the angle between two vectors of counts."""
    a, b = Counter(left), Counter(right)
    product = sum(a[token] * b[token] for token in a)
    return product / math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
