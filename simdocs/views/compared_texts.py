"""A comparison of two texts for people: a sentence, the difference, and the measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simdocs.model.comparison import Comparison, SimilarityMatrix, are_unrelated, matrix_of, verdict_of
from simdocs.model.result import tables_of
from simdocs.views.drawn_difference import drawn_as

if TYPE_CHECKING:
    from simdocs.views.output import Drawing

_MOST_PLACES = 20
"""Places that differ that are shown at a terminal if the difference was not asked for: about two screens."""


def draw_comparison(result: Comparison, drawing: Drawing, diff: str | None) -> None:
    """Draw the sentence, the difference and the measures for people, or else the difference alone.

    diff: how the difference is drawn, a member of DIFFS; None: it was not asked for. Then equal texts have none.
    """
    assert result.difference is not None
    if not drawing.look.for_people:
        # A patch that changes nothing is empty.
        if diff is None or not (diff == "unified" and result.difference.equality):
            drawing.write(_difference(result, drawing, diff))
        return
    drawing.write(f"{verdict_of(result)}\n\n".encode())
    if diff is not None or not (result.similarity == 1 and result.difference.sameness):
        drawing.write(_difference(result, drawing, diff) + b"\n")
    for table in tables_of(result, drawing.look):
        drawing.draw(table)


def _difference(result: Comparison, drawing: Drawing, diff: str | None) -> bytes:
    """The difference, marked in the text or as a unified diff."""
    assert result.difference is not None
    brief = drawing.terminal and diff is None
    if brief and are_unrelated(result):
        shows = "--diff words shows the difference"
        return f"[the texts have next to nothing in common: {shows}]\n".encode()
    difference = result.difference.first_places(_MOST_PLACES) if brief else result.difference
    looks = {"colored": drawing.colored, "terminal": drawing.terminal, "brief": brief}
    drawn = drawn_as(diff, difference, result.names, whole=diff is not None, **looks)
    if more := result.difference.places - difference.places:
        of = f"{more:,} of {result.difference.places:,} places that differ are not shown"
        all_of_them = "--diff words shows all"
        drawn += f"[{of}: {all_of_them}]\n".encode()
    return drawn


def npy_file(result: Comparison | SimilarityMatrix) -> bytes:
    """The similarities as a file that numpy.load reads."""
    from io import BytesIO

    import numpy as np

    out = BytesIO()
    np.save(out, matrix_of(result), allow_pickle=False)
    return out.getvalue()
