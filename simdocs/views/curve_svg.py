"""The S-curve of bands as one SVG image, and under it how similar documents are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

from simdocs.model.figures import shown_probability, with_interval
from simdocs.model.tuning import BandChoice, CurvePoint, Estimate, Tuning

_LEFT, _WIDTH, _TOP, _HEIGHT, _GAP = 90, 600, 74, 300, 60
"""The place of the curve, its size, and the space between it and the bars below, in units of the image."""

_STEPS = 200
"""Points of the line."""

_STYLE = (
    "text{font:13px sans-serif;fill:#222}.title{font-size:16px}.grid{stroke:#ddd}.axis{stroke:#222;fill:none}"
    ".curve{stroke:#0b6;stroke-width:2.5;fill:none}.mark{stroke:#555;stroke-dasharray:5 4}.dot{fill:#0b6}"
    ".bar{fill:#69c}.interval{stroke:#222}.end{text-anchor:end}.middle{text-anchor:middle}"
)


def svg(result: Tuning) -> bytes:
    """The image: the same bytes for the same result, without scripts and without anything from elsewhere."""
    has_bars = result.corpus is not None and result.corpus.compared > 0
    height = _TOP + _HEIGHT + 60 + (_GAP + _HEIGHT + 20 if has_bars else 0)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 40} {height}" role="img"'
        ' aria-labelledby="title description">',
        f'<title id="title">{escape(_title(result.chosen))}</title>',
        f'<desc id="description">{escape(_description(result))}</desc>',
        f"<style>{_STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text class="title" x="{_LEFT}" y="28">{escape(_title(result.chosen))}</text>',
        *_axes(_TOP, [tenth / 10 for tenth in range(11)]),
        *(_text(_LEFT - 8, _y(_TOP, tenth / 10) + 4, f"{tenth / 10:g}", "end") for tenth in range(0, 11, 2)),
        f'<polyline class="curve" points="{_points(result.chosen)}"/>',
        *_marks(result.chosen),
    ]
    if has_bars:
        lines += _bars(result.curve, _TOP + _HEIGHT + _GAP + 40)
    return "\n".join([*lines, "</svg>", ""]).encode()


def _title(choice: BandChoice) -> str:
    bands, rows = ("band" if choice.bands == 1 else "bands"), ("row" if choice.rows == 1 else "rows")
    return f"{choice.bands} {bands} of {choice.rows} {rows}: chance of being found, by similarity"


def _description(result: Tuning) -> str:
    choice = result.chosen
    probability = shown_probability(choice.probability)
    told = (
        f"The S-curve 1 - (1 - s^r)^b. A pair at the threshold of {choice.threshold:g} is found with probability"
        f" {probability}, and half of the pairs at {choice.half:.3f}. (1/b)^(1/r) is {choice.steepest:.3f}."
    )
    if result.corpus is None or choice.misses is None or choice.false_candidates is None:
        return told
    return (
        f"{told} Bars show how many of the {result.corpus.pairs:,} pairs of documents have which similarity."
        f" Pairs at the threshold or above: {_interval(result.corpus.similar, whole=True)}. Expected to be missed:"
        f" {_interval(choice.misses)}. Expected false candidates: {_interval(choice.false_candidates)}."
    )


def _interval(estimate: Estimate, *, whole: bool = False) -> str:
    return " ".join(filter(None, with_interval(estimate, whole=whole)))


def _axes(top: int, heights: Iterable[float]) -> Iterator[str]:
    """Yield the grid, with lines at these heights, the frame, and the labels of similarities."""
    for height in heights:
        yield f'<path class="grid" d="M{_LEFT} {_y(top, height):.1f}H{_LEFT + _WIDTH}"/>'
    for tenth in range(11):
        x = _x(tenth / 10)
        yield f'<path class="grid" d="M{x:.1f} {top}V{top + _HEIGHT}"/>'
        yield _text(x, top + _HEIGHT + 18, f"{tenth / 10:g}", "middle")
    yield _text(_x(0.5), top + _HEIGHT + 38, "similarity", "middle")
    yield f'<path class="axis" d="M{_LEFT} {top}V{top + _HEIGHT}H{_LEFT + _WIDTH}"/>'


def _points(choice: BandChoice) -> str:
    every = ((step / _STEPS, choice.cut.chance(step / _STEPS)) for step in range(_STEPS + 1))
    return " ".join(f"{_x(similarity):.1f},{_y(_TOP, chance):.1f}" for similarity, chance in every)


def _marks(choice: BandChoice) -> Iterator[str]:
    """Yield lines at the threshold, where half of the pairs are found, and at (1/b)^(1/r), with their names.

    The names are in a row above the frame, in the order of the lines, where no line can cross them.
    """
    found = shown_probability(choice.cut.chance(choice.threshold))
    marked = {
        f"(1/b)^(1/r) = {choice.steepest:.3f}": choice.steepest,
        f"half found at {choice.half:.3f}": choice.half,
        f"threshold {choice.threshold:g}: {found}": choice.threshold,
    }
    in_order = sorted(marked.items(), key=lambda mark: mark[1])
    for (label, similarity), place, kind in zip(in_order, (0, 0.5, 1), ("", "middle", "end"), strict=True):
        x, chance = _x(similarity), choice.cut.chance(similarity)
        yield f'<path class="mark" d="M{x:.1f} {_TOP}V{_TOP + _HEIGHT}"/>'
        yield f'<circle class="dot" cx="{x:.1f}" cy="{_y(_TOP, chance):.1f}" r="4"/>'
        yield _text(_x(place), _TOP - 12, label, kind)


def _bars(points: tuple[CurvePoint, ...], top: int) -> Iterator[str]:
    """Yield bars of the numbers of pairs, with their 95% intervals, on a scale of log(1 + n), which shows 0, too."""
    highs = [point.pairs.high for point in points if point.pairs is not None]
    digits = max(1, math.ceil(math.log10(max(1, *highs))))
    heights = {n: math.log1p(n) / math.log1p(10**digits) for n in (10**digit for digit in range(1, digits + 1))}
    yield _text(_LEFT, top - 12, "pairs of documents, by similarity (logarithmic, with 95% intervals)", "")
    yield from _axes(top, [0, *heights.values()])
    yield from (_text(_LEFT - 8, _y(top, height) + 4, f"{n:,}", "end") for n, height in heights.items())
    width = _WIDTH / (len(points) - 1)
    for point in points:
        assert point.pairs is not None
        value, low, high = (_y(top, math.log1p(each) / math.log1p(10**digits)) for each in point.pairs)
        x, length = _x(point.similarity), top + _HEIGHT - value
        yield f'<rect class="bar" x="{x + 1:.1f}" y="{value:.1f}" width="{width - 2:.1f}" height="{length:.1f}"/>'
        yield f'<path class="interval" d="M{x + width / 2:.1f} {low:.1f}V{high:.1f}"/>'


def _x(similarity: float) -> float:
    return _LEFT + _WIDTH * similarity


def _y(top: int, share: float) -> float:
    return top + _HEIGHT * (1 - share)


def _text(x: float, y: float, text: str, kind: str) -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
