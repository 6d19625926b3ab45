"""The measurements of `make accuracy` report no error where there is none, and report each error that there is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks import accuracy, accuracy_page, corpora, exact, groups, recall, texts
from tests.accuracy.conftest import NAME, read_truth, write_truth

T = 0.8


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def removed(corpus: corpora.Corpus, scratch: Path, policy: str = "first") -> groups.Groups:
    times = groups.lay(corpus, scratch / "files")
    return groups.measure(corpus, T, policy, groups.shingled(corpus, scratch / "files"), times)


def measured_with_two_seeds(unit: str, scratch: Path) -> recall.Recall:
    corpus = corpora.read(NAME, unit)
    return recall.measure(corpus, T, recall.shingled(corpus, 2, scratch))


def test_a_measurement_without_errors_says_so_on_the_page(home, scratch, monkeypatch):
    monkeypatch.setattr(accuracy, "THRESHOLDS", (T,))
    results = accuracy.measure([NAME], 2, scratch)
    assert [one.true > 10 for one in results.recalls] == [True] * 2
    assert [one.precision for one in results.recalls] == [1] * 2
    assert all(one.measured(what)[0] > 0.95 for one in results.recalls for what in ("pairs", "documents"))
    assert len(results.groups) == 2 * len(groups.POLICIES)
    assert all(one.holds and one.removed > 5 for one in results.groups)
    assert results.hold
    page = accuracy_page.page(results)
    (scratch / "page.md").write_text(page)
    assert "$" not in page
    assert page.count(f"| {NAME} |") == 1 + 3 * 2
    assert "Not measured this time: tldr_short, peps_history_pd, licences_scancode." in page


def test_a_pair_that_the_truth_lacks_is_false(home, scratch):
    truth = read_truth(home, "char")
    lost = max(truth, key=truth.__getitem__)
    write_truth(home, "char", {pair: jaccard for pair, jaccard in truth.items() if pair != lost})
    measured = measured_with_two_seeds("char", scratch)
    assert [seed.false for seed in measured.seeds] == [1, 1]
    assert measured.precision == 1 - 2 / sum(seed.found for seed in measured.seeds) < 1
    assert measured.exact.false == 1
    assert measured.reached
    assert not measured.holds


def test_pairs_that_are_not_found_lower_the_recall_under_its_prediction(home, scratch):
    truth = read_truth(home, "word")
    unlike = [(f"d{row}", f"d{row + 1}") for row in range(119) if (f"d{row}", f"d{row + 1}") not in truth]
    write_truth(home, "word", truth | dict.fromkeys(unlike[:10], 0.9))
    measured = measured_with_two_seeds("word", scratch)
    assert measured.measured("pairs")[0] < measured.predicted("pairs") - 0.1
    assert measured.exact.pairs == 1 - 10 / measured.true
    assert not measured.reached


def test_a_removed_document_unlike_the_kept_one_is_noticed(home, scratch):
    assert removed(corpora.read(NAME, "char"), scratch).holds
    truth = read_truth(home, "char")
    write_truth(home, "char", {pair: min(jaccard, 0.79) for pair, jaccard in truth.items()} | {("d0", "d1"): 0.9})
    shutil.rmtree(scratch / "files")
    measured = removed(corpora.read(NAME, "char"), scratch)
    assert measured.below == measured.removed > 5
    assert not measured.holds


@pytest.mark.parametrize(("unit", "k", "threshold"), [("char", 9, 0.8), ("word", 5, 0.4)])
def test_the_quick_exact_pairs_equal_those_of_brute_force(unit, k, threshold):
    some = [*texts.texts(90, 500, seed=3), "a", "A", "", "a b c"]
    assert exact.similar(some, unit, k, threshold) == exact.pairs(some, unit, k, threshold)


@pytest.mark.parametrize(
    ("text", "unit", "left_out"),
    [
        ("plain words, naïve ones: слова, λόγοι, 한국어", "word", False),
        ("a combining mark: cafe\u0301", "word", True),
        ("Straße", "char", True),
        ("日本", "word", True),
        ("日本, cafe\u0301", "char", False),
    ],
)
def test_texts_whose_words_differ_from_the_truth_are_left_out(text, unit, left_out):
    assert corpora.defined_otherwise(text, unit) == left_out
