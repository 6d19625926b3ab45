"""Documents: their names, and the facts that were recorded about each one when it was read."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simdocs.model.names import name_to_text
from simdocs.model.numbering import Rows
from simdocs.model.ragged import Index, Mask, Ragged, firsts_of_runs
from simdocs.model.source_files import SourceFiles

FIELDS = (
    ("size", "<i8", (), "size in bytes: of the file after decompression; for a line of a JSON Lines file, of its text"),
    ("length", "<i8", (), "number of units in the normalised text"),
    ("count", "<i8", (), "number of tokens in its set"),
    ("ignored", "<i8", (), "number of these tokens that are left out; 0 in X.shingles"),
    ("digest", "<u8", (2,), "first 16 bytes of the SHA-256 of the normalised text in UTF-8"),
    ("set_digest", "<u8", (2,), "first 16 bytes of the SHA-256 of the sorted tokens, 4 bytes each, little-endian"),
    ("start", "<i8", (), "for a line of a JSON Lines file: where it begins in the file after decompression; else 0"),
    ("extent", "<i8", (), "for a line of a JSON Lines file: its length in bytes, without the line end; else 0"),
    ("line", "<i8", (), "for a line of a JSON Lines file: its number, from 1; else 0"),
    ("container", "<u4", (), "for a line of a JSON Lines file: how many bytes of the name are the file's name; else 0"),
    (
        "flags",
        "<u4",
        (),
        "sum of 1: no units; 2: fewer than k units, but not none; 4: bytes that are not UTF-8; 8: UTF-16 or UTF-32;"
        " 16: a line without an id, which is named by its number; 32: a text that looks like JSON Lines; 64: all its"
        " tokens are left out; a text that looks like 128: CSV; 256: CSV with semicolons; 512: TSV; 1024: a JSON array",
    ),
)
"""The facts of a document: name, dtype, shape and meaning. `count` and `set_digest` are set in artifacts only."""

AMOUNTS = ("size", "length", "count", "ignored", "start", "extent", "line")
"""The facts that are sizes and numbers, and so never negative."""

DOCUMENT = np.dtype([(name, dtype, shape) for name, dtype, shape, _ in FIELDS])
"""The dtype of the facts of one document."""

MET = np.dtype([("walked", "<i4"), ("device", "<u8"), ("inode", "<u8")])
"""How a file was met in this run, so that it is the one that is read.

walked: how many bytes of its name lead to the directory that was walked; below it, no link is followed. 0: a walk that
follows links met it; NAMED: it was named itself, and may be any file. device, inode: those of the file that was met.
"""

NAMED = -1

EMPTY, SHORT, INVALID, WIDE, NUMBERED, LIKE_LINES, IGNORED = 1, 2, 4, 8, 16, 32, 64
LIKE_CSV, LIKE_SEMICOLONS, LIKE_TSV, LIKE_ARRAY = 128, 256, 512, 1024
"""Flags: no units; fewer than k units; contains bytes that are not valid UTF-8; was UTF-16 or UTF-32; a line that is
named by its number; looks like JSON Lines; all its tokens are left out; looks like another container of documents."""

OTHER_ENCODING = (
    "in another encoding a text does not match its UTF-8 copy; convert it first, for example with"
    " iconv -f LATIN1 -t UTF-8"
)
"""What to know about texts with bytes that are not valid UTF-8 among others."""

WITHOUT_TOKENS = EMPTY | IGNORED
"""Flags of documents that match nothing."""


@dataclass(frozen=True, slots=True)
class Documents:
    """N documents in row order.

    names: Ragged uint8, the raw bytes of each name as reached from the argument. facts: (N,) DOCUMENT. sources: the
    files from which they were read. held: the bytes of the documents that cannot be read a second time (standard input,
    FIFOs), by row. met: (N,) MET, how their files were met; None if an earlier run met them. earlier: (N,) the row of
    each in the artifact from which it was taken over, or -1; None if this run did not read it. counts: (A,) how many of
    them each argument gave; None if this run did not read them. kept: the rows of those that were taken over because
    they could not be read.
    """

    names: Ragged
    facts: NDArray[np.void]
    sources: SourceFiles
    held: dict[int, bytes] = field(repr=False)
    met: NDArray[np.void] | None = field(default=None, repr=False)
    earlier: Index | None = field(default=None, repr=False)
    counts: Index | None = field(default=None, repr=False)
    kept: Rows = field(default_factory=lambda: np.empty(0, np.int64), repr=False)

    def __len__(self) -> int:
        return len(self.facts)

    def __repr__(self) -> str:
        return f"<Documents: {len(self)}>"

    def name(self, row: int) -> str:
        """The name of the document in this row, with a lone surrogate for each byte that is not UTF-8."""
        return name_to_text(self.raw_name(row))

    def raw_name(self, row: int) -> bytes:
        """The name of the document in this row, as raw bytes."""
        return self.names[row].tobytes()

    @property
    def contradiction(self) -> tuple[str, str] | None:
        """The file of an artifact that contradicts the others, and what is wrong with it; None if they fit together."""
        if not self.sources.are_in_order(len(self)):
            return "files.npy", "its files and their rows do not fit together"
        if ((self.facts["container"] > 0) & (self.facts["container"] >= self.names.lengths)).any():
            return "documents.npy", "the name of a line is not longer than that of its file"
        if not self.sources.hold_lines(self.facts):
            return "chunks.npy", "its chunks do not fit the lines in documents.npy and the files in files.npy"
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

    def named_with(self, suffix: bytes) -> Mask:
        """Which documents have names that end with this suffix: (N,)."""
        ends, values = self.names.offsets[1:], self.names.values
        mask: Mask = self.names.lengths >= len(suffix)
        for back, byte in enumerate(reversed(suffix), 1):
            mask[mask] = values[ends[mask] - back] == byte
        return mask

    def mtimes(self) -> Index:
        """The modification time of each document's file, in nanoseconds since 1970: int64 (N,)."""
        times: Index = self.sources.files["mtime_ns"][self.sources.of_rows(np.arange(len(self)), len(self))]
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
