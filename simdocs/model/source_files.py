"""The files from which documents were read: what is recorded about each, and about the parts of JSON Lines files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdocs.model.numbering import Rows
from simdocs.model.ragged import Array, Index

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
        "first 16 bytes of the SHA-256 of its content after decompression; of a JSON Lines file, that of the contents"
        " of its chunks",
    ),
    ("chunk", "<i8", (), "number of its first chunk; any other file has none, and here that of the next chunk"),
    (
        "skipped",
        "<i8",
        (),
        "how many of its lines were skipped, and 1 more if it could not be read to its end, or must be read again for"
        " another reason",
    ),
)
"""What is recorded about a file: name, dtype, shape and meaning."""

CHUNK_FIELDS = (
    ("row", "<i8", (), "row of its first document, or of the next one if it has none"),
    ("start", "<i8", (), "where it begins in the file after decompression"),
    ("extent", "<i8", (), "its length in bytes"),
    ("line", "<i8", (), "number of its first line, from 1"),
    ("content", "<u8", (2,), "first 16 bytes of the SHA-256 of its bytes"),
    ("skipped", "<i8", (), "how many of its lines were skipped"),
)
"""What is recorded about a chunk, some whole lines of a JSON Lines file: name, dtype, shape and meaning."""

AMOUNTS = ("row", "file_size", "chunk", "skipped", "start", "extent", "line")
"""The fields that are sizes and numbers, and so never negative."""

FILE = np.dtype([(name, dtype, shape) for name, dtype, shape, _ in FILE_FIELDS])
CHUNK = np.dtype([(name, dtype, shape) for name, dtype, shape, _ in CHUNK_FIELDS])

STAMP_FIELDS = ("file_size", "mtime_ns", "ctime_ns", "inode")
"""The fields of a file that tell whether it has changed."""


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """Files in the order of their documents. files: (F,) FILE. chunks: (H,) CHUNK, in the order of the files."""

    files: NDArray[np.void]
    chunks: NDArray[np.void]

    def are_in_order(self, documents: int) -> bool:
        """Whether every row belongs to one file, and every chunk and its rows to one file. documents: how many rows."""
        rows, first_chunks = self.files["row"], self.files["chunk"]
        ends = np.append(rows, documents)
        if (documents and (not len(rows) or rows[0])) or not (ends[:-1] < ends[1:]).all():
            return False
        chunk_ends = np.append(first_chunks, len(self.chunks))
        if not (chunk_ends[:-1] <= chunk_ends[1:]).all() or (len(rows) and first_chunks[0]):
            return False
        if not len(self.chunks):
            return True
        file = self.files_of_chunks()
        of_chunks = self.chunks["row"]
        within = (of_chunks >= rows[file]) & (of_chunks <= ends[file + 1])
        return bool(within.all() and (np.diff(of_chunks) >= 0).all())

    def hold_lines(self, facts: NDArray[np.void]) -> bool:
        """Whether documents with these facts, (N,) DOCUMENT, are lines if and only if their file has chunks.

        Each line then lies in its chunk, after the line before it. The files must be in order.
        """
        chunks, rows, containers = self.chunks, self.files["row"], facts["container"]
        are_lines = containers > 0
        if not len(chunks):
            return len(rows) == len(facts) and not are_lines.any()
        rows_of_file = np.diff(np.append(rows, len(facts)))
        has_chunks = np.diff(np.append(self.files["chunk"], len(chunks))) > 0
        if (rows_of_file[~has_chunks] != 1).any() or (are_lines != np.repeat(has_chunks, rows_of_file)).any():
            return False
        if (containers != np.repeat(containers[rows], rows_of_file)).any():
            return False
        if (chunks["row"][self.files["chunk"][has_chunks]] != rows[has_chunks]).any():
            return False
        # So the lines are those of one chunk after the other.
        file = self.files_of_chunks()
        lines_of_chunk = self.ends_of_chunks(len(facts)) - chunks["row"]
        start, extent, line = (facts[name][are_lines] for name in ("start", "extent", "line"))
        begin, end, first = (
            np.repeat(each, lines_of_chunk)
            for each in (chunks["start"], chunks["start"] + chunks["extent"], chunks["line"])
        )
        skipped = np.zeros(len(rows), np.int64)
        np.add.at(skipped, file, chunks["skipped"])
        return bool(
            ((begin <= start) & (start + extent <= end) & (first <= line)).all()
            and _follow(start, extent, line, np.repeat(file, lines_of_chunk), 1)
            and _follow(chunks["start"], chunks["extent"], chunks["line"], file, 0)
            and (skipped <= self.files["skipped"]).all()
        )

    def files_of_chunks(self) -> Index:
        """The number of the file of each chunk: int64 (H,)."""
        return np.searchsorted(self.files["chunk"], np.arange(len(self.chunks)), side="right") - 1

    def ends_of_chunks(self, documents: int) -> Index:
        """The row after the last document of each chunk: int64 (H,). documents: how many there are."""
        owner, rows = self.files_of_chunks(), self.chunks["row"]
        next_files = np.append(self.files["row"][1:], documents)[owner]
        goes_on = np.append(owner[1:] == owner[:-1], False)[: len(rows)]
        return np.where(goes_on, np.append(rows[1:], 0)[: len(rows)], next_files)

    def of_rows(self, rows: Rows, documents: int) -> Index:
        """The number of the file of each row: int64 (n,). documents: how many there are."""
        return files_of_rows(self.files["row"], rows, documents)


def _follow(start: Index, extent: Index, line: Index, file: Index, lines: int) -> bool:
    """Whether the parts of each file follow each other without overlap. lines: the fewest lines that a part has."""
    follows = (start[:-1] + extent[:-1] <= start[1:]) & (line[:-1] + lines <= line[1:])
    return bool((follows | (file[1:] != file[:-1])).all())


def files_of_rows(firsts: Array, rows: Rows, documents: int) -> Index:
    """The number of the file of each row: int64 (n,). firsts: (F,), the row of each file's first document."""
    if len(firsts) == documents:
        return np.asarray(rows, np.int64)
    return np.maximum(np.searchsorted(firsts, rows, side="right") - 1, 0)
