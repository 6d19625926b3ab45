"""The forms of Unicode (UAX #15), in time that grows with the text, whatever it holds.

The marks on a character are put in order by their combining classes, which `unicodedata` does by insertion: n of them
in falling order take n² / 4 steps, a million twenty minutes. So long runs of marks are put in order here, beforehand,
which changes nothing of what comes out.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Literal

import numpy as np

from simdocs.kernels.text.characters import Lookup
from simdocs.kernels.text.codepoints import from_codepoints, to_codepoints

Form = Literal["NFKC", "NFD"]

_STRIDE = 32
"""So often it is looked whether there is a mark: a run of twice as many shows in two places running. Shorter ones are
left to `unicodedata`: they are good for 16 steps a mark at the most."""

_STARTER = 1
"""What _classes has of a character that is no mark."""


def to_normal_form(form: Form, text: str) -> str:
    """unicodedata.normalize(form, text)."""
    seen = _classes(form)(to_codepoints(text[::_STRIDE])) != _STARTER
    return unicodedata.normalize(form, _ordered(form, text) if (seen[1:] & seen[:-1]).any() else text)


def _ordered(form: Form, text: str) -> str:
    """The text with its long runs of marks in the order that they have in this form."""
    text = _decomposed(form, text)
    points = to_codepoints(text)
    classes = _classes(form)(points)
    edges = np.flatnonzero(np.diff(classes != _STARTER, prepend=False, append=False))
    starts, stops = edges[::2], edges[1::2]
    long = stops - starts > _STRIDE
    for start, stop in zip(starts[long].tolist(), stops[long].tolist(), strict=True):
        run = points[start:stop]
        run[:] = run[np.argsort(classes[start:stop], kind="stable")]
    return from_codepoints(points)


def _decomposed(form: str, text: str) -> str:
    """The text with the few marks that stand for several as those."""
    each = {one: unicodedata.normalize("NFKD" if form == "NFKC" else "NFD", one) for one in set(text)}
    marks = {ord(one): whole for one, whole in each.items() if whole != one and unicodedata.combining(whole[0])}
    return text.translate(marks) if marks else text


@cache
def _classes(form: Form) -> Lookup:
    """Of each code point one more than the combining class with which it begins in this form."""
    return Lookup(lambda point: 1 + unicodedata.combining(unicodedata.normalize(form, chr(point))[0]), np.uint8)
