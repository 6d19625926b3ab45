"""The units of normalised texts, as positions of code points: characters, words and lines."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import mmh3
import numpy as np

from simdocs.kernels import characters as kinds
from simdocs.kernels import murmur
from simdocs.kernels.characters import CodepointTable, one_by_one
from simdocs.kernels.native import accelerated
from simdocs.kernels.normalise import normalise
from simdocs.model.ragged import Index, Mask, Ragged, Texts, Tokens, distinct
from simdocs.options.families import stop_words
from simdocs.options.recipes import Normalisation, Shingling


class Units(NamedTuple):
    """U units of N texts, in text order. Unit u is the code points starts[u] to stops[u] - 1 of the batch.

    starts, stops: int64 (U,).
    offsets: int64 (N+1,); the units of text i are offsets[i] to offsets[i+1] - 1.
    """

    starts: Index
    stops: Index
    offsets: Index


def lines_in(codepoints: Ragged) -> Units:
    """The lines in rows of code points that were normalised with lines=True: all lines, none of them empty.

    codepoints: Ragged uint8, uint16 or uint32.
    """
    return _runs(codepoints.values != kinds.NEWLINE, codepoints.offsets)


def words_in(codepoints: Ragged) -> Units:
    r"""The words: maximal runs of \w, with the combining marks inside and after them.

    In scripts written without spaces, each word character is a word, with its marks. codepoints: Ragged, of normalised
    texts; uint8 only if all are ASCII, else uint16 or uint32.
    """
    values, offsets = codepoints.values, codepoints.offsets
    if values.dtype == np.uint8:
        return _runs(np.frombuffer(values.tobytes().translate(ASCII_WORD), bool), offsets)
    found = kinds.character_kinds(values)
    word, unspaced = (found & kinds.WORD) != 0, (found & kinds.UNSPACED) != 0
    mark = (found & kinds.MARK) != 0
    joins = word & ~unspaced  # a word continues after these
    if mark.any():
        _inherit_from_bases(mark, offsets, (word, joins))
    return _runs(word, offsets, breaks=unspaced, joins=joins)


_BLOCK = 1 << 18
"""Code points whose marks are handled at once. Their positions take 8 bytes each, and a text may consist of marks."""

ASCII_WORD = (kinds.kinds_of(np.arange(128)) & kinds.WORD != 0).tobytes() + bytes(128)
"""Which of 256 bytes are word characters: 1 or 0 each. Those that are not ASCII are not."""


def _inherit_from_bases(mark: Mask, offsets: Index, masks: tuple[Mask, ...]) -> None:
    """Give each combining mark the class of its base character: write the base's value in each of `masks`.

    The base of a mark is the last character before it that is not a mark. Marks at the beginning of a text have no base
    and are not changed. `mark` is written to as well.
    """
    mark[offsets[:-1][np.diff(offsets) > 0]] = False
    for at in range(0, len(mark), _BLOCK):
        places = np.flatnonzero(mark[at : at + _BLOCK])
        first = np.empty(len(places), bool)  # the first mark of each run of marks
        first[:1] = True
        np.not_equal(places[1:], places[:-1] + 1, out=first[1:])
        # The character before a block may be a mark itself; it has the values of its base already.
        bases = at + places[first][np.cumsum(first) - 1] - 1
        for mask in masks:
            mask[at + places] = mask[bases]


def _runs(inside: Mask, offsets: Index, breaks: Mask | None = None, joins: Mask | None = None) -> Units:
    """The maximal runs of `inside` (T,) within the rows that `offsets` describe.

    A run also begins at each position in `breaks`, and at a position in `joins` that follows one that is not.
    """
    size = len(inside)
    begins = np.empty(size, bool)
    begins[:1] = True
    np.logical_not(inside[:-1], out=begins[1:])
    begins[offsets[:-1][np.diff(offsets) > 0]] = True
    if breaks is not None and joins is not None:
        begins |= breaks
        begins[1:] |= joins[1:] & ~joins[:-1]
    begins &= inside
    ends = np.empty(size, bool)
    ends[-1:] = True
    np.logical_or(~inside[1:], begins[1:], out=ends[:-1])
    ends[offsets[1:][np.diff(offsets) > 0] - 1] = True
    ends &= inside
    starts = np.flatnonzero(begins)
    return Units(starts, np.flatnonzero(ends) + 1, np.searchsorted(starts, offsets))


@accelerated
def word_hashes(texts: Texts, seed: int) -> Ragged:
    """The hash of every word of N texts: Ragged uint32, N rows. It is MurmurHash3_x86_32 of the word's UTF-8 bytes."""
    return _unit_hashes(texts, words_in(texts.codepoints), seed)


def line_hashes(texts: Texts, seed: int) -> Ragged:
    """The hash of every line of N texts: Ragged uint32, N rows. It is MurmurHash3_x86_32 of the line's UTF-8 bytes."""
    return _unit_hashes(texts, lines_in(texts.codepoints), seed)


def _unit_hashes(texts: Texts, units: Units, seed: int) -> Ragged:
    """The hash of every unit. If most units are one code point, as in Chinese, those are looked up."""
    starts, stops = units.starts, units.stops
    longer = np.flatnonzero(stops - starts > 1)
    if 2 * len(longer) > len(starts):
        return Ragged(murmur.hash_byte_strings(texts.data, *texts.byte_spans(starts, stops), seed), units.offsets)
    hashes = _codepoint_hashes(seed)(texts.codepoints.values[starts])
    hashes[longer] = murmur.hash_byte_strings(texts.data, *texts.byte_spans(starts[longer], stops[longer]), seed)
    return Ragged(hashes, units.offsets)


@lru_cache(maxsize=4)
def _codepoint_hashes(seed: int) -> CodepointTable:
    """The hash of each single code point. One in 2^32 is 0, which the table computes at every lookup."""
    return CodepointTable(one_by_one(lambda point: mmh3.hash(_encoded(point), seed, signed=False)), np.uint32)


def _encoded(codepoint: int) -> bytes:
    """The bytes of a code point. U+DC80 to U+DCFF stand for bytes that are not UTF-8; no text has other surrogates."""
    if 0xDC80 <= codepoint <= 0xDCFF:
        return bytes([codepoint - 0xDC00])
    return chr(codepoint).encode(errors="surrogatepass")


def are_stop_words(hashes: Tokens, shingling: Shingling) -> Mask:
    """Which words are stop words, of words given by their hashes (W,) uint32: bool (W,)."""
    known = _stop_word_hashes(shingling.stop_word_list, shingling.language, shingling.normalisation, shingling.seed)
    found = np.zeros(len(hashes), bool)
    if not len(known):
        return found
    low = np.zeros(1 << 16, bool)
    low[known & 0xFFFF] = True
    for at in range(0, len(hashes), murmur.CHUNK):
        chunk = hashes[at : at + murmur.CHUNK]
        likely = np.flatnonzero(low.take((chunk & 0xFFFF).astype(np.intp)))
        values = chunk[likely]
        found[at + likely] = known[np.searchsorted(known, values) % len(known)] == values
    return found


@lru_cache(maxsize=64)
def _stop_word_hashes(listed: str, language: str, switches: Normalisation, seed: int) -> Tokens:
    """The hashes of the stop words after normalisation, ascending: uint32. They are those listed, or of the language.

    An entry of a list may be several words, such as "don't". If the case is kept, the capitalised and the upper-case
    spellings are included.
    """
    spellings = set(listed.split() or stop_words()[language])
    if switches.keep_case:
        spellings |= {word.capitalize() for word in spellings} | {word.upper() for word in spellings}
    rows = [np.frombuffer(word.encode(), np.uint8) for word in sorted(spellings)]
    return distinct(word_hashes(normalise(Ragged.from_rows(rows, np.uint8), switches), seed).values)
