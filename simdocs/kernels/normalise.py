"""Normalised texts: decoded, case-folded, whitespace collapsed, with the optional switches applied.

Text is worked on in pieces that fit in the processor's cache: many documents at once, or a part of a large one. Large
arrays hold only what is returned, so a large document takes little more memory than its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from simdocs.kernels.character_mapping import (
    CODEPOINT_CUTS,
    CONTEXT_FREE_CUTS,
    NEWLINE,
    SPACE,
    collapse_whitespace,
    depends_on_context,
    is_space,
    map_characters,
)
from simdocs.kernels.characters import from_codepoints
from simdocs.kernels.native import accelerated
from simdocs.model.ragged import STRIDE, Array, Bytes, Index, Ragged, Texts, row_blocks, utf8_widths
from simdocs.options.texts import Normalisation


class TextBuilder:
    """Collects code points and makes Texts of them.

    The bytes and the code points grow in bytearrays, in place. A list of parts would have to be joined at the end, and
    would be in memory twice.
    """

    def __init__(self) -> None:
        self._encoded = bytearray()
        self._codepoints = bytearray()  # empty while all text is ASCII: the bytes are the code points
        self._dtype: type[np.unsignedinteger] = np.uint8
        self._count = 0
        self._lengths: list[Index] = []
        self._sizes: list[Index] = []
        self._stride_offsets: list[Index] = []

    def append_texts(self, codepoints: Ragged) -> None:
        """Append whole texts, given as code points: Ragged uint8 or uint32."""
        begins = self._append(codepoints.values)
        self._lengths.append(codepoints.lengths)
        self._sizes.append(codepoints.lengths if begins is None else np.diff(begins[codepoints.offsets]))

    def append_text(self, pieces: Iterable[Array]) -> None:
        """Append one text, given as pieces of code points: uint8 or uint32 each."""
        count, size = self._count, len(self._encoded)
        for codepoints in pieces:
            self._append(codepoints)
        self._lengths.append(np.array([self._count - count]))
        self._sizes.append(np.array([len(self._encoded) - size]))

    def _append(self, codepoints: Array) -> Index | None:
        """Append code points. Returns where each begins in their UTF-8 bytes, and the end; None if all are ASCII."""
        size, next_noted = len(self._encoded), -self._count % STRIDE
        greatest = int(codepoints.max(initial=0))
        begins = None
        if greatest > 127:
            self._widen(np.uint16 if greatest <= 0xFFFF else np.uint32)
            begins = np.zeros(len(codepoints) + 1, np.int64)
            np.cumsum(utf8_widths(codepoints), out=begins[1:])
            self._encoded += from_codepoints(codepoints).encode("utf-8", "surrogateescape")
            self._stride_offsets.append(size + begins[next_noted:-1:STRIDE])
        else:
            self._encoded += codepoints.astype(np.uint8, copy=False).data
            self._stride_offsets.append(np.arange(size + next_noted, size + len(codepoints), STRIDE))
        if self._dtype is not np.uint8:
            self._codepoints += codepoints.astype(self._dtype, copy=False).data
        self._count += len(codepoints)
        return begins

    def _widen(self, dtype: type[np.unsignedinteger]) -> None:
        """Store code points in this dtype from now on, unless a wider one is in use already."""
        if np.dtype(self._dtype).itemsize >= np.dtype(dtype).itemsize:
            return
        narrow = np.frombuffer(self._encoded if self._dtype is np.uint8 else self._codepoints, self._dtype)
        wide = bytearray()
        for at in range(0, len(narrow), STRIDE):
            wide += narrow[at : at + STRIDE].astype(dtype).data
        self._codepoints, self._dtype = wide, dtype

    def build(self) -> Texts:
        """All texts that were appended, in order."""
        nothing = np.empty(0, np.int64)
        lengths = np.concatenate([nothing, *self._lengths])
        encoded = Ragged.from_lengths(np.frombuffer(self._encoded, np.uint8), np.concatenate([nothing, *self._sizes]))
        if self._dtype is np.uint8:
            return Texts(encoded, encoded)
        if self._count % STRIDE == 0:
            self._stride_offsets.append(np.array([len(self._encoded)]))
        codepoints = Ragged.from_lengths(np.frombuffer(self._codepoints, self._dtype), lengths)
        return Texts(encoded, codepoints, np.concatenate(self._stride_offsets))


PIECE = 1 << 18
"""Bytes that are worked on at once."""


@accelerated
def normalise(raw: Ragged, switches: Normalisation, *, lines: bool = False) -> Texts:
    """The normalised texts of N documents, given as bytes that should be UTF-8 (Ragged uint8).

    A byte that is not valid UTF-8 is kept as a code point of its own (PEP 383). With `lines`, a run of whitespace that
    contains a line end (LF, CR or CR LF) becomes one LF instead of one space. Never fails.
    """
    builder = TextBuilder()
    offsets = raw.offsets
    for row, end in row_blocks(offsets, PIECE):
        cut = slice(int(offsets[row]), int(offsets[end]))
        if cut.stop - cut.start > PIECE:
            builder.append_text(_normalised_pieces(raw.values[cut], switches, lines))
        else:
            block = Ragged(raw.values[cut], offsets[row : end + 1] - cut.start)
            for mapped in map_characters(block, switches, lines=lines):
                space = is_space(mapped.values, lines)
                builder.append_texts(collapse_whitespace(mapped.values, space, mapped.offsets, lines))
    return builder.build()


def _normalised_pieces(data: Bytes, switches: Normalisation, lines: bool) -> Iterator[Array]:
    """The normalised code points of one large text, in pieces."""
    begun, gap = False, 0
    for piece in _pieces(data, switches):
        for part in map_characters(Ragged(piece, np.array([0, len(piece)])), switches, lines=lines):
            codepoints = part.values
            space = is_space(codepoints, lines)
            solid = ~space
            if not solid.any():
                gap = _gap(gap, codepoints)
                continue
            first, last = int(solid.argmax()), len(codepoints) - int(solid[::-1].argmax())
            gap = _gap(gap, codepoints[:first])
            if begun and gap:
                yield np.array([gap], codepoints.dtype)
            inside = np.array([0, last - first])
            yield collapse_whitespace(codepoints[first:last], space[first:last], inside, lines).values
            begun, gap = True, _gap(0, codepoints[last:])


def _gap(before: int, spaces: Array) -> int:
    """The one character that a whitespace run becomes: SPACE or NEWLINE, or 0 if the run is empty.

    before: the result for the part of the run that came before these `spaces`.
    """
    if before == NEWLINE or (spaces == NEWLINE).any():
        return NEWLINE
    return SPACE if before or len(spaces) else 0


def _pieces(data: Bytes, switches: Normalisation) -> Iterator[Bytes]:
    """A large text, cut where its parts are mapped as they are in the whole. It stays whole if it has no such place."""
    cuts = CONTEXT_FREE_CUTS if data.max() > 127 and depends_on_context(switches) else CODEPOINT_CUTS
    at = 0
    while at < len(data):
        found = cuts.search(data.data, at + PIECE)
        end = found.start() if found else len(data)
        yield data[at:end]
        at = end
