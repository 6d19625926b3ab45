"""The contract of every kernel: rows do not affect each other, inputs stay unchanged, and empty inputs are allowed."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import (
    buckets,
    containment,
    grouping,
    jaccard,
    multisets,
    prefix_index,
    shinglers,
)
from simdocs.kernels.grouping import KEEP_ORDERS
from simdocs.kernels.shinglers import SHINGLERS
from simdocs.options.declaration import loaded
from simdocs.options.families import FORMATS, stop_words
from simdocs.options.recipes import Bands
from simdocs.pipeline.signing import SIGNATURES
from tests import strategies as some
from tests.amounts import examples

Rows = Callable[[list[bytes], some.Shingling], list[Any]]


def text_rows(batch: list[bytes], shingling: some.Shingling) -> list[Any]:
    texts = some.texts(batch, shingling)
    return list(zip(some.rows_of(texts.codepoints), some.rows_of(texts.encoded), strict=True))


def token_rows(batch: list[bytes], shingling: some.Shingling) -> list[Any]:
    return some.rows_of(some.tokens_of(batch, shingling))


def set_rows(batch: list[bytes], shingling: some.Shingling) -> list[Any]:
    return some.rows_of(some.sets_of(batch, shingling))


def signature_rows(scheme: str, batch: list[bytes], shingling: some.Shingling) -> list[Any]:
    return some.signatures(some.tokens_of(batch, shingling), 6, shingling.seed, scheme).tolist()


def band_key_rows(scheme: str, batch: list[bytes], shingling: some.Shingling) -> list[Any]:
    signatures = some.signatures(some.tokens_of(batch, shingling), 6, shingling.seed, scheme)
    return buckets.band_keys(signatures, some.frozen(np.arange(len(signatures))), 2, 3).T.tolist()


ROW_KERNELS: dict[str, Rows] = {
    "texts": text_rows,
    "units": some.spelt_units,
    "shingles": some.spelt_shingles,
    "tokens": token_rows,
    "sets": set_rows,
    **{f"{scheme} signatures": partial(signature_rows, scheme) for scheme in some.members("scheme")},
    **{f"{scheme} band keys": partial(band_key_rows, scheme) for scheme in some.members("scheme")},
}
"""The kernels of rows, each as a function from a batch to a list with one entry for each document."""

each_kernel_and_unit = pytest.mark.parametrize(("name", "unit"), list(product(ROW_KERNELS, some.members("unit"))))


@each_kernel_and_unit
@examples(3)
@given(left=some.batches, right=some.batches, shingling=some.shinglings)
def test_rows_do_not_depend_on_their_batch(name, unit, left, right, shingling):
    kernel, shingling = ROW_KERNELS[name], shingling.but(unit=unit)
    apart = kernel(left, shingling) + kernel(right, shingling)
    assert kernel(left + right, shingling) == apart


@each_kernel_and_unit
def test_rows_do_not_depend_on_a_long_batch(name, unit):
    text = "The cows, the old ox: 12 of them und die Kuh.\n"
    batch = [(text * (n % 40) + f"{n} ")[n % 9 :].encode() for n in range(0, 60, 3)]
    mixed = [document.replace(b"o", "ô".encode()) if n % 3 else document for n, document in enumerate(batch)]
    kernel, shingling = ROW_KERNELS[name], some.shingling(unit=unit, k=3, multiset=True, seed=5)
    one_by_one = [kernel([document], shingling) for document in mixed]
    assert kernel(mixed, shingling) == [row for rows in one_by_one for row in rows]


@each_kernel_and_unit
def test_an_empty_batch_has_no_rows_and_empty_documents_have_ordinary_ones(name, unit):
    kernel, shingling = ROW_KERNELS[name], some.shingling(unit=unit)
    assert kernel([], shingling) == []
    empty = kernel([b""], shingling)
    assert len(empty) == 1
    assert kernel([b"", b" \n", b""], shingling) == empty * 3
    between = kernel([b"", b"the cow", b"", "thé".encode(), b""], shingling)
    assert between[::2] == empty * 3


@given(some.batches, some.shinglings)
def test_inputs_are_left_as_they_were(batch, shingling):
    raw = some.documents(batch)
    texts = unwritten(shinglers.normalised_texts, raw, shingling)
    shingler = shinglers.SHINGLERS[shingling.unit]
    unwritten(shingler.layout, texts, unwritten(shingler.units, texts, shingling), shingling)
    tokens = unwritten(shinglers.text_tokens, texts, shingling)
    sets = unwritten(multisets.token_sets, unwritten(multisets.token_multisets, tokens, shingling.seed))
    for scheme in map(SIGNATURES.__getitem__, some.members("scheme")):
        signatures = unwritten(scheme, tokens, 5, shingling.seed)
        for indexed in (prefix_index.prefix_index, containment.containment_index):
            unwritten(prefix_index.similar_candidates, unwritten(indexed, sets, 0.4), np.arange(len(sets)))
        keys = unwritten(buckets.band_keys, signatures, np.arange(len(signatures)), 2, 2)
        made = [unwritten(buckets.buckets_of_band, signatures, np.arange(len(signatures)), at, 2) for at in range(2)]
        shared = buckets.joined_bands(made)
        ordered, owners = unwritten(buckets.bucket_tables, keys, np.arange(len(signatures)))
        for band in zip(ordered, owners.astype(np.int64), strict=True):
            unwritten(buckets.shared_of_table, *band)
        unwritten(buckets.bucket_bounds, keys, len(signatures), partial(np.take, ordered))
        unwritten(grouping.pairs_with_always_kept, shared, len(signatures) // 2, 2, len(signatures))
        for left, right in unwritten(buckets.candidate_pairs, shared, len(signatures)):
            unwritten(jaccard.exact, sets, left, right)
            unwritten(jaccard.estimates, signatures, left, right)
            graph = grouping.PairGraph(len(signatures))
            unwritten(graph.add, left, right, left < right)
            graph.groups()
            unwritten(buckets.agreeing_bands, signatures, left, right, Bands(2, 2))
        status = np.arange(len(signatures)) % 3
        unwritten(grouping.first_undecided, shared.values, shared.offsets[:-1], shared.offsets[1:], status)
        unwritten(grouping.capped_members, shared, status, 2)
        for left, right in grouping.pairs_with_always_kept(shared, len(signatures) // 2, 2, len(signatures)):
            unwritten(grouping.most_similar_kept, left, right, np.ones(len(left)))


def unwritten(kernel: Callable[..., Any], *arguments: Any) -> Any:
    """Call a kernel, and check that it leaves its arguments unchanged. ufunc.at would ignore a read-only flag."""
    before = pickle.dumps(arguments)
    made = kernel(*arguments)
    if isinstance(made, Iterator):
        made = list(made)
    assert pickle.dumps(arguments) == before
    return made


@given(some.batches, some.shinglings, st.randoms(use_true_random=False))
def test_similarities_do_not_depend_on_order_or_cut_of_the_pairs(batch, shingling, random):
    sets = some.sets_of([*batch, b"the cow"], shingling)
    signatures = some.signatures(sets, 8, shingling.seed)
    pairs = list(product(range(len(sets)), repeat=2))
    shuffled = random.sample(pairs, len(pairs))
    cut = random.randint(0, len(pairs))
    for similar in (lambda *sides: jaccard.exact(sets, *sides), lambda *sides: jaccard.estimates(signatures, *sides)):
        one = dict(zip(pairs, similar(*sides_of(pairs)).tolist(), strict=True))
        parts = similar(*sides_of(shuffled[:cut])).tolist() + similar(*sides_of(shuffled[cut:])).tolist()
        assert dict(zip(shuffled, parts, strict=True)) == one


def sides_of(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T
    return left, right


def test_every_member_of_a_family_has_an_implementation():
    implemented = {"unit": SHINGLERS, "scheme": SIGNATURES, "keep": KEEP_ORDERS}
    for name, implementations in implemented.items():
        assert list(implementations) == some.members(name)
    assert all(loaded(member.implementation) is not None for member in FORMATS.values())
    assert some.members("language") == list(stop_words())


@pytest.mark.parametrize("language", stop_words())
def test_stop_word_lists_are_long_normalised_and_without_repeats(language):
    words = stop_words()[language]
    assert len(words) >= 80
    assert len(set(words)) == len(words)
    assert [word.lower() for word in words] == list(words)
    shingling = some.shingling(unit="word", normalisation=some.normalisation(keep_case=True))
    texts = shinglers.normalised_texts(some.documents([word.encode() for word in words]), shingling)
    assert [texts.encoded[row].tobytes().decode() for row in range(len(words))] == list(words)
    assert shinglers.SHINGLERS["word"].units(texts, shingling).offsets.tolist() == list(range(len(words) + 1))


# No kernel loops over documents: ten times as many documents take no more steps of Python.

FEW, MANY = 100, 1_000
CONSTANT = 2 * (MANY - FEW) // 3
"""Fewer steps than a loop over the additional documents would take. Most kernels take none."""

ALL_ON = some.normalisation(nfkc=True, strip_accents=True, strip_punctuation=True, mask_digits=True)


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
def same_text_in(documents: int, *, ascii_only: bool, count: int = 12_000) -> some.Ragged:
    """Return this number of short lines, divided into this number of documents."""
    draw = np.random.default_rng(8)
    words = draw.integers(0, 10_000, count).tolist()
    lines = [f"the w{word:04} of ox{word % 7}.\r\n" for word in words]
    text = [line if ascii_only else line.replace("o", "日é\u0301") for line in lines]
    each = len(lines) // documents
    return some.documents(["".join(text[at : at + each]).encode() for at in range(0, len(text), each)])


def assert_no_more_steps(work: Callable[[some.Ragged], Any], few: some.Ragged, many: some.Ragged) -> None:
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
@pytest.mark.parametrize(("unit", "switches"), list(product(some.members("unit"), [some.normalisation(), ALL_ON])))
def test_texts_and_shingles_take_no_more_steps_for_more_documents(unit, switches, ascii_only):
    shingling = some.shingling(unit=unit, k=3, normalisation=switches)

    def work(raw: some.Ragged) -> None:
        texts = shinglers.normalised_texts(raw, shingling)
        shingler = shinglers.SHINGLERS[unit]
        shingler.layout(texts, shingler.units(texts, shingling), shingling)

    assert_no_more_steps(work, *(same_text_in(count, ascii_only=ascii_only) for count in (FEW, MANY)))


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(("unit", "k"), [*product(some.members("unit"), [3]), ("line", 1)])
def test_token_sets_take_no_more_steps_for_more_documents(unit, k, ascii_only):
    shingling = some.shingling(unit=unit, k=k)

    def work(raw: some.Ragged) -> None:
        tokens = some.tokens_of(raw, shingling)
        multisets.token_sets(multisets.token_multisets(tokens, shingling.seed))

    assert_no_more_steps(work, *(same_text_in(count, ascii_only=ascii_only) for count in (FEW, MANY)))


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(("scheme", "unit"), list(product(some.members("scheme"), ["word"])))
def test_signatures_and_band_keys_take_no_more_steps_for_more_documents(scheme, unit, ascii_only):
    shingling = some.shingling(unit=unit, k=1)

    def work(tokens: some.Ragged) -> None:
        signatures = some.signatures(tokens, 4, scheme=scheme)
        buckets.band_keys(signatures, np.arange(len(signatures)), 2, 2)

    few, many = (same_text_in(number, ascii_only=ascii_only, count=25_000) for number in (FEW, MANY))
    assert_no_more_steps(work, *(some.tokens_of(raw, shingling) for raw in (few, many)))


@some.each("scheme")
@pytest.mark.parametrize("length", [0, 5])
def test_signatures_of_small_documents_take_no_more_steps_for_more_of_them(scheme, length):
    draw = np.random.default_rng(length)
    few, many = (
        some.ragged(draw.integers(0, 2**32, (count, length), np.uint32).tolist(), np.uint32) for count in (FEW, MANY)
    )
    assert_no_more_steps(lambda tokens: some.signatures(tokens, 8, scheme=scheme), few, many)


def test_short_documents_take_no_more_steps_for_more_of_them():
    batches = [some.documents([b"ab %d" % (n % 7) for n in range(count)]) for count in (FEW, MANY)]
    for unit in some.members("unit"):
        shingling = some.shingling(unit=unit, k=9)
        assert_no_more_steps(
            lambda raw, shingling=shingling: some.sets_of(raw, shingling),
            *batches,
        )


def test_similarities_take_no_more_steps_for_more_pairs():
    draw = np.random.default_rng(2)
    sets = multisets.token_sets(some.ragged(draw.integers(0, 50, (MANY, 30)).tolist(), np.uint32))
    signatures = some.signatures(sets, 16, scheme="permutation")
    sides = draw.integers(0, MANY, (2, MANY))

    def work(count: int) -> None:
        left, right = sides[:, :count]
        jaccard.exact(sets, left, right)
        jaccard.below_prefilter(jaccard.estimates(signatures, left, right), 0.8, 128)

    assert steps(lambda: work(MANY)) < steps(lambda: work(FEW)) + CONSTANT


def test_buckets_pairs_and_rounds_take_no_more_steps_for_more_members():
    draw = np.random.default_rng(3)

    def work(count: int) -> None:
        made = (buckets.buckets_of_band(signatures, np.arange(count), band, 2) for band in range(4))
        shared = buckets.joined_bands(made)
        list(buckets.candidate_pairs(shared, count))
        list(buckets.candidate_pairs(shared, count, np.arange(count) % 3 == 0))
        for left, right in grouping.pairs_with_always_kept(shared, count // 2, 1000, count):
            grouping.most_similar_kept(left, right, np.ones(len(left)))
        status = np.repeat([grouping.KEPT, grouping.UNDECIDED], count // 2)
        grouping.first_undecided(shared.values, shared.offsets[:-1], shared.offsets[1:], status)
        grouping.capped_members(shared, status, 1000)

    signatures = np.repeat(draw.integers(0, 50, (MANY, 4), np.uint32), 2, axis=1)
    assert steps(lambda: work(MANY)) < steps(lambda: work(FEW)) + CONSTANT


def test_an_exact_join_takes_no_more_steps_for_more_sets():
    draw = np.random.default_rng(5)
    sets = multisets.token_sets(some.ragged(draw.integers(0, 500, (MANY, 30)).tolist(), np.uint32))

    def work(count: int) -> None:
        for indexed in (prefix_index.prefix_index, containment.containment_index):
            index = indexed(sets.cut(0, count), 0.8)
            list(prefix_index.similar_candidates(index, np.arange(count)))

    assert steps(lambda: work(MANY)) < steps(lambda: work(FEW)) + CONSTANT


def test_pairs_of_buckets_take_no_more_steps_for_more_members():
    draw = np.random.default_rng(5)

    def work(count: int) -> None:
        buckets.pairs_of_band(keys[:count], np.arange(count), count, draw)
        left, right, _ = buckets.pairs_of_band(keys[:count], np.arange(count), count**2, draw)
        buckets.agreeing_bands(signatures, left[:FEW], right[:FEW], Bands(2, 2))

    keys = np.sort(draw.integers(0, 50, MANY).astype(np.uint64))
    signatures = draw.integers(0, 9, (MANY, 4)).astype(np.uint32)
    assert steps(lambda: work(MANY)) < steps(lambda: work(FEW)) + CONSTANT


def test_tables_and_lookups_take_no_more_steps_for_more_members():
    draw = np.random.default_rng(4)

    def work(count: int) -> None:
        ordered, owners = buckets.bucket_tables(keys[:, :count], np.arange(count))
        buckets.bucket_bounds(keys[:, :count], count, lambda places: np.take(ordered, places))
        shared = buckets.joined_bands(map(buckets.shared_of_table, ordered, owners.astype(np.int64)))
        list(grouping.pairs_with_always_kept(shared, count // 2, 1000, count))

    keys = draw.integers(0, 50, (4, MANY)).astype(np.uint64)
    assert steps(lambda: work(MANY)) < steps(lambda: work(FEW)) + CONSTANT
