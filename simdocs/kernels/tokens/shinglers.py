"""Shinglers: the tokens of normalised texts, in text order, and their lengths in units. One function a unit, and
their table.

A text of n >= k units has n-k+1 shingles; a shorter one has one, the whole of it; one without units has none.
Definitions: Broder, On the resemblance and containment of documents (1997), section 2; Leskovec, Rajaraman, Ullman,
Mining of Massive Datasets, section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simdocs.families import UNITS
from simdocs.kernels.text.normalise import normalise
from simdocs.kernels.text.units import Units, chars, lines, words
from simdocs.kernels.tokens import murmur
from simdocs.kernels.tokens.unit_hashes import line_numbers, stop_positions, word_numbers
from simdocs.model.ragged import Array, Index, Mask, Ragged, Tokens, offsets_of, ranges
from simdocs.model.texts import Texts
from simdocs.parameters import Shingling


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


def after_stop_words(offsets: Index, stops: Array, k: int) -> Layout:
    """Every unit at the positions `stops`, with the k-1 after it; where a text has none such, all its units.

    offsets: (N+1,) of the units of the texts.
    """
    rows = np.searchsorted(offsets, stops, side="right") - 1
    full = stops + k <= offsets[rows + 1]
    firsts, rows = stops[full], rows[full]
    counts = np.bincount(rows, minlength=len(offsets) - 1)
    whole = np.flatnonzero((counts == 0) & (np.diff(offsets) > 0))
    counts[whole] = 1
    cuts = offsets_of(counts)
    sizes = np.full(cuts[-1], k, np.int64)
    sizes[cuts[whole]] = np.diff(offsets)[whole]
    places = np.ones(cuts[-1], bool)
    places[cuts[whole]] = False
    out = np.empty(cuts[-1], np.int64)
    out[places] = firsts
    out[cuts[whole]] = offsets[whole]
    return Layout(out, sizes, cuts)


Shingles = tuple[Ragged, Index]
"""Tokens (Ragged uint32) of N texts, and the units in each text: (N,) int64."""


def char_tokens(texts: Texts, how: Shingling) -> Shingles:
    """Tokens of k characters: MurmurHash3_x86_32 of their UTF-8 bytes."""
    units, encoded = texts.points.offsets, texts.encoded
    short = _short(units, how.k)
    whole = murmur.strings(texts.data, encoded.offsets[short], encoded.lengths[short], how.seed, 4 * how.k)
    return _within_texts(_char_windows(texts, how), units, how.k, whole), np.diff(units)


def _char_windows(texts: Texts, how: Shingling) -> Tokens:
    """Hashes of all windows of k code points, those that lie in two texts among them."""
    if texts.starts is None:
        return murmur.sliding(texts.data, how.k, how.seed)
    size = max(0, len(texts.points.values) - how.k + 1)
    out = np.empty(size, np.uint32)
    for at in range(0, size, murmur.CHUNK):
        stop = min(at + murmur.CHUNK, size)
        begins = texts.begins(at, stop - 1 + how.k)
        starts, stops = begins[: stop - at], begins[how.k :]
        out[at:stop] = murmur.strings(texts.data, starts, stops - starts, how.seed, 4 * how.k)
    return out


def _short(offsets: Index, k: int) -> Index:
    """Which texts have fewer than k units, but one at least: each is one shingle."""
    counts = np.diff(offsets)
    return np.flatnonzero((counts > 0) & (counts < k))


def _within_texts(every: Tokens, offsets: Index, k: int, whole: Tokens) -> Ragged:
    """Of the hashes of all windows of k units, those that lie in one text; for short texts, those of the `whole`.

    every: (U-k+1,), or none. offsets: (N+1,), of the units of N texts. whole: one for each that is _short.
    """
    shingles = np.maximum(np.diff(offsets) - k + 1, 0)
    # A large document is alone in its batch: a copy of its tokens would be the largest array of all.
    tokens = every if shingles.sum() == len(every) else every[_inside(len(every), offsets, k)]
    short = _short(offsets, k)
    if len(short):
        tokens = np.insert(tokens, offsets_of(shingles)[short], whole)
        shingles[short] = 1
    return Ragged.of(tokens, shingles)


def _inside(size: int, offsets: Index, k: int) -> Mask:
    """Which of so many windows of k lie within one text."""
    inside = np.ones(size, bool)
    for back in range(1, k):
        crossing = offsets[1:] - back
        inside[crossing[(crossing >= 0) & (crossing < size)]] = False
    return inside


def word_tokens(texts: Texts, how: Shingling) -> Shingles:
    """Tokens of k words: the hash of the words' own hashes, 4 bytes each."""
    return _of_numbers(word_numbers(texts, how.seed), how)


def line_tokens(texts: Texts, how: Shingling) -> Shingles:
    """Tokens of k lines, as of words."""
    return _of_numbers(line_numbers(texts, how.seed), how)


def _of_numbers(numbers: Ragged, how: Shingling) -> Shingles:
    short = _short(numbers.offsets, how.k)
    whole = murmur.number_runs(numbers.values, numbers.offsets[short], numbers.lengths[short], how.seed)
    # The numbers are ours, and not wanted any more: in Chinese they take as much memory as the tokens.
    every = murmur.number_windows(numbers.values, how.k, how.seed, out=numbers.values)
    return _within_texts(every, numbers.offsets, how.k, whole), numbers.lengths


def stopword_tokens(texts: Texts, how: Shingling) -> Shingles:
    """Tokens of a stop word and the k-1 words after it, as of words."""
    numbers = word_numbers(texts, how.seed)
    layout = after_stop_words(numbers.offsets, stop_positions(numbers.values, how), how.k)
    long = max(how.k, murmur.LONG // 4)
    tokens = murmur.number_runs(numbers.values, layout.firsts, layout.sizes, how.seed, long)
    return Ragged(tokens, layout.offsets), numbers.lengths


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
    numbers = word_numbers(texts, how.seed)
    return after_stop_words(units.offsets, stop_positions(numbers.values, how), how.k)


CHAR = Shingler(char_tokens, chars, _windows, "")
WORD = Shingler(word_tokens, words, _windows, " ")
LINE = Shingler(line_tokens, lines, _windows, "\n")
STOPWORD = Shingler(stopword_tokens, words, _after_stop_words, " ")


def shingler_of(unit: str) -> Shingler:
    """The shingler of this unit, from the table of the family. KeyError: there is none."""
    shingler = UNITS[unit].load()
    assert isinstance(shingler, Shingler)
    return shingler


def texts_of(raw: Ragged, how: Shingling) -> Texts:
    """Documents (Ragged uint8) normalised as their shingler wants them."""
    return normalise(raw, how.normalisation, lines=how.unit == "line")


def tokens_of(texts: Texts, how: Shingling) -> Ragged:
    """Tokens of normalised texts, in text order, repeats included: Ragged uint32."""
    return shingles_of(texts, how)[0]


def shingles_of(texts: Texts, how: Shingling) -> Shingles:
    """Tokens of normalised texts, in text order, repeats included; and how many units each text has."""
    return shingler_of(how.unit).shingles(texts, how)
