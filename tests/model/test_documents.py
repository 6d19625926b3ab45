"""Documents with the same text are found by their digests."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

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
