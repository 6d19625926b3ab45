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
from simdocs.kernels.text.units import Units, char_units, line_units, word_units
from simdocs.kernels.tokens import murmur
from simdocs.kernels.tokens.unit_hashes import line_hashes, stop_word_positions, word_hashes
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


def char_tokens(texts: Texts, shingling: Shingling) -> Shingles:
    """Tokens of k characters: MurmurHash3_x86_32 of their UTF-8 bytes."""
    units, encoded = texts.codepoints.offsets, texts.encoded
    short = _short(units, shingling.k)
    whole = murmur.hash_byte_strings(
        texts.data, encoded.offsets[short], encoded.lengths[short], shingling.seed, 4 * shingling.k
    )
    return _within_texts(_char_windows(texts, shingling), units, shingling.k, whole), np.diff(units)


def _char_windows(texts: Texts, shingling: Shingling) -> Tokens:
    """Hashes of all windows of k code points, those that lie in two texts among them."""
    if texts.starts is None:
        return murmur.hash_byte_windows(texts.data, shingling.k, shingling.seed)
    size = max(0, len(texts.codepoints.values) - shingling.k + 1)
    out = np.empty(size, np.uint32)
    for at in range(0, size, murmur.CHUNK):
        stop = min(at + murmur.CHUNK, size)
        begins = texts.byte_offsets(at, stop - 1 + shingling.k)
        starts, stops = begins[: stop - at], begins[shingling.k :]
        out[at:stop] = murmur.hash_byte_strings(texts.data, starts, stops - starts, shingling.seed, 4 * shingling.k)
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
    return Ragged.from_lengths(tokens, shingles)


def _inside(size: int, offsets: Index, k: int) -> Mask:
    """Which of so many windows of k lie within one text."""
    inside = np.ones(size, bool)
    for back in range(1, k):
        crossing = offsets[1:] - back
        inside[crossing[(crossing >= 0) & (crossing < size)]] = False
    return inside


def word_tokens(texts: Texts, shingling: Shingling) -> Shingles:
    """Tokens of k words: the hash of the words' own hashes, 4 bytes each."""
    return _of_numbers(word_hashes(texts, shingling.seed), shingling)


def line_tokens(texts: Texts, shingling: Shingling) -> Shingles:
    """Tokens of k lines, as of words."""
    return _of_numbers(line_hashes(texts, shingling.seed), shingling)


def _of_numbers(numbers: Ragged, shingling: Shingling) -> Shingles:
    short = _short(numbers.offsets, shingling.k)
    whole = murmur.hash_number_runs(numbers.values, numbers.offsets[short], numbers.lengths[short], shingling.seed)
    # The numbers are ours, and not wanted any more: in Chinese they take as much memory as the tokens.
    every = murmur.hash_number_windows(numbers.values, shingling.k, shingling.seed, out=numbers.values)
    return _within_texts(every, numbers.offsets, shingling.k, whole), numbers.lengths


def stopword_tokens(texts: Texts, shingling: Shingling) -> Shingles:
    """Tokens of a stop word and the k-1 words after it, as of words."""
    numbers = word_hashes(texts, shingling.seed)
    layout = after_stop_words(numbers.offsets, stop_word_positions(numbers.values, shingling), shingling.k)
    long = max(shingling.k, murmur.LONG // 4)
    tokens = murmur.hash_number_runs(numbers.values, layout.firsts, layout.sizes, shingling.seed, long)
    return Ragged(tokens, layout.offsets), numbers.lengths


@dataclass(frozen=True, slots=True)
class Shingler:
    """A member of the family: shingling texts become tokens, and where its shingles stand."""

    shingles: Callable[[Texts, Shingling], Shingles]
    units: Callable[[Texts], Units]
    layout: Callable[[Texts, Units, Shingling], Layout]
    separator: str
    """What stands between two units of a shingle when it is shown."""


def _windows(texts: Texts, units: Units, shingling: Shingling) -> Layout:
    return windows(units, shingling.k)


def _after_stop_words(texts: Texts, units: Units, shingling: Shingling) -> Layout:
    numbers = word_hashes(texts, shingling.seed)
    return after_stop_words(units.offsets, stop_word_positions(numbers.values, shingling), shingling.k)


CHAR = Shingler(char_tokens, char_units, _windows, "")
WORD = Shingler(word_tokens, word_units, _windows, " ")
LINE = Shingler(line_tokens, line_units, _windows, "\n")
STOPWORD = Shingler(stopword_tokens, word_units, _after_stop_words, " ")


def shingler_of(unit: str) -> Shingler:
    """The shingler of this unit, from the table of the family. KeyError: there is none."""
    shingler = UNITS[unit].load()
    assert isinstance(shingler, Shingler)
    return shingler


def normalised_texts(raw: Ragged, shingling: Shingling) -> Texts:
    """Documents (Ragged uint8) normalised as their shingler wants them."""
    return normalise(raw, shingling.normalisation, lines=shingling.unit == "line")


def text_tokens(texts: Texts, shingling: Shingling) -> Ragged:
    """Tokens of normalised texts, in text order, repeats included: Ragged uint32."""
    return shingled_texts(texts, shingling)[0]


def shingled_texts(texts: Texts, shingling: Shingling) -> Shingles:
    """Tokens of normalised texts, in text order, repeats included; and shingling many units each text has."""
    return shingler_of(shingling.unit).shingles(texts, shingling)
