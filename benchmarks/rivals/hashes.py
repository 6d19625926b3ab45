"""The same steps for an expert, in NumPy: shingles are numbers of 8 bytes, from a few operations for each text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.rivals import steps

TOGETHER = 8_000_000
"""The characters of the texts whose hashes are in one array."""

Array = np.ndarray

BASE = 0x9E3779B97F4A7C15
MIX = np.uint64(0xD6E8FEB86659FD93)
HALF = np.uint64(32)


def mixed(numbers: Array) -> Array:
    """Return the numbers with their bits mixed: another number for each."""
    numbers = (numbers ^ (numbers >> HALF)) * MIX
    return numbers ^ (numbers >> HALF)


def windows(values: Array, k: int) -> Array:
    """Return a hash of every k consecutive values: a polynomial, from the hashes of windows of 1, 2, 4, ... values."""
    power, length = values, 1
    found, covered = None, 0
    while True:
        if k & length:
            found = power if found is None else joined(found, covered, power, length)
            covered += length
        if covered == k:
            return mixed(found)
        power, length = joined(power, length, power, length), 2 * length


def joined(one: Array, length: int, other: Array, more: int) -> Array:
    """Return the polynomials of windows of `length` values and the `more` values after them."""
    after = other[length:]
    size = min(len(one), len(after))
    return one[:size] * np.uint64(pow(BASE, more, 2**64)) + after[:size]


def hashed(text: str, unit: str, k: int) -> Array:
    """Return the hashes of the shingles of a text in its order, with repeats."""
    if unit == "word":
        words = text.split(" ")
        values = mixed(np.fromiter(map(hash, words), np.int64, len(words)).view(np.uint64))
    elif text.isascii():
        values = np.frombuffer(text.encode(), np.uint8).astype(np.uint64)
    else:
        values = np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.uint64)
    return windows(values, min(k, len(values))) if len(values) else np.zeros(1, np.uint64)


def flat_batches(texts: list[str], unit: str, k: int) -> Iterator[tuple[Array, Array]]:
    """Yield the hashes of many texts as one array, and the offsets at which texts begin and end."""
    for some in steps.batches(texts, TOGETHER):
        each = [hashed(text, unit, k) for text in some]
        offsets = np.concatenate(([0], np.cumsum([len(one) for one in each]))).astype(np.uint64)
        yield np.concatenate(each), offsets


def candidates(signatures: Array, bands: int, rows: int) -> list[tuple[int, int]]:
    """Return the pairs of rows of a matrix that agree in all columns of a band, earlier rows left."""
    count = len(signatures)
    found = []
    for band in range(bands):
        columns = signatures[:, band * rows : (band + 1) * rows].astype(np.uint64)
        key = np.zeros(count, np.uint64)
        for at in range(rows):
            key = mixed(key ^ columns[:, at])
        order = np.argsort(key, kind="stable")
        key = key[order]
        apart = 1
        while apart < count and (same := key[apart:] == key[:-apart]).any():
            left, right = order[:-apart][same], order[apart:][same]
            found.append(left * count + right)
            apart += 1
    keys = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
    return list(zip((keys // count).tolist(), (keys % count).tolist(), strict=True))


def in_common(one: Array, other: Array) -> int:
    """Return how many numbers two sorted arrays without repeats have in common."""
    both = np.concatenate((one, other))
    both.sort()
    return int(np.count_nonzero(both[1:] == both[:-1]))


def compare_and_write(given: steps.Task, paths: list[str], texts: list[str], found: list[tuple[int, int]]) -> None:
    """Compare the hashes of the candidates' shingles, as sorted arrays, and write the pairs."""

    def set_of(row: int) -> Array:
        numbers = hashed(texts[row], given.unit, given.k)
        numbers.sort()
        return numbers[np.concatenate(([True], numbers[1:] != numbers[:-1]))]  # takes less time than np.unique

    steps.write(given.answer, paths, steps.similar(found, given.threshold, set_of, in_common))
