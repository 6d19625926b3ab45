"""pairs --measure containment: all pairs of documents of which one contains the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import simdocs
from tests import strategies as some
from tests.amounts import examples
from tests.similar_texts import corpora
from tests.twins.answers import Answers
from tests.twins.text_answers import Choices, Twin


def nested(texts, choices):
    """Return the twin of answers that are decided by containment."""
    twin = Twin(texts, choices)
    twin.criteria = twin.criteria._replace(by_containment=True)
    return twin


def expected(twin: Answers, all_copies):
    """Return the rows of the answer, with the numbers of the documents as names."""
    rows = twin.all_pairs() if all_copies else twin.pairs()
    contained = [twin.larger_containment(a, b) for a, b, _ in rows]
    return [
        (str(a), str(b), similarity, larger, side.decode())
        for (a, b, similarity), (larger, side) in zip(rows, contained, strict=True)
    ]


def found(texts, choices, **options):
    result = simdocs.pairs(
        texts=[text.data for text in texts],
        measure="containment",
        **{name: value for name, value in choices._asdict().items() if name != "keep"},
        **options,
    )
    return result, [(row[0], row[1], row[2], row[4], row[5]) for row in result.rows()]


@examples(15)
@given(
    corpora(),
    st.sampled_from([0.3, 0.5, 2 / 3, 0.8, 1.0]),
    some.one_of("unit"),
    st.booleans(),
    st.booleans(),
)
def test_pairs_are_those_of_the_twin(texts, threshold, unit, multiset, all_copies):
    choices = Choices(unit, 2, multiset, threshold)
    _, rows = found(texts, choices, all_copies=all_copies)
    assert rows == expected(nested(texts, choices), all_copies)
