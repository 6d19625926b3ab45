"""What the figures of a report show: counts of pairs, groups, directories and times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from simdocs.model.ragged import Floats, Index
from simdocs.model.report import Report, ShownGroup
from simdocs.names import display_name
from simdocs.options.recipes import Bands

MOST_DIRECTORIES = 16
"""Directories that a figure shows. Smaller ones are added up."""

OTHERS = "other directories"
"""The name of what is added up."""

_STEPS = 100
"""Bars for the similarities from 0 to 1."""


def similarities_of(report: Report, least: float | None = None) -> tuple[int, list[int], int]:
    """How many duplicates have which similarity to the kept document.

    It is the number of the first bar, which begins at this number / 100; the number of duplicates in each bar, without
    those of similarity 1; and how many have similarity 1. least: the smallest that is shown in any case; None: the
    threshold.
    """
    found = report.groups.similarity[report.groups.duplicates]
    below = found[found < 1]
    # 0.29 * 100 is 28.999999999999996.
    bars = np.minimum(np.floor(below * _STEPS + 1e-9).astype(np.int64), _STEPS - 1)
    shown = report.answer.threshold if least is None else least
    first = min([int(shown * _STEPS + 1e-9), _STEPS - 1, *bars.tolist()])
    counts = np.bincount(bars - first, minlength=_STEPS - first)
    return first, counts.tolist(), len(found) - len(below)


def found_pairs(report: Report) -> tuple[Bands, float] | None:
    """The bands of a report, and how many pairs with its similarities are expected to have been missed.

    None: candidates were not found by bands. For a pair that is found with the probability p, (1 - p) / p pairs like it
    are expected to be missed.
    """
    banding = report.answer.parameters["banding"]
    if banding is None:
        return None
    cut = Bands(banding["bands"], banding["rows"])
    values, counts = np.unique(report.groups.similarity[report.groups.duplicates], return_counts=True)
    chances = np.array([cut.chance(value) for value in values.tolist()])
    possible = chances > 0
    missed = float(((1 - chances[possible]) / chances[possible] * counts[possible]).sum())
    return cut, missed


def group_sizes(report: Report) -> list[tuple[int, int, int]]:
    """The groups by size: 2, 3 and 4 documents, and then from above each power of two to the next.

    Each is the least and the most documents, and how many groups have so many.
    """
    sizes = report.groups.sizes
    if not len(sizes):
        return []
    bounds = [(2, 2), (3, 3), (4, 4)]
    while bounds[-1][1] < int(sizes[0]):
        bounds.append((bounds[-1][1] + 1, bounds[-1][1] * 2))
    counted = [(low, high, int(((sizes >= low) & (sizes <= high)).sum())) for low, high in bounds]
    while not counted[-1][2]:
        counted.pop()
    return counted


class DirectoryShare(NamedTuple):
    """The documents in a directory and below it, and the duplicates among them, with the bytes of both."""

    name: str
    documents: int
    bytes: int
    duplicates: int
    duplicate_bytes: int

    @property
    def is_mostly_removed(self) -> bool:
        """Whether more than half of the documents are duplicates."""
        return 2 * self.duplicates > self.documents


def directory_shares(report: Report) -> tuple[DirectoryShare, ...]:
    """The totals of directories, those with most duplicates first; smaller ones are added up at the end."""
    given = report.answer.directories
    return _shares(given, _Directories.of(given).places(list(given)))


def directory_labels(report: Report) -> tuple[str, ...]:
    """The directories by which groups can be chosen."""
    return tuple(share.name for share in directory_shares(report) if share.name != OTHERS)


def directory_pairs(report: Report) -> tuple[list[str], list[list[int]], list[list[int]]] | None:
    """Which of D directories have duplicates of documents in which; None if only one directory has any.

    It is the directories; (D, D), how many duplicates the first has of documents that are kept in the second; and (D,
    D), the bytes of their texts.
    """
    groups, places = report.groups, report.groups.duplicates
    if not len(places):
        return None
    of_folders = _Directories.of(report.answer.directories, groups.folders).places(groups.folders)
    labels = list(dict.fromkeys(sorted(of_folders, key=lambda name: (name == OTHERS, name))))
    number = np.array([labels.index(name) for name in of_folders])[groups.folder]
    size = len(labels)
    cells = number[places] * size + number[groups.kept_of[places]]
    documents = np.bincount(cells, minlength=size * size)
    sums = np.zeros(size * size, np.int64)
    np.add.at(sums, cells, groups.size[places])
    used = np.flatnonzero(documents.reshape(size, size).any(axis=0) | documents.reshape(size, size).any(axis=1))
    if len(used) < 2:
        return None
    counts, in_bytes = (each.reshape(size, size)[np.ix_(used, used)].tolist() for each in (documents, sums))
    return [labels[at] for at in used.tolist()], counts, in_bytes


class _Directories:
    """The directories that figures show: all to a depth at which there are few, or else the largest and OTHERS."""

    def __init__(self, depth: int, shown: frozenset[bytes]) -> None:
        self._depth, self._shown = depth, shown

    @classmethod
    def of(cls, totals: Mapping[bytes, tuple[int, ...]], others: Sequence[bytes] = ()) -> _Directories:
        """others: directories that have no totals, because they are those of an index."""
        weights = {name: (duplicates, documents) for name, (documents, _, duplicates, _) in totals.items()}
        every = {name: weights.get(name, (0, 0)) for name in (*weights, *others)}
        depth, deepest = 1, max((name.count(b"/") + 1 for name in every), default=1)
        while depth < deepest and len({_cut(name, depth + 1) for name in every}) <= MOST_DIRECTORIES:
            depth += 1
        while depth < deepest and len({_cut(name, depth) for name in every}) == 1:
            depth += 1
        sums = dict[bytes, tuple[int, int]]()
        for name, (duplicates, documents) in every.items():
            before = sums.get(_cut(name, depth), (0, 0))
            sums[_cut(name, depth)] = before[0] + duplicates, before[1] + documents
        ordered = sorted(sums, key=lambda name: (-sums[name][0], -sums[name][1], name))
        fit = len(ordered) <= MOST_DIRECTORIES
        return cls(depth, frozenset(ordered if fit else ordered[: MOST_DIRECTORIES - 1]))

    def places(self, names: Sequence[bytes]) -> list[str]:
        """The directory under which each of these is shown."""
        cut = (_cut(name, self._depth) for name in names)
        return [display_name(name or b".") if name in self._shown else OTHERS for name in cut]


def _cut(name: bytes, depth: int) -> bytes:
    """The first parts of a path."""
    return b"/".join(name.split(b"/")[:depth])


def _shares(given: Mapping[bytes, tuple[int, ...]], labels: Sequence[str]) -> tuple[DirectoryShare, ...]:
    sums = dict[str, list[int]]()
    for label, figures in zip(labels, given.values(), strict=True):
        total = sums.setdefault(label, [0, 0, 0, 0])
        for at, value in enumerate(figures):
            total[at] += value
    order = sorted(sums, key=lambda name: (name == OTHERS, -sums[name][2], -sums[name][0], name))
    return tuple(DirectoryShare(name, *sums[name]) for name in order)


_MOST_TIMES = 40
"""Bars of the figure over time at most."""

_SECOND = 10**9


def times_of(report: Report) -> list[tuple[str, int, int]]:
    """When the files of documents in groups were changed, in UTC: by day, month or year; empty if all at one time.

    Each is a day, month or year, and how many kept documents and duplicates were changed in it.
    """
    groups = report.groups
    known = np.flatnonzero(groups.time > 0)
    is_kept = groups.kept_of == np.arange(len(groups.names))
    for unit in ("D", "M", "Y"):
        moments = (groups.time[known] // _SECOND).astype("datetime64[s]").astype(f"datetime64[{unit}]")
        if not len(moments):
            return []
        numbers = moments.astype(np.int64)
        first, last = int(numbers.min()), int(numbers.max())
        if last - first < _MOST_TIMES:
            break
    else:
        first = last - _MOST_TIMES + 1
        numbers = np.maximum(numbers, first)
    if first == last:
        return []
    kept, duplicates = (_counts(numbers[is_kept[known] == which] - first, last - first + 1) for which in (True, False))
    labels = np.arange(first, last + 1).astype(f"datetime64[{unit}]").astype(str).tolist()
    return list(zip(labels, kept, duplicates, strict=True))


def _counts(numbers: Index, size: int) -> list[int]:
    counted: list[int] = np.bincount(numbers, minlength=size).tolist()
    return counted


class Linked(NamedTuple):
    """A document of a group, and the one that links it to the kept document.

    at: its place in the group; 0: it is the kept document.
    to: the place of the document that it is linked to; -1: it is the kept document, or nothing links it.
    steps: the number of links between it and the kept document; 0 also if nothing links it.
    """

    at: int
    to: int
    steps: int


def linked(similarities: Floats, threshold: float) -> tuple[Linked, ...]:
    """How pairs that reach the threshold link all documents of a group to the kept one, with as few links as possible.

    similarities: float64 (n, n), of each two documents. Of several documents that are as near to the kept one, the most
    similar one is taken, or else the first. Each document comes after the one that it is linked to, and those that
    nothing links come last: their pairs were estimated to be more similar than they are.
    """
    found, step = {0: Linked(0, -1, 0)}, [0]
    while step:
        others = [at for at in range(len(similarities)) if at not in found]
        nearest = {at: max(step, key=lambda to: (similarities[at, to], -to)) for at in others}
        near = [at for at, to in nearest.items() if similarities[at, to] >= threshold]
        found |= {at: Linked(at, nearest[at], found[nearest[at]].steps + 1) for at in near}
        step = near
    order, waiting = list[Linked](), [0]
    while waiting:
        order.append(found[at := waiting.pop()])
        waiting += sorted((each.at for each in found.values() if each.to == at), reverse=True)
    return (*order, *(Linked(at, -1, 0) for at in range(len(similarities)) if at not in found))


def compared_group(report: Report) -> ShownGroup | None:
    """The largest group of a report whose documents are all compared with each other; None: there is none."""
    return next((each for each in report.shown if each.similarities is not None), None)
