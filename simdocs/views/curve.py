"""The S-curve of an index, drawn by rich."""

from __future__ import annotations

import io
from collections.abc import Callable

from simdocs.kernels.lsh.banding import candidate_probability
from simdocs.recipes import Banding

_STEPS = 20
_WIDTH = 50


def curve_of(banding: Banding, *, colored: bool) -> bytes:
    """The S-curve of these bands."""
    return curve(lambda similarity: candidate_probability(similarity, *banding.cut), banding.threshold, colored=colored)


def curve(probability: Callable[[float], float], threshold: float, *, colored: bool) -> bytes:
    """The chance of being found by similarity, a bar for every twentieth and one for the threshold."""
    from rich.bar import Bar
    from rich.console import Console
    from rich.table import Table

    drawn = Table(box=None, pad_edge=False, show_header=False)
    for column in ("similarity", "bar", "chance"):
        drawn.add_column(column, no_wrap=True)
    for similarity in sorted({step / _STEPS for step in range(1, _STEPS + 1)} | {threshold}):
        chance = probability(similarity)
        mark = "threshold" if similarity == threshold else ""
        bar = Bar(1, 0, chance, width=_WIDTH, color="cyan" if colored else "default")
        label = f"{similarity:.2f}"
        drawn.add_row(label if float(label) == similarity else f"{similarity:g}", bar, f"{chance:.4f} {mark}")
    out = io.StringIO()
    console = Console(file=out, width=_WIDTH + 30, force_terminal=colored, no_color=not colored, highlight=False)
    console.print("chance of being found, by similarity")
    console.print(drawn)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines()).encode()
