"""Passages in an index are those that each query has in common with each document, if all are compared."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.kernels.fracminhash import CUT_OFF
from simdocs.matching import quoting
from simdocs.matching.passage_search import PassageSearch
from tests import strategies as some
from tests.amounts import examples

WORDS = ["the ", "cow ", "ox, ", "cow. ", "and ", "a ", "sea ", "\n\n", "é ", "of ", "日本 "]
texts = st.lists(st.sampled_from(WORDS), max_size=30).map("".join)
batches = st.lists(texts, min_size=1, max_size=6)


def quotes(index: Any, queries: list[str], **options: Any) -> list[tuple[Any, ...]]:
    found = simdocs.query(index, texts=queries, passages=True, **options)
    return [(int(row[0]), *row[1:4], int(row[4]), *row[5:]) for row in found.rows()]


def expected(documents: list[str], queries: list[str], unit: str, k: int, least: int) -> list[tuple[Any, ...]]:
    search = PassageSearch([text.encode() for text in queries], some.shingling(unit=unit, k=k), least)
    found = []
    for query in range(len(queries)):
        rows = [
            each.row(query, row)
            for row, text in enumerate(documents)
            for each in search.passages(query, search.placed(text.encode()))
        ]
        found += sorted(rows, key=lambda row: (-row[8], str(row[4]), row[1]))
    return found


@pytest.mark.parametrize(("unit", "k"), [("char", 3), ("word", 2), ("line", 1), ("stopword", 2)])
@examples(20)
@given(documents=batches, queries=batches, more=st.integers(0, 3))
def test_all_passages_are_found_if_every_document_is_read(unit, k, documents, queries, more):
    index = simdocs.index(texts=documents, unit=unit, k=k)
    assert quotes(index, queries, min_passage=k + more) == expected(documents, queries, unit, k, k + more)


@examples(20)
@given(documents=batches, queries=batches)
def test_what_is_found_does_not_depend_on_the_other_queries_and_is_true(documents, queries):
    index = simdocs.index(texts=documents, k=3, containment=True)
    together = quotes(index, queries, min_passage=4)
    assert set(together) <= set(expected(documents, queries, "char", 3, 4))
    alone = [(at, *row[1:]) for at, text in enumerate(queries) for row in quotes(index, [text], min_passage=4)]
    assert together == alone
    with mock.patch.multiple(quoting, _BYTES_AT_ONCE=40, _HITS_AT_ONCE=2):
        assert quotes(index, queries, min_passage=4) == together


def page(number: int, words: int = 600) -> str:
    rng = np.random.default_rng(number)
    return " ".join("".join(chr(97 + letter) for letter in rng.integers(0, 26, 6)) for _ in range(words))


def test_the_sketch_finds_a_quoted_paragraph_and_reads_few_documents():
    documents = [page(number) for number in range(300)]
    index = simdocs.index(texts=documents, containment=True)
    queries = [f"{page(1000 + at, 80)} {documents[at][700:1200]} {page(2000 + at, 80)}" for at in range(20)]
    found = simdocs.query(index, texts=queries, passages=True)
    rows = list(found.rows())
    assert {(row[0], row[4]) for row in rows} == {(str(at), str(at)) for at in range(20)}
    assert all(row[5] <= 700 and row[6] >= 1200 and row[8] >= 500 for row in rows)
    facts = found.summary()
    assert [facts[name] for name in ("compared_with_all", "indexed", "passages", "matched")] == [0, 300, 20, 20]
    assert facts["candidates"] < 40
    assert facts["read_again"] < 40


def test_the_sketch_leaves_out_what_many_documents_have():
    """A quotation of all 16 documents, which are as many as would have it by chance; of 3 and of 2 among many."""
    common, documents = page(99, 120), [page(number, 60) for number in range(40)]
    every = simdocs.index(texts=[f"{text} {common}" for text in documents[:16]], containment=True)
    assert {row[4] for row in simdocs.query(every, texts=[common], passages=True).rows()} == set(map(str, range(16)))
    for holders, limits, is_found in ((3, (2, 0), 0), (2, (2, 0), 1), (5, (0, 1 / 8), 1), (6, (0, 1 / 8), 0)):
        texts = [f"{text} {common}" if at < holders else text for at, text in enumerate(documents)]
        index = simdocs.index(texts=texts, containment=True)
        with mock.patch.multiple(quoting, _COMMON=limits, _BY_CHANCE=1):
            found = list(simdocs.query(index, texts=[common], passages=True).rows())
        assert len(found) == holders * is_found, (holders, limits)


def test_a_query_is_compared_with_all_documents_if_the_sketch_has_too_few_of_its_tokens():
    index, query = simdocs.index(texts=[page(1), page(2)], containment=True), page(3, 60)
    tokens = simdocs.shingle(texts=[query]).tokens.values
    sampled = int(np.count_nonzero(tokens < CUT_OFF))
    for fewest, read in ((sampled, 0), (sampled + 1, 1)):
        with mock.patch.object(quoting, "_FEWEST", fewest):
            assert simdocs.query(index, texts=[query], passages=True).summary()["compared_with_all"] == read


def test_tokens_that_are_left_out_are_none_of_those_that_a_sketch_has_of_a_query():
    template, own = page(9), [page(1, 12), page(2, 60)]
    index = simdocs.index(texts=[f"{text} {template}" for text in own], containment=True, ignore_common=0.9)
    found = simdocs.query(index, texts=[f"{template} {own[0]}"], passages=True, min_passage=80)
    assert (found.summary()["compared_with_all"], [row[4] for row in found.rows()]) == (1, ["0"])
