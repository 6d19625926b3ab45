"""The answers of an exact join are those of a comparison of every two documents."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.errors import MemoryNeededError
from simdocs.kernels import prefix_index
from simdocs.matching import candidates
from simdocs.matching.verify import Verifier
from tests import strategies as some
from tests.amounts import examples, slow
from tests.commands.test_dedupe import asked
from tests.similar_texts import corpora, family
from tests.twins.text_answers import Choices, Text, Twin

exactly = partial(asked, exact=True, bands=None, rows=None)


def assert_answers_are_those_of_the_twin(texts, choices):
    twin = Twin(texts, choices)
    assert exactly(texts, choices, "groups") == twin.greedy()
    assert exactly(texts, choices, "groups", cluster="components") == twin.components()
    assert exactly(texts, choices, "pairs") == twin.pairs()
    assert exactly(texts, choices, "all_pairs") == twin.all_pairs()


@examples(5)
@given(
    corpora(),
    st.sampled_from([0.3, 0.5, 2 / 3, 0.8, 1.0]),
    st.sampled_from(["char", "word"]),
    st.booleans(),
    some.one_of("keep"),
)
def test_answers_are_those_of_the_twin(texts, threshold, unit, multiset, keep):
    assert_answers_are_those_of_the_twin(texts, Choices(unit, 2, multiset, threshold, keep))


@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3, 4)])
@pytest.mark.parametrize("at_once", [1, 3, 50])
def test_answers_do_not_depend_on_how_many_documents_are_decided_together(seed, at_once, monkeypatch):
    monkeypatch.setattr(candidates, "_UNDECIDED_AT_ONCE", at_once)
    monkeypatch.setattr(prefix_index, "_MATCHES_AT_ONCE", 20 * at_once)
    choices = Choices("word", 2, bool(seed % 2), 0.4, some.members("keep")[seed])
    assert_answers_are_those_of_the_twin(family(seed, 60), choices)


@pytest.mark.parametrize("what", ["groups", "pairs"])
def test_no_pair_is_compared_twice(what, monkeypatch):
    compared, similar = [], Verifier.similar

    def noted(verifier, left, right):
        compared.extend(zip(left.tolist(), right.tolist(), strict=True))
        return similar(verifier, left, right)

    monkeypatch.setattr(Verifier, "similar", noted)
    monkeypatch.setattr(candidates, "_UNDECIDED_AT_ONCE", 7)
    texts = list(dict.fromkeys(text.data for text in family(1, 60)))
    exactly([Text(data) for data in texts], Choices("word", 2, False, 0.4), what)
    assert len(compared) == len(set(compared)) > 20


def test_as_much_memory_as_is_needed_is_enough():
    signatures = simdocs.signature(texts=["one two three four", "one two three fours", "five six seven eight"])
    with pytest.raises(MemoryNeededError) as refused:
        simdocs.dedupe(signatures, exact=True, max_memory=1)
    needed = refused.value.needed
    assert needed > 3 * candidates._DOCUMENT  # beside the tokens
    assert len(simdocs.dedupe(signatures, exact=True, max_memory=needed)) == 1
    with pytest.raises(MemoryNeededError):
        simdocs.dedupe(signatures, exact=True, max_memory=needed - 1)
