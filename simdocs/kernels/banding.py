"""The choice of bands and rows, the probability with which they find a pair, and warnings if that is low.

A signature is cut into b bands of r rows each. Two documents of similarity s become a candidate pair with probability
1 - (1 - s^r)^b: Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, section 3.4.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from simdocs.errors import UnreachableRecallError, UsageError
from simdocs.options.recipes import MAX_NUM_PERM, Banding, Bands, ChoosingBands, SignatureRecipe

_ROUNDING = 1e-12
"""A probability may fall short of a recall by less than this and still count as reaching it, because of rounding."""

_HIGH_ON_THE_CURVE, _VARIANCE_LESS = 2 / 3, 0.6
"""From this probability on, places that vary less find more pairs. `fss` has less variance by at most this share."""


def least_probability(similarity: float, bands: int, rows: int) -> float:
    """The probability with which pairs of this similarity are found at least, by each scheme and for each size of sets.

    It is `Bands.chance` from 2/3 on. Below, it is less: the places of `fss` depend on each other, so that all
    of a band agree more rarely (docs/method.md, section 8).
    """
    found = Bands(bands, rows).chance(similarity)
    if found >= _HIGH_ON_THE_CURVE or rows == 1 or not similarity:
        return found
    pairs_of_places = rows * (rows - 1) / 2
    fewer = math.exp(-_VARIANCE_LESS * pairs_of_places * (1 / similarity - 1) / (bands * rows - 1))
    return 1.0 - (1.0 - similarity**rows * fewer) ** bands


def choose(request: ChoosingBands, num_perm: int) -> Bands:
    """The numbers of bands and rows for signatures of num_perm numbers: as requested by hand, or else by the rule.

    If only one of the numbers is requested, the other is as large as num_perm allows. By the rule `nearest`,
    (1/b)^(1/r) is as near to the threshold as b bands of r rows, b*r = num_perm, can make it, ties to fewer bands
    (Mining of Massive Datasets, section 3.4.3).

    UsageError: bands x rows is more than num_perm. UnreachableRecallError: see `by_recall`.
    """
    bands, rows, threshold = request.bands, request.rows, request.threshold
    if bands is None and rows is None:
        if request.rule != "nearest":
            return by_recall(threshold, request.recall, num_perm)
        every = (Bands(b, num_perm // b) for b in range(1, num_perm + 1) if num_perm % b == 0)
        return min(every, key=lambda cut: abs(cut.steepest - threshold))
    bands = bands or max(1, num_perm // (rows or 1))
    rows = rows or max(1, num_perm // bands)
    if bands * rows > num_perm:
        raise UsageError(
            f"{bands} bands of {rows} rows need --num-perm {bands * rows} or more, not {num_perm}:"
            f" use fewer --bands or --rows, or a larger --num-perm"
        )
    return Bands(bands, rows)


def by_recall(threshold: float, recall: float, num_perm: int) -> Bands:
    """The bands b and the largest rows r, b = K div r, that find a pair at the threshold with `recall` at least.

    More rows give fewer false candidates. Their cost is low, because they are verified, while nothing brings back a
    missed pair. UnreachableRecallError: even one row per band does not reach the recall.
    """
    for rows in range(num_perm, 0, -1):
        bands = num_perm // rows
        if (recall < 1 or threshold == 1) and least_probability(threshold, bands, rows) >= recall - _ROUNDING:
            return Bands(bands, rows)
    best = Bands(num_perm, 1).chance(threshold)
    if recall >= 1:
        reachable = next((nines for nines in (0.9999, 0.999, 0.99, 0.95, 0.9) if best >= nines), best)
        remedy = f"no number of bands finds every pair; use --recall {reachable:.4g} or less"
    elif (least := least_num_perm(threshold, recall)) is not None:
        remedy = f"use --num-perm {least} or more"
    else:
        remedy = "use a larger --threshold"
    raise UnreachableRecallError(threshold, recall, num_perm, best, remedy)


def least_num_perm(threshold: float, recall: float) -> int | None:
    """The smallest num_perm whose bands of one row reach the recall (below 1), or None if MAX_NUM_PERM does not."""
    about = math.log1p(-recall) / math.log1p(-threshold)
    if about > MAX_NUM_PERM:
        return None
    least = max(1, math.floor(about))
    while Bands(least, 1).chance(threshold) < recall - _ROUNDING:
        least += 1
    return least


def longer_signature(
    threshold: float, recall: float, num_perm: int, candidates: Callable[[Bands], float], most: float
) -> tuple[int, float] | None:
    """The smallest of 2, 4, 8, ... times num_perm whose bands have at most `most` candidates, and their number.

    candidates: returns the number that bands have. None: no number up to MAX_NUM_PERM is enough.
    """
    while (num_perm := 2 * num_perm) <= MAX_NUM_PERM:
        try:
            found = candidates(by_recall(threshold, recall, num_perm))
        except UnreachableRecallError:
            continue
        if found <= most:
            return num_perm, found
    return None


def chosen_by(chosen: Banding, num_perm: int) -> str:
    """How the bands were chosen: the name of the rule, or `by hand` if the rule would choose other bands."""
    try:
        by_rule = choose(ChoosingBands(threshold=chosen.threshold, recall=chosen.recall, rule=chosen.rule), num_perm)
    except UnreachableRecallError:
        return "by hand"
    return chosen.rule if by_rule == chosen.cut else "by hand"


def low_recall(chosen: Banding, num_perm: int) -> Iterator[str]:
    """Yield a warning if bands that were not chosen for a recall find fewer pairs at the threshold than the recall."""
    found = least_probability(chosen.threshold, *chosen.cut)
    if found < chosen.recall and chosen_by(chosen, num_perm) != "recall":
        bands, rows = "band" if chosen.bands == 1 else "bands", "row" if chosen.rows == 1 else "rows"
        find = "finds" if chosen.bands == 1 else "find"
        yield (
            f"{chosen.bands} {bands} of {chosen.rows} {rows} {find} only {100 * found:.4g}% of the pairs at"
            f" {chosen.threshold:g}, less than the recall of {chosen.recall:g}: leave out --bands,"
            f" --rows and --rule to reach it"
        )


def threshold_warning(threshold: float, banding: Banding) -> Iterator[str]:
    """Yield a warning if pairs exactly at this threshold are found more rarely than the recall of the bands states."""
    found = least_probability(threshold, *banding.cut)
    if threshold < banding.threshold and found < banding.recall:
        yield (
            f"the index was built for threshold {banding.threshold:g} and finds only {100 * found:.3g}% of the pairs at"
            f" {threshold:g}: an index with --threshold {threshold:g} finds more"
        )


def unknown_recall(recipe: SignatureRecipe) -> Iterator[str]:
    """Yield a warning if hash functions were stated, because what bands find is computed for random ones."""
    if recipe.sketching.is_own:
        yield "the hash functions were stated, so pairs may be missed more often than the bands would miss them"
