"""A comparison of two texts for people: a sentence, the difference, and the measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simdocs.model.answers import Look
from simdocs.model.figures import percentage
from simdocs.names import display_name, text_to_name
from simdocs.options.families import DIFFS
from simdocs.views.drawn_difference import drawn_as

if TYPE_CHECKING:
    from simdocs.model.comparison import Comparison, SimilarityMatrix
    from simdocs.model.slot_trace import SlotTrace
    from simdocs.views.output_formats import Canvas

_MOSTLY = 0.8
"""The share of a text from which on a comparison says that it is in the other text, whatever the similarity."""

_MOST_PLACES = 20
"""Places that differ that are shown at a terminal if the difference was not asked for: about two screens."""


def drawn(result: Comparison, look: Look, canvas: Canvas) -> None:
    """Draw the sentence, the difference and the measures. Equal texts have a difference only if it was asked for."""
    assert result.difference is not None
    canvas.write(f"{verdict(result)}\n\n".encode())
    if look.diff is not None or not (result.similarity == 1 and result.difference.sameness):
        canvas.write(_difference(result, look) + b"\n")
    for block in result.blocks(look):
        canvas.take(block)


def difference(result: Comparison, look: Look, canvas: Canvas) -> None:
    """Draw the difference alone. A patch that changes nothing is empty."""
    assert result.difference is not None
    if look.diff is None or not (DIFFS[look.diff].is_patch and result.difference.equality):
        canvas.write(_difference(result, look))


def _difference(result: Comparison, look: Look) -> bytes:
    """The difference, marked in the text or as a unified diff."""
    assert result.difference is not None
    brief = look.terminal and look.diff is None
    if brief and result.unrelated:
        shows = "--diff words shows the difference"
        return f"[the texts have next to nothing in common: {shows}]\n".encode()
    difference = result.difference.first_places(_MOST_PLACES) if brief else result.difference
    whole = look.diff is not None
    looks = {"colored": look.colored, "terminal": look.terminal, "brief": brief}
    drawing = drawn_as(look.diff, difference, result.names, whole=whole, **looks)
    if more := result.difference.places - difference.places:
        of = f"{more:,} of {result.difference.places:,} places that differ are not shown"
        all_of_them = "--diff words shows all"
        drawing += f"[{of}: {all_of_them}]\n".encode()
    return drawing


def verdict(result: Comparison) -> str:
    """A sentence on how similar two texts are, and whether they are near-duplicates at the threshold.

    If most of only one of them is in the other, a second line says so.
    """
    threshold, measure = result.matrix.threshold, result.decided_by
    similarity, what, more = result.similarity, "near-duplicates", ""
    said = f"{percentage(similarity, threshold)} alike"
    if measure.startswith("overlap"):
        of_a, of_b = float(result.matrix.similarity[0, 1]), float(result.matrix.similarity[1, 0])
        said, what = _contained(result, of_a, of_b, threshold), "contained"
    elif measure == "jaccard":
        of_a, of_b = result.shingles.containment_a or 0.0, result.shingles.containment_b or 0.0
        if min(of_a, of_b) < _MOSTLY <= max(of_a, of_b):
            more = "\n" + _contained(result, of_a, of_b, 1.0)
    same = result.difference.sameness if similarity == 1 and result.difference is not None else ""
    if same:
        said = f"{same[0].upper()}{same[1:]}"
    elif measure not in ("jaccard", "overlap"):
        said += ", repeated shingles counted"
    return f"{said}: {'' if result.similar else 'not '}{what} at {threshold:g}{more}"


def _contained(result: Comparison, of_a: float, of_b: float, threshold: float) -> str:
    """A phrase about the larger containment. of_a, of_b: the fraction of each text that is in the other."""
    a, b = (display_name(text_to_name(name)) for name in result.names)
    share = "All" if max(of_a, of_b) == 1 else percentage(max(of_a, of_b), threshold)
    inner, outer = (a, b) if of_a >= of_b else (b, a)
    return f"{share} of {inner} is in {outer}" + (f", and as much of {outer} in {inner}" if of_a == of_b else "")


def npy_file(result: Comparison | SimilarityMatrix | SlotTrace) -> bytes:
    """The similarities as a file that numpy.load reads."""
    from io import BytesIO

    import numpy as np

    out = BytesIO()
    np.save(out, result.matrix.similarity, allow_pickle=False)
    return out.getvalue()
