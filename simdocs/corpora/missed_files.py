"""The files of an earlier run that were not found because something above them cannot be looked at now."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass

import numpy as np

from simdocs.corpora.earlier_files import AT_ONCE, EarlierFiles
from simdocs.corpora.file_list import STAMP, FileList
from simdocs.model.documents import MET
from simdocs.model.ragged import Index


@dataclass(frozen=True, slots=True)
class MissedFiles:
    """M files of an earlier run that are to stand in a list of files, though they were not found.

    numbers: their numbers. arguments: the arguments that gave them. places: the rows of the list before which they
    stand, in their order.
    """

    earlier: EarlierFiles
    numbers: Index
    arguments: Index
    places: Index

    @property
    def rows(self) -> Index:
        """Their rows in the list when they are in it."""
        return self.places + np.arange(len(self.places))

    def added_to(self, found: FileList) -> FileList:
        """The list with these files, which have the times and inodes that they had then."""
        if not len(self.numbers):
            return found
        files = self.earlier.sources.files[self.numbers]
        stamps, met = np.zeros(len(files), STAMP), np.zeros(len(files), MET)
        for name, recorded in (("size", "file_size"), ("mtime_ns", "mtime_ns"), ("ctime_ns", "ctime_ns")):
            stamps[name] = files[recorded]
        met["inode"] = files["inode"]
        return found.with_files(self.places, self.arguments, self.earlier.names(self.numbers), stamps, met)


def missed_files(found: FileList, earlier: EarlierFiles, there: Index) -> MissedFiles:
    """The earlier files at paths that could not be looked at.

    there: the numbers of the earlier files that were found, perhaps under other names; or -1.
    """
    added = list[tuple[int, int, bytes, int]]()
    missing = np.ones(len(earlier.sources.files), bool)
    missing[there[there >= 0]] = False
    numbers = np.flatnonzero(missing) if found.unread else there[:0]
    ends = np.cumsum(found.counts).tolist()
    places = dict[tuple[int, bytes], int]()
    for at in range(0, len(numbers), AT_ONCE):
        some = numbers[at : at + AT_ONCE]
        for name, number in zip(earlier.names(some), some.tolist(), strict=True):
            where = found.unread.place_of(name) if earlier.is_here(name) else None
            if where is None:
                continue
            argument, prefix = where
            if where not in places:
                first = ends[argument - 1] if argument else 0
                places[where] = bisect(found.names, prefix, first, ends[argument])
            added.append((argument, places[where], name, number))
    added.sort()
    columns = np.array([(number, argument, place) for argument, place, _, number in added], np.int64).reshape(-1, 3)
    return MissedFiles(earlier, *columns.T)
