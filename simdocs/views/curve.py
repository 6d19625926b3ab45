"""The S-curve of bands, drawn by rich, and under it how similar documents are."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simdocs.model.answers import Look
from simdocs.model.figures import shown_probability, with_interval
from simdocs.model.tuning import BandChoice, CurvePoint
from simdocs.parameters.recipes import Banding
from simdocs.views.wrapping import columns_of_output

if TYPE_CHECKING:
    from simdocs.model.inspection import ArtifactInfo
    from simdocs.views.output_formats import Canvas

_STEPS = 20
_WIDTH = 80
"""Columns that a drawing takes at most."""


def drawn_info(result: ArtifactInfo, look: Look, canvas: Canvas) -> None:
    """Draw what an artifact holds, and the S-curve of an index."""
    for block in result.blocks(look):
        canvas.take(block)
    if result.banding is not None:
        canvas.write(b"\n" + curve_of(result.banding, colored=look.colored))


def curve_of(banding: Banding, *, colored: bool) -> bytes:
    """The S-curve of these bands."""
    marks = {banding.threshold: "threshold"}
    return curve(banding.cut.chance, marks, colored=colored)


def curve_with_marks(choice: BandChoice, *, colored: bool) -> bytes:
    """The S-curve of a choice, with the similarities at which it is steep, and at which half of the pairs are found."""
    marks = {choice.steepest: "(1/b)^(1/r)", choice.half: "half", choice.threshold: "threshold"}
    return curve(choice.cut.chance, marks, colored=colored)


def curve(probability: Callable[[float], float], marks: Mapping[float, str], *, colored: bool) -> bytes:
    """The chance of being found by similarity: a bar for every twentieth, and one for each mark."""
    rows = []
    for similarity in sorted({step / _STEPS for step in range(1, _STEPS + 1)} | marks.keys()):
        chance = probability(similarity)
        label = f"{similarity:.2f}" if similarity * _STEPS % 1 == 0 else f"{similarity:.4g}"
        rows.append((label, chance, shown_probability(chance), marks.get(similarity, "")))
    return _bars("S-curve 1 - (1 - s^r)^b: chance of being found, by similarity", rows, colored=colored)


def distribution(points: Sequence[CurvePoint], *, colored: bool) -> bytes:
    """The numbers of pairs by similarity, as bars of their logarithms, so that few pairs can be seen beside many."""
    most = math.log1p(max((point.pairs.value for point in points if point.pairs is not None), default=0.0))
    rows = []
    for point in points:
        assert point.pairs is not None
        share = math.log1p(point.pairs.value) / most if most else 0.0
        value, interval = with_interval(point.pairs, whole=True)
        rows.append((f"{point.similarity:.2f}", share, value, interval))
    return _bars("pairs, by similarity from (logarithmic bars, 95% intervals)", rows, colored=colored)


def _bars(title: str, rows: Sequence[tuple[str, float, str, str]], *, colored: bool) -> bytes:
    """Bars with a label before and two behind. If the terminal is narrow, the last label is left out."""
    from rich.bar import Bar
    from rich.console import Console
    from rich.table import Table

    width = min(_WIDTH, columns_of_output())
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
