"""Every document that dedupe lists as a duplicate is similar enough to its kept document."""

from __future__ import annotations

import math

import pytest

from tests import strategies as some
from tests.amounts import slow
from tests.commands.deduping import sketched, write_texts
from tests.similar_texts import family
from tests.twins.text_answers import Choices, Twin

EACH_ONCE = [
    *((keep, "word") for keep in some.members("keep")),
    *(("first", unit) for unit in some.members("unit") if unit != "word"),
]
EVERY = [(keep, unit) for keep in some.members("keep") for unit in some.members("unit")]


@pytest.mark.parametrize(("keep", "unit"), [*EACH_ONCE, *slow(*(case for case in EVERY if case not in EACH_ONCE))])
def test_every_duplicate_is_similar_to_its_kept_document_with_default_bands(keep, unit, tmp_path):
    texts = family(len(keep), 70, vocabulary=4000)
    choices = Choices(unit, some.small_k(unit), keep == "first", 0.8, keep)
    twin = Twin(texts, choices)
    names = write_texts(tmp_path, texts)
    scheme = sorted(some.members("scheme"))[len(keep) % 2]
    with sketched([tmp_path], scheme=scheme, unit=unit, k=choices.k, multiset=choices.multiset, keep=keep) as work:
        rows, kept, duplicates = work.groups(), work.names("kept"), work.names("duplicates")
    place = {bytes(tmp_path) + b"/" + name: row for row, name in enumerate(names)}
    for one, other, jaccard, _ in rows:
        assert twin.jaccard(place[one], place[other]) == jaccard >= 0.8
    assert sorted(kept + duplicates) == sorted(place)
    assert duplicates == sorted(row[1] for row in rows)
    assert not set(duplicates) & {row[0] for row in rows}
    assert len(rows) == len(set(duplicates)) > 5


@some.each("scheme")
def test_almost_every_pair_is_found_with_default_bands(scheme, tmp_path):
    texts = family(1, 220, vocabulary=4000)
    choices = Choices("word", 2, False, 0.8, "first")
    names = write_texts(tmp_path, texts)
    with sketched([tmp_path], scheme=scheme, unit="word", k=2) as work:
        found = {row[:2] for row in work.pairs(True)}
    prefix = bytes(tmp_path) + b"/"
    expected = {(prefix + names[a], prefix + names[b]) for a, b, _ in Twin(texts, choices).all_pairs()}
    assert found <= expected
    assert len(found) >= 0.95 * len(expected) > 50


def test_an_estimate_never_stands_in_the_column_of_similarities(tmp_path):
    write_texts(tmp_path, family(2, 80))
    with sketched([tmp_path], verify="estimate", unit="word", k=2) as work:
        rows = [*work.groups(), *work.pairs(True)]
        assert work.run.tally.verified == 0
    assert len(rows) > 20
    assert all(math.isnan(jaccard) and 0.8 <= estimate <= 1 for _, _, jaccard, estimate in rows)
