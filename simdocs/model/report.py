"""A report: the groups of a saved answer, with what differs in their pairs, for people to look at."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from simdocs.model.passages import Difference
from simdocs.model.ragged import Array, Floats, Index
from simdocs.model.result import Result
from simdocs.model.saved_answer import SavedAnswer, SavedDocument
from simdocs.options.families import FIGURES
from simdocs.options.file_formats import FILE_FORMATS

MOST_PAIRS = 50
"""Duplicates of one group whose texts are in a report at most. More would leave no room for other groups."""

MOST_IN_MATRIX = 50
"""Documents of a group at most whose similarities to each other are in a report."""


class GroupTable(NamedTuple):
    """G groups with M documents: the largest group first, and in each the kept document before its duplicates.

    number: int64 (G,), the numbers of the groups in the answer.
    starts: int64 (G + 1,), where the documents of each group begin.
    names: the names of the M documents.
    folder: int64 (M,), the number of the directory of each, in `folders`.
    folders: the directories.
    size: int64 (M,), the bytes of each text.
    time: int64 (M,), when each file was changed, in nanoseconds since 1970; 0: there is no file.
    similarity: float64 (M,), that of a duplicate and its kept document; NaN for a kept document.
    """

    number: Index
    starts: Index
    names: list[bytes]
    folder: Index
    folders: list[bytes]
    size: Index
    time: Index
    similarity: Floats

    @classmethod
    def of(cls, answer: SavedAnswer) -> GroupTable:
        """The groups of an answer. Groups of the same size keep their order."""
        numbers, starts, names = list[int](), list[int](), list[bytes]()
        figures, folders = list[tuple[int, int, int, float]](), dict[bytes, int]()

        def add(document: SavedDocument, similarity: float) -> None:
            folder = folders.setdefault(os.path.dirname(document.file), len(folders))
            names.append(document.name)
            figures.append((folder, document.size, document.mtime_ns if document.inode else 0, similarity))

        for pair in answer.pairs():
            if not numbers or numbers[-1] != pair.group:
                numbers.append(pair.group)
                starts.append(len(names))
                add(pair.kept, float("nan"))
            add(pair.duplicate, round(pair.estimate if pair.jaccard is None else pair.jaccard, 6))
        starts.append(len(names))
        columns: list[Any] = list(zip(*figures, strict=True)) if figures else [()] * 4
        folder, size, time = (np.array(column, np.int64) for column in columns[:3])
        similarity = np.array(columns[3], np.float64)
        found = cls(
            np.array(numbers, np.int64),
            np.array(starts, np.int64),
            names,
            folder,
            list(folders),
            size,
            time,
            similarity,
        )
        return found._with_groups(np.argsort(-found.sizes, kind="stable"))

    def _with_groups(self, order: Array) -> GroupTable:
        sizes = self.sizes[order]
        starts = np.concatenate(([0], np.cumsum(sizes)))
        places = np.repeat(self.starts[:-1][order] - starts[:-1], sizes) + np.arange(starts[-1])
        return GroupTable(
            self.number[order],
            starts,
            [self.names[place] for place in places.tolist()],
            self.folder[places],
            self.folders,
            self.size[places],
            self.time[places],
            self.similarity[places],
        )

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


class ShownGroup(NamedTuple):
    """What a report shows of the texts of a group.

    place: the place of the group in the table.
    differences: the difference of the kept document and each duplicate of which it is shown, by the place of the
        duplicate in the group, from 1. One with `missing` says why its texts cannot be shown.
    similarities: float64 (n, n), how similar each two documents are; None: this was not computed.
    """

    place: int
    differences: dict[int, Difference]
    similarities: Floats | None


class Report(Result):
    """An answer of dedupe to look at.

    answer: what was compared and how, and the counts.
    groups: the groups.
    shown: the texts that are shown, in the order of the groups.
    most_bytes: the bytes of texts that are shown at most.
    figure_name: the name of the figure that is drawn alone, if one is.
    """

    def __init__(
        self,
        answer: SavedAnswer,
        groups: GroupTable,
        shown: tuple[ShownGroup, ...] = (),
        most_bytes: int = 0,
        figure_name: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__("report", **more)
        self.answer, self.groups, self.shown = answer, groups, shown
        self.most_bytes, self.figure_name = most_bytes, figure_name

    def html(self) -> bytes:
        """The report as one page of HTML. MissingExtraError: Jinja2 is not installed."""
        drawn: bytes = FILE_FORMATS["report.html"].load()(self)
        return drawn

    def figure(self, name: str) -> bytes:
        """One of the figures as an image in SVG. KeyError: there is no such figure."""
        drawn: str = FIGURES[name].load()(self)
        return drawn.encode()


def pairs_shown(shown: Sequence[ShownGroup]) -> int:
    """The number of duplicates whose difference to the kept document is shown."""
    return sum(not each.missing for group in shown for each in group.differences.values())


def unreadable(shown: Sequence[ShownGroup]) -> list[str]:
    """Why texts that were to be shown are not, each reason once, in order."""
    every = (each.missing for group in shown for each in group.differences.values() if each.missing)
    return list(dict.fromkeys(every))


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
