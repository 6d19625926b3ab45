"""Passages in several documents are those of their twin, and what is said of them holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import groupby
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.kernels import windows as windows_module
from simdocs.matching import repeats
from simdocs.model.result import Look, tables_of
from simdocs.storage import spilled
from tests.amounts import examples
from tests.twins import repeats as twin

ALPHABETS = st.sampled_from(("ab ", "a ", "ab", "abcdefgh "))


@st.composite
def collections(draw: st.DrawFn) -> list[str]:
    """Draw texts that are made of stretches of a few others, and some equal ones."""
    letters = st.text(draw(ALPHABETS), max_size=24)
    base = draw(st.lists(letters, min_size=1, max_size=3))
    pieces = st.one_of(
        letters, st.tuples(st.sampled_from(base), st.integers(0, 6)).map(lambda each: each[0][each[1] :])
    )
    texts = draw(st.lists(st.lists(pieces, max_size=5).map("".join), max_size=5))
    return [*texts, *draw(st.lists(st.sampled_from(texts), max_size=2) if texts else st.just([]))]


@contextmanager
def in_small_pieces() -> Iterator[None]:
    """Let everything be written to files, and be cut into pieces."""
    files = mock.patch.multiple(spilled, _HELD=64, _NEAR=4, _SORTED_AT_ONCE=2)
    with files, mock.patch.object(repeats, "_STRETCH", 3), mock.patch.object(windows_module, "_AT_ONCE", 5):
        yield


def found(texts: list[str], unit: str, least: int, *, told_apart: bool = True) -> list[twin.Repeat]:
    """The passages, with their places in units, which are characters or words of one letter.

    told_apart: whether windows that differ have different hashes. If not, a passage may end with a space.
    """
    result = simdocs.passages(texts=texts, min_passage=least, unit=unit, k=1, names=range(len(texts)))
    (with_texts,) = tables_of(result, Look())
    assert [row[:-1] for row in with_texts] == list(result.rows())
    every, saved = [], []
    for rows in (list(group) for _, group in groupby(with_texts, key=lambda row: row[0])):
        (_, documents, units, own, *_, excerpt), *others = rows
        assert all(row[1:4] == (documents, units, own) and row[-1] is None for row in others)
        places = tuple((number, unit_at(texts[number], begin, unit)) for *_, number, begin, _, _, _ in rows)
        assert [place[0] for place in places] == sorted(place[0] for place in places)
        assert len({number for number, _ in places}) == documents > 1
        for *_, number, begin, end, _, _ in rows:
            text = units_of(texts[number][begin:end], unit)
            assert text == units_of(excerpt, unit)
            assert units == len(text) or not told_apart
        every.append((units, own, tuple(sorted(places))))
        saved.append((1 - documents) * own)
    assert saved == sorted(saved)
    return sorted(every)


def normalised(text: str) -> str:
    return " ".join(text.split())


def unit_at(text: str, begin: int, unit: str) -> int:
    before = " ".join(f"{text[:begin]}x".split())[:-1]
    return len(before) if unit == "char" else len(before.replace(" ", ""))


def units_of(text: str, unit: str) -> str:
    return normalised(text) if unit == "char" else normalised(text).replace(" ", "")


def test_stop_words_that_are_left_out_part_no_passage():
    texts = ["alpha the beta of gamma delta end", "so alpha beta the gamma and delta of stop"]
    found = simdocs.passages(texts=texts, unit="word", k=1, min_passage=4, ignore_stop_words=True)
    assert [row[1:] for row in found.rows()] == [(2, 4, 4, "0", 0, 29, 1), (2, 4, 4, "1", 3, 33, 1)]
    assert not list(simdocs.passages(texts=texts, unit="word", k=1, min_passage=2).rows())


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("unit", ["char", "word"])
@examples(40)
@given(texts=collections(), least=st.integers(1, 8))
def test_the_passages_are_those_of_the_twin(unit, small, texts, least):
    # Each Chinese character is a word.
    if unit == "word":
        texts = ["".join(chr(0x4E00 + ord(each)) if each != " " else each for each in text) for text in texts]
    expected = twin.repeats([units_of(text, unit) for text in texts], least, " " if unit == "char" else None)
    with in_small_pieces() if small else nullcontext():
        every = found(texts, unit, least)
    if least == 1:  # no window of one unit has the space between two of them
        every, expected = ([(size, 0, places) for size, _, places in each] for each in (every, expected))
    assert every == expected
