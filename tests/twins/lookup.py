"""Bucket tables, and lookups of keys in them."""

from __future__ import annotations

from collections.abc import Sequence


def bounds(table: Sequence[Sequence[int]], keys: Sequence[Sequence[int]]) -> list[list[tuple[int, int]]]:
    """Return, for each band and each key looked up in it, where its bucket begins and ends in the flattened table."""
    found, before = [], 0
    for band, wanted in zip(table, keys, strict=True):
        found.append(
            [(before + sum(key < one for key in band), before + sum(key <= one for key in band)) for one in wanted]
        )
        before += len(band)
    return found


def buckets(keys: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the buckets: in each band, the two or more members that have the same key."""
    return sorted(
        tuple(member for member, key in enumerate(band) if key == one)
        for band in keys
        for one in set(band)
        if list(band).count(one) > 1
    )


def given_pairs(shared: Sequence[Sequence[int]], given: int, most: int) -> list[tuple[int, int]]:
    """Return the pairs of the first `most` members below `given` with the other members of each bucket, each once."""
    found = set()
    for bucket in shared:
        ahead = [member for member in bucket if member < given]
        found |= {(one, other) for one in ahead[:most] for other in bucket if other >= given}
    return sorted(found)
