"""The files to read. There may be millions, so they are columns of arrays and not one object each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.identity import FileId, regular_file_id
from simdocs.corpora.walk import Entry
from simdocs.model.byte_strings import ByteStrings, joined
from simdocs.model.documents import MET, NAMED
from simdocs.model.growing import GrowingArray, GrowingByteStrings
from simdocs.model.ragged import Index, Mask, firsts_of_runs

_AT_ONCE = 1 << 12
"""Files that are added to the columns at once."""


@dataclass(frozen=True, slots=True)
class FileList:
    """N files to read, in row order.

    sizes: (N,) when they were found. met: how they were met, (N,) MET. held: the bytes of those that can be read only
    once, such as pipes, by row. named: the rows of those that were named as arguments themselves, whether or not a walk
    reached them first. jsonl: the rows of those that are held and are JSON lines. texts: whether the bytes that are
    held are known to be texts. other_names: the names by which files were reached again, after their first, in the
    order in which they were reached; other_rows: the row of each. inputs: other files that were read: lists of names.
    """

    names: ByteStrings
    sizes: Index
    met: NDArray[np.void]
    held: Mapping[int, bytes] = field(default_factory=dict)
    named: frozenset[int] = frozenset()
    jsonl: frozenset[int] = frozenset()
    texts: bool = False
    other_names: ByteStrings = field(default_factory=lambda: ByteStrings(joined([])))
    other_rows: Index = field(default_factory=lambda: np.empty(0, np.int64))
    inputs: frozenset[FileId] = frozenset()

    @classmethod
    def of(cls, names: Sequence[bytes], sizes: Sequence[int], held: Mapping[int, bytes], *, texts: bool) -> FileList:
        """Files that were named themselves, or texts in memory."""
        met = np.zeros(len(names), MET)
        met["walked"] = NAMED
        return cls(ByteStrings(joined(names)), np.array(sizes, np.int64), met, held, texts=texts)

    def file_id(self, row: int) -> FileId:
        """The id of the file in this row, when it was found."""
        return int(self.met["device"][row]), int(self.met["inode"][row])

    def holds(self, path: str) -> bool:
        """Whether the file at this path is one of the files, or of the inputs."""
        found = regular_file_id(path)
        if found is None:
            return False
        return found in self.inputs or bool(((self.met["device"] == found[0]) & (self.met["inode"] == found[1])).any())


class Reached:
    """Collects the files that are reached, in row order. A file may be reached several times."""

    def __init__(self) -> None:
        self._names, self._sizes, self._met = GrowingByteStrings(), GrowingArray(np.int64), GrowingArray(MET)
        self._held: dict[int, bytes] = {}
        self._named, self._jsonl = set[int](), set[int]()
        self._count = 0

    def add(self, entries: Iterable[Entry], *, jsonl: bool = False) -> None:
        """Add files. jsonl: those that are held are JSON lines."""
        coming = iter(entries)
        while some := list(islice(coming, _AT_ONCE)):
            for at, entry in enumerate(some, self._count):
                if entry.held is not None:
                    self._held[at] = entry.held
                    if jsonl:
                        self._jsonl.add(at)
                if entry.named:
                    self._named.add(at)
            self._names.add([entry.name for entry in some])
            self._sizes.add(np.array([entry.size for entry in some]))
            self._met.add(np.array([(entry.walked, *entry.file_id) for entry in some], MET))
            self._count += len(some)

    def files(self, inputs: Iterable[FileId] = ()) -> FileList:
        """All files, each once, where it was reached first."""
        names, sizes, met = self._names.all(), self._sizes.all(), self._met.all()
        first = _first_of_each(met)
        new: Mask = first == np.arange(len(first))
        row = (np.cumsum(new) - 1)[first]
        other_rows = row[~new]
        others = ByteStrings(names.ragged.take(np.flatnonzero(~new)))
        if len(other_rows):
            names, sizes, met = ByteStrings(names.ragged.take(np.flatnonzero(new))), sizes[new], met[new]
        return FileList(
            names,
            sizes,
            met,
            {int(row[at]): data for at, data in self._held.items() if new[at]},
            frozenset(int(row[at]) for at in self._named),
            frozenset(int(row[at]) for at in self._jsonl if new[at]),
            other_names=others,
            other_rows=other_rows,
            inputs=frozenset(inputs),
        )


def _first_of_each(met: NDArray[np.void]) -> Index:
    """For each file the place where it was reached first, by device and inode: int64 (n,)."""
    order = np.lexsort((met["inode"], met["device"]))
    ordered = met[order]
    new = np.ones(len(order), bool)
    new[1:] = (ordered["inode"][1:] != ordered["inode"][:-1]) | (ordered["device"][1:] != ordered["device"][:-1])
    # lexsort is stable, so a run of equal files begins with the one that was reached first.
    return firsts_of_runs(order, new)
