"""The normal forms of Unicode (UAX #15), in time proportional to the length of any text.

A normal form sorts the combining marks of a character by their combining classes. `unicodedata` does this by insertion,
so n marks in falling order take n² / 4 steps: a million marks take twenty minutes. Here, long runs of marks are sorted
beforehand, which does not change the result.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Literal

import numpy as np

from simdocs.kernels.text.codepoint_table import CodepointTable
from simdocs.kernels.text.codepoints import from_codepoints, to_codepoints

Form = Literal["NFKC", "NFD"]

_STRIDE = 32
"""Distance between the code points that are tested for being a mark. A run of twice as many marks shows at two
neighbouring tests. Shorter runs are left to `unicodedata`, which takes at most 16 steps for each of their marks."""

_STARTER = 1
"""The value in the table of _classes for a character that is not a mark."""


def to_normal_form(form: Form, text: str) -> str:
    """The text in this normal form: equals unicodedata.normalize(form, text)."""
    seen = _classes(form)(to_codepoints(text[::_STRIDE])) != _STARTER
    return unicodedata.normalize(form, _with_sorted_marks(form, text) if (seen[1:] & seen[:-1]).any() else text)


def _with_sorted_marks(form: Form, text: str) -> str:
    """The text with each long run of marks in the order that this form gives it."""
    text = _with_decomposed_marks(form, text)
    codepoints = to_codepoints(text)
    classes = _classes(form)(codepoints)
    edges = np.flatnonzero(np.diff(classes != _STARTER, prepend=False, append=False))
    starts, stops = edges[::2], edges[1::2]
    long = stops - starts > _STRIDE
    for start, stop in zip(starts[long].tolist(), stops[long].tolist(), strict=True):
        run = codepoints[start:stop]
        run[:] = run[np.argsort(classes[start:stop], kind="stable")]
    return from_codepoints(codepoints)


def _with_decomposed_marks(form: Form, text: str) -> str:
    """The text with those few marks decomposed that stand for several marks."""
    decomposition: Literal["NFKD", "NFD"] = "NFKD" if form == "NFKC" else "NFD"
    decomposed = {character: unicodedata.normalize(decomposition, character) for character in set(text)}
    marks = {
        ord(character): whole
        for character, whole in decomposed.items()
        if whole != character and unicodedata.combining(whole[0])
    }
    return text.translate(marks) if marks else text


@cache
def _classes(form: Form) -> CodepointTable:
    """For each code point, 1 + the combining class of the first character of its normal form: uint8."""
    return CodepointTable(
        lambda codepoint: 1 + unicodedata.combining(unicodedata.normalize(form, chr(codepoint))[0]), np.uint8
    )
