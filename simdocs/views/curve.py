"""The S-curve of bands, drawn by rich, and under it how similar documents are."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from shutil import get_terminal_size
from typing import Any

from simdocs.kernels.lsh.banding import candidate_probability
from simdocs.model.tuning import BandChoice, CurvePoint, Estimate
from simdocs.parameters.recipes import Banding

_DIGITS = 4
_SMALLEST = 10**-_DIGITS


def shown_probability(probability: float) -> str:
    """A probability, or another fraction, to four digits. Only 1 itself is 1.0000, and only 0 is 0.0000.

    >>> shown_probability(0.98553), shown_probability(0.999998), shown_probability(1.0)
    ('0.9855', '>0.9999', '1.0000')
    """
    if 1 - _SMALLEST < probability < 1:
        return f">{1 - _SMALLEST:.{_DIGITS}f}"
    return f"<{_SMALLEST:.{_DIGITS}f}" if 0 < probability < _SMALLEST else f"{probability:.{_DIGITS}f}"


def least_percentage(share: float) -> str:
    """A share in percent, rounded down to two digits, so that "at least" is true. Only 1 itself is 100%.

    >>> least_percentage(0.98553), least_percentage(0.999998), least_percentage(1.0)
    ('98.55%', '99.99%', '100%')
    """
    # 0.19 * 10,000 is 1899.9999999999998, because 0.19 is not a fraction of two.
    return "100%" if share == 1 else f"{min(math.floor(share * 10_000 + 1e-6), 9_999) / 100:.2f}%"


_STEPS = 20
_WHOLE, _LEAST = 9.5, 0.001
_WIDTH = 80
"""Columns that a drawing takes at most."""


def curve_of(banding: Banding, *, colored: bool) -> bytes:
    """The S-curve of these bands."""
    marks = {banding.threshold: "threshold"}
    return curve(lambda similarity: candidate_probability(similarity, *banding.cut), marks, colored=colored)


def curve_with_marks(choice: BandChoice, *, colored: bool) -> bytes:
    """The S-curve of a choice, with the similarities at which it is steep, and at which half of the pairs are found."""
    marks = {choice.steepest: "(1/b)^(1/r)", choice.half: "half", choice.threshold: "threshold"}
    return curve(lambda similarity: candidate_probability(similarity, *choice.cut), marks, colored=colored)


def curve(probability: Callable[[float], float], marks: Mapping[float, str], *, colored: bool) -> bytes:
    """The chance of being found by similarity: a bar for every twentieth, and one for each mark."""
    rows = []
    for similarity in sorted({step / _STEPS for step in range(1, _STEPS + 1)} | marks.keys()):
        chance = probability(similarity)
        label = f"{similarity:.2f}" if similarity * _STEPS % 1 == 0 else f"{similarity:.4g}"
        rows.append((label, chance, shown_probability(chance), marks.get(similarity, "")))
    return _bars("S-curve 1 - (1 - s^r)^b: chance of being found, by similarity", rows, colored=colored)


def distribution(points: Sequence[CurvePoint], *, colored: bool) -> bytes:
    """How many pairs have which similarity: bars of their logarithms, so that few pairs are seen beside many."""
    most = math.log1p(max((point.pairs.value for point in points if point.pairs is not None), default=0.0))
    rows = []
    for point in points:
        assert point.pairs is not None
        share = math.log1p(point.pairs.value) / most if most else 0.0
        value, interval = with_interval(point.pairs, whole=True)
        rows.append((f"{point.similarity:.2f}", share, value, interval))
    return _bars("pairs, by similarity from (logarithmic bars, 95% intervals)", rows, colored=colored)


def figure(number: float) -> str:
    """A number of pairs, which may be an expected one: whole from ten on, with two digits below."""
    if number >= _WHOLE or number == int(number):
        return f"{number:,.0f}"
    return f"{number:.2g}" if number >= _LEAST else f"< {_LEAST}"


def with_interval(estimate: Estimate, *, whole: bool = False) -> tuple[str, str]:
    """An estimated number and its 95% interval in parentheses, which is empty if its ends look like the number.

    whole: it counts pairs. Otherwise it is an expected number, which may be a fraction.
    """
    value, low, high = (f"{each:,.0f}" if whole else figure(each) for each in estimate)
    return value, "" if low == value == high else f"({low} to {high})"


def _bars(title: str, rows: Sequence[tuple[str, float, str, str]], *, colored: bool) -> bytes:
    """Bars with a label before and two behind. If the terminal is narrow, the last label is left out."""
    from rich.bar import Bar
    from rich.console import Console
    from rich.table import Table

    width = min(_WIDTH, get_terminal_size().columns)
    before, figure, note = (max(map(len, column)) for column in ([str(row[at]) for row in rows] for at in (0, 2, 3)))
    gaps = 3 * 2
    wide = width - before - figure - note - gaps >= width // 4
    length = width - before - figure - gaps + 2 - (note + 2 if wide else 0)
    drawn = Table(box=None, pad_edge=False, show_header=False)
    alignments: tuple[Any, ...] = ("left", "left", "right", "left")
    for alignment in alignments:
        drawn.add_column(justify=alignment, no_wrap=True)
    for label, share, shown, more in rows:
        bar = Bar(1, 0, share, width=max(1, length), color="cyan" if colored else "default")
        drawn.add_row(label, bar, shown, more if wide else "")
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colored, no_color=not colored, highlight=False)
    console.print(title)
    console.print(drawn)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines()).encode()
