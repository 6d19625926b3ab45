"""Rows of documents as text, such as "0-99,120": ranges with their first and last rows."""

from __future__ import annotations

import re

import numpy as np

from simdocs.model.numbering import Rows
from simdocs.model.ragged import ranges

_RANGES = re.compile(r"(?:[0-9]{1,18}(?:-[0-9]{1,18})?(?:,[0-9]{1,18}(?:-[0-9]{1,18})?)*+)?")
"""No number is too large for int64."""


def as_ranges(rows: Rows) -> str:
    """The rows as ranges: each is "first-last", or "row" if it has only one; "" if there are no rows.

    rows: ascending, without repeats.
    """
    begins = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    firsts, lasts = rows[begins], rows[np.append(begins[1:], len(rows))[: len(begins)] - 1]
    each = zip(firsts.tolist(), lasts.tolist(), strict=True)
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in each)


def rows_of_ranges(text: str, size: int) -> Rows:
    """The rows that a text of ranges stands for: int64, ascending, without repeats.

    ValueError: the text is not one of ranges that ascend, do not overlap and end below `size`.
    """
    if not _RANGES.fullmatch(text):
        raise ValueError("not a list of ranges")
    if not text:
        return np.empty(0, np.int64)
    numbers = np.fromstring(text.replace("-", ","), np.int64, sep=",")
    characters = np.frombuffer(text.encode("ascii"), np.uint8)
    after_comma = characters[np.isin(characters, (ord(","), ord("-")))] == ord(",")
    firsts = numbers[np.append(True, after_comma)]
    lasts = numbers[np.append(after_comma, True)]
    if (firsts > lasts).any() or (firsts[1:] <= lasts[:-1]).any() or lasts[-1] >= size:
        raise ValueError("the ranges do not ascend, or there are not so many documents")
    return ranges(firsts, lasts - firsts + 1)
