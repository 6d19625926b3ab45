"""The difference of two texts reconstructs both, and shares what is equal when normalised."""

from __future__ import annotations

import itertools
from typing import Any
from unittest import mock

import pytest
from hypothesis import given

from simdocs.matching import difference as module
from simdocs.model.comparison import excerpt_of
from tests import strategies as some
from tests.amounts import examples
from tests.twins import text as texts

documents = some.batches.map(lambda batch: b"".join(batch[:2]))
PLAIN = some.shingling()


def read_back(found: Any) -> tuple[bytes, bytes]:
    whole = ("".join(passage.a for passage in found.passages), "".join(passage.b for passage in found.passages))
    return texts.encoded(whole[0]), texts.encoded(whole[1])


@pytest.mark.parametrize(("unit", "most"), [("words", 10**10), ("words", 30), ("words", 0), ("lines", 10**10)])
@examples(8)
@given(a=documents, b=documents, shingling=some.shinglings)
def test_the_passages_of_each_text_are_the_text(unit, most, a, b, shingling):
    """Also if the texts are too long and different to be compared by words, or by lines."""
    with mock.patch.object(module, "MOST_CELLS", most):
        found = module.difference(a, b, shingling, unit)
    assert read_back(found) == (a, b)
    assert all(passage.a or passage.b for passage in found.passages)
    assert all(one.shared != other.shared for one, other in itertools.pairwise(found.passages))


@examples(8)
@given(a=documents, b=documents)
def test_shared_passages_are_equal_when_normalised(a, b):
    for passage in module.difference(a, b, PLAIN, "words").passages:
        if passage.shared:
            left, right = (texts.normalised(texts.encoded(text)) for text in (passage.a, passage.b))
            assert left.replace(" ", "") == right.replace(" ", "")


def drawn(a: str, b: str, unit: str = "words", **switches: bool) -> list[str]:
    found = module.difference(
        a.encode(), b.encode(), some.shingling(normalisation=some.normalisation(**switches)), unit
    )
    return [passage.a if passage.shared else f"[{passage.a}|{passage.b}]" for passage in found.passages]


def test_words_and_the_signs_between_them_are_compared():
    assert drawn("a new pin, found!", "a  new bolt, found?") == ["a new ", "[pin|bolt]", ", found", "[!|?]"]
    assert drawn("日本語です", "日本人です") == ["日本", "[語|人]", "です"]
    assert drawn("Elan", "ÉLAN") == ["[Elan|ÉLAN]"]
    assert drawn("Elan", "ÉLAN", strip_accents=True) == ["Elan"]


def test_lines_are_compared_with_any_line_end():
    assert drawn("a\nb\r\nc\rd", "A\nx\nc\nd\n", "lines") == ["a\n", "[b\r\n|x\n]", "c\rd"]


def compared(a: str, b: str, unit: str, **limits: int) -> tuple[str, str, str]:
    with mock.patch.multiple(module, CHARACTERS_A_UNIT=1000, CHARACTERS_A_PASSAGE=1000, **limits):
        found = module.difference(a.encode(), b.encode(), PLAIN, unit)
    assert read_back(found) == (a.encode(), b.encode())
    return found.unit, found.excess, found.coarser


def test_texts_with_too_much_are_compared_by_what_they_have_less_of():
    a, b = "one two three\nsame line\nfour five six\n", "eins zwei drei\nsame line\nvier\n"
    assert compared(a, b, "words", MOST_UNITS=14) == ("words", "", "")
    assert compared(a, b, "words", MOST_UNITS=13) == ("lines", "more than 13 words", "by lines")
    assert compared(a, b, "lines", MOST_UNITS=6) == ("lines", "", "")
    ends = "only by how they begin and end"
    assert compared(a, b, "lines", MOST_UNITS=5) == ("text", "more than 5 lines", ends)
    assert compared(a, b, "words", MOST_UNITS=5) == ("text", "more than 5 words", ends)
    assert compared(a, b, "words", MOST_CELLS=10) == ("lines", "more than 10 pairs of words", "by lines")
    assert compared(a, b, "words", MOST_CELLS=1) == ("text", "more than 1 pairs of words", ends)
    assert compared("a b c d e", "a x c y e", "words", MOST_PASSAGES=2) == ("words", "", "")
    fewer = ("lines", "more than 1 passages that differ", "by lines")
    assert compared("a b c d e", "a x c y e", "words", MOST_PASSAGES=1) == fewer
    both = "a\nb\nc d\n", "a\nx\nc d\n"
    assert compared(*both, "words", MOST_UNITS=6, MOST_PASSAGES=0) == ("text", "more than 6 words", ends)
    run = " ".join(f"w{number}" for number in range(8))
    anchored = "by words between runs of 8 words that each of them has only once"
    both = f"a b {run} c d", f"e f {run} g h"
    assert compared(*both, "words", MOST_CELLS=144) == ("words", "", "")
    assert compared(*both, "words", MOST_CELLS=143) == ("words", "more than 143 pairs of words", anchored)


def test_a_difference_in_short_is_its_first_words_and_how_many_places_more_there_are():
    found = module.difference(b"a  b c d\x1b e", b"a xy z c w", PLAIN, "words")
    assert found.in_short(4) == "-b +xy z and 1 more"
    assert found.in_short(3) == "-b +xy… and 1 more"
    assert (found.places, len(found.first_places(1).passages), found.first_places(2)) == (2, 3, found)
    inserted = module.difference(b"a b", b"a new b", PLAIN, "words")
    assert inserted.in_short(9) == "+new"
    assert module.difference(b"a", b"A ", PLAIN, "words").in_short(9).startswith("the texts differ only in what is")
    assert module.difference(b"a", b"a", PLAIN, "words").in_short(9) == "the texts are equal"


@pytest.mark.parametrize("end", ["\n", "\r"])
def test_around_a_passage_are_the_rest_of_its_lines_and_at_most_60_characters(end):
    text = f"{end}one{end}two three{end}four{end}"
    assert excerpt_of(text, 9, 12, "") == ("", "two ", "thr", "ee")
    assert excerpt_of(text, 5, 14, "") == ("", "", "two three", "")
    assert excerpt_of("one\rtwo\nthree four\rfive\nsix", 14, 18, "4 letters") == ("4 letters", "three ", "four", "")
    assert excerpt_of("a" * 20 + "b" + "c" * 99, 20, 21, "") == ("", "a" * 20, "b", "c" * 60)
    assert excerpt_of("a" * 61 + "b" + "c" * 61, 61, 62, "") == ("", "a" * 60, "b", "c" * 60)
