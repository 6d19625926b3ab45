"""Documents: their names, and the facts that were recorded about each one when it was read, in columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simdocs.model.ragged import Array, Index, Mask, Ragged, Rows, firsts_of_runs, let_go
from simdocs.names import name_to_text


class Column(Protocol):
    """One array of an artifact. Every method returns plain NumPy arrays, which must not be written to.

    shape: that of the whole array.

    ArtifactError: a part that is asked for is damaged on disk.
    """

    shape: tuple[int, ...]

    def __len__(self) -> int:
        return self.shape[0]

    def all(self) -> Array:
        """Return the whole array."""

    def rows(self, rows: Array) -> Array:
        """Return the rows with these numbers, (n, *shape[1:])."""

    def cut(self, begin: int, end: int) -> Array:
        """Return rows begin to end - 1."""

    def at(self, places: Array) -> Array:
        """Return the values at these places of the flattened array, (n,)."""

    def release(self) -> None:
        """Let the system take back the memory of a column on disk. What is needed again is read again."""


class MemoryColumn(Column):
    """A column in memory."""

    def __init__(self, array: Array) -> None:
        self.array, self.shape = array, array.shape

    def all(self) -> Array:
        """Return the array itself."""
        return self.array

    def rows(self, rows: Array) -> Array:
        """Return the rows with these numbers, (n, *shape[1:])."""
        return self.array[rows]

    def cut(self, begin: int, end: int) -> Array:
        """Return rows begin to end - 1."""
        return self.array[begin:end]

    def at(self, places: Array) -> Array:
        """Return the values at these places of the flattened array, (n,)."""
        return self.array.reshape(-1)[places]

    def release(self) -> None:
        """Let the system take back the memory of an array that grew so large that it is in a file."""
        let_go(self.array)


FILE_FIELDS = (
    ("row", "<i8", (), "row of its first document; those of its other documents follow"),
    ("file_size", "<i8", (), "size in bytes on disk"),
    ("mtime_ns", "<i8", (), "modification time, in nanoseconds since 1970"),
    ("ctime_ns", "<i8", (), "time of the last change of its inode, in nanoseconds since 1970"),
    ("inode", "<u8", (), "inode; 0, like the times, if the documents came from no file and cannot be reread"),
    (
        "content",
        "<u8",
        (2,),
        "first 16 bytes of the SHA-256 of its content after decompression; of a file with many documents, that of the"
        " digests of its blocks of 512 KiB as they are on the disk; of a compressed file or table in a store, that of"
        " its size and time",
    ),
    (
        "skipped",
        "<i8",
        (),
        "how many of its lines were skipped, and 1 more if it could not be read to its end, or must be read again for"
        " another reason",
    ),
)
"""The facts of a file: name, dtype, shape and meaning."""

FILE_AMOUNTS = ("row", "file_size", "skipped")
"""The fields that are sizes and numbers, and so never negative."""

FILE = np.dtype([(name, dtype, shape) for name, dtype, shape, _ in FILE_FIELDS])

STAMP_FIELDS = ("file_size", "mtime_ns", "ctime_ns", "inode")
"""The fields of a file that tell whether it has changed."""


def files_of_rows(firsts: Array, rows: Rows, documents: int) -> Index:
    """The number of the file of each row: int64 (n,). firsts: (F,), the row of each file's first document."""
    if len(firsts) == documents:
        return np.asarray(rows, np.int64)
    return np.maximum(np.searchsorted(firsts, rows, side="right") - 1, 0)


FIELDS = (
    ("size", "<i8", (), "size in bytes: of the file after decompression; for a row of a data set, of its text"),
    ("length", "<i8", (), "number of units in the normalised text"),
    ("count", "<i8", (), "number of tokens in its set"),
    ("ignored", "<i8", (), "number of these tokens that are left out; 0 in X.shingles"),
    ("digest", "<u8", (2,), "first 16 bytes of the SHA-256 of the normalised text in UTF-8"),
    ("set_digest", "<u8", (2,), "first 16 bytes of the SHA-256 of the sorted tokens, 4 bytes each, little-endian"),
    ("start", "<i8", (), "for a line of an uncompressed file of lines in UTF-8: where it begins in the file; else 0"),
    ("extent", "<i8", (), "for such a line: its length in bytes, without the line end; else 0"),
    ("line", "<i8", (), "for a row of a data set: its number, from 1; else 0"),
    ("container", "<u4", (), "for a row of a data set: how many bytes of the name are the file's name; else 0"),
    (
        "flags",
        "<u4",
        (),
        "sum of 1: no units; 2: fewer than k units, but not none; 4: bytes that are not UTF-8; 8: UTF-16 or UTF-32;"
        " 16: a row that is named by its number; 32: a text that looks like JSON Lines; 64: all its"
        " tokens are left out; a text that looks like 128: CSV; 256: CSV with semicolons; 512: TSV; 1024: a JSON array;"
        " 2048: a file that is named like one with many documents, but is one text",
    ),
)
"""The facts of a document: name, dtype, shape and meaning. `count` and `set_digest` are set in artifacts only."""

AMOUNTS = ("size", "length", "count", "ignored", "start", "extent", "line")
"""The facts that are sizes and numbers, and so never negative."""

DOCUMENT = np.dtype([(name, dtype, shape) for name, dtype, shape, _ in FIELDS])
"""The dtype of the facts of one document."""

MET = np.dtype([("walked", "<i4"), ("links", "<u4"), ("device", "<u8"), ("inode", "<u8")])
"""How a file was found in this run.

walked: the number of bytes of its name that lead to the directory that was walked. Such a file is no link. 0: a walk
    that follows links found it. NAMED: it was named itself, and may be any file.
links: how many names (hard links) the file had; 0: that is not known.
device, inode: the device and the inode of the file.
"""

NAMED = -1

EMPTY, SHORT, INVALID, WIDE, NUMBERED, LIKE_LINES, IGNORED = 1, 2, 4, 8, 16, 32, 64
LIKE_CSV, LIKE_SEMICOLONS, LIKE_TSV, LIKE_ARRAY, ONE_TEXT = 128, 256, 512, 1024, 2048
"""Flags: no units; fewer than k units; contains bytes that are not valid UTF-8; was UTF-16 or UTF-32; a line that is
named by its number; looks like JSON Lines; all its tokens are left out; looks like another container of documents; a
file that is named like a container, but is no table with the text field."""

OTHER_ENCODING = "in another encoding a text does not match its UTF-8 copy: name it with --encoding, such as latin-1"
"""The part of messages about texts with bytes that are not valid UTF-8."""

WITHOUT_TOKENS = EMPTY | IGNORED
"""Flags of documents that match nothing."""


@dataclass(frozen=True, slots=True)
class Documents:
    """N documents in row order.

    names: Ragged uint8, the raw bytes of each name as reached from the argument.
    facts: (N,) DOCUMENT.
    files: (F,) FILE, the files from which they were read, in the order of their documents.
    held: the bytes of files that cannot be read a second time (standard input, FIFOs), by the rows of their documents.
    met: (N,) MET, how their files were found; None if an earlier run found them.
    earlier: (N,) the row of each in the artifact from which it was taken over, or -1; None if this run did not read it.
    counts: (A,) the number of documents from each argument; None if this run did not read them.
    given_names: the names that Python callers gave and that are neither str nor bytes, by row.
    """

    names: Ragged
    facts: NDArray[np.void]
    files: NDArray[np.void]
    held: dict[int, bytes] = field(repr=False)
    met: NDArray[np.void] | None = field(default=None, repr=False)
    earlier: Index | None = field(default=None, repr=False)
    counts: Index | None = field(default=None, repr=False)
    given_names: Mapping[int, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.facts)

    def __repr__(self) -> str:
        return f"<Documents: {len(self)}>"

    def name(self, row: int) -> Any:
        """The name of the document in this row: as it was given for a text in memory, or else a str.

        It has a lone surrogate for each byte that is not UTF-8.
        """
        return self.given_names.get(row, name_to_text(self.raw_name(row)))

    def every_name(self) -> list[Any]:
        """The names of all documents, as `name` returns each."""
        return list(map(self.name, range(len(self))))

    def raw_name(self, row: int) -> bytes:
        """The name of the document in this row, as raw bytes."""
        return self.names[row].tobytes()

    @property
    def contradiction(self) -> tuple[str, str] | None:
        """The file of an artifact that contradicts the others, and what is wrong with it; None if they fit together."""
        rows, containers = self.files["row"], self.facts["container"]
        lengths = np.diff(np.append(rows, len(self)))
        if (len(self) and (not len(rows) or rows[0])) or (lengths <= 0).any():
            return "files.npy", "its files and their rows do not fit together"
        if ((containers > 0) & (containers >= self.names.lengths)).any():
            return "documents.npy", "the name of a line is not longer than that of its file"
        # Documents are whole files, or follow each other in their file.
        file, first = np.repeat(np.arange(len(rows)), lengths), containers[rows]
        start, line = self.facts["start"], self.facts["line"]
        follows = (start[:-1] + self.facts["extent"][:-1] <= start[1:]) & (line[:-1] < line[1:])
        fit = (containers == first[file]).all() and (lengths[first == 0] == 1).all()
        if not (fit and (follows | (file[1:] != file[:-1])).all()):
            return "files.npy", "its files do not fit the lines in documents.npy"
        return None

    @property
    def tokens(self) -> int:
        """The number of tokens of all documents together."""
        return int(self.facts["count"].sum())

    @property
    def share_left_out(self) -> float:
        """The fraction of these tokens that are left out."""
        return int(self.facts["ignored"].sum()) / max(self.tokens, 1)

    def flagged(self, flag: int) -> int:
        """The number of documents that have this flag."""
        return int(np.count_nonzero(self.facts["flags"] & flag))

    def mtimes(self) -> Index:
        """The modification time of each document's file, in nanoseconds since 1970: int64 (N,)."""
        times: Index = self.files["mtime_ns"][files_of_rows(self.files["row"], np.arange(len(self)), len(self))]
        return times

    def distinct_texts(self, left_out: Mask | None = None) -> tuple[Index, Index]:
        """The first row of each distinct normalised text, and the number of each document's text: int64 (M,), (N,).

        The first rows ascend, and text i is that of row firsts[i]. Documents without tokens and those in `left_out`
        (N,) have the number -1.
        """
        digests = self.facts["digest"]
        out = (self.facts["flags"] & WITHOUT_TOKENS) != 0
        if left_out is not None:
            out |= left_out
        # One half of a digest nearly always tells texts apart, and takes a fifth of the time.
        order = np.argsort(digests[:, 0], kind="stable")
        ordered, left = digests[order], out[order]
        alike = ordered[1:, 0] == ordered[:-1, 0]
        if (alike & ((ordered[1:, 1] != ordered[:-1, 1]) | (left[1:] != left[:-1]))).any():
            order = np.lexsort((out, digests[:, 1], digests[:, 0]))
            ordered = digests[order]
        new = np.ones(len(order), bool)
        new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        # The order is stable, so the first of a run of equal digests is the first of its rows that is not left out.
        original = firsts_of_runs(order, new)
        firsts = np.flatnonzero((original == np.arange(len(order))) & ~out)
        number = np.searchsorted(firsts, original)
        number[out] = -1
        return firsts, number


_OF_FILES = (*STAMP_FIELDS, "content")

FACTS = np.dtype([*DOCUMENT.descr, *(field for field in FILE.descr if field[0] in _OF_FILES)])
"""The facts of one document, the stamp of its file, and the digest of what the file holds."""

_OF_DOCUMENT, _OF_FILE = np.dtype(f"V{DOCUMENT.itemsize}"), np.dtype(f"V{FACTS.itemsize - DOCUMENT.itemsize}")
_PARTS = np.dtype([("document", _OF_DOCUMENT), ("file", _OF_FILE)])
"""FACTS as two runs of bytes, and below where the second one is in FILE: to copy runs is faster than to copy fields."""

_FIRST = [name for name, *_ in FILE_FIELDS].index(_OF_FILES[0])
_PART_OF_FILE = np.dtype([*FILE.descr[:_FIRST], ("file", _OF_FILE), *FILE.descr[_FIRST + len(_OF_FILES) :]])


class DocumentFacts(Column):
    """A column that shows the facts of each document together with the stamp of its file and the digest of its content.

    Its rows are FACTS.

    documents: (N,) DOCUMENT.
    files: (F,) FILE.
    """

    def __init__(self, documents: Column, files: Column) -> None:
        self.documents, self._files, self.shape = documents, files, documents.shape
        self._firsts: Array | None = None

    def all(self) -> Array:
        """All facts."""
        return self._with_stamps(self.documents.all(), np.arange(len(self)))

    def rows(self, rows: Array) -> Array:
        """The facts of the documents in these rows."""
        return self._with_stamps(self.documents.rows(rows), rows)

    def cut(self, begin: int, end: int) -> Array:
        """The facts of the documents in rows begin to end - 1."""
        return self._with_stamps(self.documents.cut(begin, end), np.arange(begin, end))

    def at(self, places: Array) -> Array:
        """The same as `rows`: a record is one value."""
        return self.rows(places)

    def release(self) -> None:
        """Let the system take back the memory of columns on disk."""
        self.documents.release()
        self._files.release()

    def _with_stamps(self, documents: Array, rows: Array) -> Array:
        out = np.empty(len(documents), FACTS)
        parts = out.view(_PARTS)
        parts["document"] = np.ascontiguousarray(documents).view(_OF_DOCUMENT)
        if len(out):
            files = self._files.rows(self._numbers(rows))
            parts["file"] = np.ascontiguousarray(files).view(_PART_OF_FILE)["file"]
        return out

    def _numbers(self, rows: Array) -> Index:
        if len(self._files) == len(self):
            return np.asarray(rows, np.int64)
        if self._firsts is None:
            self._firsts = np.ascontiguousarray(self._files.all()["row"])
        return files_of_rows(self._firsts, rows, len(self))


def without_stamps(facts: Column, rows: Array) -> Array:
    """The facts of the documents in these rows, with or without those of their files: it takes less time without."""
    return (facts.documents if isinstance(facts, DocumentFacts) else facts).rows(rows)


def separated(facts: Array) -> tuple[Array, Array]:
    """Documents (n,) DOCUMENT and their files, as if each had a file of its own, from facts (n,) FACTS."""
    documents, files = np.empty(len(facts), DOCUMENT), np.zeros(len(facts), FILE)
    for name in DOCUMENT.names or ():
        documents[name] = facts[name]
    for name in _OF_FILES:
        files[name] = facts[name]
    files["row"] = np.arange(len(facts))
    return documents, files
