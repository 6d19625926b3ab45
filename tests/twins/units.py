"""The units of a normalised text."""

from __future__ import annotations

import re
import unicodedata

from simdocs.kernels.characters import UNSPACED_BLOCKS


def is_mark(character: str) -> bool:
    """Return whether a character is a combining mark, which belongs to its word."""
    return unicodedata.category(character) in ("Mn", "Mc")


def is_unspaced(character: str) -> bool:
    """Return whether a character belongs to a script that is written without spaces."""
    return any(low <= ord(character) <= high for low, high in UNSPACED_BLOCKS)


def chars(text: str) -> list[str]:
    """Return every code point."""
    return list(text)


def words(text: str) -> list[str]:
    """Return the words: runs of word characters with their marks, and single characters in scripts without spaces."""
    found: list[str] = []
    going_on = False  # whether a mark or a word character right here would belong to the last word
    for character in text:
        if is_mark(character):
            if going_on:
                found[-1] += character
        elif re.fullmatch(r"\w", character):
            if going_on and not is_unspaced(character) and not is_unspaced(found[-1][0]):
                found[-1] += character
            else:
                found.append(character)
            going_on = True
        else:
            going_on = False
    return found


def lines(text: str) -> list[str]:
    """Return the lines of a text that was normalised with `lines`."""
    return text.split("\n") if text else []
