"""What tune proposes: a threshold in a gap, a fraction that leaves out a template, and what it takes for code."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.advice import LARGE, best_threshold, is_code, is_crowd, template_fraction
from simdocs.matching.measured_recall import PairSample
from tests import strategies as some
from tests.labelled_texts import SETS


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
    found = template_fraction(some.ragged(rows, np.uint32), LARGE)
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


# A threshold.


def counts(pairs: Mapping[float, float]) -> np.ndarray:
    """Return numbers of pairs by twentieths."""
    made = np.zeros(21)
    for similarity, number in pairs.items():
        made[round(20 * similarity)] = number
    return made


VALLEY = {0.0: 10**6, 0.55: 80, 0.6: 5, 0.65: 0, 0.7: 0, 0.75: 60, 0.8: 60, 0.85: 90, 0.9: 400, 0.95: 900}
SLOPE = {0.0: 10**6, 0.4: 10**5, 0.5: 10**4, 0.55: 5000, 0.6: 2000, 0.65: 900, 0.7: 400, 0.75: 150, 0.8: 60, 0.9: 9}
HUMP = {at / 20: 40 for at in range(4, 21)}


@pytest.mark.parametrize(
    ("pairs", "start", "highest", "threshold", "is_clear"),
    [
        (VALLEY, 0.8, 0.8, 0.8, True),  # of 1,450 pairs, 120 are near it
        (VALLEY | {0.75: 200}, 0.8, 0.8, 0.7, True),
        (VALLEY | {0.55: 300}, 0.6, 0.8, 0.65, True),
        ({0.0: 10**6}, 0.55, 0.8, 0.55, True),  # nothing is similar
        ({0.0: 10**6, 0.75: 2}, 0.8, 0.8, 0.8, True),  # or hardly anything
        (SLOPE, 0.55, 0.8, 0.8, False),
        (HUMP, 0.6, 0.8, 0.6, False),
        (VALLEY | {0.75: 200}, 0.3, 0.35, 0.3, True),
    ],
)
def test_the_nearest_threshold_in_a_gap_is_chosen(pairs, start, highest, threshold, is_clear):
    found = best_threshold(counts(pairs), start, highest)
    assert (found.value, found.is_clear) == (threshold, is_clear)


@given(st.lists(st.integers(0, 10**4), min_size=21, max_size=21), st.floats(0.05, 1), st.floats(0.05, 1))
def test_no_threshold_above_the_one_that_was_asked_for_is_chosen(pairs, one, other):
    start, highest = sorted((one, other))
    found = best_threshold(np.array(pairs, np.float64), start, highest)
    assert min(start, 0.4) <= found.value <= highest
    assert found.value >= start - 0.2


@pytest.mark.parametrize("kind", SETS)
def test_only_programs_are_taken_for_programs(kind):
    assert is_code([text.text for text in SETS[kind](1, 60)]) == (kind == "code")


def test_half_of_the_texts_are_not_most_of_them():
    code, prose = "if (a[0] == b) {\n  return a;\n}\n", "A sentence that ends\nas sentences do.\n"
    assert [is_code([*[code] * count, prose, prose]) for count in (1, 2, 3)] == [False, False, True]


@pytest.mark.parametrize(
    ("crowd", "above", "others", "last", "expected"),
    [
        *((20, 0, 0, 0.6, True), (19, 0, 0, 0.6, False)),  # documents
        *((20, 17, 0, 0.6, True), (20, 18, 0, 0.6, False)),  # a tenth of the rest is above
        *((20, 0, 189, 0.6, True), (20, 0, 190, 0.6, False)),  # half of what is added
        *((20, 0, 0, 0.35, True), (20, 0, 0, 0.34, False)),  # the last one is linked by what is a little lower
    ],
)
def test_a_crowd_has_twenty_documents_and_most_of_the_pairs_that_a_lower_threshold_adds(
    crowd, above, others, last, expected
):
    pairs = [(a, b, last if b == 19 else 0.5) for a, b in combinations(range(crowd), 2)]
    pairs[:above] = [(a, b, 0.8) for a, b, _ in pairs[:above]]
    pairs += [(20 + 2 * number, 21 + 2 * number, 0.79) for number in range(others)]
    left, right, similarity = (np.array(column) for column in zip(*pairs, strict=True))
    sample = PairSample(left, right, similarity, np.ones(len(pairs)))
    assert is_crowd(sample, 20 + 2 * others, 0.5, 0.8) == expected


def pairs_of(pairs: int, edited: int) -> list[str]:
    """Pairs of texts of a hundred words, of which so many differ."""
    texts = [[[f"{text}{pair}w{at}" for at in range(100)] for text in "ab"] for pair in range(pairs)]
    return [" ".join(words) for one, other in texts for words in (one, other[:edited] + one[edited:])]


def forms(form: int, own: int, documents: int = 110) -> list[str]:
    """Documents on a form of so many words, with so many words of their own."""
    every = ([*(f"form{at}" for at in range(form)), *(f"{row}w{at}" for at in range(own))] for row in range(documents))
    return list(map(" ".join, every))


def versions(copies: int) -> list[str]:
    """Documents on a form, and versions of some of them, of which six words differ."""
    every = forms(60, 40)
    return every + [
        " ".join([*text.split()[:-6], *(f"{row}e{at}" for at in range(6))]) for row, text in enumerate(every[:copies])
    ]


def program(edited: int) -> list[str]:
    """Pairs of programs of 80 lines, of which so many differ."""
    lines = [
        [f"int t{row}v{at}{'' if at >= cut else 'e'} = f(a, b);" for at in range(80)]
        for row in range(30)
        for cut in (0, edited)
    ]
    return list(map("\n".join, lines))


GAP = "about 30 pairs are within 0.05 of the threshold 0.8, and 0 of 0.7: --threshold 0.7 finds about 30 more"
FORM = (
    "60% of the tokens of a document, on average, are in more than 90% of all documents, so they may share a template:"
    " --ignore-common 0.9 leaves it out"
)
LOWER = "about 0 pairs are within 0.05 of the threshold 0.8, and 1 of 0.7: --threshold 0.7 finds about 1 more"
CROWD = (
    "most of the pairs between 0.55 and 0.8 are of documents that may share only a template: the threshold is not"
    " lowered"
)
TITLES = [" ".join(f"{(at // 2 * 8 + word) ** 5}" for word in range(1, 6 + at % 2)) for at in range(80)]


@pytest.mark.parametrize(
    ("texts", "how", "said"),
    [
        (pairs_of(30, 13) + pairs_of(40, 2)[60:], {"k": 1}, [GAP]),
        (pairs_of(3, 13), {"k": 1}, []),
        (program(20), {"k": 2}, ["most of these texts are program code: --threshold 0.5 finds more copies"]),
        (forms(60, 40), {"k": 1}, [FORM]),
        (forms(60, 40, 99), {"k": 1}, []),
        (versions(1), {"k": 1}, [FORM, LOWER]),  # it is found with its form, too
        (versions(6), {"k": 1}, []),  # the lower threshold would be on a slope
        (forms(8, 3, 30) + pairs_of(40, 99), {"k": 1}, [CROWD]),
        (forms(180, 20), {"k": 1, "threshold": 0.7}, []),  # they are versions of one text
        (forms(20, 20), {"k": 1}, []),  # too little would be left
    ],
)
def test_tune_says_in_one_line_why_it_proposes_something(texts, how, said):
    assert simdocs.tune(texts=texts, unit="word", **how).advice == tuple(said)


def test_the_k_of_an_artifact_is_not_changed_without_its_documents():
    first, *_ = simdocs.tune(simdocs.index(texts=TITLES)).advice
    assert first == "the index given cannot change -k: build it again from its documents with -k 3"
