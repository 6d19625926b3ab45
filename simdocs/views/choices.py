"""Which bands to choose, for people: choices side by side, the S-curve, and the similarities of the documents."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

from simdocs.model.answers import Look
from simdocs.model.figures import figure, shown_probability
from simdocs.model.tuning import BandChoice, Estimate, Tuning
from simdocs.views.curve import curve_with_marks, distribution
from simdocs.views.wrapping import columns_of_output

if TYPE_CHECKING:
    from simdocs.views.output_formats import Canvas

_LABEL, _CHOICE = 20, 10
"""Columns of a terminal that the names of figures take, and that a choice takes."""


def drawn(result: Tuning, look: Look, canvas: Canvas) -> None:
    """Draw the choices, the S-curve of the one that is chosen and the similarities of documents, if there are any."""
    colored = look.colored
    canvas.write(_choices(result, colored=colored) + b"\n" + curve_with_marks(result.chosen, colored=colored))
    if result.corpus is not None and result.corpus.compared:
        canvas.write(b"\n" + distribution(result.curve, colored=colored))


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
