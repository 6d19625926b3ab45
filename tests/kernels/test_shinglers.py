"""Units, shingles and tokens equal those of the definitions and of mmh3."""

from __future__ import annotations

import re
import sys
import unicodedata
from unittest import mock

import mmh3
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.kernels import characters, murmur, units
from simdocs.model.ragged import STRIDE
from tests import strategies as some
from tests.amounts import examples, slow
from tests.twins import shingles as twin
from tests.twins import units as twin_units


def kernel_tokens(batch: list[bytes], shingling: some.Shingling) -> list[list[int]]:
    return some.rows_of(some.tokens_of(batch, shingling))


@given(some.batches, some.shinglings)
def test_shingles_are_those_of_the_twin(batch, shingling):
    expected = [twin.shingles(twin.text_of(raw, shingling), shingling) for raw in batch]
    assert some.spelt_shingles(batch, shingling) == expected


@some.each("unit")
@examples(25)
@given(batch=some.batches, shingling=some.shinglings)
@example(batch=[b"x\xc3\xc2\xad\xa9y z"], shingling=some.shingling(k=1))  # what is between two bytes is dropped
def test_tokens_are_those_of_mmh3(unit, batch, shingling):
    shingling = shingling.but(unit=unit)
    assert kernel_tokens(batch, shingling) == [twin.tokens(raw, shingling) for raw in batch]


@pytest.mark.reliability("a character, shingle or run of marks between two pieces of a text")
@given(some.batches, st.sampled_from([1, 2, 3]))
def test_marks_belong_to_a_letter_in_another_part(batch, size):
    """The parts in which marks are handled are small here, so that a letter and its marks are in different parts."""
    shingling = some.shingling(unit="word")
    with mock.patch.object(units, "_BLOCK", size), mock.patch.object(characters, "_BLOCK", size):
        assert some.spelt_units(batch, shingling) == [
            twin.whole_units(twin.text_of(raw, shingling), shingling.unit) for raw in batch
        ]


@pytest.mark.reliability("a character, shingle or run of marks between two pieces of a text")
@some.each("unit")
@examples(25)
@given(batch=some.batches, shingling=some.shinglings, size=st.sampled_from([1, 2, 7]))
def test_tokens_of_texts_in_pieces_leave_no_seam(unit, batch, shingling, size):
    shingling = shingling.but(unit=unit)
    with mock.patch.object(murmur, "CHUNK", size):
        assert kernel_tokens(batch, shingling) == [twin.tokens(raw, shingling) for raw in batch]


@pytest.mark.parametrize("unit", ["char", *slow("word", "line", "stopword")])
def test_tokens_of_a_text_larger_than_any_piece_are_right(unit):
    text = "日本語のテキスト \nกำลัง \nहिन्दी \nthe cow's \nёлка \né \n"
    document = (text * (16 * STRIDE // len(text) + 2)).encode()
    shingling = some.shingling(unit=unit, k=5)
    assert kernel_tokens([b"one", document, b"two"], shingling) == [
        twin.tokens(raw, shingling) for raw in (b"one", document, b"two")
    ]


@given(
    st.lists(st.sampled_from([b"\xff", b"\xf0", "日".encode(), "é".encode(), "𠀀".encode(), b"a", b"ab"]), min_size=1)
)
def test_lines_of_one_character_have_the_right_tokens(rows):
    """The hashes of single characters, and of bytes that are not UTF-8, are looked up in a table."""
    shingling = some.shingling(unit="line", k=1)
    document = b"\n".join(rows)
    assert kernel_tokens([document], shingling) == [twin.tokens(document, shingling)]


def test_a_character_whose_hash_is_zero_has_the_right_token():
    """MurmurHash3 of three bytes is 0 for a seed that is computed from the bytes."""
    text = "日本日本語 本"
    three = np.frombuffer("日".encode() + b"\0", "<u4")
    seed = int(murmur.mix(three)[0]) ^ 3
    assert mmh3.hash("日", seed) == 0
    shingling = some.shingling(unit="word", k=1, seed=seed)
    assert kernel_tokens([text.encode()], shingling) == [twin.tokens(text.encode(), shingling)]


@some.each("unit")
def test_a_text_without_units_has_no_shingle_and_a_short_one_has_one(unit):
    lone_sign = 1 if unit in ("char", "line") else 0
    for text, shingles in (("", 0), (" \r\n\t ", 0), ("!!!", lone_sign), ("the", 1), ("zz", 1)):
        for k in (1000, 4):
            assert len(kernel_tokens([text.encode()], some.shingling(unit=unit, k=k))[0]) == shingles


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\u0301b \u0301c -\u0301d", ["a\u0301b", "c", "d"]),
        ("l'été_1 x.y", ["l", "été_1", "x", "y"]),
        ("日本語abcก็ตาม", ["日", "本", "語", "abc", "ก็", "ต", "า", "ม"]),
        ("か\u3099x\u0301か", ["か\u3099", "x\u0301", "か"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("a\u20ddb a\u200db", ["a", "b", "a", "b"]),
        ("😀 ²½Ⅷ _", ["²½ⅷ", "_"]),
    ],
)
def test_marks_belong_to_the_word_before_them(text, words):
    shingling = some.shingling(unit="word")
    assert some.spelt_units([text.encode()], shingling) == [words]
    assert twin_units.words(text.lower()) == words


def test_every_code_point_has_the_kind_of_its_category():
    points = np.arange(sys.maxunicode + 1, dtype=np.uint32)
    kinds = characters.character_kinds(points)
    text = list(map(chr, range(sys.maxunicode + 1)))
    categories = np.array(list(map(unicodedata.category, text)))
    word = np.zeros(len(points), bool)
    word[[match.start() for match in re.finditer(r"\w", "".join(text))]] = True
    assert np.array_equal(kinds & characters.WORD != 0, word)
    assert np.array_equal(kinds & characters.MARK != 0, np.isin(categories, ["Mn", "Mc"]))
    assert np.array_equal(kinds & characters.NONSPACING != 0, categories == "Mn")
    assert np.array_equal(kinds & characters.DIGIT != 0, categories == "Nd")
    assert np.array_equal(
        kinds & characters.PUNCTUATION != 0,
        np.char.startswith(categories, "P") | np.char.startswith(categories, "S"),
    )
    assert np.array_equal(kinds & characters.WHITE != 0, [character.isspace() for character in text])
    named = re.compile(
        "THAI|LAO|MYANMAR|KHMER|HIRAGANA|KATAKANA|HALFWIDTH KATAKANA|HENTAIGANA|CJK|HANGZHOU|MASU MARK"
        "|VERTICAL (KANA|IDEO)|IDEOGRAPHIC (ITERATION|CLOSING|NUMBER)"
    )
    unspaced = [bool(named.match(unicodedata.name(text[point], ""))) for point in np.flatnonzero(word)]
    assert np.array_equal(kinds[word] & characters.UNSPACED != 0, unspaced)
    assert not (kinds[~word] & characters.UNSPACED).any()
    assert characters.character_kinds(points[:0]).tolist() == []


def test_a_long_text_without_stop_words_beside_short_ones_is_one_shingle():
    batch = [b"xq " * 20_000, b"one two three four", b"xq " * 15_000, b"the xq xq"]
    shingling = some.shingling(unit="stopword", k=3)
    assert kernel_tokens(batch, shingling) == [twin.tokens(raw, shingling) for raw in batch]
