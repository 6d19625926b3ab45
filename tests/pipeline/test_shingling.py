"""The shingles of one text, in text order, with their tokens."""

from __future__ import annotations

import mmh3
import pytest

from simdocs.pipeline.shingling import show
from tests import strategies as some


def shingles(text: str, unit: str, k: int | None = None, **more: object) -> list[str]:
    return [one for one, _ in show(text.encode(), some.shingling(unit=unit, k=k, **more))]


@pytest.mark.parametrize(
    ("unit", "k", "text", "expected"),
    [
        ("char", 2, "abcdabd", ["ab", "bc", "cd", "da", "ab", "bd"]),
        ("char", None, "0123456789", ["012345678", "123456789"]),
        ("char", None, "Hi", ["hi"]),
        ("char", None, " \n", []),
        ("char", None, "\ufeffx", ["x"]),
        ("char", 2, "a \u00a0\t b", ["a ", " b"]),
        ("word", 2, "A rose, is a ROSE!", ["a rose", "rose is", "is a", "a rose"]),
        ("word", None, "a b c d e f", ["a b c d e", "b c d e f"]),
        ("word", None, "well-known", ["well known"]),
        ("word", None, "!!!", []),
        ("line", None, "Milk\n  brown   bread\r\n\r\nEggs", ["milk", "brown bread", "eggs"]),
        ("stopword", 2, "The ferry leaves at noon; buy tickets aboard", ["the ferry", "at noon"]),
        ("stopword", None, "buy tickets aboard ferries", ["buy tickets aboard ferries"]),
    ],
)
def test_shown_shingles_are_those_of_each_unit(unit, k, text, expected):
    assert shingles(text, unit, k) == expected


@pytest.mark.parametrize(
    ("switch", "text", "expected"),
    [
        ({}, "Ärger  im\tCafé", "ärger im café"),
        ({"keep_case": True}, "Ärger  im\tCafé", "Ärger im Café"),
        ({"strip_accents": True}, "Ärger im Café", "arger im cafe"),
        ({"strip_punctuation": True}, "well-known, (so)", "well known so"),
        ({"mask_digits": True}, "5th of 12", "0th of 00"),
        ({"nfkc": True}, "ﬁne", "fine"),
    ],
)
def test_shown_shingles_follow_the_switches(switch, text, expected):
    assert shingles(text, "char", 1000, normalisation=some.normalisation(**switch)) == [expected]


@pytest.mark.parametrize("seed", [0, 1, (1 << 32) - 1])
def test_shown_tokens_are_those_of_mmh3(seed):
    assert list(show("añb".encode(), some.shingling(unit="char", k=3, seed=seed))) == [
        ("añb", mmh3.hash("añb", seed, signed=False))
    ]
    both = b"".join(mmh3.hash(word, seed, signed=False).to_bytes(4, "little") for word in ("a", "rose"))
    assert list(show(b"A rose", some.shingling(unit="word", k=2, seed=seed))) == [
        ("a rose", mmh3.hash(both, seed, signed=False))
    ]
