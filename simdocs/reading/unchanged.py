"""Compare the files of an update with those of an earlier run, by their names, sizes, times and inodes."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from simdocs.model.artifact import Artifact
from simdocs.model.documents import Documents
from simdocs.model.ragged import Array, Index, Keys, Mask, Ragged, ranges, separate
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import is_uri
from simdocs.options.families import compression_of
from simdocs.options.recipes import Sequences, Updating
from simdocs.reading.file_list import FileList, format_of
from simdocs.reading.files import RECENT_NS, Stamp, content_digest
from simdocs.reading.formats.lines import BLOCK, blocks_digests

AT_ONCE = 1 << 12
"""Names that are taken out of their columns at once, and files that are taken over at once."""


def names_of_files(documents: Documents, numbers: Index) -> list[bytes]:
    """The names of these files of the documents."""
    rows = documents.files["row"][numbers]
    names, containers = documents.names, documents.facts["container"][rows].astype(np.int64)
    starts = names.offsets[rows]
    lengths = np.where(containers > 0, containers, names.offsets[rows + 1] - starts)
    return separate(Ragged.from_lengths(names.values[ranges(starts, lengths)], lengths))


class Unchanged:
    """The unchanged files among the files that were found.

    found: the N files.
    same: the number of the same earlier file, for each; or -1.
    likely: the number of an earlier file with the same name or inode, which may have the same content; or -1.
    """

    def __init__(self, found: FileList, earlier: Earlier, same: Index, likely: Index, limit: int) -> None:
        self.found, self.earlier, self.same, self.likely = found, earlier, same, likely
        self._limit = limit
        self._one_text: Mask = earlier.documents.facts["container"][earlier.files["row"]] == 0
        """Which earlier files were one text: (F,)."""

    def is_one_text(self, row: int) -> bool:
        """Whether a file is taken over that was one text. If it is named like a container, it still is no table."""
        return bool(self.same[row] >= 0 and self._one_text[self.same[row]])

    def may_be_like(self, row: int, number: int, *, grown: bool) -> bool:
        """Whether a container may have the content of the earlier container with this number, if that is not -1.

        grown: whether it may also have grown since. Of what was skipped, nothing is taken over, because it must be
        reported again, and neither are documents that may be too large now. What an object of a store holds is only
        known if it may have grown: see `digests_of`.
        """
        if number < 0 or self._one_text[number] or self._limit < self.earlier.limit:
            return False
        if is_uri(self.found.names[row]) and not grown:
            return False
        then, now = self.earlier.files[number], self.found.sizes[row]
        return bool(not then["skipped"] and (now == then["file_size"] or (grown and now > then["file_size"])))

    def content(self, number: int) -> bytes:
        """The digest of the content of an earlier file."""
        return bytes(self.earlier.files["content"][number].tobytes())

    def rows_of(self, number: int, end: int) -> range:
        """The rows of an earlier container's documents: of those that begin before `end`, or of all if it is -1."""
        files, documents = self.earlier.files, self.earlier.documents
        first = int(files["row"][number])
        stop = int(files["row"][number + 1]) if number + 1 < len(files) else len(documents)
        starts = documents.facts["start"][first:stop]
        return range(first, stop if end < 0 else first + int(np.searchsorted(starts, end)))

    def likely_contents(self, cut: slice) -> Keys:
        """The digests of the probable contents of these files, (n, 2) uint64; 0, 0 if nothing is known."""
        likely = self.likely[cut]
        contents: Keys = np.zeros((len(likely), 2), np.uint64)
        contents[likely >= 0] = self.earlier.files["content"][likely[likely >= 0]]
        return contents


@dataclass(frozen=True, slots=True)
class Earlier:
    """An artifact of an earlier run, from which unchanged documents are taken over.

    read_ns: when the run began to read.
    limit: the largest size of a document then, in bytes.
    """

    artifact: Artifact
    read_ns: int
    limit: int
    updating: Updating

    @property
    def documents(self) -> Documents:
        """The documents of the artifact."""
        return self.artifact.documents

    @property
    def files(self) -> NDArray[np.void]:
        """The records of their files: (F,) FILE."""
        return self.artifact.documents.files

    def unchanged(self, found: FileList, sequences: Sequences, limit: int) -> Unchanged:
        """The unchanged files among those that were found.

        A file is unchanged if it has the same size, times and inode; its name may be another one. Times that were
        recent when the file was read prove nothing, because it may have been changed again in the same tick of the
        clock (git calls such a file racily clean). limit: the largest size of a document now, in bytes.
        """
        nothing = np.full(len(found.names), -1)
        if not len(self.files):
            return Unchanged(found, self, nothing, nothing, limit)
        named = _only(_hashes_of(self.documents), np.fromiter(map(hash, found.names), np.int64, len(found.names)))
        same = np.where(_equal_stamps(found, self, named), named, -1)
        others = np.flatnonzero(same < 0)
        by_inode = _only(self.files["inode"], found.met["inode"][others])
        by_inode[~_of_one_kind(found, others, self, by_inode, sequences)] = -1
        moved = nothing.copy()
        moved[others] = by_inode
        same = np.where(_equal_stamps(found, self, moved), moved, same)
        likely = np.where(named < 0, moved, named)
        if self.updating.checksum:
            same = nothing
        same = np.where(_trusted(self, limit)[same], same, -1)
        once = list(found.held)
        same[once] = likely[once] = -1
        return Unchanged(found, self, same, likely, limit)


def _hashes_of(documents: Documents) -> Index:
    hashes = np.empty(len(documents.files), np.int64)
    for at in range(0, len(hashes), AT_ONCE):
        part = hashes[at : at + AT_ONCE]
        part[:] = list(map(hash, names_of_files(documents, np.arange(at, at + len(part)))))
    return hashes


def _only(known: Array, wanted: Array) -> Index:
    """The place of each wanted value among the known ones; -1 unless it occurs there exactly once."""
    order = np.argsort(known, kind="stable")
    first, end = (np.searchsorted(known, wanted, side, sorter=order) for side in ("left", "right"))
    places: Index = order[np.minimum(first, len(order) - 1)]
    return np.where(end - first == 1, places, -1)


def _equal_stamps(found: FileList, earlier: Earlier, numbers: Index) -> Mask:
    """Whether each file has the stamp of the earlier file with this number (N,), if that is not -1."""
    files = earlier.files[numbers]
    equal: Mask = (numbers >= 0) & (files["inode"] != 0)
    equal &= (files["file_size"] == found.stamps["size"]) & (files["mtime_ns"] == found.stamps["mtime_ns"])
    equal &= (files["ctime_ns"] == found.stamps["ctime_ns"]) & (files["inode"] == found.met["inode"])
    return equal


def _of_one_kind(found: FileList, places: Index, earlier: Earlier, numbers: Index, sequences: Sequences) -> Mask:
    """Whether the files at these places have the format of the earlier files with these numbers (n,). Not for -1."""

    def kind(name: bytes) -> tuple[str, str]:
        return format_of(name, sequences), compression_of(name)

    alike, some = np.zeros(len(places), bool), np.flatnonzero(numbers >= 0)
    for at in range(0, len(some), AT_ONCE):
        part = some[at : at + AT_ONCE]
        now = (found.names[place] for place in places[part].tolist())
        then = names_of_files(earlier.documents, numbers[part])
        alike[part] = [kind(name) == kind(other) for name, other in zip(now, then, strict=True)]
    return alike


def _trusted(earlier: Earlier, limit: int) -> Mask:
    """Whether an equal stamp proves that an earlier file is unchanged: (F + 1,). The last one is False, for -1."""
    files, facts = earlier.files, earlier.documents.facts
    # The others may have changed again in the same tick of the clock, with the same times.
    trusted = np.maximum(files["mtime_ns"], files["ctime_ns"]) < earlier.read_ns - RECENT_NS
    trusted &= files["skipped"] == 0  # what was skipped must be reported again
    if limit < earlier.limit:  # of a container it is not known how large all of its documents are
        size = np.maximum(files["file_size"], facts["size"][files["row"]])
        trusted &= (facts["container"][files["row"]] == 0) & (size <= limit)
    return np.append(trusted, False)


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """Files to take over, each of which is one document.

    first: the row of the first one in the list of files.
    numbers: the numbers of the earlier files, (n,).
    """

    first: int
    numbers: Index

    kind: ClassVar[Literal["kept"]] = "kept"
    read_to: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Documents of a container to take over.

    file: the row of the file in the list of files.
    stamp: its stamp now.
    number: the number of the earlier file.
    rows: the rows of the documents in the earlier artifact.
    digests: those of the blocks before the first one that is read, if the file has grown; else none.
    numbers: how many lines there are before the first one that is read.
    read_to: how many bytes of the file are read when they are.
    """

    file: int
    stamp: Stamp
    number: int
    rows: range
    _: KW_ONLY
    digests: list[bytes]
    numbers: int
    read_to: int

    kind: ClassVar[Literal["kept"]] = "kept"


def kept_rows(unchanged: Unchanged, row: int, *, may_have_grown: bool) -> Generator[tuple[KeptRows, int], None, int]:
    """Yield the documents of a file to take over, in batches with the number of files that end there.

    Return where the first line begins that must be read; 0 if nothing is taken over, and -1 if everything is.

    may_have_grown: whether it is a file of lines, of which the beginning may be the same.
    """
    number = int(unchanged.same[row])
    end, numbers, digests = -1, 0, list[bytes]()
    if unchanged.is_one_text(row):
        return 0
    if number < 0:
        number = int(unchanged.likely[row])
        if not unchanged.may_be_like(row, number, grown=may_have_grown):
            return 0
        try:
            end, numbers, digests = _beginning(unchanged, row, number)
        except DocumentSkipped:
            return 0
        if not end:
            return 0
    rows, stamp = unchanged.rows_of(number, end), unchanged.found.stamp(row)
    for at in range(rows.start, max(rows.stop, rows.start + 1), AT_ONCE):
        some = rows[at - rows.start : at - rows.start + AT_ONCE]
        is_last = some.stop == rows.stop
        read_to = stamp.size if end < 0 else end
        yield (
            KeptRows(row, stamp, number, some, digests=digests, numbers=numbers, read_to=read_to),
            int(is_last and end < 0),
        )
        digests = []
    return end


def _beginning(unchanged: Unchanged, row: int, number: int) -> tuple[int, int, list[bytes]]:
    """Where the first line of a file begins that must be read, how many lines and the digests of the blocks before it.

    If the file is the same, -1, 0 and none; if it does not begin as the earlier file, 0, 0 and none.
    DocumentSkipped: it cannot be read.
    """
    found = unchanged.found
    digests, numbers, end, at = list[bytes](), 0, 0, 0
    size = int(unchanged.earlier.files["file_size"][number])
    for data, digest in blocks_digests(found.names[row], size, follow=found.follows(row)):
        digests.append(digest)
        numbers += data.count(b"\n")
        end = at + after if (after := data.rfind(b"\n") + 1) else end
        at += len(data)
    if unchanged.content(number) != content_digest(*digests):
        return 0, 0, []
    return (-1, 0, []) if size == found.sizes[row] else (end, numbers, digests[: end // BLOCK])
