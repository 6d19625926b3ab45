"""The candidates of an index are counted in its buckets."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

import simdocs
from simdocs.pipeline.indexing import BucketCounter, expected_of
from tests import strategies as some
from tests.amounts import slow

Lines = list[list[str]]


def with_hidden_family(chance: random.Random) -> Lines:
    """Return 600 unrelated texts and a family of 12: 66 of 187,000 pairs, which a sample of all pairs hardly meets."""
    base = [f"f{number}" for number in range(40)]
    family = [[f"new{text}", f"newer{text}", *base] for text in range(12)]
    return [*([f"w{chance.randrange(10**6)}" for _ in range(40)] for _ in range(600)), *family]


def on_a_template(chance: random.Random) -> Lines:
    """Return texts that are half a template, so that most pairs have a similarity about a third."""
    return [[*(f"t{number}" for number in range(30)), *(f"w{chance.randrange(10**6)}" for _ in range(30))]
            for _ in range(250)]  # fmt: skip


def brute_force(index: simdocs.BandIndex) -> int:
    """Return how many pairs share a bucket: the union of the pairs of all buckets."""
    found = set[tuple[int, int]]()
    tables, owners = index["band_keys"].all(), index["band_rows"].all()
    for keys, rows in zip(tables, owners, strict=True):
        buckets: dict[int, list[int]] = {}
        for key, row in zip(keys.tolist(), rows.tolist(), strict=True):
            buckets.setdefault(key, []).append(row)
        for members in buckets.values():
            found.update(combinations(sorted(members), 2))
    return len(found)


@pytest.mark.parametrize("make", [with_hidden_family, on_a_template])
@pytest.mark.parametrize("seed", [0, *slow(1, 7)])
@pytest.mark.parametrize("options", [{}, {"bands": 128, "rows": 1}])
def test_the_number_of_candidates_is_near_the_number_of_pairs_that_share_a_bucket(
    make: Callable[[random.Random], Lines], seed: int, options: dict[str, float]
) -> None:
    texts = ["\n".join(text) for text in make(random.Random(3))]
    index = simdocs.index(texts=texts, unit="line", seed=seed, **options)
    truth = 2 * brute_force(index) / len(texts)
    assert expected_of(index).candidates == pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize("size", [0, 1, 2, 5, 200])
def test_a_document_among_equal_ones_has_all_others_as_candidates(size: int) -> None:
    signatures = np.ones((size, 8), np.uint32)
    counter = BucketCounter(some.index_recipe(some.banding(4, 2), num_perm=8))
    for _ in range(4):
        counter.add(np.ones(size, np.uint64), np.arange(size))
    expected = counter.expectation(lambda rows: signatures[rows], size)
    assert expected.candidates == pytest.approx(max(0, size - 1), rel=1e-9)
