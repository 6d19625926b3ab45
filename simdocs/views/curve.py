"""The S-curve of bands, drawn by rich, and under it how similar documents are."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simdocs.model.figures import counted, cut_in_words, shown_probability
from simdocs.model.result import NAME, NUMBER, SIMILARITY, Table, plain, table_head, tables_of
from simdocs.model.tuning import STEPS, Tuning
from simdocs.options.recipes import Bands
from simdocs.views.svg import BOTTOM, LEFT, RIGHT, TOP, chart, image, log_share, path, text
from simdocs.views.wrapping import columns_of_output

if TYPE_CHECKING:
    from simdocs.model.result import Result
    from simdocs.model.tuning import Tuning
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


def curve(probability: Callable[[float], float], marks: Mapping[float, str], *, colored: bool) -> bytes:
    """The chance of being found by similarity: a bar for every twentieth, and one for each mark."""
    rows = []
    for similarity in sorted({step / _STEPS for step in range(1, _STEPS + 1)} | marks.keys()):
        chance = probability(similarity)
        label = f"{similarity:.2f}" if similarity * _STEPS % 1 == 0 else f"{similarity:.4g}"
        rows.append((label, chance, shown_probability(chance), marks.get(similarity, "")))
    return _bars("S-curve 1 - (1 - s^r)^b: chance of being found, by similarity", rows, colored=colored)


def distribution(pairs: Sequence[int], *, colored: bool) -> bytes:
    """The numbers of pairs by similarity, as bars of their logarithms, so that few pairs can be seen beside many."""
    most = math.log1p(max(pairs)) or 1.0
    rows = [(f"{step / _STEPS:.2f}", math.log1p(many) / most, f"{many:,}", "") for step, many in enumerate(pairs)]
    return _bars("pairs, by similarity from (logarithmic bars)", rows, colored=colored)


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


_EXAMPLES = table_head(threshold=SIMILARITY, pairs=NUMBER, example=NAME)


def draw_tuning(result: Tuning, drawing: Drawing) -> None:
    """Draw thresholds with the least similar pair that each finds, the S-curve, and the similarities of documents."""
    banding, colored = result.banding, drawing.colored
    found = [sum(result.pairs[step:]) for step in range(len(result.pairs))]
    rows = [
        (row[0], many, b" ".join(map(plain, row[3:5])) + b": " + plain(row[6]))
        for row, many in zip(result, found, strict=False)
        if row[3]
    ]
    if rows:
        drawing.draw(Table.of(_EXAMPLES, rows))
        drawing.write(b"\n")
    marks = {banding.cut.steepest: "(1/b)^(1/r)", banding.cut.half: "half", banding.threshold: "threshold"}
    drawing.write(curve(banding.cut.chance, marks, colored=colored))
    if result.pairs:
        drawing.write(b"\n" + distribution(result.pairs, colored=colored))


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
