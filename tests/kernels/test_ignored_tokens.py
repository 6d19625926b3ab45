"""Leaving tokens out and counting documents give what plain Python gives."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels.multisets import (
    NOTHING,
    Frequencies,
    are_among,
    frequencies,
    leave_out,
    merged,
    without_rarest,
)
from tests import strategies as some

few = st.integers(0, 5) | some.tokens
sets = st.lists(st.sets(few, max_size=20), max_size=6)


def sorted_tokens(tokens: set[int]) -> np.ndarray:
    return some.frozen(np.array(sorted(tokens), np.uint32))


@given(st.lists(st.lists(few, max_size=20), max_size=6), st.sets(few))
def test_ignored_tokens_are_left_out_of_every_row_in_its_order(rows, ignored):
    given_rows, tokens = some.ragged(rows, np.uint32), sorted_tokens(ignored)
    assert some.rows_of(leave_out(given_rows, tokens)) == [[one for one in row if one not in ignored] for row in rows]
    assert are_among(given_rows.values, tokens).tolist() == [one in ignored for row in rows for one in row]


def counts_of(counted: Frequencies) -> dict[int, int]:
    assert (np.diff(counted.tokens.astype(np.int64)) > 0).all()
    return dict(zip(counted.tokens.tolist(), counted.counts.tolist(), strict=True))


@given(st.lists(sets, max_size=5), st.integers(1, 8))
def test_counts_of_few_tokens_miss_no_more_than_they_say(parts, most):
    known = Counter(token for documents in parts for tokens in documents for token in tokens)
    counted = NOTHING
    for documents in parts:
        new = frequencies(some.ragged(list(map(list, documents)), np.uint32).values)
        counted = without_rarest(merged(counted, without_rarest(new, most)), most)
        assert len(counted.tokens) <= most
    found = counts_of(counted)
    assert all(0 < count <= known[token] <= count + counted.missing for token, count in found.items())
    assert all(count <= counted.missing for token, count in known.items() if token not in found)
    # Each unit that is missing has cost all tokens that were dropped, and those that stayed.
    assert counted.missing * (most + 1) <= known.total()
