"""Documents with the same text are found by their digests, and a text stands for some rows, and for nothing else."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.model.artifact import as_ranges, rows_of_ranges
from simdocs.model.documents import EMPTY, IGNORED, SHORT
from tests.artifacts.tiny import documents_of

TEXTS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.sampled_from([0, SHORT, EMPTY, IGNORED]), st.booleans()),
    max_size=9,
)


@given(texts=TEXTS, asked=st.booleans())
@example(texts=[(0, 0, 0, False), (0, 1, 0, False), (0, 0, 0, False)], asked=False)
def test_the_first_document_of_each_text_that_is_compared_stands_for_the_others(texts, asked):
    """Digests may have one half in common. asked: whether some documents are left out."""
    facts = {"digest": [text[:2] for text in texts], "flags": [text[2] for text in texts]}
    found = documents_of([b"name"] * len(texts), facts if texts else {}, {})
    firsts, number = found.distinct_texts(np.array([text[3] for text in texts], bool) if asked else None)
    compared = [row for row, text in enumerate(texts) if text[2] in (0, SHORT) and not (asked and text[3])]
    first = {texts[row][:2]: row for row in reversed(compared)}
    assert firsts.tolist() == sorted(first.values())
    expected = [firsts.tolist().index(first[text[:2]]) if row in compared else -1 for row, text in enumerate(texts)]
    assert number.tolist() == expected


def _rows_one_by_one(text: str, size: int) -> list[int] | None:
    """The rows of a text, or None if it does not stand for ascending rows below `size`."""
    rows = list[int]()
    for part in text.split(",") if text else []:
        ends = part.split("-")
        if len(ends) > 2 or not all(end.isascii() and end.isdigit() for end in ends) or int(ends[0]) > int(ends[-1]):
            return None
        rows += range(int(ends[0]), int(ends[-1]) + 1)
    return rows if rows == sorted(set(rows)) and all(row < size for row in rows) else None


pieces = st.sampled_from(["0", "1", "2", "3", "10", "-", ",", "-", ",", " ", "+", "٣", "_"])
texts = st.lists(pieces, max_size=7).map("".join)
plausible = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=4).map(
    lambda each: ",".join(f"{first}-{last}" for first, last in each)
)


@given(texts | plausible, st.integers(0, 13))
def test_a_text_stands_for_ascending_rows_or_is_refused(text, size):
    rows = _rows_one_by_one(text, size)
    if rows is None:
        with pytest.raises(ValueError, match="ranges"):
            rows_of_ranges(text, size)
    else:
        assert rows_of_ranges(text, size).tolist() == rows
        shortest = as_ranges(np.array(rows, np.int64))
        assert _rows_one_by_one(shortest, size) == rows
        ends = re.split("[,-]", shortest) if rows else []
        assert shortest.count(",") == sum(later - row > 1 for row, later in pairwise(rows)) and len({*ends}) == len(
            ends
        )


@pytest.mark.parametrize("text", ["0-999999999999999999", "9" * 19, "0-" + "9" * 5000, "0,1\n", "-1", "1-", ",", "0x1"])
def test_ranges_beyond_the_documents_take_no_memory_and_are_refused(text):
    with pytest.raises(ValueError, match="ranges"):
        rows_of_ranges(text, 1000)
