"""Files that an update takes over, because they have not changed, and files of lines that have only grown."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.reading.formats.lines import BLOCK, blocks_digests
from simdocs.reading.identity import Stamp, content_digest
from simdocs.reading.unchanged import AT_ONCE, Unchanged


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


def kept_files(unchanged: Unchanged, start: int, stop: int) -> Iterator[tuple[KeptFiles, int]]:
    """Yield files to take over, in batches with the number of files that end there."""
    for at in range(start, stop, AT_ONCE):
        numbers = unchanged.same[at : min(at + AT_ONCE, stop)]
        yield KeptFiles(at, numbers), len(numbers)


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
    size = int(unchanged.earlier.sources.files["file_size"][number])
    for data, digest in blocks_digests(found.names[row], size, follow=bool(found.follow[row])):
        digests.append(digest)
        numbers += data.count(b"\n")
        end = at + after if (after := data.rfind(b"\n") + 1) else end
        at += len(data)
    if unchanged.content(number) != content_digest(*digests):
        return 0, 0, []
    return (-1, 0, []) if size == found.sizes[row] else (end, numbers, digests[: end // BLOCK])
