"""The difference of two texts: their longest common subsequence of words or of lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from simdocs.kernels.compare.anchors import RUN, anchored_places
from simdocs.kernels.compare.subsequence import alike_ends, cells, lcs_places
from simdocs.kernels.text.codepoints import to_codepoints
from simdocs.kernels.text.units import words_in
from simdocs.kernels.tokens.shinglers import normalised_texts
from simdocs.model.byte_strings import joined, separate
from simdocs.model.passages import MOST_CELLS, Difference, Passage, lines_of
from simdocs.model.ragged import Index, Ragged
from simdocs.recipes import Shingling


def difference(a: bytes, b: bytes, shingling: Shingling, unit: str) -> Difference:
    """The passages that two texts share, and where they differ.

    a, b: UTF-8. unit: `words` or `lines`. Two of them are equal if they are equal when normalised. In texts that are
    too long and different for a longest common subsequence, runs that each has once are matched first. If what is
    between them is too long, lines are compared instead of words, and then only the beginnings and ends.
    """
    texts = [text.decode("utf-8", "surrogateescape") for text in (a, b)]
    if not any(texts):
        return Difference(unit, unit, ())
    units = ("words", "lines") if unit == "words" else ("lines",)
    for finest in units:
        left, right = [_words(text) if finest == "words" else lines_of(text) for text in texts]
        normalised = [_normalised(left, shingling), _normalised(right, shingling)]
        if finest == "words":
            (left, normalised[0]), (right, normalised[1]) = map(_with_blanks, (left, right), normalised)
        numbers = _numbered(normalised)
        if cells(*numbers) <= MOST_CELLS:
            return Difference(unit, finest, tuple(_passages(left, right, *lcs_places(*numbers))))
        if anchored := anchored_places(numbers[0], numbers[1], MOST_CELLS):
            return Difference(unit, finest, tuple(_passages(left, right, *anchored)), run=RUN)
    begin, end = alike_ends(*numbers)
    places = [np.concatenate((np.arange(begin), np.arange(len(each) - end, len(each)))) for each in numbers]
    return Difference(unit, "text", tuple(_passages(left, right, *places)))


def _numbered(texts: Sequence[Sequence[bytes]]) -> list[Index]:
    """The units of texts as numbers, the same for equal units: an array of int64 for each text."""
    numbers = dict[bytes, int]()
    return [
        np.fromiter((numbers.setdefault(unit, len(numbers)) for unit in units), np.int64, len(units)) for units in texts
    ]


def _words(text: str) -> list[str]:
    """The words of a text and the signs between them, each with the spaces after it. Joined, they are the text."""
    points = to_codepoints(text)
    words = words_in(Ragged(points, np.array([0, len(points)])))
    depth = np.zeros(len(points) + 1, np.int8)
    depth[words.starts] += 1
    depth[words.stops] -= 1
    signs = (np.cumsum(depth, dtype=np.int8)[:-1] == 0) & ~np.fromiter(map(str.isspace, text), bool, len(text))
    begins = signs.copy()
    begins[1:] &= ~signs[:-1]
    begins[words.starts] = True
    inner = np.flatnonzero(begins)[1:].tolist()
    return [text[begin:end] for begin, end in pairwise([0, *inner, len(text)])] if text else []


def _normalised(units: Sequence[str], shingling: Shingling) -> list[bytes]:
    encoded = joined([unit.encode("utf-8", "surrogateescape") for unit in units])
    return separate(normalised_texts(encoded, shingling).encoded)


def _with_blanks(units: list[str], normalised: list[bytes]) -> tuple[list[str], list[bytes]]:
    """The units of which something is left when normalised, each with the others after it, and their normalised forms.

    So signs are not compared with --strip-punctuation. The first unit also has what stands before it. If nothing is
    left of any, the whole text is one unit, so that an empty text equals spaces.
    """
    some = [place for place, unit in enumerate(normalised) if unit.strip()]
    if units and len(some) == len(units):
        return units, normalised
    begins = [0, *some[1:], len(units)]
    return ["".join(units[begin:end]) for begin, end in pairwise(begins)], [normalised[at] for at in some] or [b""]


def _passages(a: Sequence[str], b: Sequence[str], left: Index, right: Index) -> Iterator[Passage]:
    """Yield the runs of shared units, which are a[left[i]] and b[right[i]], and what stands between them."""
    new = np.flatnonzero((np.diff(left) != 1) | (np.diff(right) != 1)) + 1
    at_a = at_b = 0
    for begin, end in pairwise([0, *new.tolist(), len(left)]):
        if begin == end:
            continue
        from_a, from_b, size = int(left[begin]), int(right[begin]), end - begin
        if from_a > at_a or from_b > at_b:
            yield Passage(False, "".join(a[at_a:from_a]), "".join(b[at_b:from_b]))
        at_a, at_b = from_a + size, from_b + size
        yield Passage(True, "".join(a[from_a:at_a]), "".join(b[from_b:at_b]))
    if at_a < len(a) or at_b < len(b):
        yield Passage(False, "".join(a[at_a:]), "".join(b[at_b:]))
