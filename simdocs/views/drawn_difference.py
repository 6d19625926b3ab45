"""The difference of two texts as bytes: with marks in the text, side by side, or as a unified diff."""

from __future__ import annotations

from collections.abc import Sequence
from shutil import get_terminal_size

from simdocs.model.passages import Difference
from simdocs.views.marked_difference import marked
from simdocs.views.marks import COLORS, Marks, Pieces
from simdocs.views.unified_diff import unified
from simdocs.views.wrapping import flowed

_LEAST_WIDTH = 60
"""Columns from which on two texts have a place side by side."""


def drawn_as(
    diff: str | None,
    difference: Difference,
    names: Sequence[str],
    *,
    whole: bool,
    colored: bool,
    terminal: bool,
    brief: bool = False,
) -> bytes:
    """A difference as bytes, drawn as the member of `DIFFS`; None: with marks in the text.

    whole, brief: see `marked`.

    Texts in which nothing differs are not drawn: one line says so. terminal: texts cannot do harm to one, and those
    with marks are wrapped between words. In fewer than 60 columns, texts have no place side by side, and get marks.
    """
    if same := difference.equality if diff == "unified" else difference.likeness:
        return f"[{same}]\n".encode()
    marks = COLORS if colored else Marks()
    if diff == "unified":
        return drawn(unified(difference, names, colored=colored), terminal=terminal)
    width = get_terminal_size().columns
    if diff == "side-by-side" and width >= _LEAST_WIDTH:
        from simdocs.views.side_by_side import side_by_side

        lines = side_by_side(difference, names, marks, width, whole=whole)
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    pieces = marked(difference, marks, whole=whole, brief=brief)
    return drawn(_flowed(pieces, width), terminal=False) if terminal else drawn(pieces, terminal=False)


def _flowed(pieces: Pieces, width: int) -> Pieces:
    """Yield the pieces without what could do harm to a terminal, in lines that are not wider than it."""
    for text in flowed((_harmless(text) if given else text for text, given in pieces), width):
        yield text, False


def _harmless(text: str) -> str:
    from simdocs.views.output_formats import harmless

    return harmless(text.encode("utf-8", "surrogateescape"), json=False).decode()


def drawn(pieces: Pieces, *, terminal: bool) -> bytes:
    """The pieces as bytes, with an end of line. terminal: those of texts cannot do harm to one."""
    encoded = (
        (_harmless(text) if given and terminal else text).encode("utf-8", "surrogateescape") for text, given in pieces
    )
    whole = b"".join(encoded)
    return whole if not whole or whole.endswith(b"\n") else whole + b"\n"
