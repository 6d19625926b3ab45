"""The contract of every kernel: rows do not affect each other, inputs stay unchanged, and empty inputs are allowed."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.kernels.compare import jaccard
from simdocs.kernels.group import connectivity, greedy_rounds
from simdocs.kernels.group.connectivity import shortest_links
from simdocs.kernels.group.greedy_rounds import keep_order
from simdocs.kernels.join import containment_index, prefix_candidates, prefix_index
from simdocs.kernels.lsh import banding, buckets
from simdocs.kernels.lsh.bucket_sample import bands_that_agree
from simdocs.kernels.sketch.schemes import scheme_of
from simdocs.kernels.text import normalise
from simdocs.kernels.tokens import multisets, murmur
from simdocs.kernels.tokens.shinglers import normalised_texts, shingler_of, text_tokens
from simdocs.kernels.tokens.stopwords import STOP_WORDS
from simdocs.parameters import PARAMETERS
from simdocs.parameters.families import FORMATS, KEEP, LANGUAGES, SCHEMES, UNITS, default_k
from simdocs.parameters.recipes import Bands, Shingling
from simdocs.parameters.values import Choice
from tests import strategies as some
from tests.amounts import examples
from tests.kernels.row_kernels import ROW_KERNELS

each_kernel_and_unit = pytest.mark.parametrize(("name", "unit"), list(product(ROW_KERNELS, UNITS)))


@each_kernel_and_unit
@examples(3)
@given(left=some.batches, right=some.batches, shingling=some.shinglings)
def test_rows_do_not_depend_on_their_batch(name, unit, left, right, shingling):
    kernel, shingling = ROW_KERNELS[name], shingling.but(unit=unit)
    apart = kernel(some.documents(left), shingling) + kernel(some.documents(right), shingling)
    assert kernel(some.documents(left + right), shingling) == apart


@each_kernel_and_unit
def test_rows_do_not_depend_on_a_long_batch(name, unit):
    text = "The cows, the old ox: 12 of them und die Kuh.\n"
    batch = [(text * (n % 40) + f"{n} ")[n % 9 :].encode() for n in range(0, 60, 3)]
    mixed = [document.replace(b"o", "ô".encode()) if n % 3 else document for n, document in enumerate(batch)]
    kernel, shingling = ROW_KERNELS[name], Shingling(unit=unit, k=3, multiset=True, seed=5)
    one_by_one = [kernel(some.documents([document]), shingling) for document in mixed]
    assert kernel(some.documents(mixed), shingling) == [row for rows in one_by_one for row in rows]


@each_kernel_and_unit
def test_an_empty_batch_has_no_rows_and_empty_documents_have_ordinary_ones(name, unit):
    kernel, shingling = ROW_KERNELS[name], Shingling(unit=unit)
    assert kernel(some.documents([]), shingling) == []
    empty = kernel(some.documents([b""]), shingling)
    assert len(empty) == 1
    assert kernel(some.documents([b"", b" \n", b""]), shingling) == empty * 3
    between = kernel(some.documents([b"", b"the cow", b"", "thé".encode(), b""]), shingling)
    assert between[::2] == empty * 3


@given(some.batches, some.shinglings)
def test_inputs_are_left_as_they_were(batch, shingling):
    raw = some.documents(batch)
    texts = unwritten(normalised_texts, raw, shingling)
    shingler = shingler_of(shingling.unit)
    unwritten(shingler.layout, texts, unwritten(shingler.units, texts, shingling), shingling)
    tokens = unwritten(text_tokens, texts, shingling)
    sets = unwritten(multisets.token_sets, unwritten(multisets.token_multisets, tokens, shingling.seed))
    for scheme in map(scheme_of, SCHEMES):
        unwritten(scheme.partial_signatures, tokens, 5, shingling.seed)
        signatures = unwritten(scheme.signatures, tokens, 5, shingling.seed)
        for indexed in (prefix_index.prefix_index, containment_index.containment_index):
            unwritten(prefix_candidates.similar_candidates, unwritten(indexed, sets, 0.4), np.arange(len(sets)))
        keys = unwritten(buckets.band_keys, signatures, np.arange(len(signatures)), 2, 2)
        shared = unwritten(buckets.shared_buckets, keys)
        ordered, owners = unwritten(buckets.bucket_tables, keys, np.arange(len(signatures)))
        unwritten(buckets.shared_buckets_of_tables, ordered, owners.astype(np.int64))
        unwritten(buckets.bucket_bounds, keys, len(signatures), partial(np.take, ordered))
        unwritten(greedy_rounds.pairs_with_always_kept, shared, len(signatures) // 2, 2, len(signatures))
        for left, right in unwritten(buckets.candidate_pairs, shared, len(signatures)):
            unwritten(jaccard.exact, sets, left, right)
            unwritten(jaccard.estimates, signatures, left, right)
            graph = connectivity.PairGraph.unconnected(len(signatures))
            graph = unwritten(connectivity.with_pairs, graph, left, right, left < right)
            unwritten(connectivity.connected_groups, graph)
            unwritten(shortest_links, graph.labels, left, right)
            unwritten(bands_that_agree, signatures[left], signatures[right], Bands(2, 2))
        status = np.arange(len(signatures)) % 3
        unwritten(greedy_rounds.first_undecided, shared.values, shared.offsets[:-1], shared.offsets[1:], status)
        unwritten(greedy_rounds.capped_members, shared, status, 2)
        for left, right in greedy_rounds.pairs_with_always_kept(shared, len(signatures) // 2, 2, len(signatures)):
            unwritten(greedy_rounds.most_similar_kept, left, right, np.ones(len(left)))


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
    sets = multisets.token_sets(
        text_tokens(normalised_texts(some.documents([*batch, b"the cow"]), shingling), shingling)
    )
    signatures = some.frozen(scheme_of("fss").signatures(sets, 8, shingling.seed))
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


KERNELS = [
    normalise.normalise,
    normalised_texts,
    text_tokens,
    *(
        each
        for unit in UNITS
        for each in (shingler_of(unit).shingles, shingler_of(unit).units, shingler_of(unit).layout)
    ),
    *(each for name in SCHEMES for each in (scheme_of(name).signatures, scheme_of(name).partial_signatures)),
    *(
        multisets.token_sets,
        multisets.token_multisets,
        murmur.hash_byte_windows,
        murmur.hash_byte_strings,
        murmur.hash_number_runs,
        murmur.hash_number_windows,
    ),
    *(buckets.band_keys, buckets.bucket_tables, buckets.shared_buckets, buckets.shared_buckets_of_tables),
    *(buckets.candidate_pairs, buckets.candidate_pairs_with, buckets.distinct_pairs, buckets.bucket_bounds),
    *(jaccard.estimates, jaccard.exact, jaccard.below_prefilter, banding.choose, keep_order),
    *(
        greedy_rounds.first_undecided,
        greedy_rounds.capped_members,
        greedy_rounds.pairs_with_always_kept,
        greedy_rounds.most_similar_kept,
    ),
    *(connectivity.connect, connectivity.bucket_components),
    *(prefix_index.token_frequencies, prefix_index.prefix_index, prefix_candidates.similar_candidates),
    containment_index.containment_index,
    *(connectivity.star_pairs, connectivity.cross_component_pairs),
    *(connectivity.with_pairs, connectivity.connected_groups, shortest_links, bands_that_agree),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.__module__}.{kernel.__name__}")
def test_kernels_can_be_sent_to_a_worker(kernel):
    assert pickle.loads(pickle.dumps(kernel)) is kernel


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("text", ["the cow and the ox", "thé cow and the ôx"])
def test_results_can_be_sent_from_a_worker(unit, text):
    shingling = pickle.loads(pickle.dumps(Shingling(unit=unit, k=2)))
    texts = normalised_texts(some.documents([text.encode(), b""]), shingling)
    units = shingler_of(unit).units(texts, shingling)
    tokens = text_tokens(texts, shingling)
    for made in (
        texts,
        units,
        shingler_of(unit).layout(texts, units, shingling),
        tokens,
    ):
        again = pickle.loads(pickle.dumps(made))
        assert type(again) is type(made)
        assert pickle.dumps(again) == pickle.dumps(made)
    assert some.rows_of(pickle.loads(pickle.dumps(tokens))) == some.rows_of(tokens)


HASHES_OF_ALL_UNITS = """
from collections.abc import Callable, Iterator
from dataclasses import replace
import numpy as np
from simdocs.kernels.tokens.shinglers import normalised_texts, text_tokens
from simdocs.model.ragged import Ragged
from simdocs.parameters.families import LANGUAGES, UNITS
from simdocs.parameters.recipes import Shingling
raw = Ragged.from_rows([np.frombuffer("The cow, und die K\\u00fch!".encode(), np.uint8)], np.uint8)
for unit in UNITS:
    for language in LANGUAGES:
        shingling = Shingling(unit=unit, k=2, language=language)
        print(unit, language, text_tokens(normalised_texts(raw, shingling), shingling).values.tolist())
"""


def test_kernels_give_the_same_bytes_for_any_hash_seed():
    root = Path(simdocs.__file__).parent.parent
    outputs = []
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
        command = [sys.executable, "-c", HASHES_OF_ALL_UNITS]
        outputs.append(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    assert outputs[0] == outputs[1] != ""


def test_every_member_of_a_family_has_an_implementation():
    for family in (UNITS, SCHEMES, KEEP, FORMATS):
        assert all(member.load() is not None for member in family.values())
    assert list(LANGUAGES) == list(STOP_WORDS)


def test_defaults_are_members_of_their_families():
    for parameter in PARAMETERS.values():
        if parameter.default is not None and isinstance(parameter.values, Choice):
            assert parameter.default in parameter.values.family
    assert Shingling().k == default_k(Shingling().unit)


@pytest.mark.parametrize("language", STOP_WORDS)
def test_stop_word_lists_are_long_normalised_and_without_repeats(language):
    words = STOP_WORDS[language]
    assert len(words) >= 80
    assert len(set(words)) == len(words)
    shingling = Shingling(unit="word")
    texts = normalised_texts(some.documents([word.encode() for word in words]), shingling)
    assert [texts.encoded[row].tobytes().decode() for row in range(len(words))] == list(words)
    assert shingler_of("word").units(texts, shingling).offsets.tolist() == list(range(len(words) + 1))
