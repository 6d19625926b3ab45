"""Figures of a report about pairs and groups: similarities, the S-curve, group sizes and times."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from simdocs.model.figures import at_least, counted, cut_in_words, figure, least_percentage
from simdocs.model.report import Report
from simdocs.model.report_counts import found_pairs, group_sizes, similarities_of, times_of
from simdocs.options.families import FIGURES
from simdocs.views.svg import WIDTH, Plot, alone, amount_ticks, bar, fine, image, path, text

_PLOT = Plot(64, 30, WIDTH - 84, 210)

_STEPS = 200
"""Points of a curve."""


def figure_file(report: Report) -> bytes:
    """The figure of a report that was asked for, as an image of its own. It says so if there is nothing to draw."""
    assert report.figure_name is not None
    title = FIGURES[report.figure_name].title
    drawn: str = FIGURES[report.figure_name].load()(report)
    return alone(drawn or _nothing(report.figure_name), title)


def _nothing(name: str) -> str:
    return image(name, FIGURES[name].title, _NOTHING, 60, [text(16, 34, _NOTHING, "soft")])


_NOTHING = "This answer has nothing to draw here."


def similarities(report: Report) -> str:
    """A histogram of the similarities of duplicates to their kept documents, with the threshold."""
    (first, counts, equal), threshold = similarities_of(report), report.answer.threshold
    if not report.answer.duplicates:
        return ""
    count, plot = len(counts) + 1, _PLOT
    ticks = amount_ticks(max(equal, *counts))
    wide = plot.width / (count + 1)
    parts = [*_upward(plot, ticks)]
    for at, number in enumerate(counts):
        told = f"{(first + at) / 100:.2f} to {(first + at + 1) / 100:.2f}: {counted(number, 'duplicate')}"
        height = plot.height * number / ticks[-1]
        parts.append(bar(plot.left + at * wide + 1, plot.bottom - height, wide - 2, height, "duplicate", told))
    height = plot.height * equal / ticks[-1]
    equal_x = plot.left + count * wide
    told = f"similarity 1: {counted(equal, 'duplicate')}"
    parts.append(bar(equal_x + 1, plot.bottom - height, wide - 2, height, "same", told))
    every = max(1, -(-len(counts) // 10))
    for at in range(0, len(counts) + 1, every):
        if at <= len(counts) - every / 2:
            parts.append(text(plot.left + at * wide, plot.bottom + 20, f"{(first + at) / 100:.2f}", fine(at // every)))
    parts.append(text(equal_x + wide / 2, plot.bottom + 20, "1", "middle soft"))
    threshold_x = plot.left + (threshold * 100 - first) * wide
    parts.append(path("mark", f"M{threshold_x:.1f} {plot.top}V{plot.bottom}"))
    parts.append(text(threshold_x + 4, plot.top - 8, f"threshold {threshold:g}", "soft"))
    what = "similarity to the kept document" if report.answer.is_exact else "estimated similarity to the kept document"
    parts.append(text(plot.x(0.5), plot.bottom + 43, f"{what} (the last bar: similarity 1)", "middle soft"))
    below = len([None for at, number in enumerate(counts) if number and first + at + 1 <= threshold * 100])
    description = (
        f"{counted(sum(counts) + equal, 'duplicate')}, of which {equal:,} have similarity 1."
        f" The threshold is {threshold:g}.{_most_frequent(first, counts)}"
        + (" Some are below the threshold, because chains of similar documents link them." if below else "")
    )
    return image("similarities", FIGURES["similarities"].title, description, plot.bottom + 54, parts)


def _most_frequent(first: int, counts: Sequence[int]) -> str:
    if not any(counts):
        return ""
    at = max(range(len(counts)), key=counts.__getitem__)
    low, high = (first + at) / 100, (first + at + 1) / 100
    return f" Most of the others, {counts[at]:,}, are from {low:.2f} to {high:.2f}."


def curve(report: Report) -> str:
    """The S-curve of the bands, the pairs of the answer under it, and how many pairs are probably missed."""
    found, answer = found_pairs(report), report.answer
    if found is None:
        return ""
    plot, (cut, missed) = _PLOT, found
    parts = []
    for tenth in range(0, 11, 2):
        y = plot.y(tenth / 10)
        parts += [
            path("grid", f"M{plot.left} {y:.1f}H{plot.x(1):.1f}"),
            text(plot.left - 8, y + 4, f"{tenth * 10}%", "end soft"),
        ]
    for tenth in range(11):
        parts.append(text(plot.x(tenth / 10), plot.bottom + 20, f"{tenth / 10:g}", "middle soft"))
    _, (*counts, last), equal = similarities_of(report, 0.0)
    counts.append(last + equal)
    most = max(1, *counts)
    for at, number in enumerate(counts):
        if number:
            height = max(2.0, plot.height * number / most)
            told = f"{at / 100:.2f} to {(at + 1) / 100:.2f}: {counted(number, 'pair')}"
            parts.append(bar(plot.x(at / 100) + 0.5, plot.bottom - height, plot.width / 100 - 1, height, "light", told))
    points = ((step / _STEPS, cut.chance(step / _STEPS)) for step in range(_STEPS + 1))
    line = "L".join(f"{plot.x(similarity):.1f} {plot.y(chance):.1f}" for similarity, chance in points)
    parts.append(path("line", f"M{line}"))
    x = plot.x(answer.threshold)
    parts.append(path("mark", f"M{x:.1f} {plot.top}V{plot.bottom}"))
    label = f"at the threshold {answer.threshold:g}: {least_percentage(answer.probability)}"
    parts.append(text(x - 6, plot.top - 8, label, "end soft"))
    parts.append(path("axis", f"M{plot.left} {plot.bottom}H{plot.x(1):.1f}"))
    parts.append(
        text(plot.x(0.5), plot.bottom + 43, "similarity of a pair (bars: the pairs of this answer)", "middle soft")
    )
    description = (
        f"The chance that a pair is found by {cut_in_words(*cut)}: {at_least(answer.probability, answer.threshold)}."
        f" {missed_in_words(missed)}"
    )
    return image("curve", FIGURES["curve"].title, description, plot.bottom + 54, parts)


def missed_in_words(missed: float) -> str:
    """A sentence on the number of pairs that are expected to be missed."""
    return f"Among pairs as similar as those in this answer, about {figure(missed)} are expected to have been missed."


def sizes(report: Report) -> str:
    """How many groups have how many documents, on a logarithmic scale."""
    bars, plot = group_sizes(report), _PLOT
    if not bars:
        return ""
    digits = max(1, math.ceil(math.log10(max(groups for _, _, groups in bars) + 1)))
    parts = []
    for digit in range(digits + 1):
        y = plot.y(_log_share(10**digit, digits))
        parts += [
            path("grid", f"M{plot.left} {y:.1f}H{plot.x(1):.1f}"),
            text(plot.left - 8, y + 4, f"{10**digit:,}", "end soft"),
        ]
    wide = plot.width / max(6, len(bars))
    every = 1 if len(bars) <= 9 else 2
    for at, (least, most, groups) in enumerate(bars):
        height = plot.height * _log_share(groups, digits)
        x, label = plot.left + at * wide, f"{least}" if least == most else f"{least}–{most}"
        told = f"{label} documents: {counted(groups, 'group')}"
        parts.append(bar(x + wide * 0.15, plot.bottom - height, wide * 0.7, height, "kept", told))
        if groups:
            parts.append(text(x + wide / 2, plot.bottom - height - 6, f"{groups:,}", "middle"))
        if at % every == 0:
            parts.append(text(x + wide / 2, plot.bottom + 20, label, fine(at // every if len(bars) > 6 else 0)))
    parts.append(path("axis", f"M{plot.left} {plot.bottom}H{plot.x(1):.1f}"))
    parts.append(text(plot.x(0.5), plot.bottom + 43, "documents in a group (groups: logarithmic)", "middle soft"))
    largest = int(report.groups.sizes[0])
    pairs = bars[0][2]
    description = f"{counted(len(report.groups), 'group')}. The largest has {largest:,} documents; {pairs:,} have two."
    return image("sizes", FIGURES["sizes"].title, description, plot.bottom + 54, parts)


def _log_share(count: int, digits: int) -> float:
    """The height of a count as a share of that of 10 ** digits. That of 1 is not 0, so that it is seen."""
    return (math.log10(count) + _ONE) / (digits + _ONE) if count else 0.0


_ONE = 0.15
"""The height of 1 on a logarithmic scale, as a share of the height between 1 and 10."""


def times(report: Report) -> str:
    """When the files of kept documents and of duplicates were changed."""
    bars, plot = times_of(report), _PLOT
    if not bars:
        return ""
    ticks = amount_ticks(max(kept + duplicates for _, kept, duplicates in bars))
    parts, wide = [*_upward(plot, ticks)], plot.width / len(bars)
    every = -(-len(bars) // 8)
    for at, (label, kept, duplicates) in enumerate(bars):
        x, told = plot.left + at * wide, f"{label}: {kept:,} kept, {counted(duplicates, 'duplicate')}"
        heights = [plot.height * number / ticks[-1] for number in (kept, duplicates)]
        parts.append(bar(x + wide * 0.1, plot.bottom - heights[0], wide * 0.8, heights[0], "kept", told))
        parts.append(bar(x + wide * 0.1, plot.bottom - sum(heights), wide * 0.8, heights[1], "duplicate", told))
        if at % every == 0:
            parts.append(text(x + wide / 2, plot.bottom + 20, label, fine(at // every if len(bars) > 6 else 0)))
    parts += _legend(plot)
    parts.append(
        text(plot.x(0.5), plot.bottom + 43, "when files of documents in groups were changed (UTC)", "middle soft")
    )
    description = (
        f"Documents in groups, by when their files were changed, from {bars[0][0]} to {bars[-1][0]}:"
        f" {sum(kept for _, kept, _ in bars):,} kept, {sum(gone for _, _, gone in bars):,} duplicates."
    )
    return image("times", FIGURES["times"].title, description, plot.bottom + 54, parts)


def _legend(plot: Plot) -> Iterator[str]:
    yield bar(plot.left, plot.top - 20, 11, 11, "kept")
    yield text(plot.left + 17, plot.top - 10, "kept", "soft")
    yield bar(plot.left + 70, plot.top - 20, 11, 11, "duplicate")
    yield text(plot.left + 87, plot.top - 10, "duplicates", "soft")


def _upward(plot: Plot, ticks: Sequence[int]) -> Iterator[str]:
    """Yield the lines of the grid with their numbers, and the axis."""
    for tick in ticks:
        y = plot.y(tick / ticks[-1])
        yield path("grid", f"M{plot.left} {y:.1f}H{plot.x(1):.1f}")
        yield text(plot.left - 8, y + 4, f"{tick:,}", "end soft")
    yield path("axis", f"M{plot.left} {plot.bottom}H{plot.x(1):.1f}")
