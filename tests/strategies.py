"""Strategies for the inputs of kernels: hostile batches of few atoms, with many repeats and short documents."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from simdocs.model.ragged import Array, Ragged
from simdocs.parameters.families import LANGUAGES, UNITS
from simdocs.parameters.recipes import Shingling
from simdocs.parameters.texts import Normalisation

WHITESPACE = [chr(point) for point in range(sys.maxunicode + 1) if chr(point).isspace()]

SEPARATORS = [chr(code) for code in (*range(9), *range(14, 28), 127)]
"""Control characters that are not whitespace. Any of them may occur in a text."""

ASCII = ["a", "b", "B", "Z", "_", "0", "7", ".", "!", "$", "'", " ", " ", "\n", "\r\n", "\t", "\x00", "\x1f", "\x7f"]
STOPS = ["the ", "The ", "THE ", "of ", " und ", "dass ", "daß ", "même ", "été ", "не ", "l'"]
CASED = ["Σ", "σ", "ς", "İ", "ı", "ẞ", "ß", "Å", "Ⅳ", "ᾈ", "Ж", "ǅ"]
COMPOSED = ["é", "e\u0301", "\u0301", "\u0323", "\u0345", "Å", "ﬁ", "Ａ", "½", "\u1100", "\u1161", "각", "\u20dd"]
UNSPACED = ["ก", "่", "ำ", "日", "本", "々", "〇", "か", "\u3099", "ｶ", "ﾞ", "က", "ာ", "္", "ខ", "្", "ກ", "𠀀", "㍿"]
MARKED = ["क", "ि", "्", "\u0903", "ə", "א", "\u05b0", "\u200d", "\u200c", "👍", "🏽", "\ufeff", "\ufffd"]
DIGITS = ["٣", "۷", "²", "१", "𝟘", "Ⅷ"]
SIGNS = ["«", "—", "¿", "€", "＿", "´", "、", "ー"]
INVALID = [b"\xff", b"\xc3", b"\xa9", b"\xe4\xb8", b"\xad", b"\xed\xb2\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"]

_COMMON = ["a", "b", "B", " ", "the ", "é", "日"]
_FAMILIES = [_COMMON, _COMMON, ASCII, STOPS, CASED, COMPOSED, UNSPACED, MARKED, DIGITS, SIGNS, WHITESPACE, SEPARATORS]


def _batches(families: list[list[bytes]]) -> st.SearchStrategy[list[bytes]]:
    """Return batches of documents of a few atoms, which belong to a document or to the whole batch."""
    atoms = st.sampled_from(families).flatmap(st.sampled_from)
    alphabet = st.lists(atoms, min_size=1, max_size=7)

    def spelt(few: list[bytes]) -> st.SearchStrategy[bytes]:
        of_any_length = st.lists(st.sampled_from(few), max_size=30) | st.lists(
            st.sampled_from(few), min_size=9, max_size=30
        )
        return of_any_length.map(b"".join)

    kin = alphabet.flatmap(lambda few: st.lists(spelt(few), max_size=6))
    strangers = st.lists(alphabet.flatmap(spelt), min_size=1, max_size=5)
    return kin | strangers


ATOMS = [[atom.encode() for atom in family] for family in _FAMILIES] + [INVALID]
"""The atoms of each family as bytes. Those of the last family are not valid UTF-8."""

_ASCII_ONLY = [[atom for atom in family if atom.isascii()] for family in ATOMS]

batches = _batches(ATOMS) | _batches([family for family in _ASCII_ONLY if family])
"""Batches of documents as bytes. A batch may have no documents, and documents may be empty or not ASCII."""

normalisations = st.builds(
    Normalisation,
    nfkc=st.booleans(),
    keep_case=st.booleans(),
    strip_accents=st.booleans(),
    strip_punctuation=st.booleans(),
    mask_digits=st.booleans(),
)

seeds = st.sampled_from([0, 1, 42, 2**31, 2**32 - 1]) | st.integers(0, 2**32 - 1)

words_of_lists = st.sampled_from(["the", "a", "été", "Ab", "ab", "1", "don't", "日本", "!", "e\u0301", "ﬁ", "x_y"])
"""Entries of a list of stop words. Some are several words, or none."""

shinglings = st.builds(
    Shingling,
    unit=st.sampled_from(list(UNITS)),
    k=st.integers(1, 6) | st.sampled_from([9, 17, 40, 1000]),
    language=st.just("en") | st.sampled_from(list(LANGUAGES)),
    ignore_stop_words=st.booleans(),
    stop_word_list=st.just("") | st.lists(words_of_lists, max_size=5).map(" ".join),
    multiset=st.booleans(),
    seed=seeds,
    normalisation=st.just(Normalisation()) | normalisations,
)

tokens = st.sampled_from([0, 1, 2**31, 2**32 - 2, 2**32 - 1]) | st.integers(0, 2**32 - 1)

token_rows = st.lists(st.lists(tokens, max_size=30), max_size=6)
"""The tokens of documents, in text order, with many extreme values and repeats."""

sizes = st.integers(1, 8) | st.sampled_from([16, 33, 64, 100, 128])
"""Numbers of places in a signature."""


def frozen(array: Array) -> Array:
    """Make an array read-only, and return it."""
    array.flags.writeable = False
    return array


def ragged(rows: Sequence[Sequence[int]], dtype: type) -> Ragged:
    """Return a read-only Ragged with one row for each sequence of numbers."""
    made = Ragged.from_rows([np.array(row, dtype) for row in rows], dtype)
    return Ragged(frozen(made.values), frozen(made.offsets))


def documents(batch: Sequence[bytes]) -> Ragged:
    """Return the bytes of a batch as the kernels take them, read-only."""
    made = Ragged.from_rows([np.frombuffer(document, np.uint8) for document in batch], np.uint8)
    return Ragged(frozen(made.values), frozen(made.offsets))


def rows_of(made: Ragged) -> list[list[int]]:
    """Return a list for each row."""
    return [made[row].tolist() for row in range(len(made))]
