"""Advice on k, whether shingles are so short that unrelated documents look alike, or too long for the documents; and on
the language of stop words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from simdocs.errors import mention
from simdocs.model.documents import Documents
from simdocs.model.ragged import Array
from simdocs.parameters import PARAMETERS, Shingling

VARIETY: Mapping[str, float] = MappingProxyType({"char": 20.0, "word": 5000.0})
"""As many equally frequent units are as varied as those of text: for characters Leskovec, Rajaraman, Ullman, section
3.2.2 (20 that matter); for words about as many as carry a text."""

_LIKELY = 0.05
"""Chance of a shingle's turning up in an unrelated document from which on k is too small."""

_FEW_SHINGLES = 5
"""Documents of fewer than that many times k units have so few shingles in common after an edit that k is too large."""

_SHARE_OF_SHORT = 0.1


def advice(documents: Documents, how: Shingling) -> Iterator[str]:
    """What is to be said against k for these documents: at most one line that it is too small, one that it is too
    large; and against the language of stop words, where they have few."""
    lengths = documents.facts["length"]
    if how.unit == "stopword":
        yield from _without_stop_words(lengths, documents.facts["count"], how)
    lengths = lengths[lengths > 0]
    variety = VARIETY.get(how.unit)
    if not len(lengths) or variety is None:
        return
    median = float(np.median(lengths))
    chance = _by_chance(variety, how.k, median)
    if chance > _LIKELY:
        most = PARAMETERS["k"].values.most  # type: ignore[attr-defined]
        better = next(k for k in range(how.k, most) if _by_chance(variety, k, median) <= _LIKELY)
        yield (
            f"k = {how.k} is small: half the documents have n = {median:,.0f} {how.unit}s or more; a shingle turns up"
            f" in an unrelated one with a chance of {chance:.2f}, and unrelated ones look alike;"
            f" {mention('k')} {better} would do"
        )
    short = int((lengths < _FEW_SHINGLES * how.k).sum())
    if short >= _SHARE_OF_SHORT * len(lengths):
        yield (
            f"k = {how.k} is large: {short:,} of n = {len(lengths):,} documents ({short / len(lengths):.0%}) have fewer"
            f" than {_FEW_SHINGLES * how.k} {how.unit}s, so an edit changes most of their shingles;"
            f" try a smaller {mention('k')}"
        )


def _without_stop_words(lengths: Array, counts: Array, how: Shingling) -> Iterator[str]:
    long = lengths >= _FEW_SHINGLES * how.k
    whole, every = int((long & (counts == 1)).sum()), int(long.sum())
    if whole and whole >= _SHARE_OF_SHORT * every:
        yield (
            f"{mention('language')} {how.language}: {whole:,} of n = {every:,} documents ({whole / every:.0%}) have"
            f" next to none of its stop words, so only copies of them are found; try another {mention('language')},"
            f" or {mention('unit')} word"
        )


def _by_chance(variety: float, k: int, units: float) -> float:
    """The chance that some shingle of so many units is a given one, if all were equally likely."""
    return float(-np.expm1(units * np.log1p(-(variety**-k))))
