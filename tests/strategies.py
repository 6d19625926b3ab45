"""What tests are made of: hostile batches of few atoms, parameters of which a test names a few, and arrays."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from simdocs.kernels import multisets, shinglers
from simdocs.model.ragged import Array, Ragged, Texts
from simdocs.options.recipes import (
    Banding,
    IndexRecipe,
    Normalisation,
    Recipe,
    Sequences,
    Shingling,
    Sketching,
    Walking,
)
from simdocs.pipeline.signing import SIGNATURES
from tests.asked import OPTIONS

WHITESPACE = [chr(point) for point in range(sys.maxunicode + 1) if chr(point).isspace()]

SMALL_K = {"char": 3, "line": 1}


def small_k(unit: str) -> int:
    """Return a k for short texts, of which most have several shingles then."""
    return SMALL_K.get(unit, 2)


SEPARATORS = [chr(code) for code in (*range(9), *range(14, 28), 127)]
"""Control characters that are not whitespace. Any of them may occur in a text."""

LOW_BYTES = (*range(9, 14), *range(28, 33), 0x85, 0xA0)
"""The bytes that are whitespace as code points. They are the last 8 bits of many characters that are none."""

LOOKALIKES = [chr(page << 8 | low) for page in (0x01, 0x04, 0x4E, 0xAC, 0x1F6, 0x200) for low in LOW_BYTES]
"""Letters and signs that would be whitespace if only their last 8 bits counted, such as U+0120 and U+4E0A."""

EDGES = [at + beside for at in (8, 32, 64, 128, 512, 1024) for beside in (-1, 0, 1)]
"""Sizes around those of the words and blocks of kernels in C."""

ASCII = ["a", "b", "B", "Z", "_", "0", "7", ".", "!", "$", "'", " ", " ", "\n", "\r\n", "\t", "\x00", "\x1f", "\x7f"]
STOPS = ["the ", "The ", "THE ", "of ", " und ", "dass ", "daß ", "même ", "été ", "не ", "l'"]
CASED = ["Σ", "σ", "ς", "İ", "ı", "ẞ", "ß", "Å", "Ⅳ", "ᾈ", "Ж", "ǅ", "ŉ", "ΐ", "Ꭰ"]
COMPOSED = ["é", "e\u0301", "\u0301", "\u0323", "\u0345", "Å", "ﬁ", "Ａ", "½", "\u1100", "\u1161", "각", "\u20dd"]
UNSPACED = ["ก", "่", "ำ", "日", "本", "々", "〇", "か", "\u3099", "ｶ", "ﾞ", "က", "ာ", "္", "ខ", "្", "ກ", "𠀀", "㍿"]
MARKED = ["क", "ि", "्", "\u0903", "ə", "א", "\u05b0", "\u200d", "\u200c", "👍", "🏽", "\ufeff", "\ufffd"]
IGNORED = ["\u00ad", "\u034f", "\u1160", "\u200b", "\u2060", "\ufe0f", "\ufeff", "\U000e0041", "\u200d", "\u0301", "é"]
LETTERS = ["ł", "Ø", "æ", "ǿ", "Þ", "ı", "ـ", "ك", "\u064e", "ெ", "ா"]
DIGITS = ["٣", "۷", "²", "१", "𝟘", "Ⅷ"]
SIGNS = ["«", "—", "¿", "€", "＿", "´", "、", "ー"]
INVALID = [b"\xff", b"\xc3", b"\xa9", b"\xe4\xb8", b"\xad", b"\xed\xb2\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"]

_COMMON = ["a", "b", "B", " ", "the ", "é", "日"]
_FAMILIES = [_COMMON, _COMMON, ASCII, STOPS, CASED, COMPOSED, UNSPACED, MARKED, DIGITS, SIGNS, WHITESPACE, SEPARATORS]
_FAMILIES += [IGNORED, LETTERS, [*LOOKALIKES, " ", "\n"]]


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


def members(parameter: str) -> list[str]:
    """Return the choices of a parameter, as "unit": the members of its family."""
    return list(OPTIONS[parameter].values.family)  # type: ignore[attr-defined]


def has_choices(values: Any) -> bool:
    """Return whether these values of a parameter are members of a family."""
    return bool(values.family)


def each(parameter: str) -> pytest.MarkDecorator:
    """Run a test with each choice of a parameter."""
    return pytest.mark.parametrize(parameter, members(parameter))


def one_of(parameter: str) -> st.SearchStrategy[str]:
    """Draw a choice of a parameter."""
    return st.sampled_from(members(parameter))


def normalisation(**switches: bool) -> Normalisation:
    """Return the switches of normalisation; those that are not given have their defaults."""
    return Normalisation(**switches)


SWITCHES = list(Normalisation.options)


def shingling(unit: str = "char", k: int | None = None, **given: Any) -> Shingling:
    """Return how a text becomes tokens, by the parameters that are given; switches of normalisation are among them."""
    switches = {name: given.pop(name) for name in SWITCHES if name in given}
    given |= {"k": k} if k is not None else {}
    given |= {"normalisation": normalisation(**switches)} if switches else {}
    return Shingling(unit=unit, **given)


def sequences(**given: Any) -> Sequences:
    """Return which files hold a document in each line, and how."""
    return Sequences(**given)


def walking(**given: Any) -> Walking:
    """Return which files of a directory are documents."""
    return Walking(**given)


def banding(bands: int = 18, rows: int = 7, threshold: float = 0.8) -> Banding:
    """Return how signatures are cut into bands, for this threshold and the usual recall."""
    return Banding(threshold=threshold, recall=0.95, rule="recall", bands=bands, rows=rows)


def recipe() -> Recipe:
    """Return the recipe of token sets, with the defaults."""
    return Recipe(sequences=sequences(), shingling=shingling())


def index_recipe(bands: Banding, num_perm: int = 128) -> IndexRecipe:
    """Return the recipe of an index with these bands, and with the defaults otherwise."""
    return IndexRecipe(
        sequences=sequences(), shingling=shingling(), sketching=Sketching(num_perm=num_perm), banding=bands
    )


normalisations = st.fixed_dictionaries(dict.fromkeys(SWITCHES, st.booleans())).map(lambda every: normalisation(**every))

seeds = st.sampled_from([0, 1, 42, 2**31, 2**32 - 1]) | st.integers(0, 2**32 - 1)

words_of_lists = st.sampled_from(["the", "a", "été", "Ab", "ab", "1", "don't", "日本", "!", "e\u0301", "ﬁ", "x_y"])
"""Entries of a list of stop words. Some are several words, or none."""

shinglings = st.builds(
    Shingling,
    unit=one_of("unit"),
    k=st.integers(1, 6) | st.sampled_from([9, 17, 40, 1000]),
    language=st.just("en") | one_of("language"),
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


def read_only(rows: Ragged) -> Ragged:
    """Make rows read-only, and return them."""
    return Ragged(frozen(rows.values), frozen(rows.offsets))


def ragged(rows: Sequence[Sequence[int]], dtype: type) -> Ragged:
    """Return a read-only Ragged with one row for each sequence of numbers."""
    return read_only(Ragged.from_rows([np.array(row, dtype) for row in rows], dtype))


def documents(batch: Sequence[bytes]) -> Ragged:
    """Return the bytes of a batch as the kernels take them, read-only."""
    return read_only(Ragged.from_rows([np.frombuffer(document, np.uint8) for document in batch], np.uint8))


def texts(batch: Sequence[bytes] | Ragged, shingling: Shingling) -> Texts:
    """Return the normalised texts of documents, read-only."""
    raw = batch if isinstance(batch, Ragged) else documents(batch)
    made = shinglers.normalised_texts(raw, shingling)
    starts = None if made.stride_offsets is None else frozen(made.stride_offsets)
    return Texts(read_only(made.encoded), read_only(made.codepoints), starts)


def tokens_of(batch: Sequence[bytes] | Ragged, shingling: Shingling) -> Ragged:
    """Return the tokens of documents in text order, read-only: of sets, or of multisets if that is asked for."""
    found = shinglers.text_tokens(texts(batch, shingling), shingling)
    return read_only(multisets.token_multisets(found, shingling.seed) if shingling.multiset else found)


def sets_of(batch: Sequence[bytes] | Ragged, shingling: Shingling) -> Ragged:
    """Return the token sets of documents, read-only."""
    return read_only(multisets.token_sets(tokens_of(batch, shingling)))


def spelt_units(batch: Sequence[bytes], shingling: Shingling) -> list[list[str]]:
    """Return the units of each document, cut out of the bytes of its text."""
    made = texts(batch, shingling)
    units = shinglers.SHINGLERS[shingling.unit].units(made, shingling)
    spans = zip(*(array.tolist() for array in made.byte_spans(units.starts, units.stops)), strict=True)
    spelt = [made.data[begin : begin + size].tobytes().decode("utf-8", "surrogateescape") for begin, size in spans]
    return [spelt[begin:end] for begin, end in pairwise(units.offsets.tolist())]


def spelt_shingles(batch: Sequence[bytes], shingling: Shingling) -> list[list[list[str]]]:
    """Return the shingles of each document by the layout, as lists of units."""
    made, shingler = texts(batch, shingling), shinglers.SHINGLERS[shingling.unit]
    layout = shingler.layout(made, shingler.units(made, shingling), shingling)
    units = [unit for text in spelt_units(batch, shingling) for unit in text]
    spans = zip(layout.firsts.tolist(), layout.sizes.tolist(), strict=True)
    runs = [units[first : first + size] for first, size in spans]
    return [runs[begin:end] for begin, end in pairwise(layout.offsets.tolist())]


def signatures(tokens: Ragged, num_perm: int, seed: int = 0, scheme: str = "fss") -> Array:
    """Return the signatures of token sets, read-only."""
    return frozen(SIGNATURES[scheme](tokens, num_perm, seed))


def rows_of(made: Ragged) -> list[list[int]]:
    """Return a list for each row."""
    return [made[row].tolist() for row in range(len(made))]


def pairs_in(blocks: Iterable[tuple[Array, Array]]) -> list[tuple[int, int]]:
    """Return the pairs of all blocks, each a left and a right side."""
    return [pair for left, right in blocks for pair in zip(left.tolist(), right.tolist(), strict=True)]
