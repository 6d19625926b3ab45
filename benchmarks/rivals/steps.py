"""The steps that the libraries leave to their user, in plain Python: read, shingle, compare candidates, write pairs.

They are written as a careful user would: documents are read once, tokens are in memory for a few megabytes of text at a
time, and the shingle set of a candidate is made once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

PLACES = 128
SEED = 42
TOGETHER = 2_000_000
"""The characters of the texts whose shingles are held as strings at the same time."""

Pairs = Iterable[tuple[int, int]]


class Task(NamedTuple):
    """What a driver has to do, from its command line."""

    directory: str
    unit: str
    k: int
    threshold: float
    bands: int
    rows: int
    answer: str
    how: str


def task() -> Task:
    """Return what the command line says."""
    directory, unit, k, threshold, bands, rows, answer, how = sys.argv[1:]
    return Task(directory, unit, int(k), float(threshold), int(bands), int(rows), answer, how)


def read(directory: str) -> tuple[list[str], list[str]]:
    """Return the sorted paths of all files, and their texts: lower-cased, a space for each run of whitespace."""
    paths = sorted(os.path.join(where, name) for where, _, names in os.walk(directory) for name in names)
    texts = []
    for path in paths:
        with open(path, "rb") as file:  # noqa: PTH123
            texts.append(" ".join(file.read().decode("utf-8", "replace").lower().split()))
    return paths, texts


def shingles(text: str, unit: str, k: int) -> list[str]:
    """Return the shingles of a text in its order, with repeats. Words are separated by spaces."""
    if unit == "char":
        return [text[at : at + k] for at in range(len(text) - k + 1)] or [text]
    words = text.split(" ")
    if len(words) < k:
        return [text]
    return list(map(" ".join, zip(*(words[at:] for at in range(k)), strict=False)))


def batches(texts: list[str], most: int = TOGETHER) -> Iterator[list[str]]:
    """Yield the texts in lists of about so many characters."""
    some: list[str] = []
    held = 0
    for text in texts:
        some.append(text)
        held += len(text)
        if held >= most:
            yield some
            some, held = [], 0
    if some:
        yield some


def by_family(candidates: Pairs) -> list[list[tuple[int, int]]]:
    """Return the candidates in lists: in one of them are those that are connected with each other."""
    parent: dict[int, int] = {}

    def root(row: int) -> int:
        while (above := parent.setdefault(row, row)) != row:
            parent[row] = row = parent[above]
        return row

    candidates = list(candidates)
    for left, right in candidates:
        parent[root(left)] = root(right)
    families: dict[int, list[tuple[int, int]]] = {}
    for pair in candidates:
        families.setdefault(root(pair[0]), []).append(pair)
    return list(families.values())


def similar(
    candidates: Pairs, threshold: float, set_of: Callable[[int], Any], common: Callable[[Any, Any], int]
) -> Iterator[tuple[int, int, float]]:
    """Yield the candidates whose exact similarity reaches the threshold, with it.

    set_of returns the shingle set of a row, and common the size of the intersection of two. The sets of one family are
    held at a time.
    """
    for family in by_family(candidates):
        sets: dict[int, Any] = {}
        for left, right in family:
            for row in (left, right):
                if row not in sets:
                    sets[row] = set_of(row)
            both = common(sets[left], sets[right])
            jaccard = both / (len(sets[left]) + len(sets[right]) - both)
            if jaccard >= threshold:
                yield left, right, jaccard


def write(answer: str, paths: list[str], pairs: Iterable[tuple[int, int, float]]) -> None:
    """Write pairs with their similarities."""
    with open(answer, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.writelines(f"{paths[left]}\t{paths[right]}\t{jaccard:.6f}\n" for left, right, jaccard in pairs)


def compare_and_write(given: Task, paths: list[str], texts: list[str], candidates: Pairs) -> None:
    """Compare the shingle sets of the candidates, as sets of strings, and write the pairs."""

    def set_of(row: int) -> set[str]:
        return set(shingles(texts[row], given.unit, given.k))

    write(given.answer, paths, similar(candidates, given.threshold, set_of, lambda one, other: len(one & other)))
