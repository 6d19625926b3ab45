"""Shinglers: the tokens of normalised texts, in text order, and their lengths in units. One function a unit, and
their table.

A text of n >= k units has n-k+1 shingles; a shorter one has one, the whole of it; one without units has none.
Definitions: Broder, On the resemblance and containment of documents (1997), section 2; Leskovec, Rajaraman, Ullman,
Mining of Massive Datasets, section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import numpy as np

from simdocs.kernels import murmur
from simdocs.kernels.normalise import normalise
from simdocs.kernels.stopwords import STOP_WORDS
from simdocs.kernels.units import Units, chars, lines, words
from simdocs.model.ragged import Array, Index, Ragged, Tokens, offsets_of, ranges
from simdocs.model.texts import Texts
from simdocs.parameters import Normalisation, Shingling


@dataclass(frozen=True, slots=True)
class Layout:
    """S shingles of N texts, in text order: shingle s is the units firsts[s] to firsts[s] + sizes[s] - 1.

    firsts, sizes: (S,) int64. offsets: (N+1,) int64, the shingles of text i are offsets[i] to offsets[i+1] - 1.
    """

    firsts: Index
    sizes: Index
    offsets: Index


def windows(units: Units, k: int) -> Layout:
    """Every k units in a row."""
    counts = np.diff(units.offsets)
    shingles = np.where(counts >= k, counts - k + 1, np.minimum(counts, 1))
    sizes = np.repeat(np.minimum(counts, k), shingles)
    return Layout(ranges(units.offsets[:-1], shingles), sizes, offsets_of(shingles))


def after_stop_words(units: Units, stops: Array, k: int) -> Layout:
    """Every unit at the positions `stops`, with the k-1 after it; where a text has none such, all its units."""
    rows = np.searchsorted(units.offsets, stops, side="right") - 1
    full = stops + k <= units.offsets[rows + 1]
    firsts, rows = stops[full], rows[full]
    counts = np.bincount(rows, minlength=len(units.offsets) - 1)
    whole = np.flatnonzero((counts == 0) & (np.diff(units.offsets) > 0))
    counts[whole] = 1
    offsets = offsets_of(counts)
    sizes = np.full(offsets[-1], k, np.int64)
    sizes[offsets[whole]] = np.diff(units.offsets)[whole]
    places = np.ones(offsets[-1], bool)
    places[offsets[whole]] = False
    out = np.empty(offsets[-1], np.int64)
    out[places] = firsts
    out[offsets[whole]] = units.offsets[whole]
    return Layout(out, sizes, offsets)


Shingles = tuple[Ragged, Index]
"""Tokens (Ragged uint32) of N texts, and the units in each text: (N,) int64."""


def char_tokens(texts: Texts, how: Shingling) -> Shingles:
    """Tokens of k characters: MurmurHash3_x86_32 of their UTF-8 bytes."""
    points, offsets, k = texts.points.values, texts.points.offsets, how.k
    counts = np.diff(offsets)
    if texts.starts is None:
        tokens = murmur.sliding(texts.data, k, how.seed)
        inside = _inside(len(points), offsets, k)
        # A large document is alone in its batch: a copy of its tokens would be the largest array of all.
        tokens = tokens if inside.all() else tokens[inside]
    else:
        inside = _inside(len(points), offsets, k)
        tokens = np.empty(np.count_nonzero(inside), np.uint32)
        done = 0
        # In chunks, since places take 8 bytes each: in one piece they would be most of a large document's memory.
        for at in range(0, len(inside), murmur.CHUNK):
            firsts = at + np.flatnonzero(inside[at : at + murmur.CHUNK])
            tokens[done : done + len(firsts)] = _spelt(texts, firsts, firsts + k, how)
            done += len(firsts)
    short = np.flatnonzero((counts > 0) & (counts < k))
    shingles = np.maximum(counts - k + 1, 0)
    if len(short):
        whole = _spelt(texts, offsets[short], offsets[short + 1], how)
        tokens = np.insert(tokens, offsets_of(shingles)[short], whole)
        shingles[short] = 1
    return Ragged.of(tokens, shingles), counts


def _inside(size: int, offsets: Index, k: int) -> Array:
    """Which of the size-k+1 windows of k lie within one text: bool."""
    inside = np.ones(max(0, size - k + 1), bool)
    for back in range(1, k):
        crossing = offsets[1:] - back
        inside[crossing[(crossing >= 0) & (crossing < len(inside))]] = False
    return inside


def _spelt(texts: Texts, firsts: Array, stops: Array, how: Shingling) -> Tokens:
    starts = texts.bytes_at(firsts)
    return murmur.strings(texts.data, starts, texts.bytes_at(stops) - starts, how.seed, 4 * how.k)


def word_tokens(texts: Texts, how: Shingling) -> Shingles:
    """Tokens of k words: the hash of the words' own hashes, 4 bytes each."""
    return _numbered(texts, words(texts), how)


def line_tokens(texts: Texts, how: Shingling) -> Shingles:
    """Tokens of k lines, as of words."""
    return _numbered(texts, lines(texts), how)


def _numbered(texts: Texts, units: Units, how: Shingling) -> Shingles:
    layout = windows(units, how.k)
    numbers = _numbers(texts, units, how)
    tokens = np.empty(len(layout.firsts), np.uint32)
    full = layout.sizes == how.k
    tokens[full] = murmur.number_windows(numbers, how.k, how.seed)[layout.firsts[full]]
    short = ~full
    tokens[short] = murmur.number_runs(numbers, layout.firsts[short], layout.sizes[short], how.seed)
    return Ragged(tokens, layout.offsets), np.diff(units.offsets)


def _numbers(texts: Texts, units: Units, how: Shingling) -> Tokens:
    return murmur.strings(texts.data, *units.byte_spans(texts), how.seed)


def stopword_tokens(texts: Texts, how: Shingling) -> Shingles:
    """Tokens of a stop word and the k-1 words after it, as of words."""
    units = words(texts)
    numbers = _numbers(texts, units, how)
    layout = after_stop_words(units, stop_positions(numbers, how), how.k)
    tokens = murmur.number_runs(numbers, layout.firsts, layout.sizes, how.seed, max(how.k, murmur.LONG // 4))
    return Ragged(tokens, layout.offsets), np.diff(units.offsets)


def stop_positions(numbers: Tokens, how: Shingling) -> Index:
    """Which words, given by their hashes, are stop words of the language: ascending positions."""
    known = _stop_numbers(how.language, how.normalisation, how.seed)
    return np.flatnonzero(np.isin(numbers, known))


@cache
def _stop_numbers(language: str, switches: Normalisation, seed: int) -> Tokens:
    """Hashes of the stop words as they stand in texts normalised so; with the case kept, capitalised ones too."""
    spellings = set(STOP_WORDS[language])
    if switches.keep_case:
        spellings |= {word.capitalize() for word in spellings} | {word.upper() for word in spellings}
    rows = [np.frombuffer(word.encode(), np.uint8) for word in sorted(spellings)]
    texts = normalise(Ragged.from_rows(rows, np.uint8), switches)
    return np.unique(murmur.strings(texts.data, texts.encoded.offsets[:-1], texts.encoded.lengths, seed))


@dataclass(frozen=True, slots=True)
class Shingler:
    """A member of the family: how texts become tokens, and where its shingles stand."""

    shingles: Callable[[Texts, Shingling], Shingles]
    units: Callable[[Texts], Units]
    layout: Callable[[Texts, Units, Shingling], Layout]
    joint: str
    """What stands between two units of a shingle when it is shown."""


def _windows(texts: Texts, units: Units, how: Shingling) -> Layout:
    return windows(units, how.k)


def _after_stop_words(texts: Texts, units: Units, how: Shingling) -> Layout:
    return after_stop_words(units, stop_positions(_numbers(texts, units, how), how), how.k)


SHINGLERS: Mapping[str, Shingler] = MappingProxyType(
    {
        "char": Shingler(char_tokens, chars, _windows, ""),
        "word": Shingler(word_tokens, words, _windows, " "),
        "line": Shingler(line_tokens, lines, _windows, "\n"),
        "stopword": Shingler(stopword_tokens, words, _after_stop_words, " "),
    }
)


def texts_of(raw: Ragged, how: Shingling) -> Texts:
    """Documents (Ragged uint8) normalised as their shingler wants them."""
    return normalise(raw, how.normalisation, lines=how.unit == "line")


def tokens_of(texts: Texts, how: Shingling) -> Ragged:
    """Tokens of normalised texts, in text order, repeats included: Ragged uint32."""
    return shingles_of(texts, how)[0]


def shingles_of(texts: Texts, how: Shingling) -> Shingles:
    """Tokens of normalised texts, in text order, repeats included; and how many units each text has."""
    return SHINGLERS[how.unit].shingles(texts, how)
