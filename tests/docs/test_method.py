"""The code on docs/method.md runs, and its figures are those of the formulas."""

from __future__ import annotations

import re
from math import comb

import numpy as np
import pytest

from simdocs.kernels import banding, fracminhash, jaccard, multisets
from simdocs.kernels.containment import containment_index
from simdocs.kernels.prefix_index import similar_candidates
from simdocs.options.families import UNITS
from simdocs.options.recipes import ChoosingBands
from tests import strategies as some
from tests.docs.executed import DOCS, execute

METHOD = DOCS / "method.md"
PLACES = 128


def test_the_code_on_the_method_page_runs() -> None:
    execute(METHOD)


def test_the_table_of_units_has_each_unit_with_its_default_k() -> None:
    listed = re.findall(r"^\| `(\w+)` \| (\d+) \| \S", METHOD.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == [(name, str(unit.k)) for name, unit in UNITS.items()]


def lost(threshold: float, bands: int, rows: int) -> float:
    """Return the probability that some band agrees throughout, and the prefilter drops the pair.

    These are all sums of agreeing places that it drops, less those without a full band.
    """

    def chance(size: int) -> np.ndarray:
        return np.array([comb(size, x) * threshold**x * (1 - threshold) ** (size - x) for x in range(size + 1)])

    band, without = chance(rows), chance(PLACES - bands * rows)
    band[rows] = 0
    for _ in range(bands):
        without = np.convolve(without, band)
    dropped = jaccard.below_prefilter(np.arange(PLACES + 1) / PLACES, threshold, PLACES)
    return float((chance(PLACES) - without)[dropped].sum())


@pytest.mark.parametrize(
    ("threshold", "figure"),
    [(0.5, 8.5e-8), (0.7, 3.5e-7), (0.8, 6.2e-7), (0.9, 2.3e-6), (0.95, 5.9e-6), (0.99, 5.3e-5)],
)
def test_the_prefilter_loses_as_few_pairs_as_section_9_says(threshold: float, figure: float) -> None:
    chosen = banding.choose(ChoosingBands(threshold=threshold), PLACES)
    assert lost(threshold, *chosen) == pytest.approx(figure, rel=0.02)


def test_the_prefilter_drops_pairs_that_agree_in_79_places() -> None:
    assert jaccard.below_prefilter(np.array([79, 80]) / PLACES, 0.8, PLACES).tolist() == [True, False]


def test_a_sketch_finds_containers_with_the_recall_of_section_10() -> None:
    sizes, sketched = np.full(4, 1000), np.array([0, 1, 2, 100])
    assert fracminhash.least_hits(sizes, sketched, np.full(4, 800), 0.95).tolist() == [0, 0, 1, 74]
    rng = np.random.default_rng(1)
    many = some.Ragged.from_rows(list(rng.integers(0, 2**32, (400, 1000), np.uint32)), np.uint32)
    parts = some.Ragged.from_rows([many[row][:800] for row in range(400)], np.uint32)
    least = fracminhash.least_hits(many.lengths, fracminhash.sketches(many).lengths, np.full(400, 800), 0.95)
    assert np.mean((fracminhash.sketches(parts).lengths >= least)[least > 0]) >= 0.95


def test_the_containment_join_of_section_10_finds_every_pair() -> None:
    rng = np.random.default_rng(1)
    many = [rng.choice(60, 20, replace=False) for _ in range(40)]
    sets = multisets.token_sets(
        some.Ragged.from_rows([*many, *(np.append(row[2:], [60, 61]) for row in many)], np.uint32)
    )
    left, right = np.triu_indices(len(sets), 1)
    blocks = similar_candidates(containment_index(sets, 0.8), np.arange(len(sets)))
    found = {pair for lefts, rights in blocks for pair in zip(lefts, rights, strict=True)}
    of_smaller = jaccard.overlaps(sets, left, right) / np.minimum(sets.lengths[left], sets.lengths[right])
    true = {(a, b) for a, b, share in zip(left, right, of_smaller, strict=True) if share >= 0.8}
    assert len(true) >= 40
    assert true <= found
    assert len(found) < len(left)
