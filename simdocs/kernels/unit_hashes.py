"""The hashes of words and lines, from which shingles are made, and the stop words among words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import mmh3
import numpy as np

from simdocs.kernels import murmur
from simdocs.kernels.characters import CodepointTable, one_by_one
from simdocs.kernels.native import accelerated
from simdocs.kernels.normalise import normalise
from simdocs.kernels.units import Units, line_cuts, lines_in, word_cuts, words_in
from simdocs.model.ragged import STRIDE, Array, Index, Mask, Ragged, Texts, Tokens, distinct
from simdocs.options.recipes import Shingling
from simdocs.options.texts import Normalisation

PIECE = 16 * STRIDE
"""Smallest number of code points in a piece, except for the last one."""

_LOOK_AHEAD = 256
"""Code points that are searched first for a place to cut."""


def pieces(texts: Texts, cuts: Callable[[Array], Mask]) -> Iterator[tuple[int, int, Ragged]]:
    """Pieces of at least PIECE code points that together are all the texts, in order.

    For each: the row of the first text in it, whose beginning may lie in an earlier piece; the position of its first
    code point among those of all texts; and its code points, one row for each text in it, of which the last may go on.

    A piece begins where a text begins, or at a code point for which `cuts`, called with code points (n,), is true: no
    unit contains both that code point and the one before it.
    """
    codepoints, offsets = texts.codepoints.values, texts.codepoints.offsets
    at = 0
    while at < len(codepoints):
        stop = _next_cut(codepoints, offsets, at + PIECE, cuts)
        first = int(np.searchsorted(offsets, at, side="right")) - 1
        last = int(np.searchsorted(offsets, stop, side="left"))
        bounds: Index = np.clip(offsets[first : last + 1], at, stop) - at
        yield first, at, Ragged(codepoints[at:stop], bounds)
        at = stop


def _next_cut(codepoints: Array, offsets: Index, wanted: int, cuts: Callable[[Array], Mask]) -> int:
    """The first position, from `wanted` on, where the texts can be cut."""
    if wanted >= len(codepoints):
        return len(codepoints)
    end_of_text = int(offsets[np.searchsorted(offsets, wanted)])
    look_ahead = _LOOK_AHEAD
    while wanted < end_of_text:
        found = cuts(codepoints[wanted : min(wanted + look_ahead, end_of_text)])
        if found.any():
            return wanted + int(found.argmax())
        wanted, look_ahead = wanted + look_ahead, 2 * look_ahead
    return end_of_text


@accelerated
def word_hashes(texts: Texts, seed: int) -> Ragged:
    """The hash of every word of N texts: Ragged uint32, N rows. It is MurmurHash3_x86_32 of the word's UTF-8 bytes."""
    return _unit_hashes(texts, words_in, word_cuts, seed)


def line_hashes(texts: Texts, seed: int) -> Ragged:
    """The hash of every line of N texts: Ragged uint32, N rows. It is MurmurHash3_x86_32 of the line's UTF-8 bytes."""
    return _unit_hashes(texts, lines_in, line_cuts, seed)


def _unit_hashes(texts: Texts, units_in: Callable[[Ragged], Units], cuts: Callable[[Array], Mask], seed: int) -> Ragged:
    """The hash of every unit. The work goes in pieces: the positions of a unit take more memory than its hash, and in
    Chinese every character is a word."""
    hashes = np.empty(len(texts.codepoints.values), np.uint32)  # an upper bound; what is not written takes no memory
    counts = np.zeros(len(texts), np.int64)
    done = 0
    for first, at, codepoints in pieces(texts, cuts):
        units = units_in(codepoints)
        stop = done + len(units.starts)
        _write_hashes(texts, units.starts + at, units.stops + at, seed, hashes[done:stop])
        counts[first : first + len(codepoints)] += np.diff(units.offsets)
        done = stop
    hashes.resize(done, refcheck=False)
    return Ragged.from_lengths(hashes, counts)


def _write_hashes(texts: Texts, starts: Index, stops: Index, seed: int, out: Tokens) -> None:
    """Write the hash of each unit to `out`. If most units are one code point, as in Chinese, those are looked up."""
    longer = np.flatnonzero(stops - starts > 1)
    if 2 * len(longer) > len(starts):
        out[:] = murmur.hash_byte_strings(texts.data, *texts.byte_spans(starts, stops), seed)
        return
    out[:] = _codepoint_hashes(seed)(texts.codepoints.values[starts])
    out[longer] = murmur.hash_byte_strings(texts.data, *texts.byte_spans(starts[longer], stops[longer]), seed)


@lru_cache(maxsize=4)
def _codepoint_hashes(seed: int) -> CodepointTable:
    """The hash of each single code point. One in 2^32 is 0, which the table computes at every lookup."""
    return CodepointTable(one_by_one(lambda point: mmh3.hash(_encoded(point), seed, signed=False)), np.uint32)


def _encoded(codepoint: int) -> bytes:
    """The bytes of a code point. U+DC80 to U+DCFF stand for bytes that are not UTF-8; no text has other surrogates."""
    if 0xDC80 <= codepoint <= 0xDCFF:
        return bytes([codepoint - 0xDC00])
    return chr(codepoint).encode(errors="surrogatepass")


def stop_word_positions(hashes: Tokens, shingling: Shingling) -> Index:
    """The positions of the stop words among words, given by their hashes (W,) uint32: ascending int64."""
    return np.concatenate([np.empty(0, np.int64), *_stop_words_in_chunks(hashes, shingling)])


def other_words(hashes: Tokens, shingling: Shingling) -> Mask:
    """Which words are not stop words, of words given by their hashes (W,) uint32: bool (W,)."""
    others = np.ones(len(hashes), bool)
    for positions in _stop_words_in_chunks(hashes, shingling):
        others[positions] = False
    return others


def _stop_words_in_chunks(hashes: Tokens, shingling: Shingling) -> Iterator[Index]:
    """Yield the positions of the stop words, a chunk of the words after the other."""
    known = _stop_word_hashes(shingling.stop_word_list, shingling.language, shingling.normalisation, shingling.seed)
    if not len(known):
        return
    low = np.zeros(1 << 16, bool)
    low[known & 0xFFFF] = True
    for at in range(0, len(hashes), murmur.CHUNK):
        chunk = hashes[at : at + murmur.CHUNK]
        likely = np.flatnonzero(low.take((chunk & 0xFFFF).astype(np.intp)))
        values = chunk[likely]
        yield at + likely[known[np.searchsorted(known, values) % len(known)] == values]


@lru_cache(maxsize=64)
def _stop_word_hashes(listed: str, language: str, switches: Normalisation, seed: int) -> Tokens:
    """The hashes of the stop words after normalisation, ascending: uint32. They are those listed, or of the language.

    An entry of a list may be several words, such as "don't". If the case is kept, the capitalised and the upper-case
    spellings are included.
    """
    from simdocs.options.stop_words import STOP_WORDS

    spellings = set(listed.split() or STOP_WORDS[language])
    if switches.keep_case:
        spellings |= {word.capitalize() for word in spellings} | {word.upper() for word in spellings}
    rows = [np.frombuffer(word.encode(), np.uint8) for word in sorted(spellings)]
    return distinct(word_hashes(normalise(Ragged.from_rows(rows, np.uint8), switches), seed).values)
