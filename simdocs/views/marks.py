"""What stands around the passages of a text that another one does not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

PLAIN = "\x1b[0m"
"""The end of a colour."""

_REMOVED, _ADDED, _DIM = "\x1b[31;9m", "\x1b[32;4m", "\x1b[2m"


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands around passages of the first text alone, of the second alone, and around what was left out."""

    removed: tuple[str, str] = ("[-", "-]")
    added: tuple[str, str] = ("{+", "+}")
    left_out: tuple[str, str] = ("[... ", " ...]")


COLORS = Marks((_REMOVED, PLAIN), (_ADDED, PLAIN), (f"{_DIM}[... ", f" ...]{PLAIN}"))
"""Marks for a terminal with colours."""


Pieces = Iterator[tuple[str, bool]]
"""Pieces of an answer, and whether each comes from a text, so that it may do harm to a terminal."""
