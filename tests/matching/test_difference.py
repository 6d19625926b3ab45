"""The difference of two texts reconstructs both, and shares what is equal when normalised."""

from __future__ import annotations

import itertools
from typing import Any
from unittest import mock

import pytest
from hypothesis import given

from simdocs.matching import difference as module
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


def test_texts_that_are_too_different_for_words_are_compared_by_lines():
    a = "one two three\nsame line\nfour five six\n"
    b = "eins zwei drei\nsame line\nvier\n"
    with mock.patch.object(module, "MOST_CELLS", 10):
        found = module.difference(a.encode(), b.encode(), PLAIN, "words")
    assert (found.asked, found.unit) == ("words", "lines")
    assert [passage.shared for passage in found.passages] == [False, True, False]
    with mock.patch.object(module, "MOST_CELLS", 1):
        found = module.difference(a.encode(), b.encode(), PLAIN, "words")
    assert (found.unit, [passage.shared for passage in found.passages]) == ("text", [False, True])
