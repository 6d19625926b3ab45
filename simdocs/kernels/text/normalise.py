"""Normalised texts: decoded, lower-cased, whitespace collapsed, with the optional switches applied.

Text is worked on in pieces that fit in the processor's cache: many documents at once, or a part of a large one. Large
arrays hold only what is returned, so a large document takes little more memory than its text.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.text.character_mapping import (
    CODEPOINT_CUTS,
    CONTEXT_FREE_CUTS,
    depends_on_context,
    map_characters,
    with_medial_sigma,
)
from simdocs.kernels.text.text_builder import TextBuilder
from simdocs.kernels.text.whitespace import NEWLINE, SPACE, collapse_whitespace, is_space
from simdocs.model.ragged import Array, Bytes, Ragged, row_blocks
from simdocs.model.texts import Texts
from simdocs.recipes import Normalisation

PIECE = 1 << 18
"""Bytes that are worked on at once."""


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
    view = data.data
    cuts = CONTEXT_FREE_CUTS if data.max() > 127 and depends_on_context(view, switches) else CODEPOINT_CUTS
    at = 0
    while at < len(data):
        found = cuts.search(view, at + PIECE)
        end = found.start() if found else len(data)
        piece = data[at:end]
        if found and found.lastindex and not switches.keep_case:
            piece = with_medial_sigma(piece)
        yield piece
        at = end
