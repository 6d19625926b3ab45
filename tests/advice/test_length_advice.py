"""Advice from lengths: a k that is too small for long documents, or too large for short ones, and their threshold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.advice import ShortTexts, in_words, length_advice, suitable
from tests import strategies as some


def documents(*texts: str, unit: str = "char", k: int = 9) -> Any:
    return simdocs.shingle(texts=texts, unit=unit, k=k).documents


def short(*texts: str, unit: str = "char") -> ShortTexts:
    found = ShortTexts.of(documents(*texts, unit=unit, k=1), unit)
    assert found is not None
    return found


def advised(made: Any, shingling: some.Shingling) -> list[str]:
    return list(length_advice(made, shingling))


@pytest.mark.parametrize(("k", "better"), [(1, 4), (3, 4), (4, 4), (9, 9)])
def test_a_larger_k_suits_a_thousand_characters(k, better):
    assert suitable(short("ab " * 333), some.shingling(k=k), 0.8).k == better


def test_units_of_which_nothing_is_known_and_no_documents_have_no_advice():
    assert ShortTexts.of(documents("a\nb\n" * 500, unit="line", k=1), "line") is None
    assert ShortTexts.of(documents(), "char") is None
    assert advised(documents("a\nb\n", unit="line", k=1), some.shingling(unit="line", k=1)) == []


def pieces(text: str, k: int) -> set[str]:
    return {text[at : at + k] for at in range(len(text) - k + 1)}


@pytest.mark.parametrize("length", [40, 60, 90, 200, 1000])
@pytest.mark.parametrize("k", [3, 5, 9])
def test_the_similarity_that_edits_leave_is_that_of_real_edits(length, k):
    text = "".join(chr(0x4E00 + number) for number in range(length))
    edited = list(text)
    for at in (length // 4, length // 2, 3 * length // 4):
        edited[at] = "x"
    word = text[: length // 2] + "yz" + text[length // 2 + 2 :]
    link = f"{text} http://t.co/abcdefghijkl!"
    whole = pieces(text, k)
    real = [
        len(whole & other) / len(whole | other) for other in (pieces(each, k) for each in ("".join(edited), word, link))
    ]
    assert list(short(text).left_by(k).values()) == pytest.approx(real, abs=0.02)


def test_texts_without_spaces_have_a_smaller_k_because_their_characters_say_more():
    chinese = "".join(chr(0x4E00 + 37 * number) for number in range(45))
    thai = "ก" * 45
    for text in (chinese, thai):
        assert short(text).without_spaces
        better = suitable(short(text), some.shingling(), 0.8)
        assert (better.k, better.threshold) == (3, 0.6)
    assert not short("Приклад тексту українською мовою").without_spaces
    assert short(chinese, unit="word").without_spaces
    assert not short("twelve words of a text that has spaces between all of them", unit="word").without_spaces


SMALL = (
    "k = 3 is small: half the documents have 998 characters or more; a shingle turns up in an unrelated one with a"
    " chance of 0.12, and unrelated ones look alike: -k 4 would do"
)
LARGE = (
    "k = 9 is large for short texts: in a short one of 100 characters, three edited characters leave a similarity of"
    " only 0.55: -k 7 --threshold 0.6 finds such variants"
)
SHORT = (
    "some texts are short: in a short one of 101 characters, three edited characters leave a similarity of only 0.55:"
    " --threshold 0.55 finds such variants"
)
LONG = (
    "some texts are short: in a short one of 998 characters, an added link of 25 characters leaves a similarity of only"
    " 0.97: --threshold 0.8 finds such variants"
)


@pytest.mark.parametrize(
    ("text", "k", "said", "is_advised"),
    [
        ("ab " * 333, 3, SMALL, True),
        ("ab " * 333, 4, LONG, False),
        ("x" * 100, 9, LARGE, True),
        ("x" * 101, 9, SHORT, False),
    ],
)
def test_advice_says_what_is_wrong_and_names_what_suits(text, k, said, is_advised):
    shingling = some.shingling(k=k)
    assert in_words(short(text), shingling, suitable(short(text), shingling, 0.8)) == said
    assert advised(documents(text, k=k), shingling) == [said] * is_advised


def test_the_shortest_tenth_decides_unless_most_texts_are_much_longer():
    """Half of that tenth are shorter. Texts in UTF-16 and UTF-32 have no more bytes for a character than others."""
    lengths = [10 * at for at in range(1, 16)]  # a tenth of 15 are two
    assert (short(*("x" * length for length in lengths)).units, short(*["x" * 10] * 9).units) == (15, 10)
    assert short("xx", *("x" * 500 for _ in range(8))).units == 50
    assert not any(short(("an English text " * 5).encode(f"utf-{bits}")).without_spaces for bits in (8, 16, 32))
    few = short("x" * 40)._replace(left_out=20.0)
    said = "without what is left out, k = 9 is large for short texts: in a short one of 20 characters, three edited"
    assert in_words(few, some.shingling(), suitable(few, some.shingling(), 0.8)).startswith(said)
    (line,) = advised(documents("x" * 9), some.shingling())
    assert line.endswith("-k 2 --threshold 0.4 finds more of such variants")
    assert advised(documents("x" * 3), some.shingling()) == []  # a small edit leaves nothing with any k


def test_stop_words_that_are_rare_are_told():
    texts = ["red green blue yellow brown " * 3] * 9 + ["the red of the sky and the blue of the sea " * 3]
    made = documents(*texts, unit="stopword", k=3)
    few = " have hardly any of its stop words, so only copies of them are found; try "
    for listed, source, remedy in (
        ({}, "--language en", "another --language, or --unit word"),
        ({"stop_word_list": "the of"}, "--stop-words", "another list, or --unit word"),
    ):
        shingling = some.shingling(unit="stopword", k=3, **listed)
        assert advised(made, shingling)[0] == f"{source}: 9 of 10 documents (90%){few}{remedy}"
    for some_have, said in (9, "--language en: 1 of 10 documents (10%) have"), (10, ""):
        mixed = documents(*texts[-1:] * some_have, texts[0], unit="stopword", k=3)
        assert [line[: len(said)] for line in advised(mixed, some.shingling(unit="stopword", k=3))] == [said] * bool(
            said
        )


@given(st.lists(st.integers(1, 400) | st.integers(1, 40_000), min_size=1, max_size=12), st.integers(1, 30))
def test_nothing_more_is_advised_about_what_was_advised_and_no_threshold_is_raised(lengths, k):
    texts = short(*("x" * length for length in lengths))
    for threshold in (0.3, 0.6, 0.8, 0.95):
        better = suitable(texts, some.shingling(k=k), threshold)
        assert better.threshold <= threshold
        assert better.threshold <= max(0.4, texts.least(better.k))
        again = suitable(texts, some.shingling(k=better.k), better.threshold)
        assert (again.k, again.threshold) == (better.k, better.threshold)
