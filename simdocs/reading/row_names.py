"""Names of documents in containers, PATH#ID or PATH#NUMBER: which are repeated, and which are also paths of files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from simdocs.model.documents import NUMBERED
from simdocs.model.ragged import Index, Rows
from simdocs.reading.batches import named


def renamed(names: list[bytes], facts: NDArray[np.void], path: bytes, *, moved: bool) -> list[bytes]:
    """The names of documents that are now in the container at this path.

    names: their earlier names.
    facts: their facts now.
    moved: whether their numbers have changed.
    """
    if not names:
        return names
    container = int(facts["container"][0])
    if moved and (facts["flags"] & NUMBERED).any():
        by_number = (facts["flags"] & NUMBERED).tolist()
        ids = [None if lacks else name[container + 1 :] for name, lacks in zip(names, by_number, strict=True)]
        return named(path, ids, facts["line"].tolist())
    if names[0][:container] == path:
        return names
    return [path + name[container:] for name in names]


_LAST_MARK = (1 << 24) - 1
"""The last bits of a hash, as a mask. The marks take 16 MiB, of which the system gives only the used pages."""

_Run = tuple[Index, Rows]
"""Hashes of names, ascending, and the row of each."""


class SeenNames:
    """Names that were seen, by hash and row: 16 bytes each. The names themselves are looked up by row.

    name_of: returns the name of a row that was added.
    """

    def __init__(self, name_of: Callable[[int], bytes]) -> None:
        self._name_of = name_of
        self._runs: list[_Run] = []
        self._marks = np.zeros(_LAST_MARK + 1, bool)
        """Whether the last bits of a hash were seen. Most new names are known to be new without a search."""

    def repeated(self, names: Sequence[bytes]) -> set[int]:
        """The places of the names that were seen before, or that occur earlier among these."""
        hashes = _hashes(names)
        ordered = np.sort(hashes)
        suspects = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
        perhaps = hashes[self._marks[hashes & _LAST_MARK]]
        for seen, _ in self._runs if len(perhaps) else ():
            places = np.minimum(np.searchsorted(seen, perhaps), len(seen) - 1)
            suspects.update(perhaps[seen[places] == perhaps].tolist())
        if not suspects:
            return set()
        found, here = set[int](), set[bytes]()
        for place, (name, number) in enumerate(zip(names, hashes.tolist(), strict=True)):
            if number in suspects:
                if name in here or self.row_of(name) is not None:
                    found.add(place)
                here.add(name)
        return found

    def add(self, names: Sequence[bytes], rows: Rows) -> None:
        """Add names, each with its row."""
        if not len(names):
            return
        hashes = _hashes(names)
        self._marks[hashes & _LAST_MARK] = True
        self._runs.append(_sorted(hashes, rows))
        # Runs of about the same size are merged, so there are few of them, and each name is merged a few times.
        while len(self._runs) > 1 and len(self._runs[-2][0]) < 2 * len(self._runs[-1][0]):
            (hashes, first), (more, others) = self._runs[-2:]
            self._runs[-2:] = [_sorted(np.concatenate((hashes, more)), np.concatenate((first, others)))]

    def forget(self) -> None:
        """Forget all names. If they were few, this is faster than a new object."""
        for hashes, _ in self._runs:
            self._marks[hashes & _LAST_MARK] = False
        self._runs.clear()

    def row_of(self, name: bytes) -> int | None:
        """The row of this name; None if it was not added."""
        number = hash(name)
        for hashes, rows in self._runs:
            begin, end = np.searchsorted(hashes, number), np.searchsorted(hashes, number, side="right")
            for row in rows[begin:end].tolist():
                if self._name_of(row) == name:
                    return int(row)
        return None


def _hashes(names: Sequence[bytes]) -> Index:
    return np.fromiter(map(hash, names), np.int64, len(names))


def _sorted(hashes: Index, rows: Rows) -> _Run:
    order = np.argsort(hashes, kind="stable")
    return hashes[order], rows[order]
