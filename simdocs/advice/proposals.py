"""What tune proposes from a sample of documents: a threshold in a gap, a fraction that leaves out a template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simdocs.kernels.grouping import connect
from simdocs.kernels.ignored_tokens import frequencies
from simdocs.matching.sampled_pairs import PairSample
from simdocs.model.ragged import Floats, Ragged
from simdocs.model.tuning import STEPS

_LOWEST, _FARTHEST = 8, 3
"""In twentieths: no lower threshold is proposed, and none that is so much below the one that was asked for."""

_FEW, _CLEAR, _SLOPE = 3, 0.1, 0.5
"""A threshold is in a gap if up to _FEW pairs are near it, or up to _CLEAR times as many as are found. It cuts through
the pairs of unrelated documents, which are more with each step down, if there are more than _SLOPE times as many."""


class Threshold(NamedTuple):
    """A threshold, with the estimated numbers of pairs that it finds, and of those that are less than 0.05 from it."""

    value: float
    found: float
    near: float

    @property
    def is_clear(self) -> bool:
        """Whether it is in a gap, so that small edits decide nothing."""
        return self.near <= max(_FEW, _CLEAR * self.found)

    @property
    def is_on_slope(self) -> bool:
        """Whether it cuts through pairs of unrelated documents."""
        return not self.is_clear and self.near > _SLOPE * self.found


def threshold_at(counts: Floats, value: float) -> Threshold:
    """A threshold among these pairs. counts: the numbers of pairs in each twentieth, (21,)."""
    at = round(value * STEPS)
    return Threshold(value, float(counts[at:].sum()), float(counts[max(0, at - 1) : at + 1].sum()))


def best_threshold(counts: Floats, start: float, highest: float) -> Threshold:
    """The threshold in a gap that is nearest to `start` and not above `highest`.

    If there is no gap, it is `start`, or `highest` if `start` cuts through the pairs of unrelated documents.
    """
    first, last = (round(value * STEPS) for value in (start, highest))
    places = [start, *(at / STEPS for at in range(max(_LOWEST, first - _FARTHEST), last + 1)), highest]
    every = [threshold_at(counts, value) for value in places if value <= highest]
    clear = [each for each in every if each.is_clear]
    if clear:
        return min(clear, key=lambda each: (abs(each.value - start), -each.value))
    return every[-1] if every[0].is_on_slope else every[0]


_MANY_DOCUMENTS = 100
"""With fewer documents than this, a token in most of them is no sign of a template."""

_FRACTIONS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
"""The fractions that are considered. The largest is proposed: no group of real near-duplicates may reach it."""

LARGE, OF_A_CROWD = 0.3, 0.05
"""A template is found if at least this share of the tokens of documents is in more of them than the fraction says. The
second is for documents of which it is known that some form a crowd, which may be few."""

_MORE = 0.1
"""With half the fraction, at most this share more may be left out. Tokens of a template are in most of the documents on
it and in no others. The words and letters of a language have all frequencies."""


def template_fraction(sets: Ragged, large: float) -> tuple[float, float] | None:
    """The fraction for --ignore-common that leaves out a template of these documents, and the share of tokens in it.

    sets: the token sets of some documents, drawn at random. large: LARGE or OF_A_CROWD.
    """
    counts = frequencies(sets.values).counts

    def share(fraction: float) -> float:
        return float(counts[counts > fraction * len(sets)].sum() / counts.sum())

    for fraction in _FRACTIONS if len(sets) >= _MANY_DOCUMENTS else ():
        if share(fraction) >= large and share(fraction / 2) <= (1 + _MORE) * share(fraction):
            return fraction, share(fraction)
    return None


_CROWD, _MOST, _ABOVE, _FALSE = 20, 0.5, 0.1, 0.1
"""A crowd has at least _CROWD documents, more than _MOST of the pairs that a lower threshold adds, and at most _ABOVE
times as many pairs above the higher one: near-duplicates have more. It does no harm with up to _FALSE of all pairs."""


def is_crowd(sample: PairSample, size: int, lowered: float, asked: float) -> bool:
    """Whether a threshold that is lowered mostly adds pairs of documents that may share only a template.

    size: the number of documents, of which the sample has rows.
    """
    similarity, weight = sample.similarity, sample.weight
    near, found = similarity >= lowered - _FARTHEST / STEPS, similarity >= lowered
    labels = connect(np.arange(size), sample.left[near], sample.right[near])
    crowded = found & (np.bincount(labels, minlength=size)[labels[sample.left]] >= _CROWD)
    below = found & (similarity < asked)
    of_crowd, above = float(weight[crowded & below].sum()), float(weight[crowded & ~below].sum())
    harmful = of_crowd > max(_MOST * float(weight[below].sum()), _FALSE * float(weight[found].sum()))
    return harmful and above <= _ABOVE * of_crowd


CODE = 0.5
"""The threshold that is proposed for program code (docs/choosing.md)."""

_SIGNS, _ENDS = "{}()[];=<>_", "{}();:,"
_OF_SIGNS, _OF_ENDS = 0.05, 0.4


def is_code(texts: Sequence[str]) -> bool:
    """Whether most of these texts are program code: its lines mostly end with signs, and it has many in them.

    Of Java, Python and C, half of the lines and more end so, and 6% to 14% of all letters are such signs; of prose and
    manual pages a third of the lines and 5% at most.
    """
    found = 0
    for text in texts:
        lines = [line for line in map(str.strip, text.splitlines()) if line]
        signs = sum(map(text.count, _SIGNS)) > _OF_SIGNS * sum(map(len, lines))
        found += signs and sum(line[-1] in _ENDS for line in lines) > _OF_ENDS * len(lines)
    return 2 * found > len(texts)
