"""pairs --measure containment: all pairs of documents of which one contains the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import simdocs
from tests import strategies as some
from tests.amounts import examples
from tests.similar_texts import corpora, family
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


def test_an_index_and_the_documents_give_the_same_answer_and_changed_gives_part_of_it(tmp_path):
    names = [f"{at:02}.txt" for at in range(40)]
    for name, text in zip(names, family(5, 40), strict=True):
        (tmp_path / name).write_bytes(text.data)
    options = {"measure": "containment", "threshold": 0.6}
    shingling = {"unit": "word", "k": 2}
    index = tmp_path / "x.index"
    simdocs.index(tmp_path, output=index, **shingling)
    for name in names[::7]:
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b" more words")
    simdocs.index(tmp_path, output=index, **shingling)
    rows = [(*row[:2], *row[2:]) for row in simdocs.pairs(index, **options).rows()]
    of_documents = list(simdocs.pairs(tmp_path, **options, **shingling).rows())
    assert rows == of_documents
    assert len(rows) > 10
    changed = {str(tmp_path / name) for name in names[::7]}
    wanted = [row for row in rows if changed & set(row[:2])]
    assert list(simdocs.pairs(index, changed=True, **options).rows()) == wanted
    assert 0 < len(wanted) < len(rows)
