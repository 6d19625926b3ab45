"""Updates: what is taken over from an earlier artifact, and which documents are new, changed, renamed or removed.

Taken over are documents of unchanged files, and of the beginnings of those that grew.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simdocs.model.documents import Documents
from simdocs.model.ragged import ByteStrings, Index, Mask, Rows
from simdocs.pipeline.reading import Read, file_records
from simdocs.reading.unchanged import KeptFiles, KeptRows, Unchanged

_AT_ONCE = 1 << 16
"""Names that are compared at once."""


def taken_over(unchanged: Unchanged, kept: KeptFiles | KeptRows) -> tuple[Read, Rows]:
    """Documents of an earlier artifact as a Read, with their earlier rows."""
    documents, found = unchanged.earlier.documents, unchanged.found
    if isinstance(kept, KeptFiles):
        cut = slice(kept.first, kept.first + len(kept.numbers))
        files = unchanged.earlier.files[kept.numbers]
        rows: Rows = files["row"].copy()
        files["file_size"], files["inode"] = found.stamps["size"][cut], found.met["inode"][cut]
        files["mtime_ns"], files["ctime_ns"] = (found.stamps[name][cut] for name in ("mtime_ns", "ctime_ns"))
        places, facts = list(range(len(rows))), documents.facts[rows]
        return Read(places=places, names=found.names[cut], facts=facts, files=files, skips=[]), rows
    rows, path = np.arange(kept.rows.start, kept.rows.stop), found.names[kept.file]
    facts = documents.facts[rows]
    names = ByteStrings(documents.names)[kept.rows.start : kept.rows.stop]
    end = int(facts["container"][0]) if names else 0
    if names and names[0][:end] != path:
        names = [path + name[end:] for name in names]
    facts["container"] = len(path)
    files, places = file_records([kept.stamp], [unchanged.content(kept.number)]), facts["line"].tolist()
    return Read(places=places, names=names, facts=facts, files=files, skips=[], digests=kept.digests), rows


def fill_known(read: Read, unchanged: Unchanged, first: int) -> Rows:
    """Complete the facts of documents that are known. Return the earlier row of each document, or -1.

    first: the row, in the list of files, of the first file of the task.
    """
    files = unchanged.earlier.files[unchanged.likely[first + np.array(read.places, np.int64)]]
    rows: Rows = files["row"][read.known]
    read.facts[read.known] = unchanged.earlier.documents.facts[rows]
    every = np.full(len(read.places), -1)
    every[read.known] = rows
    return every


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The differences between documents and those of an earlier artifact, as rows.

    new: documents without an earlier one of the same name.
    changed: documents that have another text.
    removed: earlier documents that are gone.
    unchanged: how many documents have the same text.
    renamed: documents with a new name and the text of an earlier one whose name is gone. They are not new, and the
        earlier ones are not removed. Each earlier one is renamed once, in row order. Further copies are new.
    """

    new: Rows
    changed: Rows
    removed: Rows
    unchanged: int
    renamed: Rows

    @property
    def news(self) -> Rows:
        """The rows of documents that are new or changed, ascending."""
        return np.union1d(self.new, self.changed)


def changes(documents: Documents, earlier: Documents | None) -> Changes:
    """Compare documents with those of an earlier artifact, if any. Texts with equal size and digest are the same."""
    if earlier is None:
        nothing = np.empty(0, np.int64)
        new = np.arange(len(documents))
        return Changes(new=new, changed=nothing, removed=nothing, unchanged=0, renamed=nothing)
    taken, gone = np.zeros(len(documents), bool), np.ones(len(earlier), bool)
    if documents.earlier is not None:
        _mark_taken_over(documents, documents.earlier, earlier, taken, gone)
    rows, others = np.flatnonzero(~taken), np.flatnonzero(gone)
    found = _of_same_name(documents, rows, earlier, others)
    gone[found[found >= 0]] = False
    same: Mask = found >= 0
    alike = _have_same_texts(documents.facts[rows[same]], earlier.facts[found[same]])
    unchanged = int(taken.sum() + alike.sum())
    new, removed = rows[~same], np.flatnonzero(gone)
    renamed, former = _of_same_text(documents, new, earlier, removed)
    return Changes(
        new=np.delete(new, renamed),
        changed=rows[same][~alike],
        removed=np.delete(removed, former),
        unchanged=unchanged,
        renamed=np.sort(new[renamed]),
    )


def _mark_taken_over(documents: Documents, rows: Rows, earlier: Documents, taken: Mask, gone: Mask) -> None:
    """Mark the documents that were taken over under the same name. rows: their earlier rows, or -1."""
    now, then = ByteStrings(documents.names), ByteStrings(earlier.names)
    begins = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    for begin, stop in pairwise([*begins.tolist(), len(rows)]):
        first = int(rows[begin]) - begin
        if rows[begin] < 0:
            continue
        for at in range(begin, stop, _AT_ONCE):
            end = min(at + _AT_ONCE, stop)
            mine, theirs = now.ragged.cut(at, end), then.ragged.cut(first + at, first + end)
            if np.array_equal(mine.offsets, theirs.offsets) and np.array_equal(mine.values, theirs.values):
                equal = np.ones(end - at, bool)
            else:
                pairs = zip(now[at:end], then[first + at : first + end], strict=True)
                equal = np.array([name == other for name, other in pairs], bool)
            # The same shingles may be those of another text.
            equal &= _have_same_texts(documents.facts[at:end], earlier.facts[first + at : first + end])
            taken[at:end] = equal
            gone[first + at : first + end] &= ~equal


def _have_same_texts(now: NDArray[np.void], then: NDArray[np.void]) -> Mask:
    """Whether each document has the text of the earlier one, by their facts: (n,)."""
    same: Mask = (now["size"] == then["size"]) & (now["digest"] == then["digest"]).all(axis=1)
    return same


def _of_same_text(documents: Documents, new: Rows, earlier: Documents, removed: Rows) -> tuple[Index, Index]:
    """Pairs of a new document and a removed one with the same text, each in one pair at most: their places."""
    if not len(new) or not len(removed):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    facts = np.concatenate((documents.facts[new], earlier.facts[removed]))
    marks = np.column_stack((facts["size"].astype(np.uint64), facts["digest"]))
    text = np.unique(marks, axis=0, return_inverse=True)[1].ravel()
    # The i-th new document of a text is the i-th removed one of it.
    mine, theirs = (each * len(text) + _ranks(each) for each in (text[: len(new)], text[len(new) :]))
    _, places, others = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
    return places, others


def _ranks(groups: Index) -> Index:
    """For each place the number of earlier places in the same group: int64 (n,)."""
    order = np.argsort(groups, kind="stable")
    ranks = np.empty(len(groups), np.int64)
    ranks[order] = np.arange(len(groups)) - np.searchsorted(groups[order], groups[order])
    return ranks


def _of_same_name(documents: Documents, rows: Rows, earlier: Documents, others: Rows) -> Index:
    """For each of these rows the other row with the same name; -1 if no other document has it."""
    found = np.full(len(rows), -1)
    if not len(rows) or not len(others):
        return found
    known, wanted = _hashes(earlier, others), _hashes(documents, rows)
    order = np.argsort(known, kind="stable")
    places = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(order) - 1)]
    equal = np.flatnonzero(known[places] == wanted)
    for at in equal.tolist():
        other = int(others[places[at]])
        if documents.raw_name(int(rows[at])) == earlier.raw_name(other):
            found[at] = other
    return found


def _hashes(documents: Documents, rows: Rows) -> Index:
    names = documents.names
    return np.fromiter((hash(names[row].tobytes()) for row in rows.tolist()), np.int64, len(rows))
