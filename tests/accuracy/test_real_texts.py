"""The claims of docs/benchmarks.md hold on real texts with a few seeds. Tests are skipped if there are no corpora."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from benchmarks import corpora, groups, nearest, recall
from benchmarks.accuracy import THRESHOLDS

QUICK = "irplag"
"""The only corpus of the short form. Groups are measured on it by characters only."""


@cache
def read(name: str, unit: str) -> corpora.Corpus:
    if reason := corpora.absent(name):
        pytest.skip(reason)
    return corpora.read(name, unit)


@pytest.mark.parametrize(
    ("name", "unit", "threshold"),
    [
        pytest.param(*case, marks=[] if case in ((QUICK, "char", 0.8), (QUICK, "word", 0.5)) else pytest.mark.slow)
        for case in product(corpora.NAMES, corpora.UNITS, THRESHOLDS)
    ],
)
def test_every_reported_pair_is_true_and_recall_is_as_predicted(name, unit, threshold, tmp_path):
    corpus = read(name, unit)
    measured = recall.measure(corpus, threshold, recall.shingled(corpus, 3, tmp_path))
    assert measured.true > 5
    assert sum(seed.false for seed in measured.seeds) == 0
    assert measured.unexplained == 0
    assert measured.measured("pairs")[0] > 0.95
    assert measured.holds, (measured.measured(measured.scored), measured.predicted(measured.scored), measured.exact)


@pytest.mark.parametrize(
    ("name", "unit", "threshold"),
    [
        pytest.param(*case, marks=[] if case == (QUICK, "char", 0.8) else pytest.mark.slow)
        for case in product(corpora.NAMES, corpora.UNITS, THRESHOLDS)
    ],
)
def test_every_removed_document_is_similar_to_the_kept_one(name, unit, threshold, tmp_path):
    corpus = read(name, unit)
    times = groups.lay(corpus, tmp_path / "files")
    artifact = groups.shingled(corpus, tmp_path / "files")
    for policy in groups.POLICIES:
        measured = groups.measure(corpus, threshold, policy, artifact, times)
        assert (measured.below, measured.out_of_order, measured.inconsistent) == (0, 0, 0), measured
        assert measured.removed > 2


@pytest.mark.parametrize(
    ("name", "unit", "k"),
    [
        pytest.param(name, unit, k, marks=[] if (name, unit) == (nearest.GENERATED, "word") else pytest.mark.slow)
        for name in (*corpora.NAMES, nearest.GENERATED)
        for unit, k in nearest.CHOICES
    ],
)
def test_nearest_finds_nine_in_ten_of_the_five_most_similar_texts(name, unit, k, tmp_path):
    every = nearest.generated(600) if name == nearest.GENERATED else read(name, unit).texts
    found = nearest.measure(every, unit, k, 80, tmp_path)
    assert found.true > 300
    assert found.share > 0.9
    assert found.first > 0.9 * found.asked
    whole = nearest.measure(every, unit, k, 20, tmp_path, "--exact")
    assert (whole.found, whole.first) == (whole.true, whole.asked)
