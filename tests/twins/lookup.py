"""Bucket tables, and looking keys up in them."""

from __future__ import annotations

from collections.abc import Sequence


def bounds(table: Sequence[Sequence[int]], keys: Sequence[Sequence[int]]) -> list[list[tuple[int, int]]]:
    """For each band, and each key looked up in it: how many keys of the whole table, band by band, stand before the
    first of its bucket, and before what follows the last."""
    found, before = [], 0
    for band, wanted in zip(table, keys, strict=True):
        found.append(
            [(before + sum(key < one for key in band), before + sum(key <= one for key in band)) for one in wanted]
        )
        before += len(band)
    return found


def buckets(keys: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """The members of each band that have the same key, where they are two or more."""
    return sorted(
        tuple(member for member, key in enumerate(band) if key == one)
        for band in keys
        for one in set(band)
        if list(band).count(one) > 1
    )


def given_pairs(shared: Sequence[Sequence[int]], given: int, most: int) -> list[tuple[int, int]]:
    """Whom the first `most` of each bucket that are below `given` meet in it: those that are not; each pair once."""
    found = set()
    for bucket in shared:
        ahead = [member for member in bucket if member < given]
        found |= {(one, other) for one in ahead[:most] for other in bucket if other >= given}
    return sorted(found)
