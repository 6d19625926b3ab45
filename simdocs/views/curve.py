"""The S-curve of bands and the choices of tune, drawn by rich, and under it how similar documents are."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simdocs.model.figures import figure, shown_probability, with_interval
from simdocs.model.result import tables_of
from simdocs.model.tuning import BandChoice, CurvePoint, Estimate, Tuning
from simdocs.options.recipes import Bands
from simdocs.views.wrapping import columns_of_output

if TYPE_CHECKING:
    from simdocs.model.result import Result
    from simdocs.views.output import Drawing


_STEPS = 20
_WIDTH = 80
"""Columns that a drawing takes at most."""


def draw_info(result: Result, drawing: Drawing) -> None:
    """Draw what an artifact holds, and the S-curve of an index."""
    for table in tables_of(result, drawing.look):
        drawing.draw(table)
    facts: dict[Any, Any] = dict(row[:2] for row in result)
    if facts["kind"] == "index":
        cut, marks = Bands(facts["bands"], facts["rows"]), {facts["threshold"]: "threshold"}
        drawing.write(b"\n" + curve(cut.chance, marks, colored=drawing.colored))


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


_LABEL, _CHOICE = 20, 10
"""Columns of a terminal that the names of figures take, and that a choice takes."""


def draw_choices(result: Tuning, drawing: Drawing) -> None:
    """Draw the choices, the S-curve of the one that is chosen and the similarities of documents, if there are any."""
    colored = drawing.colored
    drawing.write(_choices(result, colored=colored) + b"\n" + curve_with_marks(result.chosen, colored=colored))
    if result.corpus is not None and result.corpus.compared:
        drawing.write(b"\n" + distribution(result.curve, colored=colored))


def _choices(result: Tuning, *, colored: bool) -> bytes:
    """The choices as columns, as many as the terminal has room for; the chosen one is always there."""
    from rich.console import Console
    from rich.table import Table

    width = columns_of_output()
    room = max(1, (width - _LABEL) // _CHOICE)
    at = result.choices.index(result.chosen)
    begin = max(0, min(at - room // 2, len(result.choices) - room))
    shown = result.choices[begin : begin + room]
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    for choice in shown:
        table.add_column(justify="right", no_wrap=True, style="bold" if choice.chosen else "")
    for label, told in _figures(result).items():
        table.add_row(label, *(told(choice) for choice in shown))
    out = io.StringIO()
    color = "standard" if colored else None
    console = Console(file=out, width=width, force_terminal=colored, color_system=color, highlight=False)  # type: ignore[arg-type]
    console.print(table)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines()).encode()


def _figures(result: Tuning) -> dict[str, Callable[[BandChoice], str]]:
    """A function for each label that returns the figure of a choice."""
    threshold = result.chosen.threshold
    below, above = (f"{max(0.0, min(1.0, threshold + more)):g}" for more in (-0.1, 0.1))
    figures: dict[str, Callable[[BandChoice], str]] = {
        "": lambda choice: "chosen" if choice.chosen else "",
        "bands": lambda choice: str(choice.bands),
        "rows": lambda choice: str(choice.rows),
        f"found at {threshold:g}": lambda choice: shown_probability(choice.probability),
        f"found at {below}": lambda choice: shown_probability(choice.probability_below),
        f"found at {above}": lambda choice: shown_probability(choice.probability_above),
        "half found at": lambda choice: f"{choice.half:.3f}",
        "(1/b)^(1/r)": lambda choice: f"{choice.steepest:.3f}",
        "bytes a document": lambda choice: f"{choice.bytes:,}",
    }
    if result.chosen.misses is not None:
        figures |= {
            "expected misses": lambda choice: _counted(choice.misses),
            "false candidates": lambda choice: _counted(choice.false_candidates),
        }
    return figures


def _counted(estimate: Estimate | None) -> str:
    assert estimate is not None
    return figure(estimate.value)
