"""Documents: their names, and what was noted of each when it was read."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simdocs.model.ragged import Array, Index, Mask, Ragged

FIELDS = (
    ("size", "<i8", (), "bytes as read: unfolded, if the file is compressed; of the text alone, in a sequence"),
    ("mtime_ns", "<i8", (), "when the file was changed, in nanoseconds since 1970"),
    ("ctime_ns", "<i8", (), "when its inode was"),
    ("inode", "<u8", (), "of the file; 0, as are its times: it came from no file and cannot be had again"),
    ("length", "<i8", (), "units of the normalised text"),
    ("count", "<i8", (), "tokens in its set"),
    ("digest", "<u8", (2,), "the first 16 bytes of the SHA-256 of the normalised text in UTF-8"),
    ("set_digest", "<u8", (2,), "the same of the sorted tokens, 4 bytes each, little-endian"),
    ("start", "<i8", (), "where its line begins in the file, unfolded, if it is a line of a sequence"),
    ("extent", "<i8", (), "bytes of that line, without its end"),
    ("container", "<u4", (), "bytes of its name that name the file in which it is a line; 0: the name is a file's"),
    (
        "flags",
        "<u4",
        (),
        "1: no units; 2: some, but fewer than k; 4: bytes that are not UTF-8; 8: was UTF-16 or UTF-32",
    ),
)
"""What is noted of a document: field, dtype, shape, meaning. `count` and `set_digest` are there in artifacts alone."""

DOCUMENT = np.dtype([(name, dtype, shape) for name, dtype, shape, _ in FIELDS])
"""One row of facts a document."""

EMPTY, SHORT, INVALID, WIDE = 1, 2, 4, 8
"""Flags: without units; fewer than k units; holds bytes that are not valid UTF-8; UTF-16 or UTF-32."""


@dataclass(frozen=True, slots=True)
class Documents:
    """N documents in row order.

    names: Ragged uint8, as reached from the argument, raw bytes. facts: (N,) DOCUMENT. held: the bytes of those that
    cannot be read a second time (standard input, FIFOs), by row.
    """

    names: Ragged
    facts: NDArray[np.void]
    held: dict[int, bytes] = field(repr=False)

    def __len__(self) -> int:
        return len(self.facts)

    def name(self, row: int) -> bytes:
        """The name of one document."""
        return self.names[row].tobytes()

    def distinct_texts(self, left_out: Mask | None = None) -> tuple[Index, Index]:
        """Copies told apart from their originals: documents of the same normalised text.

        The first row of each distinct text, ascending (M,), without the empty and those left out (N,); and for every
        document the place of its text among those (N,), or -1 for an empty one, or one left out.
        """
        digests = self.facts["digest"]
        out = (self.facts["flags"] & EMPTY) != 0
        if left_out is not None:
            out |= left_out
        order = np.lexsort((out, digests[:, 1], digests[:, 0]))
        ordered = digests[order]
        new = np.ones(len(order), bool)
        new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        # lexsort is stable, so the first of a run of equal digests is the first row that is not left out.
        original = np.empty(len(order), np.int64)
        original[order] = order[new][np.cumsum(new) - 1]
        firsts = np.flatnonzero((original == np.arange(len(order))) & ~out)
        place = np.searchsorted(firsts, original)
        place[out] = -1
        return firsts, place


def digests_as_numbers(digests: list[bytes]) -> Array:
    """Digests of 16 bytes as the pairs of numbers that DOCUMENT holds: (n, 2) uint64."""
    return np.frombuffer(b"".join(digests), "<u8").reshape(len(digests), 2)
