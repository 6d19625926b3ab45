"""Advice about a k that is too small or too large for the documents, or stop words of another language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from simdocs.errors import mention
from simdocs.model.documents import Documents
from simdocs.model.ragged import Array
from simdocs.parameters import PARAMETERS
from simdocs.recipes import Shingling

VARIETY: Mapping[str, float] = MappingProxyType({"char": 20.0, "word": 5000.0})
"""For each unit, the number of equally frequent units that would be as varied as those of real text. 20 characters:
Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, section 3.2.2. Words: a rough vocabulary."""

_LIKELY = 0.05
"""k is too small if a shingle occurs in an unrelated document with a larger probability than this."""

_FEW_SHINGLES = 5
"""A document with fewer than this many times k units has few shingles in common with itself after an edit."""

_SHARE_OF_SHORT = 0.1

_LARGEST: int = PARAMETERS["k"].values.most  # type: ignore[attr-defined]
"""The largest k."""


def length_advice(documents: Documents, shingling: Shingling) -> Iterator[str]:
    """Yield a line if k is too small for these documents, or else if it is too large; and if stop words are rare."""
    lengths = documents.facts["length"]
    if shingling.unit == "stopword":
        yield from _without_stop_words(lengths, documents.facts["count"], shingling)
    lengths = lengths[lengths > 0]
    if not len(lengths) or shingling.unit not in VARIETY:
        return
    if (better := _large_enough(lengths, shingling)) is not None:
        median = float(np.median(lengths))
        chance = _by_chance(VARIETY[shingling.unit], shingling.k, median)
        remedy = f"{mention('k')} {better} would do"
        if _too_short(lengths, better):
            remedy = f"no k suits all of them, because {mention('k')} {better} would be too large for the short ones"
        yield (
            f"k = {shingling.k} is small: half the documents have {median:,.0f} {shingling.unit}s or more;"
            f" a shingle turns up in an unrelated one with a chance of {chance:.2f}, and unrelated ones look alike;"
            f" {remedy}"
        )
    elif _too_short(lengths, shingling.k):
        short = int((lengths < _FEW_SHINGLES * shingling.k).sum())
        smaller = smaller_k(documents, shingling)
        remedy = f"{mention('k')} {smaller} would do" if smaller is not None else "no smaller k suits all of them"
        which = "documents" if len(lengths) == len(documents) else "non-empty documents"
        yield (
            f"k = {shingling.k} is large: {short:,} of {len(lengths):,} {which} ({short / len(lengths):.0%}) have"
            f" fewer than {_FEW_SHINGLES * shingling.k} {shingling.unit}s, so an edit changes most of their shingles;"
            f" {remedy}"
        )


def larger_k(documents: Documents, shingling: Shingling) -> int | None:
    """The smallest k with which unrelated documents of these lengths do not look alike.

    None if k is large enough, or if many documents are too short for that.
    """
    lengths = _lengths(documents)
    better = _large_enough(lengths, shingling)
    return None if better is None or _too_short(lengths, better) else better


def next_larger_k(documents: Documents, shingling: Shingling) -> int | None:
    """A k that is up to half larger and for which few documents are too short; None if there is none."""
    lengths = _lengths(documents)
    if not len(lengths) or shingling.unit == "line":
        return None
    larger = range(min(_LARGEST, shingling.k + max(1, shingling.k // 2)), shingling.k, -1)
    return next((k for k in larger if not _too_short(lengths, k)), None)


def _large_enough(lengths: Array, shingling: Shingling) -> int | None:
    """The smallest larger k with which unrelated documents of these lengths do not look alike, if one is needed."""
    variety = VARIETY.get(shingling.unit)
    if not len(lengths) or variety is None:
        return None
    median = float(np.median(lengths))
    enough = (k for k in range(shingling.k, _LARGEST + 1) if _by_chance(variety, k, median) <= _LIKELY)
    better = next(enough, shingling.k)
    return better if better > shingling.k else None


def smaller_k(documents: Documents, shingling: Shingling) -> int | None:
    """The largest smaller k with which few documents are too short; None if k is small enough, or none would do.

    None would do if unrelated documents would look alike.
    """
    lengths, variety = _lengths(documents), VARIETY.get(shingling.unit)
    if not len(lengths) or variety is None or not _too_short(lengths, shingling.k):
        return None
    better = next((k for k in range(shingling.k - 1, 0, -1) if not _too_short(lengths, k)), None)
    alike = better is None or _by_chance(variety, better, float(np.median(lengths))) > _LIKELY
    return None if alike else better


def _lengths(documents: Documents) -> Array:
    """How many units each document has that is not empty."""
    lengths: Array = documents.facts["length"]
    return lengths[lengths > 0]


def _too_short(lengths: Array, k: int) -> bool:
    """Whether many of the documents are too short for k. lengths: of those that are not empty."""
    return int((lengths < _FEW_SHINGLES * k).sum()) >= _SHARE_OF_SHORT * len(lengths)


def _without_stop_words(lengths: Array, counts: Array, shingling: Shingling) -> Iterator[str]:
    long = lengths >= _FEW_SHINGLES * shingling.k
    whole, every = int((long & (counts == 1)).sum()), int(long.sum())
    if whole and whole >= _SHARE_OF_SHORT * every:
        source, other = f"{mention('language')} {shingling.language}", f"another {mention('language')}"
        if shingling.stop_word_list:
            source, other = mention("stop_words"), "another list"
        yield (
            f"{source}: {whole:,} of {every:,} documents ({whole / every:.0%})"
            " have hardly any of its stop words, so only copies of them are found;"
            f" try {other}, or {mention('unit')} word"
        )


def _by_chance(variety: float, k: int, units: float) -> float:
    """The probability that a given shingle is in a text with this number of units, if all were equally likely."""
    return float(-np.expm1(units * np.log1p(-(variety**-k))))
