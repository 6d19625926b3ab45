"""No kernel loops over documents: ten times as many documents take no more steps of Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from itertools import product
from types import FrameType
from typing import Any

import numpy as np
import pytest

from simdocs.kernels.compare import jaccard
from simdocs.kernels.group import connectivity, greedy_rounds
from simdocs.kernels.group.connectivity import shortest_links
from simdocs.kernels.join import containment_index, prefix_candidates, prefix_index
from simdocs.kernels.lsh import bucket_sample, buckets
from simdocs.kernels.sketch.schemes import scheme_of
from simdocs.kernels.tokens import multisets
from simdocs.kernels.tokens.shinglers import normalised_texts, shingler_of, text_tokens
from simdocs.model.ragged import Ragged
from simdocs.parameters.families import SCHEMES, UNITS
from simdocs.parameters.recipes import Bands, Shingling
from simdocs.parameters.texts import Normalisation
from tests import strategies as some

FEW, MANY = 100, 1_000
CONSTANT = (MANY - FEW) // 2
"""Fewer steps than a loop over the additional documents would take. Most kernels take none."""

ALL_ON = Normalisation(nfkc=True, strip_accents=True, strip_punctuation=True, mask_digits=True)


def steps(work: Callable[[], Any]) -> int:
    """Return the number of steps of work: calls of Python and C functions, and lines of Python."""
    count = 0

    def on_call(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    def on_line(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return on_line

    work()  # what is remembered between calls is made first
    profile, trace = sys.getprofile(), sys.gettrace()
    sys.settrace(on_line)
    sys.setprofile(on_call)
    try:
        work()
    finally:
        sys.setprofile(profile)
        sys.settrace(trace)
    return count


@cache
def same_text_in(documents: int, *, ascii_only: bool, count: int = 12_000) -> Ragged:
    """Return this number of short lines, divided into this number of documents."""
    draw = np.random.default_rng(8)
    words = draw.integers(0, 10_000, count).tolist()
    lines = [f"the w{word:04} of ox{word % 7}.\r\n" for word in words]
    text = [line if ascii_only else line.replace("o", "日é\u0301") for line in lines]
    each = len(lines) // documents
    return some.documents(["".join(text[at : at + each]).encode() for at in range(0, len(text), each)])


def assert_no_more_steps(work: Callable[[Ragged], Any], few: Ragged, many: Ragged) -> None:
    assert (len(few), len(many)) == (FEW, MANY)
    assert steps(lambda: work(many)) < steps(lambda: work(few)) + CONSTANT


@pytest.mark.parametrize("loop", ["for", "comprehension", "callback"])
def test_a_loop_over_documents_would_be_noticed(loop):
    rows = np.zeros((MANY, 2), np.uint32)
    total = np.zeros(2, np.uint32)

    def work() -> None:
        if loop == "for":
            for row in rows:
                np.add(total, row, out=total)
        elif loop == "comprehension":
            [row + row for row in rows]
        else:
            list(map(lambda row: row + row, rows))  # noqa: C417

    assert steps(work) >= MANY


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(("unit", "switches"), list(product(UNITS, [Normalisation(), ALL_ON])))
def test_texts_and_shingles_take_no_more_steps_for_more_documents(unit, switches, ascii_only):
    shingling = Shingling(unit=unit, k=3, normalisation=switches)

    def work(raw: Ragged) -> None:
        texts = normalised_texts(raw, shingling)
        shingler = shingler_of(unit)
        shingler.layout(texts, shingler.units(texts, shingling), shingling)

    assert_no_more_steps(work, *(same_text_in(count, ascii_only=ascii_only) for count in (FEW, MANY)))


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(("unit", "k"), [*product(UNITS, [1, 3]), ("char", 9), ("word", 5)])
def test_token_sets_take_no_more_steps_for_more_documents(unit, k, ascii_only):
    shingling = Shingling(unit=unit, k=k)

    def work(raw: Ragged) -> None:
        tokens = text_tokens(normalised_texts(raw, shingling), shingling)
        multisets.token_sets(multisets.token_multisets(tokens, shingling.seed))

    assert_no_more_steps(work, *(same_text_in(count, ascii_only=ascii_only) for count in (FEW, MANY)))


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(("scheme", "unit"), list(product(SCHEMES, UNITS)))
def test_signatures_and_band_keys_take_no_more_steps_for_more_documents(scheme, unit, ascii_only):
    shingling = Shingling(unit=unit, k=1)

    def work(tokens: Ragged) -> None:
        signatures = scheme_of(scheme).signatures(tokens, 4, 0)
        buckets.band_keys(signatures, np.arange(len(signatures)), 2, 2)

    few, many = (same_text_in(number, ascii_only=ascii_only, count=25_000) for number in (FEW, MANY))
    assert_no_more_steps(work, *(text_tokens(normalised_texts(raw, shingling), shingling) for raw in (few, many)))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("length", [0, 1, 5, 20])
def test_signatures_of_small_documents_take_no_more_steps_for_more_of_them(scheme, length):
    draw = np.random.default_rng(length)
    few, many = (
        some.ragged(draw.integers(0, 2**32, (count, length), np.uint32).tolist(), np.uint32) for count in (FEW, MANY)
    )
    assert_no_more_steps(lambda tokens: scheme_of(scheme).signatures(tokens, 8, 0), few, many)


def test_short_documents_take_no_more_steps_for_more_of_them():
    batches = [some.documents([b"ab %d" % (n % 7) for n in range(count)]) for count in (FEW, MANY)]
    for unit in UNITS:
        shingling = Shingling(unit=unit, k=9)
        assert_no_more_steps(
            lambda raw, shingling=shingling: multisets.token_sets(
                text_tokens(normalised_texts(raw, shingling), shingling)
            ),
            *batches,
        )


def test_similarities_take_no_more_steps_for_more_pairs():
    draw = np.random.default_rng(2)
    sets = multisets.token_sets(some.ragged(draw.integers(0, 50, (MANY, 30)).tolist(), np.uint32))
    signatures = scheme_of("permutation").signatures(sets, 16, 0)
    sides = draw.integers(0, MANY, (2, MANY))

    def work(count: int) -> None:
        left, right = sides[:, :count]
        jaccard.exact(sets, left, right)
        jaccard.below_prefilter(jaccard.estimates(signatures, left, right), 0.8, 128)

    assert steps(lambda: work(MANY)) < steps(lambda: work(FEW)) + CONSTANT


def test_buckets_pairs_and_rounds_take_no_more_steps_for_more_members():
    draw = np.random.default_rng(3)

    def work(count: int) -> None:
        shared = buckets.shared_buckets(keys[:, :count])
        list(buckets.candidate_pairs(shared, count))
        list(buckets.candidate_pairs_with(shared, np.arange(count) % 3 == 0))
        label = connectivity.bucket_components(shared, count)
        shortest_links(label, label, np.arange(count))
        for left, right in greedy_rounds.pairs_with_always_kept(shared, count // 2, 1000, count):
            greedy_rounds.most_similar_kept(left, right, np.ones(len(left)))
        status = np.repeat([greedy_rounds.KEPT, greedy_rounds.UNDECIDED], count // 2)
        greedy_rounds.first_undecided(shared.values, shared.offsets[:-1], shared.offsets[1:], status)
        greedy_rounds.capped_members(shared, status, 1000)

    keys = draw.integers(0, 50, (4, MANY)).astype(np.uint64)
    assert steps(lambda: work(MANY)) < steps(lambda: work(FEW)) + CONSTANT


def test_an_exact_join_takes_no_more_steps_for_more_sets():
    draw = np.random.default_rng(5)
    sets = multisets.token_sets(some.ragged(draw.integers(0, 500, (MANY, 30)).tolist(), np.uint32))

    def work(count: int) -> None:
        for indexed in (prefix_index.prefix_index, containment_index.containment_index):
            index = indexed(sets.cut(0, count), 0.8)
            list(prefix_candidates.similar_candidates(index, np.arange(count)))

    assert steps(lambda: work(MANY)) < steps(lambda: work(FEW)) + CONSTANT


def test_pairs_of_buckets_take_no_more_steps_for_more_members():
    draw = np.random.default_rng(5)

    def work(count: int) -> None:
        bucket_sample.count_pairs(keys[:count])
        left, right = bucket_sample.every_pair(keys[:count])
        bucket_sample.drawn_pairs(keys[:count], chances[:count])
        bucket_sample.agreeing_bands(signatures, left[:FEW], right[:FEW], Bands(2, 2))

    keys, chances = draw.integers(0, 50, MANY).astype(np.uint64), draw.random((MANY, 3))
    signatures = draw.integers(0, 9, (MANY, 4)).astype(np.uint32)
    assert steps(lambda: work(MANY)) < steps(lambda: work(FEW)) + CONSTANT


def test_tables_and_lookups_take_no_more_steps_for_more_members():
    draw = np.random.default_rng(4)

    def work(count: int) -> None:
        ordered, owners = buckets.bucket_tables(keys[:, :count], np.arange(count))
        buckets.bucket_bounds(keys[:, :count], count, lambda places: np.take(ordered, places))
        shared = buckets.shared_buckets_of_tables(ordered, owners.astype(np.int64))
        list(greedy_rounds.pairs_with_always_kept(shared, count // 2, 1000, count))

    keys = draw.integers(0, 50, (4, MANY)).astype(np.uint64)
    assert steps(lambda: work(MANY)) < steps(lambda: work(FEW)) + CONSTANT
