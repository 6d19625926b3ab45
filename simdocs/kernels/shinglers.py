"""The tokens of normalised texts, in text order: one shingler for each unit.

A text of n >= k units has n-k+1 shingles. A shorter text has one shingle, the whole text. A text without units has no
shingle. Definitions: Broder, On the resemblance and containment of documents (1997), section 2; Leskovec, Rajaraman,
Ullman, Mining of Massive Datasets, section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simdocs.kernels import murmur
from simdocs.kernels.native import accelerated
from simdocs.kernels.normalise import normalise
from simdocs.kernels.units import Units, are_stop_words, line_hashes, lines_in, word_hashes, words_in
from simdocs.model.ragged import Array, Index, Ragged, Texts, Tokens, count_true_in_rows, offsets_of, ranges
from simdocs.options.recipes import Shingling


class Layout(NamedTuple):
    """S shingles of N texts, in text order. Shingle s is the units firsts[s] to firsts[s] + sizes[s] - 1.

    firsts, sizes: int64 (S,).
    offsets: int64 (N+1,); the shingles of text i are offsets[i] to offsets[i+1] - 1.
    """

    firsts: Index
    sizes: Index
    offsets: Index


def windows(_texts: Texts, units: Units, shingling: Shingling) -> Layout:
    """The shingles of every k consecutive units."""
    counts, k = np.diff(units.offsets), shingling.k
    shingles = np.where(counts >= k, counts - k + 1, np.minimum(counts, 1))
    sizes = np.repeat(np.minimum(counts, k), shingles)
    return Layout(ranges(units.offsets[:-1], shingles), sizes, offsets_of(shingles))


def after_stop_words(offsets: Index, stops: Array, k: int) -> Layout:
    """The shingles of each stop word with the k-1 words after it.

    offsets: (N+1,) int64, where the words of each text begin. stops: (S,) int64, the positions of the stop words,
    ascending. A text in which no stop word is followed by k-1 words has one shingle: all its words.
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


class ShingledTexts(NamedTuple):
    """The tokens of N texts and the number of units in each text.

    tokens: Ragged uint32, N rows, in text order, with repeats.
    lengths: int64 (N,).
    """

    tokens: Ragged
    lengths: Index


@accelerated
def char_tokens(texts: Texts, shingling: Shingling) -> ShingledTexts:
    """The tokens of k characters each: MurmurHash3_x86_32 of their UTF-8 bytes."""
    units, encoded = texts.codepoints.offsets, texts.encoded
    short = _short(units, shingling.k)
    whole = murmur.hash_byte_strings(
        texts.data, encoded.offsets[short], encoded.lengths[short], shingling.seed, 4 * shingling.k
    )
    return ShingledTexts(_within_texts(_char_windows(texts, shingling), units, shingling.k, whole), np.diff(units))


def _char_windows(texts: Texts, shingling: Shingling) -> Tokens:
    """The hashes of all windows of k code points, including those that begin in one text and end in the next."""
    size = max(0, len(texts.codepoints.values) - shingling.k + 1)
    out = np.empty(size, np.uint32)
    for at in range(0, size, murmur.CHUNK):
        stop = min(at + murmur.CHUNK, size)
        begins = texts.byte_offsets(at, stop - 1 + shingling.k)
        starts, stops = begins[: stop - at], begins[shingling.k :]
        out[at:stop] = murmur.hash_byte_strings(texts.data, starts, stops - starts, shingling.seed, 4 * shingling.k)
    return out


def _short(offsets: Index, k: int) -> Index:
    """The rows of the texts that have units, but fewer than k: each text is one shingle."""
    counts = np.diff(offsets)
    return np.flatnonzero((counts > 0) & (counts < k))


def _within_texts(every: Tokens, offsets: Index, k: int, whole: Tokens) -> Ragged:
    """The tokens of N texts: the hashes of the windows of k units that lie within one text.

    every: (U-k+1,) uint32, the hashes of all windows; none if U < k
    offsets: (N+1,), the beginnings of the units of each text
    whole: the token of each text in _short(offsets, k)
    """
    shingles = np.maximum(np.diff(offsets) - k + 1, 0)
    tokens = every
    if shingles.sum() < len(every):  # or else a large document is alone, and a copy would be the largest array of all
        inside = np.ones(len(every), bool)
        for back in range(1, k):
            crossing = offsets[1:] - back
            inside[crossing[(crossing >= 0) & (crossing < len(every))]] = False
        tokens = every[inside]
    short = _short(offsets, k)
    if len(short):
        tokens = np.insert(tokens, offsets_of(shingles)[short], whole)
        shingles[short] = 1
    return Ragged.from_lengths(tokens, shingles)


def word_tokens(texts: Texts, shingling: Shingling) -> ShingledTexts:
    """The tokens of k words each: MurmurHash3_x86_32 of the hashes of the words, 4 bytes each, little-endian.

    Stop words are left out first, if they are to be ignored.
    """
    hashes = word_hashes(texts, shingling.seed)
    if shingling.ignore_stop_words:
        hashes = hashes.keep(~are_stop_words(hashes.values, shingling))
    return tokens_of_units(hashes, shingling)


def line_tokens(texts: Texts, shingling: Shingling) -> ShingledTexts:
    """The tokens of k lines each: MurmurHash3_x86_32 of the hashes of the lines, 4 bytes each, little-endian."""
    return tokens_of_units(line_hashes(texts, shingling.seed), shingling)


@accelerated
def tokens_of_units(hashes: Ragged, shingling: Shingling) -> ShingledTexts:
    """The tokens of k units each: MurmurHash3_x86_32 of their hashes, which are overwritten."""
    short = _short(hashes.offsets, shingling.k)
    whole = murmur.hash_number_runs(hashes.values, hashes.offsets[short], hashes.lengths[short], shingling.seed)
    # The hashes of the units are overwritten. In Chinese they take as much memory as the tokens.
    every = murmur.hash_number_windows(hashes.values, shingling.k, shingling.seed, out=hashes.values)
    return ShingledTexts(_within_texts(every, hashes.offsets, shingling.k, whole), hashes.lengths)


def stopword_tokens(texts: Texts, shingling: Shingling) -> ShingledTexts:
    """The tokens of each stop word with the k-1 words after it, hashed like k words."""
    hashes = word_hashes(texts, shingling.seed)
    layout = after_stop_words(hashes.offsets, np.flatnonzero(are_stop_words(hashes.values, shingling)), shingling.k)
    long = max(shingling.k, murmur.LONG // 4)
    tokens = murmur.hash_number_runs(hashes.values, layout.firsts, layout.sizes, shingling.seed, long)
    return ShingledTexts(Ragged(tokens, layout.offsets), hashes.lengths)


class Shingler(NamedTuple):
    """The implementation of a unit of shingles.

    shingles(texts, shingling): the tokens of normalised texts, and the number of units in each
    units(texts, shingling): where the units are
    layout(texts, units, shingling): which units form each shingle
    separator: the text between two units of a shingle when the shingle is displayed
    numbers(texts): for each text, an array in which equal units are equal numbers; None: units are hashed for this
    """

    shingles: Callable[[Texts, Shingling], ShingledTexts]
    units: Callable[[Texts, Shingling], Units]
    layout: Callable[[Texts, Units, Shingling], Layout]
    separator: str
    numbers: Callable[[Texts], list[Array]] | None = None


def _chars(texts: Texts, shingling: Shingling) -> Units:
    starts = np.arange(len(texts.codepoints.values))
    return Units(starts, starts + 1, texts.codepoints.offsets)


def _words(texts: Texts, shingling: Shingling) -> Units:
    units = words_in(texts.codepoints)
    if not shingling.ignore_stop_words:
        return units
    others = ~are_stop_words(word_hashes(texts, shingling.seed).values, shingling)
    return Units(units.starts[others], units.stops[others], offsets_of(count_true_in_rows(others, units.offsets)))


def _after_stop_words(texts: Texts, units: Units, shingling: Shingling) -> Layout:
    hashes = word_hashes(texts, shingling.seed)
    return after_stop_words(units.offsets, np.flatnonzero(are_stop_words(hashes.values, shingling)), shingling.k)


SHINGLERS = {
    "char": Shingler(
        char_tokens, _chars, windows, "", lambda texts: [texts.codepoints[row] for row in range(len(texts))]
    ),
    "word": Shingler(word_tokens, _words, windows, " "),
    "line": Shingler(line_tokens, lambda texts, _: lines_in(texts.codepoints), windows, "\n"),
    "stopword": Shingler(stopword_tokens, lambda texts, _: words_in(texts.codepoints), _after_stop_words, " "),
}
"""The implementations of UNITS in options/families.py."""


def normalised_texts(raw: Ragged, shingling: Shingling) -> Texts:
    """The normalised texts of N documents, given as bytes (Ragged uint8), as the shingler of the unit needs them."""
    return normalise(raw, shingling.normalisation, lines=shingling.by_lines)


def unit_numbers(texts: Texts, unit: str, shingling: Shingling) -> list[Array]:
    """The units of each of N texts as numbers, the same for equal units; by default, hashes of 64 bits."""
    numbers = SHINGLERS[unit].numbers
    if numbers is not None:
        return numbers(texts)
    single = shingling.but(unit=unit, k=1, ignore_stop_words=False)
    halves = [text_tokens(texts, single.but(seed=seed)) for seed in (0, 1)]
    hashes = halves[0].values.astype(np.uint64) << np.uint64(32) | halves[1].values
    return [hashes[begin:end] for begin, end in pairwise(halves[0].offsets.tolist())]


def text_tokens(texts: Texts, shingling: Shingling) -> Ragged:
    """The tokens of N normalised texts, in text order, with repeats: Ragged uint32."""
    return SHINGLERS[shingling.unit].shingles(texts, shingling).tokens
