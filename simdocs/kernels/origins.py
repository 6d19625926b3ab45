"""Where the code points of a normalised text come from in the text as it was decoded.

Normalisation maps *clusters* one by one: a character and those after it that may combine with it, in any form of
Unicode. Where no step combines characters, each is a cluster of its own. Definitions: Unicode Standard Annex 15,
section 9 (concatenation of normalised strings).
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from simdocs.kernels.character_mapping import (
    IGNORABLE,
    after_str_steps,
    depends_on_context,
    is_space,
    map_characters,
)
from simdocs.kernels.characters import CodepointTable, one_by_one, to_codepoints
from simdocs.model.ragged import Array, Index, Mask, Ragged, offsets_of
from simdocs.options.texts import Normalisation

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
    begins = _combines()(codepoints) == 1
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


@cache
def _combines() -> CodepointTable:
    """For each code point, 2 if it may combine with the one before it, or is dropped, and 1 if not."""
    return CodepointTable(one_by_one(_combining), np.uint8)


def _combining(codepoint: int) -> int:
    character = chr(codepoint)
    first = unicodedata.normalize("NFKD", character)[0]
    return 1 + (unicodedata.category(first)[0] == "M" or ord(first) in _JAMO or IGNORABLE.match(character) is not None)
