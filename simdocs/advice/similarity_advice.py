"""Advice of tune: from similarities, from the tokens that many documents share, and from the number of candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from simdocs.kernels.banding import longer_signature
from simdocs.kernels.ignored_tokens import frequencies
from simdocs.model.ragged import Index, Ragged
from simdocs.model.tuning import BandChoice, CorpusFacts, CurvePoint, Estimate
from simdocs.options.families import UNITS
from simdocs.options.recipes import Bands, Shingling
from simdocs.pipeline.indexing import MANY_CANDIDATES

_ALIKE = 0.1
"""Unrelated documents look alike if half of all pairs are more similar than this. By 9 characters, half of the pairs
are at 0.003 or below among short manual pages, 0.027 among technical papers, 0.031 among licences, and 0.11 among Java
programs."""

FEW_TEXTS = 20
"""With fewer different texts than this, similar ones are more likely versions of each other than unrelated."""

_SHARE_OF_PAIRS = 0.1
"""The threshold is low if a larger share of all pairs is at the threshold or above."""

_NEAR = 0.05
"""Pairs are near a threshold if their similarity differs by less than this."""

_FEW, _TIMES = 10, 2
"""Another threshold is advised if at least _FEW pairs are near this one, and if it lies in a valley: _TIMES times fewer
pairs are near it, and more are near a higher one."""

_LOWEST, FARTHEST = 0.4, 0.15
"""No lower threshold is advised, and none that differs by more from the one that was chosen."""

_STEEP = 1.7
"""Pairs become more and more if a step has this many times more than each step above it, and one below still more."""

_ROUNDING = 1e-9

_TOO_ALIKE = 0.3
"""A larger k is tried if half of all pairs are more similar than this."""


class Advice(NamedTuple):
    """A line of advice.

    change: the parameters that follow it; empty if people have to choose them
    why: the reason without the proposal, if another line may have to state what is proposed
    choices: parameters that the line names and that people have to choose
    """

    line: str
    change: Mapping[str, Any]
    why: str = ""
    choices: tuple[str, ...] = ()


class Suits(NamedTuple):
    """The options that suit the lengths of the documents.

    larger_k: a larger k; None if none does
    highest: the highest threshold that variants of short documents still reach
    asked: the threshold before it was lowered for them
    """

    larger_k: int | None = None
    highest: float = 1.0
    asked: float = 0.0


def similarity_advice(
    corpus: CorpusFacts, curve: tuple[CurvePoint, ...], chosen: BandChoice, shingling: Shingling, suits: Suits
) -> Iterator[Advice]:
    """Yield advice if unrelated documents look alike, and if the threshold is low or cuts through many pairs."""
    if corpus.typical is None:
        return
    alike = corpus.typical > _ALIKE and corpus.texts >= FEW_TEXTS
    if alike:
        larger = suits.larger_k if corpus.typical > _TOO_ALIKE else None
        remedy, choices = _against_lookalikes(shingling.unit, suits.larger_k)
        yield Advice(
            f"half of all pairs of documents have a similarity of {corpus.typical:.2f} or more, so unrelated documents"
            f" look alike: {remedy}",
            {} if larger is None else {"k": larger},
            choices=choices,
        )
        if larger is not None:
            return  # Another k changes the similarities.
    slope = _above_slope(curve, chosen.threshold, suits.asked)
    if slope > chosen.threshold:
        many, few = (_from(curve, each).value for each in (chosen.threshold, slope))
        why = (
            f"below {slope:g} pairs become more and more, as those of unrelated documents do (about {few:,.0f} are at"
            f" {slope:g} or above, and about {many:,.0f} at {chosen.threshold:g} or above)"
        )
        yield Advice(f"{why}: --threshold {slope:g} leaves them out", {"threshold": slope}, why)
        return
    if many_similar(corpus):
        share = corpus.similar.value / corpus.pairs
        higher = "raise --threshold" if suits.highest > chosen.threshold else "look at some pairs"
        template = "" if alike else ", or leave out a template that they share with --template FILE"
        yield Advice(
            f"{share:.0%} of all pairs are at {chosen.threshold:g} or above, more than near-duplicates explain:"
            f" {higher}{template}",
            {},
            choices=() if alike else ("template",),
        )
        return
    better = _clearer_threshold(curve, chosen.threshold, max(suits.highest, chosen.threshold))
    if better is not None:
        here, there = (_near(curve, near).value for near in (chosen.threshold, better))
        above = _from(curve, better).value
        more = "more" if better < chosen.threshold else "fewer"
        problem = f"about {here:,.0f} pairs lie within {_NEAR} of the threshold {chosen.threshold:g}"
        gap = (
            f"{better:g} falls in a gap (about {there:,.0f} pairs near it), with about"
            f" {abs(above - corpus.similar.value):,.0f} {more} similar pairs"
        )
        yield Advice(
            f"{problem}, so small edits tip them over; --threshold {gap}",
            {"threshold": better},
            f"{problem}, and {gap}",
        )
        return
    lower = _empty_below(curve, chosen.threshold) if corpus.texts >= FEW_TEXTS else None
    if lower is not None:
        added = round(_from(curve, lower).value - corpus.similar.value)
        why = (
            f"{added:,} more {'pair lies' if added == 1 else 'pairs lie'} between {lower:g} and {chosen.threshold:g},"
            f" and none between {round(lower - FARTHEST, 2):g} and {lower:g}"
        )
        yield Advice(f"{why}: --threshold {lower:g} adds {'it' if added == 1 else 'them'}", {"threshold": lower}, why)


def _against_lookalikes(unit: str, larger: int | None) -> tuple[str, tuple[str, ...]]:
    """A phrase on what to try if unrelated documents look alike, and the parameters that it names."""
    template = "--ignore-common or --template if they share a template"
    varied, figures = UNITS[unit].varied, UNITS[unit].figures
    other = f"--unit {varied}, or {template}" if varied else template
    choices = *(("unit",) if varied else ()), "ignore_common", "template"
    if larger is not None:
        return f"try -k {larger}, or else {other}", ("k", *choices)
    return f"try {other}" if figures is None else f"no larger k suits texts of this length; try {other}", choices


_MANY_DOCUMENTS = 100
"""With fewer documents than this, a token in most of them is no sign of a template."""

_FRACTIONS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
"""The fractions that are considered. The largest is advised, because no group of real near-duplicates may reach it."""

_LARGE = 0.3
"""A template is found if at least this share of the tokens of documents is in more of them than the fraction says."""

_MORE = 0.1
"""With half the fraction, at most this share more may be left out. Tokens of a template are in most of the documents on
it and in no others. The words and letters of a language have all frequencies."""


OF_A_CROWD = 0.05
"""The same share if it is known that some documents form a crowd, which may be few."""


def common_advice(sets: Ragged, large: float = _LARGE) -> Iterator[Advice]:
    """Yield advice if documents share a template: which fraction leaves it out.

    sets: the token sets of some documents, drawn at random. large: see _LARGE.
    """
    if len(sets) < _MANY_DOCUMENTS:
        return
    counts = frequencies(sets.values).counts
    for fraction in _FRACTIONS:
        share = _share_above(fraction * len(sets), counts)
        if share >= large and _share_above(fraction / 2 * len(sets), counts) <= (1 + _MORE) * share:
            yield Advice(
                f"{share:.0%} of the tokens of a document, on average, are in more than {fraction:.0%} of all"
                f" documents, so they may share a template: --ignore-common {fraction:g} leaves it out",
                {"ignore_common": fraction},
            )
            return


def _share_above(least: float, counts: Index) -> float:
    """The share of all tokens of all documents that occur in more than `least` documents."""
    return float(counts[counts > least].sum() / counts.sum())


def many_similar(corpus: CorpusFacts) -> bool:
    """Whether a larger share of all pairs is similar than near-duplicates explain."""
    many = corpus.similar.low > _SHARE_OF_PAIRS * corpus.pairs
    return corpus.pairs > 0 and many and corpus.texts >= FEW_TEXTS


def length_of_signatures(
    texts: int, chosen: BandChoice, recall: float, false_candidates: Callable[[Bands], Estimate]
) -> Iterator[Advice]:
    """Yield advice if a longer signature saves many false candidates. false_candidates: their number for bands."""
    if chosen.false_candidates is None or 2 * chosen.false_candidates.value <= MANY_CANDIDATES * texts:
        return
    here = 2 * chosen.false_candidates.value / texts
    better = longer_signature(
        chosen.threshold, recall, chosen.num_perm, lambda cut: 2 * false_candidates(cut).value / texts, MANY_CANDIDATES
    )
    if better is not None:
        num_perm, there = better
        yield Advice(
            f"{here:,.0f} false candidates for each document are many: --num-perm {num_perm} would have {there:,.0f}",
            {"num_perm": num_perm},
        )


def _above_slope(curve: tuple[CurvePoint, ...], lowest: float, highest: float) -> float:
    """The lowest threshold in a range that does not cut through the many pairs of unrelated documents.

    Pairs of unrelated documents become more with each step down. Pairs of variants lie in a hump, with fewer below it.
    """
    counts = {round(point.similarity, 2): point.pairs.value for point in curve if point.pairs is not None}
    threshold = lowest
    for at in sorted(counts):
        if at < lowest - _ROUNDING or at >= highest:
            continue
        above = max((counts[each] for each in counts if each > at), default=0.0)
        below = max((counts[each] for each in counts if at - 2.5 * _NEAR < each < at), default=0.0)
        if not below >= counts[at] > max(_FEW, _STEEP * above):
            break
        threshold = round(at + _NEAR, 2)
    return min(threshold, max(lowest, highest))


def _from(curve: tuple[CurvePoint, ...], least: float) -> Estimate:
    """How many pairs have this similarity or more."""
    found = [point.pairs for point in curve if point.pairs is not None and point.similarity >= least - _ROUNDING]
    return Estimate(*(sum(each) for each in zip(*found, strict=True))) if found else Estimate(0.0, 0.0, 0.0)


def _clearer_threshold(curve: tuple[CurvePoint, ...], threshold: float, highest: float) -> float | None:
    """The nearby threshold in the deepest valley, and of equal ones the nearest; None if none is much better."""
    here = _near(curve, threshold)
    near = {point.similarity: _near(curve, point.similarity) for point in curve if point.similarity >= _LOWEST}
    valleys = [
        similarity
        for similarity, pairs in near.items()
        if abs(similarity - threshold) <= FARTHEST + _ROUNDING
        and similarity <= highest + _ROUNDING
        and any(near[above].low > max(_FEW, _TIMES * pairs.high) for above in near if above > similarity)
    ]
    if not valleys or here.low < _FEW:
        return None
    better = min(valleys, key=lambda valley: (near[valley].high, abs(valley - threshold)))
    return better if here.low > _TIMES * near[better].high else None


def _empty_below(curve: tuple[CurvePoint, ...], threshold: float) -> float | None:
    """The highest nearby threshold that adds pairs and certainly has none in a wide range below it, if there is one.

    All pairs were compared where the interval of a count is nothing but the count.
    """
    counts = {round(point.similarity, 2): point.pairs for point in curve if point.pairs is not None}
    steps = round(FARTHEST / _NEAR)
    lower = threshold
    for step in range(1, steps + 1):
        lower = round(threshold - step * _NEAR, 2)
        if lower - FARTHEST < _LOWEST - _ROUNDING or lower not in counts:
            return None
        below = [counts.get(round(lower - each * _NEAR, 2)) for each in range(1, steps + 1)]
        if not _from(curve, lower).value > _from(curve, threshold).value:
            return None  # The threshold is in a gap already.
        if all(each is not None and each.high < 1 for each in below):
            return lower
    return None


def _near(curve: tuple[CurvePoint, ...], threshold: float) -> Estimate:
    """The number of pairs near a threshold, which is that of the two points around it."""
    found = [
        point.pairs
        for point in curve
        if point.pairs is not None and threshold - 1.5 * _NEAR < point.similarity < threshold + _NEAR / 2
    ]
    return Estimate(*(sum(each) for each in zip(*found, strict=True))) if found else Estimate(0.0, 0.0, 0.0)
