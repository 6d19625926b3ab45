"""Advice on the fraction of --ignore-common: the largest one that leaves out a template."""

from __future__ import annotations

import numpy as np
import pytest

from simdocs.advice.similarity_advice import common_advice
from tests import strategies as some


def sets_of(documents: int, templates: dict[float, int], own: int) -> list[list[int]]:
    """Return token sets: each template is shared by the first documents, a fraction of them, and has so many tokens."""
    rows = []
    for row in range(documents):
        shared = [
            1000 * number + token
            for number, (share, tokens) in enumerate(templates.items())
            for token in range(tokens if row < share * documents else 0)
        ]
        rows.append([*shared, *range(10**6 + own * row, 10**6 + own * (row + 1))])
    return rows


def advised(rows: list[list[int]]) -> float | None:
    found = [advice.change["ignore_common"] for advice in common_advice(some.ragged(rows, np.uint32))]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("templates", "own", "fraction"),
    [
        ({1.0: 60}, 40, 0.9),
        ({0.75: 60}, 40, 0.7),
        ({0.5: 80}, 40, 0.4),
        ({1.0: 40, 0.7: 40}, 20, 0.6),  # a part that only most of them have
        ({1.0: 20}, 80, None),  # it is small
        ({0.15: 90}, 10, None),  # few have it
        ({}, 50, None),
    ],
)
def test_the_largest_fraction_that_leaves_out_a_template_is_advised(templates, own, fraction):
    assert advised(sets_of(200, templates, own)) == fraction


def test_tokens_of_all_frequencies_are_no_template():
    """Words of a language: the one of rank n is in 1 of n / 10 documents."""
    draw = np.random.default_rng(1)
    chances = 10 / np.arange(1, 3000)
    assert advised([np.flatnonzero(draw.random(len(chances)) < chances).tolist() for _ in range(200)]) is None


def test_a_few_documents_get_no_advice():
    assert advised(sets_of(99, {1.0: 60}, 40)) is None
    assert advised(sets_of(100, {1.0: 60}, 40)) == 0.9


def test_the_advice_says_how_much_is_left_out():
    (found,) = common_advice(some.ragged(sets_of(200, {1.0: 60}, 40), np.uint32))
    assert found.line == (
        "60% of the tokens of a document, on average, are in more than 90% of all documents, so they may share a"
        " template: --ignore-common 0.9 leaves it out"
    )
