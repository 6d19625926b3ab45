"""A report: the groups of a saved answer, with what differs in their pairs, for people to look at."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from simdocs.model.comparison import Difference
from simdocs.model.groups import SavedAnswer, SavedDocument
from simdocs.model.ragged import Floats, Index, offsets_of
from simdocs.model.result import Result
from simdocs.names import display_name
from simdocs.options.declaration import loaded

MOST_PAIRS = 50
"""Duplicates of one group whose texts are in a report at most. More would leave no room for other groups."""

MOST_DIRECTORIES, OTHERS = 10, "other directories"
"""Directories that a figure shows, and the name of those that it adds up."""

_STEPS = 100
"""Bars for the similarities from 0 to 1."""


class GroupTable(NamedTuple):
    """G groups with M documents: the largest group first, and in each the kept document before its duplicates.

    number: int64 (G,), the numbers of the groups in the answer.
    starts: int64 (G + 1,), where the documents of each group begin.
    names: the names of the M documents.
    folder: int64 (M,), the number of the directory of each, in `folders`.
    folders: the directories.
    size: int64 (M,), the bytes of each text.
    similarity: float64 (M,), that of a duplicate and its kept document; NaN for a kept document.
    """

    number: Index
    starts: Index
    names: list[bytes]
    folder: Index
    folders: list[bytes]
    size: Index
    similarity: Floats

    @classmethod
    def of(cls, answer: SavedAnswer) -> GroupTable:
        """The groups of an answer. Groups of the same size keep their order."""
        names, folders = list[bytes](), dict[bytes, int]()
        facts = list[tuple[int, int, int, float]]()

        def add(group: int, document: SavedDocument, similarity: float) -> None:
            names.append(document.name)
            folder = folders.setdefault(os.path.dirname(document.file), len(folders))
            facts.append((group, folder, document.size, similarity))

        for pair in answer.pairs():
            if not facts or facts[-1][0] != pair.group:
                add(pair.group, pair.kept, float("nan"))
            add(pair.group, pair.duplicate, round(pair.estimate if pair.jaccard is None else pair.jaccard, 6))
        group, folder, size = np.array([each[:-1] for each in facts], np.int64).reshape(-1, 3).T
        sizes = np.bincount(group)
        number, order = (np.argsort(-each, kind="stable") for each in (sizes, sizes[group]))
        in_order = [names[place] for place in order.tolist()]
        similarity = np.array([each[-1] for each in facts], np.float64)[order]
        return cls(number, offsets_of(sizes[number]), in_order, folder[order], list(folders), size[order], similarity)

    @property
    def sizes(self) -> Index:
        """The number of documents of each group: int64 (G,)."""
        return np.diff(self.starts)

    @property
    def kept_of(self) -> Index:
        """The place of the kept document of each document's group: int64 (M,)."""
        return np.repeat(self.starts[:-1], self.sizes)

    @property
    def duplicates(self) -> Index:
        """The places of all duplicates, ascending."""
        return np.flatnonzero(self.kept_of != np.arange(len(self.names)))

    def __len__(self) -> int:
        return len(self.number)


class Report(Result):
    """An answer of dedupe to look at.

    answer: what was compared and how, and the counts.
    groups: the groups.
    shown: for each group of which texts are shown, by its place, the difference of the kept document and each
        duplicate, or why there is none, by the place of the duplicate in the group, from 1.
    most_bytes: the bytes of texts that are shown at most.
    figure_name: the name of the figure that is drawn alone, if one is.
    """

    def __init__(
        self,
        answer: SavedAnswer,
        groups: GroupTable,
        shown: dict[int, dict[int, Difference | str]],
        most_bytes: int,
        figure_name: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__("report", **more)
        self.answer, self.groups, self.shown = answer, groups, shown
        self.most_bytes, self.figure_name = most_bytes, figure_name

    def html(self) -> bytes:
        """The report as one page of HTML. MissingExtraError: Jinja2 is not installed."""
        drawn: bytes = loaded("simdocs.views.report_page:report_page")(self)
        return drawn

    def figure(self, name: str) -> bytes:
        """One of the figures as an image in SVG. KeyError: there is no such figure."""
        drawn: bytes = loaded("simdocs.views.svg:figure_file")(self, name)
        return drawn


def differences(shown: dict[int, dict[int, Difference | str]]) -> tuple[int, list[str]]:
    """How many differences are shown; and why others are not, each reason once, in order. shown: see Report."""
    every = [each for group in shown.values() for each in group.values()]
    missing = [each for each in every if isinstance(each, str)]
    return len(every) - len(missing), list(dict.fromkeys(missing))


def chosen_pairs(groups: GroupTable, most_bytes: int) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield which texts fit in this number of bytes: the place of a group, and those of its duplicates, from 1.

    The largest groups come first, with at most MOST_PAIRS duplicates each. A pair takes the bytes of both texts. One
    that does not fit is left out, and later ones that do are taken.
    """
    left = most_bytes
    for place, (begin, end) in enumerate(zip(groups.starts[:-1].tolist(), groups.starts[1:].tolist(), strict=True)):
        sizes = groups.size[begin : min(end, begin + MOST_PAIRS + 1)].tolist()
        chosen = list[int]()
        for at, size in enumerate(sizes[1:], 1):
            if size + sizes[0] <= left:
                left -= size + sizes[0]
                chosen.append(at)
        if chosen:
            yield place, chosen


def similarities_of(report: Report) -> tuple[int, list[int], int]:
    """How many duplicates have which similarity to the kept document.

    It is the number of the first bar, which begins at this number / 100; the number of duplicates in each bar, without
    those of similarity 1; and how many have similarity 1. The threshold has a bar in any case.
    """
    found = report.groups.similarity[report.groups.duplicates]
    below = found[found < 1]
    # 0.29 * 100 is 28.999999999999996.
    bars = np.minimum(np.floor(below * _STEPS + 1e-9).astype(np.int64), _STEPS - 1)
    first = min([int(report.answer.threshold * _STEPS + 1e-9), _STEPS - 1, *bars.tolist()])
    return first, np.bincount(bars - first, minlength=_STEPS - first).tolist(), len(found) - len(below)


def group_sizes(report: Report) -> list[tuple[int, int, int]]:
    """The groups by size: 2, 3 and 4 documents, and then from above each power of two to the next.

    Each is the least and the most documents, and how many groups have so many.
    """
    sizes = report.groups.sizes
    bounds = [(2, 2), (3, 3), (4, 4)]
    while bounds[-1][1] < max(sizes.tolist(), default=0):
        bounds.append((bounds[-1][1] + 1, bounds[-1][1] * 2))
    counted = [(low, high, int(((sizes >= low) & (sizes <= high)).sum())) for low, high in bounds]
    while counted and not counted[-1][2]:
        counted.pop()
    return counted


def directories_of(groups: GroupTable) -> tuple[list[str], Index]:
    """The directories in which documents of groups are, and the place of each document's: int64 (M,).

    They are as deep as there are at most MOST_DIRECTORIES. If that is only one, they are deeper, and those with
    the fewest documents are added up as OTHERS, at the end.
    """
    parts = [folder.split(b"/") for folder in groups.folders]
    cuts = [[b"/".join(each[:depth]) for each in parts] for depth in range(1, max(map(len, parts), default=1) + 1)]
    few = [cut for cut in cuts if len(set(cut)) <= MOST_DIRECTORIES]
    cut = few[-1] if few and (len(set(few[-1])) > 1 or len(few) == len(cuts)) else cuts[len(few)]
    documents = np.bincount(groups.folder, minlength=len(cut)).tolist()
    totals = Counter[bytes]()
    for name, count in zip(cut, documents, strict=True):
        totals[name] += count
    named = {name for name, _ in totals.most_common(MOST_DIRECTORIES - (len(totals) > MOST_DIRECTORIES))}
    shown = [display_name(name or b".") if name in named else OTHERS for name in cut]
    labels = sorted(set(shown), key=lambda name: (name == OTHERS, name))
    places = np.array([labels.index(name) for name in shown], np.int64)
    return labels, places[groups.folder]


def directory_pairs(report: Report) -> tuple[list[str], list[list[int]]] | None:
    """The D directories, and how many duplicates each has of documents that are kept in each: (D, D).

    None: all documents of groups are in one directory.
    """
    groups = report.groups
    (labels, place), duplicates = directories_of(groups), groups.duplicates
    size = len(labels)
    if size < 2:
        return None
    cells = place[duplicates] * size + place[groups.kept_of[duplicates]]
    return labels, np.bincount(cells, minlength=size * size).reshape(size, size).tolist()
