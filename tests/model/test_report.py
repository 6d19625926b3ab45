"""What the figures of a report count, against counts by plain loops and values by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from simdocs.model.report import (
    MOST_PAIRS,
    GroupTable,
    Report,
    chosen_pairs,
    directories_of,
    group_sizes,
    similarities_of,
)
from simdocs.model.saved_answer import SavedAnswer, SavedDocument, SavedPair
from tests.saved_groups import answer_with


def report_of(answer: SavedAnswer) -> Report:
    return Report(answer, GroupTable.of(answer), {}, 0)


def document(name: str) -> SavedDocument:
    return SavedDocument(name.encode(), 0, 0, 100, 100, 0, 0, 1, "0" * 32)


def answer_of(*pairs: tuple[str, str, float]) -> SavedAnswer:
    """An answer with these kept documents, duplicates and similarities."""
    groups = {kept: at for at, kept in enumerate(dict.fromkeys(kept for kept, _, _ in pairs))}
    found = [SavedPair(document(kept), document(name), s, s, groups[kept]) for kept, name, s in pairs]
    answer = answer_with(1)
    return SavedAnswer({**answer.head, "duplicates": len(found)}, answer.recipe, lambda: iter(found))


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


def test_every_group_is_in_one_bar_of_sizes(many: Report) -> None:
    bars, sizes = group_sizes(many), many.groups.sizes.tolist()
    assert sum(groups for _, _, groups in bars) == len(many.groups)
    for least, most, groups in bars:
        assert groups == sum(least <= size <= most for size in sizes)
    assert [each[:2] for each in bars] == [(2, 2), (3, 3), (4, 4), (5, 8), (9, 16), (17, 32), (33, 64)]


def directories_in(*names: str) -> tuple[list[str], list[int]]:
    """The directories that are shown for groups of two documents in these, and how many documents are in each."""
    pairs = [(f"{name}/{at}", f"{name}/{at} copy", 1.0) for at, name in enumerate(names)]
    labels, places = directories_of(report_of(answer_of(*pairs)).groups)
    return labels, np.bincount(places).tolist()


def test_directories_are_as_deep_as_there_are_few() -> None:
    deep = [f"data/{at // 10}/{at}" for at in range(100)]
    assert directories_in(*deep) == ([f"data/{at}" for at in range(10)], [20] * 10)
    assert directories_in("data/a/b", "data/a") == (["data/a", "data/a/b"], [2, 2])
    assert directories_in("data/a/b", "data/a/b") == (["data/a/b"], [4])


def test_chosen_texts_fit_and_the_largest_groups_come_first(many: Report) -> None:
    groups = many.groups
    chosen = list(chosen_pairs(groups, 300_000))
    assert [place for place, _ in chosen] == sorted(place for place, _ in chosen)
    taken = sum(
        int(groups.size[groups.starts[place]] + groups.size[groups.starts[place] + at])
        for place, each in chosen
        for at in each
    )
    assert 290_000 < taken <= 300_000
    assert max(len(each) for _, each in chosen_pairs(report_of(one_group(80)).groups, 10**9)) == MOST_PAIRS


def one_group(size: int) -> SavedAnswer:
    return answer_of(*(("kept", f"copy {at}", 1.0) for at in range(size)))
