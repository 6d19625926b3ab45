"""Normalised texts: lower case, whitespace runs made one space, and the switches.

Work goes in pieces that stay in the processor's cache: many documents, or a part of a large one. Large arrays hold
nothing but what is handed on, so that a large document takes little more memory than its text.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.text.case_mapping import WITH_CONTEXT, WITHOUT_CONTEXT, depends_on_context, map_characters
from simdocs.kernels.text.text_builder import TextBuilder
from simdocs.kernels.text.whitespace import NEWLINE, SPACE, collapse_whitespace, is_space
from simdocs.model.ragged import Array, Bytes, Ragged, row_blocks
from simdocs.model.texts import Texts
from simdocs.parameters import Normalisation

PIECE = 1 << 18
"""Bytes worked on at once."""


def normalise(raw: Ragged, switches: Normalisation, *, lines: bool = False) -> Texts:
    """The texts of N documents, given as bytes (Ragged uint8, UTF-8), normalised.

    Bytes that are not valid UTF-8 are kept as units of their own (PEP 383). With `lines`, line ends (LF, CR, CR LF)
    are kept: a whitespace run that holds one becomes one LF. Never fails.
    """
    out = TextBuilder()
    offsets = raw.offsets
    for row, end in row_blocks(offsets, PIECE):
        cut = slice(int(offsets[row]), int(offsets[end]))
        if cut.stop - cut.start > PIECE:
            out.row(_folded_in_pieces(raw.values[cut], switches, lines))
        else:
            for codes in map_characters(
                Ragged(raw.values[cut], offsets[row : end + 1] - cut.start), switches, lines=lines
            ):
                out.rows(collapse_whitespace(codes.values, is_space(codes.values, lines), codes.offsets, lines))
    return out.texts()


def _folded_in_pieces(data: Bytes, switches: Normalisation, lines: bool) -> Iterator[Array]:
    """The normalised code points of one text, in pieces."""
    begun, gap = False, 0
    for piece in _pieces(data, switches):
        for part in map_characters(Ragged(piece, np.array([0, len(piece)])), switches, lines=lines):
            codes = part.values
            space = is_space(codes, lines)
            solid = ~space
            if not solid.any():
                gap = _gap(gap, codes)
                continue
            first, last = int(solid.argmax()), len(codes) - int(solid[::-1].argmax())
            gap = _gap(gap, codes[:first])
            if begun and gap:
                yield np.array([gap], codes.dtype)
            yield collapse_whitespace(codes[first:last], space[first:last], np.array([0, last - first]), lines).values
            begun, gap = True, _gap(0, codes[last:])


def _gap(before: int, spaces: Array) -> int:
    """What is left of a run of spaces: SPACE, NEWLINE or, of none, 0."""
    if before == NEWLINE or (spaces == NEWLINE).any():
        return NEWLINE
    return SPACE if before or len(spaces) else 0


def _pieces(data: Bytes, switches: Normalisation) -> Iterator[Bytes]:
    """A large text, cut where the parts become what they are in the whole. One without such a place stays whole."""
    view = data.data
    place = WITH_CONTEXT if data.max() > 127 and depends_on_context(view, switches) else WITHOUT_CONTEXT
    at = 0
    while at < len(data):
        found = place.search(view, at + PIECE)
        end = found.start() if found else len(data)
        yield data[at:end]
        at = end
