"""What the figures of a report count, against counts by plain loops and values by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from simdocs.model.groups import SavedAnswer, SavedDocument
from simdocs.model.report import (
    GroupTable,
    Report,
    chosen_pairs,
    similarities_of,
)
from tests.saved_groups import answer_with


def report_of(answer: SavedAnswer) -> Report:
    return Report(answer, GroupTable.of(answer), {}, 0)


def document(name: str) -> SavedDocument:
    return SavedDocument(name.encode(), 0, 0, 100, 100, 0, 0, 1, "0" * 32)


@pytest.fixture(scope="module")
def many() -> Report:
    return report_of(answer_with(5100))


def test_groups_are_in_order_of_size_and_hold_every_document_once(many: Report) -> None:
    groups, pairs = many.groups, list(many.answer.pairs())
    assert (np.diff(groups.sizes) <= 0).all()
    kept = groups.kept_of[groups.duplicates]
    found = zip(kept.tolist(), groups.duplicates.tolist(), strict=True)
    assert Counter((groups.names[left], groups.names[right]) for left, right in found) == Counter(
        (pair.kept.name, pair.duplicate.name) for pair in pairs
    )
    same = np.flatnonzero(groups.sizes == 2)
    assert (np.diff(groups.number[same]) > 0).all()
    folders = [groups.folders[at].decode() for at in groups.folder.tolist()]
    assert folders == [name.decode().rpartition("/")[0] for name in groups.names]


def test_each_duplicate_is_in_the_bar_of_its_similarity(many: Report) -> None:
    first, counts, equal = similarities_of(many)
    values = [round(pair.jaccard or 0, 6) for pair in many.answer.pairs()]
    assert first == 80
    assert equal == sum(value == 1 for value in values)
    bars = Counter(int(f"{value:.6f}"[2:4]) for value in values if value < 1)
    assert {first + at: count for at, count in enumerate(counts) if count} == bars


def test_a_pair_that_is_shown_takes_the_bytes_of_both_texts() -> None:
    groups = GroupTable.of(answer_with(6))  # the largest has 500, 501, 502 and 503 bytes
    assert list(chosen_pairs(groups, 2003)) == [(0, [1, 2])]
    assert list(chosen_pairs(groups, 2002)) == [(0, [1])]
