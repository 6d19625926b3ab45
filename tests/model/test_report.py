"""What the figures of a report count, against counts by plain loops and values by hand."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from simdocs.model import report
from simdocs.model.groups import SavedAnswer, SavedDocument, SavedPair
from simdocs.model.report import (
    OTHERS,
    GroupTable,
    Report,
    chosen_pairs,
    directories_of,
    directory_pairs,
    group_sizes,
    similarities_of,
)
from simdocs.views import report_page
from simdocs.views.svg import figure
from tests.saved_groups import answer_with


def report_of(answer: SavedAnswer) -> Report:
    return Report(answer, GroupTable.of(answer), {}, 0)


def document(name: str) -> SavedDocument:
    return SavedDocument(name.encode(), 0, 0, 100, 100, 0, 0, 1, "0" * 32)


def grouped(*groups: list[str]) -> Report:
    """A report of groups of documents with these names."""
    answer = answer_with(0)
    answer.source = lambda: (
        SavedPair(document(kept), document(copy), 1.0, 1.0, number)
        for number, (kept, *copies) in enumerate(groups)
        for copy in copies
    )
    return report_of(answer)


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


def test_a_bar_begins_with_its_similarity_and_the_threshold_has_one() -> None:
    answer = answer_with(0)
    scores = [(None, 0.29), (0.3, 1.0), (0.999999, 0.0), (1.0, 0.0), (0.999999999, 0.0)]
    answer.threshold, answer.source = (
        0.57,
        lambda: (SavedPair(document("a"), document(f"{at}"), *each, 0) for at, each in enumerate(scores)),
    )
    bars = {29: 1, 30: 1, 99: 1}
    assert similarities_of(report_of(answer)) == (29, [bars.get(at, 0) for at in range(29, 100)], 2)
    answer.source = lambda: iter([SavedPair(document("a"), document("b"), 1.0, 1.0, 0)])
    assert similarities_of(report_of(answer)) == (57, [0] * 43, 1)


def test_a_figure_says_so_only_if_similarities_are_below_the_threshold() -> None:
    answer = answer_with(0)
    answer.duplicates = 1
    for similarity, is_below in ((0.799, True), (0.8, False), (0.809, False)):
        pair = SavedPair(document("a"), document("b"), similarity, similarity, 0)
        answer.source = lambda pair=pair: iter([pair])  # type: ignore[misc]
        assert ("Some are below the threshold" in figure(report_of(answer), "similarities")) == is_below


def test_a_pair_that_is_shown_takes_the_bytes_of_both_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = GroupTable.of(answer_with(6))  # the largest has 500, 501, 502 and 503 bytes
    assert list(chosen_pairs(groups, 2003)) == [(0, [1, 2])]
    assert list(chosen_pairs(groups, 2002)) == [(0, [1])]
    assert list(chosen_pairs(groups, 1100)) == [(0, [1])]
    groups.size[1] = 5000
    assert list(chosen_pairs(groups, 1002)) == [(0, [2])]  # the first duplicate has no room, the second has
    monkeypatch.setattr(report, "MOST_PAIRS", 2)
    assert dict(chosen_pairs(groups, 10**9)) == {0: [1, 2], 1: [1, 2], **{place: [1] for place in range(2, 6)}}


def test_groups_are_counted_by_size() -> None:
    sizes = [2, 2, 3, 5, 8, 9]
    found = group_sizes(grouped(*([f"{size}/{at}" for at in range(size)] for size in sizes)))
    assert found == [(2, 2, 2), (3, 3, 1), (4, 4, 0), (5, 8, 2), (9, 16, 1)]
    assert group_sizes(grouped(["a", "b"])) == [(2, 2, 1)]
    assert group_sizes(grouped()) == []


def test_directories_are_as_deep_as_there_are_few_and_the_rest_is_added_up() -> None:
    ten = [f"x/{at}/y" for at in range(10)]
    assert directories_of(grouped([f"{folder}/a" for folder in ten]).groups)[0] == ten
    more = grouped(*([f"x/{at:02}/a"] + [f"x/{at:02}/{copy}" for copy in range(12 - at)] for at in range(11)))
    labels, place = directories_of(more.groups)
    assert labels == [*(f"x/{at:02}" for at in range(9)), OTHERS]
    assert np.bincount(place).tolist() == [*range(13, 4, -1), 4 + 3]
    two = [[f"{at}/{deep}/a" for deep in range(6)] for at in range(2)]
    assert directories_of(grouped(*two).groups)[0] == ["0", "1"]
    assert directories_of(grouped(["a", "b"]).groups)[0] == ["."]


def test_duplicates_are_counted_by_their_directory_and_that_of_the_kept_document() -> None:
    assert directory_pairs(grouped(["p/a", "q/a", "q/b", "p/b"], ["q/c", "p/c"])) == (["p", "q"], [[1, 1], [2, 0]])
    assert directory_pairs(grouped(["p/a", "p/b"])) is None


def test_a_saved_answer_has_a_threshold_above_0_and_up_to_1() -> None:
    answer = answer_with(0)
    assert SavedAnswer({**answer.head, "threshold": 1}, answer.recipe, answer.source).threshold == 1
    for threshold in (0, 1.000001):
        with pytest.raises(ValueError, match=r"^$"):
            SavedAnswer({**answer.head, "threshold": threshold}, answer.recipe, answer.source)


def test_the_texts_of_groups_are_put_together_as_far_as_a_block_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {place: {1: "why there is none"} for place in range(7)}
    one = len('"0":{"pairs":{},"notes":{"1":"why there is none"}}')
    monkeypatch.setattr(report_page, "_BLOCK", 2 * one)
    blocks = list(report_page._text_blocks(Report(answer_with(0), GroupTable.of(answer_with(0)), shown, 0)))
    assert [(place, list(json.loads(text))) for place, text in blocks] == [
        *((at, [str(at), str(at + 1)]) for at in (0, 2, 4)),
        (6, ["6"]),
    ]
