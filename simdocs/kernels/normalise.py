"""Normalised texts: decoded, case-folded, whitespace collapsed, with the optional switches applied.

Text is worked on in pieces that fit in the processor's cache: many documents at once, or a part of a large one. Large
arrays hold only what is returned, so a large document takes little more memory than its text.

The module also tells where the code points of a normalised text come from in the text as it was decoded.
Normalisation maps *clusters* one by one: a character and those after it that may combine with it, in any form of
Unicode. Where no step combines characters, each is a cluster of its own. Definitions: Unicode Standard Annex 15,
section 9 (concatenation of normalised strings).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from simdocs.kernels.characters import (
    CODEPOINT_CUTS,
    CONTEXT_FREE_CUTS,
    IGNORABLE,
    NEWLINE,
    SPACE,
    CodepointTable,
    after_str_steps,
    collapse_whitespace,
    depends_on_context,
    from_codepoints,
    is_space,
    map_characters,
    one_by_one,
    to_codepoints,
)
from simdocs.kernels.native import accelerated
from simdocs.model.ragged import STRIDE, Array, Bytes, Index, Mask, Ragged, Texts, offsets_of, row_blocks, utf8_widths
from simdocs.options.recipes import Normalisation


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


_AT_ONCE = 1 << 16
"""Clusters that are mapped at once."""

_NOT_IN_USE = (range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))
"""Code points that no step changes, and that combine with nothing. There are more of them than clusters at once."""

_JAMO = frozenset((*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)))
"""Vowels and final consonants of Hangul. They are no marks, and yet combine with the syllable before them."""


class Origins(NamedTuple):
    """Where the n code points of a normalised text come from. Code point p is made of the characters begins[p] to
    ends[p] - 1 of the decoded text, perhaps together with its neighbours.

    begins, ends: int64 (n,), ascending. Of a run of whitespace, they have the first character.
    opens, closes: bool (n,), whether it is the first, or the last, that is made of these characters.
    """

    begins: Index
    ends: Index
    opens: Mask
    closes: Mask


def origins(text: str, raw: Ragged, switches: Normalisation, *, lines: bool) -> Origins:
    """The origins of the code points of `normalise(raw, switches, lines=lines)`, for one text.

    raw: the text as UTF-8 bytes, one row. text: the same text, decoded with surrogateescape.
    """
    mapped = np.concatenate([part.values for part in map_characters(raw, switches, lines=lines)])
    space = is_space(mapped, lines)
    kept = np.flatnonzero(~space | np.append(False, ~space[:-1])[: len(space)])
    kept = kept[: len(kept) - int(len(kept) > 0 and space[kept[-1]])]
    count = len(mapped)
    del mapped, space
    starts, sizes = _clusters(text, switches)
    if len(sizes) == len(text) and (sizes == 1).all():  # nearly always: each character becomes one
        assert count == len(sizes), "clusters are mapped one by one"
        every = np.ones(len(kept), bool)
        return Origins(kept, kept + 1, every, every)
    stops = np.append(starts[1:], len(text))
    firsts = offsets_of(sizes)
    assert count == firsts[-1], "clusters are mapped one by one"
    cluster = np.searchsorted(firsts, kept, side="right") - 1
    return Origins(starts[cluster], stops[cluster], kept == firsts[cluster], kept + 1 == firsts[cluster + 1])


def _clusters(text: str, switches: Normalisation) -> tuple[Index, Array]:
    """Where the clusters of a text begin, and how many code points each becomes: int64 (n,), and integers (n,)."""
    codepoints = to_codepoints(text)
    if not depends_on_context(switches):
        return np.arange(len(text)), _sizes(switches)(codepoints) - np.uint8(1)
    begins = _COMBINES(codepoints) == 1
    begins[:1] = True
    starts = np.flatnonzero(begins)
    parts = [_mapped_sizes(text, starts[at : at + _AT_ONCE + 1], switches) for at in range(0, len(starts), _AT_ONCE)]
    return starts, np.concatenate([np.empty(0, np.int64), *parts])


def _mapped_sizes(text: str, starts: Index, switches: Normalisation) -> Index:
    """How many code points each cluster becomes: int64 (n,). starts: of up to _AT_ONCE clusters, and of the next one,
    if there is one.

    The clusters are mapped together, with a character between them that the text does not have.
    """
    bounds = starts.tolist() + [len(text)] * (len(starts) <= _AT_ONCE)
    seen = set(text[bounds[0] : bounds[-1]])
    separator = next(each for each in map(chr, chain(*_NOT_IN_USE)) if each not in seen)
    parts = separator.join(text[begin:end] for begin, end in pairwise(bounds))
    mapped = to_codepoints(after_str_steps(parts + separator, switches))
    return np.diff(np.append(-1, np.flatnonzero(mapped == ord(separator)))) - 1


@cache
def _sizes(switches: Normalisation) -> CodepointTable:
    """For each code point, 1 + how many it becomes if each is mapped by itself."""
    return CodepointTable(one_by_one(lambda point: 1 + len(after_str_steps(chr(point), switches))), np.uint8)


def _combining(codepoint: int) -> int:
    character = chr(codepoint)
    first = unicodedata.normalize("NFKD", character)[0]
    return 1 + (unicodedata.category(first)[0] == "M" or ord(first) in _JAMO or IGNORABLE.match(character) is not None)


_COMBINES = CodepointTable(one_by_one(_combining), np.uint8)
"""For each code point, 2 if it may combine with the one before it, or is dropped, and 1 if not."""
