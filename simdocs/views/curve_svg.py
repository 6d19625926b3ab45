"""The S-curve of bands as one SVG image, and under it how similar documents are."""

from __future__ import annotations

import math
from collections.abc import Iterator

from simdocs.model.figures import counted, cut_in_words, shown_probability
from simdocs.model.tuning import STEPS, Tuning
from simdocs.views.svg import BOTTOM, LEFT, RIGHT, TOP, chart, image, log_share, path, text

_HEIGHT = BOTTOM + 46

_POINTS = 10
"""Points of the line in a twentieth."""


def svg(result: Tuning) -> bytes:
    """The image: the same bytes for the same result, without scripts and without anything from elsewhere."""
    cut, threshold, pairs = result.banding.cut, result.banding.threshold, result.pairs
    said = (
        f"The S-curve 1 - (1 - s^r)^b: a pair at the threshold of {threshold:g} is found with probability"
        f" {shown_probability(cut.chance(threshold))}, and half of the pairs at {cut.half:.3f}. (1/b)^(1/r) is"
        f" {cut.steepest:.3f}."
    )
    labels = [f"{step / STEPS:g}" for step in range(STEPS + 1)]
    line = "L".join(
        f"{_x(at / STEPS / _POINTS):.1f} {BOTTOM - (BOTTOM - TOP) * cut.chance(at / STEPS / _POINTS):.1f}"
        for at in range(STEPS * _POINTS + 1)
    )
    parts = [
        *chart(
            [(0.0, "", label, f"{label}: {shown_probability(cut.chance(float(label)))}") for label in labels],
            [(fifth / 5, f"{fifth / 5:g}") for fifth in range(6)],
            "chance of being found, by similarity",
        ),
        path("curve", f"M{line}"),
        *_marks(result),
    ]
    if pairs:
        digits = max(1, math.ceil(math.log10(max(pairs) + 1)))
        bars = [
            (log_share(many, digits), "kept", label, f"{label}: {counted(many, 'pair')}")
            for label, many in zip(labels, pairs, strict=True)
        ]
        ticks = [(log_share(10**digit, digits), f"{10**digit:,}") for digit in range(digits + 1)]
        parts.append(f'<g transform="translate(0 {_HEIGHT})">')
        parts += [*chart(bars, ticks, "pairs of documents, by similarity (logarithmic)"), "</g>"]
        said += " Bars show how many pairs of documents have which similarity."
    return image("curve", cut_in_words(*cut), said, _HEIGHT * (1 + bool(pairs)), parts, alone=True).encode()


def _x(similarity: float) -> float:
    return LEFT + (similarity * STEPS + 0.5) * (RIGHT - LEFT) / (STEPS + 1)


def _marks(result: Tuning) -> Iterator[str]:
    """Yield lines at the threshold, where half of the pairs are found, and at (1/b)^(1/r), with their names.

    The names are above the frame, in the order of the lines, where no line can cross them.
    """
    cut, threshold = result.banding.cut, result.banding.threshold
    marked = [
        (cut.steepest, f"(1/b)^(1/r) {cut.steepest:.3f}"),
        (cut.half, f"half {cut.half:.3f}"),
        (threshold, f"threshold {threshold:g}: {shown_probability(cut.chance(threshold))}"),
    ]
    places = ((0, TOP - 5, ""), (0.5, TOP - 19, " middle"), (1, TOP - 5, " end"))
    for (similarity, label), (place, y, kind) in zip(sorted(marked), places, strict=True):
        yield path("mark", f"M{_x(similarity):.1f} {TOP}V{BOTTOM}")
        yield text(LEFT + (RIGHT - LEFT) * place, y, label, f"soft{kind}")
