"""What the figures of a report count, against counts by plain loops and values by hand."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from simdocs.model.report import MOST_PAIRS, GroupTable, Report, chosen_pairs
from simdocs.model.report_counts import (
    MOST_DIRECTORIES,
    OTHERS,
    directory_pairs,
    directory_shares,
    found_pairs,
    group_sizes,
    linked,
    similarities_of,
    times_of,
)
from simdocs.model.saved_answer import SavedAnswer, SavedDocument, SavedPair
from tests.saved_groups import answer_with


def report_of(answer: SavedAnswer) -> Report:
    return Report(answer=answer, groups=GroupTable.of(answer))


def document(name: str, size: int = 100, time: int = 0) -> SavedDocument:
    return SavedDocument(name.encode(), 0, 0, size, size, time * 10**9, 0, 1, "0" * 32)


def answer_of(*pairs: tuple[str, str, float], directories: dict[str, tuple[int, int]] | None = None) -> SavedAnswer:
    """An answer with these kept documents, duplicates and similarities."""
    groups = {kept: at for at, kept in enumerate(dict.fromkeys(kept for kept, _, _ in pairs))}
    found = [SavedPair(document(kept), document(name), s, s, groups[kept]) for kept, name, s in pairs]
    totals = {
        name.encode(): (documents, 100 * documents, duplicates, 100 * duplicates)
        for name, (documents, duplicates) in (directories or {}).items()
    }
    return replace(answer_with(1), source=lambda: iter(found), duplicates=len(found), directories=totals)


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


@pytest.mark.parametrize(("similarity", "bar"), [(0.29, 29), (0.57, 57), (0.999999, 99), (0.005, 0)])
def test_a_similarity_below_the_threshold_has_a_bar_too(similarity: float, bar: int) -> None:
    first, counts, _ = similarities_of(report_of(answer_of(("a", "b", similarity))))
    assert (first, counts[0], sum(counts)) == (min(bar, 80), 1 * (bar <= 80), 1)


def test_what_is_missed_is_estimated_from_the_chance_of_each_pair() -> None:
    report = report_of(answer_of(("a", "b", 0.8), ("a", "c", 0.8), ("d", "e", 1.0)))
    found = found_pairs(report)
    assert found is not None
    chance = 1 - (1 - 0.8**7) ** 18
    assert math.isclose(found[1], 2 * (1 - chance) / chance)
    parameters = {**report.answer.parameters, "banding": None}
    assert found_pairs(report_of(replace(report.answer, parameters=parameters))) is None


def test_every_group_is_in_one_bar_of_sizes(many: Report) -> None:
    bars, sizes = group_sizes(many), many.groups.sizes.tolist()
    assert sum(groups for _, _, groups in bars) == len(many.groups)
    for least, most, groups in bars:
        assert groups == sum(least <= size <= most for size in sizes)
    assert [each[:2] for each in bars] == [(2, 2), (3, 3), (4, 4), (5, 8), (9, 16), (17, 32), (33, 64)]


def test_directories_are_shown_to_a_depth_with_few_and_smaller_ones_together() -> None:
    directories = {f"data/{at // 10}/{at}": (10, at % 3) for at in range(100)} | {"data/deep/down/here": (4, 3)}
    shares = directory_shares(report_of(answer_of(directories=directories)))
    assert {each.name for each in shares} == {*(f"data/{at}" for at in range(10)), "data/deep"}
    assert sum(each.documents for each in shares) == 1004
    assert [each.name for each in shares if each.is_mostly_removed] == ["data/deep"]
    wide = directory_shares(report_of(answer_of(directories={f"d{at}": (2, at) for at in range(40)})))
    assert len(wide) == MOST_DIRECTORIES
    assert wide[-1].name == OTHERS
    assert sum(each.duplicates for each in wide) == sum(range(40))
    assert wide[0].name == "d39"


def test_directories_against_each_other_count_every_duplicate_once() -> None:
    totals = {"a": (5, 1), "b": (3, 2), "c": (1, 0)}
    pairs = (("a/1", "b/1", 0.9), ("a/1", "b/2", 0.9), ("a/1", "a/2", 0.9))
    found = directory_pairs(report_of(answer_of(*pairs, directories=totals)))
    assert found == (["a", "b"], [[1, 0], [2, 0]], [[100, 0], [200, 0]])
    alone = answer_of(("a/1", "a/2", 0.9), directories=totals)
    assert directory_pairs(report_of(alone)) is None


def test_directories_of_an_index_have_no_totals_but_are_shown() -> None:
    found = directory_pairs(report_of(answer_of(("old/1", "new/1", 0.9), directories={"new": (1, 1)})))
    assert found == (["new", "old"], [[0, 1], [0, 0]], [[0, 100], [0, 0]])


@pytest.mark.parametrize(("days", "first", "bars"), [(0, "", 0), (3, "2020-01-01", 4), (400, "2020-01", 14)])
def test_times_are_counted_by_day_or_month(days: int, first: str, bars: int) -> None:
    begun = 1_577_836_800  # 2020-01-01 in UTC
    pair = SavedPair(document("a", time=begun), document("b", time=begun + days * 86400), 1.0, 1.0, 0)
    found = times_of(report_of(replace(answer_with(1), source=lambda: iter([pair]))))
    assert len(found) == bars
    if bars:
        assert found[0] == (first, 1, 0)
        assert found[-1][1:] == (0, 1)


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


def test_a_chain_is_followed_from_the_kept_document_on() -> None:
    chain = np.eye(4)
    for left, right, similarity in [(0, 2, 0.9), (2, 1, 0.85), (1, 3, 0.8), (0, 1, 0.7), (0, 3, 0.5), (2, 3, 0.6)]:
        chain[left, right] = chain[right, left] = similarity
    assert linked(chain, 0.8) == ((0, -1, 0), (2, 0, 1), (1, 2, 2), (3, 1, 3))
    assert linked(chain, 0.5) == ((0, -1, 0), (1, 0, 1), (2, 0, 1), (3, 0, 1))
    assert linked(chain, 0.82) == ((0, -1, 0), (2, 0, 1), (1, 2, 2), (3, -1, 0))


def test_documents_are_linked_in_as_few_steps_as_possible_and_each_follows_the_one_before_it() -> None:
    chance = np.random.default_rng(5)
    for size in (2, 3, 8, 20):
        found = np.round(chance.random((size, size)), 2)
        found = np.maximum(found, found.T)
        steps = {0: 0}
        for step in range(1, size):
            near = {at for at, to in np.argwhere(found >= 0.8).tolist() if steps.get(to) == step - 1}
            steps |= dict.fromkeys(near - steps.keys(), step)
        order = linked(found, 0.8)
        assert sorted(each.at for each in order) == list(range(size))
        assert {each.at: each.steps for each in order if each.to >= 0 or each.at == 0} == steps
        met = set[int]()
        for at, to, _ in order:
            if to >= 0:
                nearer = [other for other, step in steps.items() if step == steps[at] - 1]
                assert found[at, to] == max(found[at, other] for other in nearer) >= 0.8
                assert to in met
            met.add(at)
