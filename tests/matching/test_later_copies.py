"""A copy of a text belongs to the most similar document that is kept before it, and not before the first copy."""

from __future__ import annotations

import pytest

import simdocs


def words(*numbers: int) -> str:
    return " ".join(f"w{number}" for number in numbers)


TEXT = words(*range(1, 11))
FIRST = words(*range(1, 7))
"""Has 6 of the 10 words of TEXT."""


@pytest.mark.parametrize(("between", "kept_for_the_last"), [
    (words(*range(4, 11)), "between"),  # 7 of the 10 words: more similar than FIRST
    (words(*range(5, 11)), "first"),  # 6 of the 10 words: as similar as FIRST, which comes earlier
    (words(*range(6, 11)), "first"),  # 5 of the 10 words: less similar
])  # fmt: skip
def test_a_later_copy_belongs_to_the_most_similar_document_before_it(between, kept_for_the_last):
    texts = {"first": FIRST, "copy 1": TEXT, "copy 2": TEXT, "between": between, "copy 3": TEXT}
    found = simdocs.dedupe(texts=list(texts.values()), names=list(texts), unit="word", k=1, threshold=0.5, exact=True)
    kept = {duplicate: kept for kept, duplicate, _, _ in found.rows()}
    assert kept == {"copy 1": "first", "copy 2": "first", "copy 3": kept_for_the_last}
