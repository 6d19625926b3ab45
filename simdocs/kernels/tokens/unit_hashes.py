"""Units as numbers: the hash of every word or line, of which shingles are made; and which of them are stop words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

import mmh3
import numpy as np

from simdocs.kernels.text.characters import Lookup
from simdocs.kernels.text.normalise import normalise
from simdocs.kernels.text.pieces import pieces
from simdocs.kernels.text.units import Units, line_cuts, lines_in, word_cuts, words_in
from simdocs.kernels.tokens import murmur
from simdocs.kernels.tokens.stopwords import STOP_WORDS
from simdocs.model.ragged import Array, Index, Mask, Ragged, Tokens
from simdocs.model.texts import Texts
from simdocs.parameters import Normalisation, Shingling


def word_hashes(texts: Texts, seed: int) -> Ragged:
    """MurmurHash3_x86_32 of the UTF-8 bytes of every word of every text: Ragged uint32."""
    return _numbers(texts, words_in, word_cuts, seed)


def line_hashes(texts: Texts, seed: int) -> Ragged:
    """The same of every line."""
    return _numbers(texts, lines_in, line_cuts, seed)


def _numbers(texts: Texts, runs: Callable[[Ragged], Units], ends: Callable[[Array], Mask], seed: int) -> Ragged:
    """In pieces: where a unit stands takes more memory than its hash, and in Chinese a character is a word."""
    numbers = np.empty(len(texts.codepoints.values), np.uint32)  # as many at most; what is not written takes no memory
    counts = np.zeros(len(texts), np.int64)
    done = 0
    for piece in pieces(texts, ends):
        units = runs(piece.points)
        stop = done + len(units.starts)
        _number(texts, units.starts + piece.at, units.stops + piece.at, seed, numbers[done:stop])
        counts[piece.first : piece.first + len(piece.points)] += np.diff(units.offsets)
        done = stop
    numbers.resize(done, refcheck=False)
    return Ragged.from_lengths(numbers, counts)


def _number(texts: Texts, starts: Index, stops: Index, seed: int, out: Tokens) -> None:
    """Write the hash of each unit. In scripts without spaces most are one code point: those are looked up."""
    longer = np.flatnonzero(stops - starts > 1)
    if 2 * len(longer) > len(starts):
        out[:] = murmur.hash_byte_strings(texts.data, *texts.byte_spans(starts, stops), seed)
        return
    out[:] = _singles(seed)(texts.codepoints.values[starts])
    out[longer] = murmur.hash_byte_strings(texts.data, *texts.byte_spans(starts[longer], stops[longer]), seed)


@lru_cache(maxsize=4)
def _singles(seed: int) -> Lookup:
    """Hashes of single code points. One in four milliards is 0, for which a Lookup asks every time."""
    return Lookup(lambda point: mmh3.hash(_encoded(point), seed, signed=False), np.uint32)


def _encoded(point: int) -> bytes:
    """A code point's bytes: an escaped one is its own; other surrogates occur in no text."""
    return bytes([point - 0xDC00]) if 0xDC80 <= point <= 0xDCFF else chr(point).encode(errors="surrogatepass")


def stop_word_positions(numbers: Tokens, shingling: Shingling) -> Index:
    """Which words, given by their hashes, are stop words of the language: ascending positions."""
    known = _stop_numbers(shingling.language, shingling.normalisation, shingling.seed)
    low = np.zeros(1 << 16, bool)
    low[known & 0xFFFF] = True
    found = [np.empty(0, np.int64)]
    for at in range(0, len(numbers), murmur.CHUNK):
        some = numbers[at : at + murmur.CHUNK]
        likely = np.flatnonzero(low.take((some & 0xFFFF).astype(np.intp)))
        values = some[likely]
        found.append(at + likely[known[np.searchsorted(known, values) % len(known)] == values])
    return np.concatenate(found)


@cache
def _stop_numbers(language: str, switches: Normalisation, seed: int) -> Tokens:
    """Hashes of the stop words as they stand in texts normalised so; with the case kept, capitalised ones too."""
    spellings = set(STOP_WORDS[language])
    if switches.keep_case:
        spellings |= {word.capitalize() for word in spellings} | {word.upper() for word in spellings}
    rows = [np.frombuffer(word.encode(), np.uint8) for word in sorted(spellings)]
    texts = normalise(Ragged.from_rows(rows, np.uint8), switches)
    return np.unique(murmur.hash_byte_strings(texts.data, texts.encoded.offsets[:-1], texts.encoded.lengths, seed))
