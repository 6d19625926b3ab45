"""The kernels give the numbers of the worked examples in lectures on finding similar items."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import product
from unittest import mock

import numpy as np
import pytest

from simdocs.kernels import banding, buckets, fss, jaccard, murmur, permutation, shinglers
from simdocs.model.ragged import Ragged
from simdocs.options.recipes import Bands, ChoosingBands
from tests import strategies as some
from tests.twins import bands as twin_bands
from tests.twins import shingles as twin_shingles
from tests.twins import signatures as twin_signatures
from tests.twins import slots

PLANE = b"The plane was ready\nfor touch down"
ABCDABD = [2613040991, 1328615756, 2158755732, 3701159945, 2613040991, 2744816228]
"""Tokens of "abcdabd", k = 2, in text order: ab bc cd da ab bd."""


def spelt(data: bytes, shingling: some.Shingling) -> list[str]:
    """Return the shingles of a document, as the kernels cut them."""
    separator = shinglers.SHINGLERS[shingling.unit].separator
    return [separator.join(units) for units in some.spelt_shingles([data], shingling)[0]]


def tokens(data: bytes, shingling: some.Shingling) -> list[int]:
    return some.tokens_of([data], shingling).values.tolist()


def similarity(left: bytes, right: bytes, shingling: some.Shingling) -> float:
    """Return the Jaccard similarity of two documents, by the kernels, from their bytes."""
    sets = some.sets_of([left, right], shingling)
    return float(jaccard.exact(sets, np.array([0]), np.array([1]))[0])


# Shingles


def test_shingles_of_abcdabd_are_five_with_the_repeated_ab_once():
    shingling = some.shingling(k=2)
    assert spelt(b"abcdabd", shingling) == ["ab", "bc", "cd", "da", "ab", "bd"]
    assert set(spelt(b"abcdabd", shingling)) == {"ab", "bc", "cd", "da", "bd"}
    sets = some.sets_of([b"abcdabd"], shingling)
    assert sets.values.tolist() == sorted(set(ABCDABD))


def test_the_plane_has_34_characters_and_26_shingles():
    assert len(some.texts([PLANE], some.shingling()).codepoints.values) == 34
    shingles = spelt(PLANE, some.shingling(k=9))
    assert len(shingles) == len(set(shingles)) == 26
    assert shingles[:3] == ["the plane", "he plane ", "e plane w"]


def test_a_line_break_is_a_space_in_a_shingle():
    shingles = spelt(PLANE, some.shingling(k=9))
    at = shingles.index("was ready")
    assert shingles[at : at + 3] == ["was ready", "as ready ", "s ready f"]


@pytest.mark.parametrize(
    ("shingle", "seed", "token"),
    [
        ("ab", 0, 2613040991),
        ("bc", 0, 1328615756),
        ("cd", 0, 2158755732),
        ("da", 0, 3701159945),
        ("bd", 0, 2744816228),
        ("ab", 42, 3610054215),
        ("the plane", 0, 2062020119),
        ("he plane ", 0, 874567206),
        ("日本語の文章", 0, 4147626518),
    ],
)
def test_token_of_characters(shingle, seed, token):
    shingling = some.shingling(k=len(shingle), seed=seed)
    text = f"x{shingle}x".encode()
    assert tokens(text, shingling)[1] == token
    assert twin_shingles.tokens(text, shingling)[1] == token


def test_tokens_of_abcdabd_in_text_order():
    assert tokens(b"abcdabd", some.shingling(k=2)) == ABCDABD


@pytest.mark.parametrize(
    ("words", "token"),
    [
        ("the", 3162218338),
        ("plane", 773928632),
        ("was", 904696721),
        ("ready", 1311754625),
        ("for", 2543655733),
        ("the plane was", 1793728393),
        ("plane was ready", 3648372953),
        ("the plane was ready for", 459079859),
        ("schöne grüße", 98511622),
    ],
)
def test_token_of_words(words, token):
    count = len(words.split())
    if count == 1:
        assert twin_shingles.hash32(words.encode(), 0) == token  # a word's own hash, that its shingles' are made of
        assert twin_shingles.hash_of_numbers([token], 0) == tokens(words.encode(), some.shingling(unit="word", k=1))[0]
    else:
        shingling = some.shingling(unit="word", k=count, normalisation=some.normalisation(keep_case=True))
        assert tokens(f"Xyz, {words}!".encode(), shingling)[1] == token


def test_27_letters_and_k_5_give_14348907_possible_shingles():
    letters = "abcdefghijklmnopqrstuvwxyzé"
    for k in (1, 2, 3):
        every = ["".join(shingle).encode() for shingle in product(letters, repeat=k)]
        made = some.tokens_of(every, some.shingling(k=k))
        assert len(set(made.values.tolist())) == len(made.values) == 27**k
    assert 27**5 == 14_348_907


# Jaccard


def test_jaccard_of_words_that_are_half_the_same():
    shingling = some.shingling(unit="word", k=1)
    assert similarity(b"I love chocolate", b"I love chocolate and white pizza", shingling) == 3 / 6


def test_jaccard_of_nadal_and_nadia():
    shingling = some.shingling(k=2)
    assert sorted(set(spelt(b"nadal", shingling))) == ["ad", "al", "da", "na"]
    assert sorted(set(spelt(b"nadia", shingling))) == ["ad", "di", "ia", "na"]
    assert similarity(b"nadal", b"nadia", shingling) == 2 / 6


def test_rows_of_two_columns_are_of_four_types():
    nadal, nadia = set(spelt(b"nadal", some.shingling(k=2))), set(spelt(b"nadia", some.shingling(k=2)))
    matrix = slots.characteristic(sorted(nadal | nadia | {"xy"}), [nadal, nadia])
    count = slots.types(matrix, 0, 1)
    assert count == {(1, 1): 2, (1, 0): 2, (0, 1): 2, (0, 0): 1}
    assert Fraction(count[1, 1], count[1, 1] + count[1, 0] + count[0, 1]) == slots.similarity(matrix, 0, 1)
    assert float(slots.similarity(matrix, 0, 1)) == similarity(b"nadal", b"nadia", some.shingling(k=2))


def test_a_million_documents_make_499999500000_pairs():
    def pairs(documents: int) -> int:
        """Return the number of pairs in a bucket of this number of documents, by the kernel."""
        bucket = some.ragged([list(range(documents))], np.int64)
        return sum(len(left) for left, _ in buckets.candidate_pairs(bucket, documents))

    # n(n-1)/2 is a polynomial of degree 2: three points and a fourth decide it, and what it is at a million.
    assert [pairs(n) for n in (2, 3, 4, 1000)] == [math.comb(n, 2) for n in (2, 3, 4, 1000)]
    assert math.comb(1_000_000, 2) == 499_999_500_000


def test_characteristic_matrix():
    rows = ["the plane", "the cow j", "alice and", "roses are"]
    s1, s2, s3 = {"the plane", "roses are"}, {"alice and"}, {"the cow j", "roses are"}
    matrix = slots.characteristic(rows, [s1, s2, s3])
    assert matrix == [[1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1]]
    assert slots.similarity(matrix, 0, 2) == Fraction(1, 3)
    columns = ["\n".join(column).encode() for column in (sorted(s1), sorted(s3))]
    assert similarity(*columns, some.shingling(unit="line", k=1)) == 1 / 3


def test_bags_compare_by_minimum_over_maximum_of_the_counts():
    assert similarity(b"a a a b", b"a a b b c", some.shingling(unit="word", k=1, multiset=True)) == 3 / 6
    assert similarity(b"a a a b", b"a a b b c", some.shingling(unit="word", k=1)) == 2 / 3


# MinHash


def unmixed(number: int) -> int:
    """Return the token whose mixed form is this number, by undoing each step of MurmurHash3's finaliser."""
    number ^= number >> 16
    number = number * pow(0xC2B2AE35, -1, 1 << 32) % (1 << 32)
    number ^= (number >> 13) ^ (number >> 26)
    number = number * pow(0x85EBCA6B, -1, 1 << 32) % (1 << 32)
    return number ^ (number >> 16)


def by_kernel(sets: Sequence[set[int]], functions: Sequence[tuple[int, int]], modulus: int) -> list[tuple[float, ...]]:
    """The signatures that `permutation` computes with the functions (c*x + d) mod modulus; infinity for an empty set.

    The kernel computes ((a*x + b) mod 2^64) >> 32. With a = c * 2^64/modulus and b = d * 2^64/modulus that is the value
    of the lectures' function, times 2^32/modulus.
    """
    with lectures_functions(functions, modulus):
        tokens = some.ragged([[unmixed(row) for row in members] for members in sets], np.uint32)
        made = permutation.signatures(tokens, len(functions)).tolist()
    return as_taught(made, modulus)


def as_taught(values: Sequence[Sequence[int]], modulus: int) -> list[tuple[float, ...]]:
    """Values of the kernel's functions as those of the lectures'; infinity where there is none."""
    return [tuple(math.inf if slot == fss.EMPTY else round(slot * modulus / 2**32) for slot in row) for row in values]


@contextmanager
def lectures_functions(functions: Sequence[tuple[int, int]], modulus: int) -> Iterator[None]:
    """Let the kernel use these functions: see `by_kernel`."""
    unit = (1 << 64) // modulus + 1
    factors, terms = (np.array([one[at] * unit % (1 << 64) for one in functions], np.uint64) for at in (0, 1))
    with mock.patch.object(permutation, "hash_functions", lambda _num_perm, _seed: (factors, terms)):
        yield


def traced(
    rows: Sequence[int], sets: Sequence[set[int]], functions: Sequence[tuple[int, int]], modulus: int
) -> list[list[tuple[float, ...]]]:
    """The slots after each row, as `compare --trace` computes them."""
    with lectures_functions(functions, modulus):
        hashes = permutation.signatures(
            Ragged(np.array([unmixed(row) for row in rows], np.uint32), np.arange(len(rows) + 1)), len(functions), 0
        )
    assert as_taught(hashes.tolist(), modulus) == [tuple((c * row + d) % modulus for c, d in functions) for row in rows]
    members = np.array(slots.characteristic(rows, sets), bool)
    return [as_taught(after, modulus) for after in permutation.slots(hashes, members).tolist()]


def rows_so_far(rows: Sequence[int], sets: Sequence[set[int]]) -> Iterator[list[set[int]]]:
    """Return, after each row, the rows so far that each set holds."""
    for at in range(1, len(rows) + 1):
        yield [members & set(rows[:at]) for members in sets]


def lambdas(functions: Sequence[tuple[int, int]], modulus: int) -> list[Callable[[int], int]]:
    """The functions (c*x + d) mod modulus."""
    return [lambda x, c=c, d=d: (c * x + d) % modulus for c, d in functions]


def minhashes(order: Sequence[Hashable], sets: Sequence[set]) -> list[Hashable]:
    """Return the first row of each set in this order, by the kernel, as the smallest rank."""
    ranks = [{order.index(row) for row in members} for members in sets]
    return [order[int(rank)] for (rank,) in by_kernel(ranks, [(1, 0)], len(order))]


def test_the_kernel_computes_the_lectures_functions():
    for modulus, functions in ((5, [(1, 1), (3, 1), (2, 1), (1, 0)]), (4, [(1, 1), (3, 1)]), (7, [(1, 0), (6, 6)])):
        alone = by_kernel([{row} for row in range(8)], functions, modulus)
        assert alone == [tuple((c * row + d) % modulus for c, d in functions) for row in range(8)]


def test_minhash_is_the_first_row_of_a_permutation():
    order = ["di", "da", "ia", "na", "ad", "al"]
    columns = [{"na", "ad", "da", "al"}, {"na", "ad", "di", "ia"}]
    assert minhashes(order, columns) == ["da", "di"]
    assert [slots.minhash(order, column) for column in columns] == ["da", "di"]


def test_minhash_of_four_columns_in_a_permuted_order():
    columns = [{1, 4}, {3}, {2, 4, 5}, {1, 3, 4}]
    assert minhashes([2, 5, 1, 4, 3], columns) == [1, 3, 2, 1]
    assert [slots.minhash([2, 5, 1, 4, 3], column) for column in columns] == [1, 3, 2, 1]
    assert slots.similarity(slots.characteristic(range(1, 6), columns), 0, 3) == Fraction(2, 3)


def test_minhash_in_row_order_and_in_reversed_order():
    columns = [{3, 6}, {1, 4, 6}, {1, 2, 7}, {2, 4, 5}]
    matrix = slots.characteristic(range(1, 8), columns)
    neighbours = [slots.similarity(matrix, at, at + 1) for at in range(3)]
    assert neighbours == [Fraction(1, 4), Fraction(1, 5), Fraction(1, 5)]
    assert minhashes(range(1, 8), columns) == [3, 1, 1, 2]
    backwards = range(7, 0, -1)
    assert [backwards.index(row) + 1 for row in minhashes(backwards, columns)] == [2, 2, 1, 3]


def test_two_hash_functions_are_too_few():
    columns, functions = [{0, 3}, {2}, {1, 3, 4}, {0, 2, 3}], [(1, 1), (3, 1)]
    made = by_kernel(columns, functions, 5)
    assert made == [(1, 0), (3, 2), (0, 0), (1, 0)]
    assert made == slots.signatures(range(5), columns, lambdas(functions, 5))
    assert estimate(made, 0, 3) == 1
    assert slots.similarity(slots.characteristic(range(5), columns), 0, 3) == Fraction(2, 3)


def test_slots_row_by_row():
    """After each row, the slots are the kernel's signatures of the rows so far."""
    inf, rows = math.inf, range(1, 6)
    columns, functions = [{1, 3, 4}, {2, 3, 5}], [(1, 0), (2, 1)]
    after = [by_kernel(so_far, functions, 5) for so_far in rows_so_far(rows, columns)]
    assert [first for first, _ in after] == [(1, 3), (1, 3), (1, 2), (1, 2), (1, 2)]
    assert [second for _, second in after] == [(inf, inf), (2, 0), (2, 0), (2, 0), (0, 0)]
    assert after[-1] == [(1, 2), (0, 0)]
    assert after == list(slots.slots(rows, columns, lambdas(functions, 5)))
    assert traced(rows, columns, functions, 5) == after


def test_a_trace_goes_through_the_slots_of_four_columns():
    columns, functions = [{0, 3}, {2}, {1, 3, 4}, {0, 2, 3}], [(1, 1), (3, 1)]
    after = traced(range(5), columns, functions, 5)
    inf = math.inf
    assert after[:2] == [[(1, 1), (inf, inf), (inf, inf), (1, 1)], [(1, 1), (inf, inf), (2, 4), (1, 1)]]
    assert after[2:4] == [[(1, 1), (3, 2), (2, 4), (1, 1)], [(1, 0), (3, 2), (2, 0), (1, 0)]]
    assert after[4] == [(1, 0), (3, 2), (0, 0), (1, 0)]


def test_slots_of_three_columns():
    columns, functions = [{0, 3}, {2}, {1, 3}], [(1, 1), (3, 1)]
    assert by_kernel(columns, functions, 4) == [(0, 1), (3, 3), (0, 0)]
    assert slots.signatures(range(4), columns, lambdas(functions, 4)) == [(0, 1), (3, 3), (0, 0)]


@pytest.mark.parametrize("seed", [0, 42])
@pytest.mark.parametrize("shingles", [("nadal", "nadia"), ("abcdabd", "The plane was ready")])
def test_the_slot_algorithm_with_the_kernels_own_functions_is_the_kernel(shingles, seed):
    """Row by row, on the tokens of real shingles, with the functions that `permutation` draws."""
    sets = [set(tokens(text.encode(), some.shingling(k=2))) for text in shingles]
    rows = sorted(set().union(*sets))
    factors, terms = (array.tolist() for array in permutation.hash_functions(8, seed))

    def hashed(factor: int, term: int) -> Callable[[int], int]:
        return lambda row: (factor * murmur.fmix32(np.array([row], np.uint32)).item() + term) % (1 << 64) >> 32

    functions = [hashed(factor, term) for factor, term in zip(factors, terms, strict=True)]
    passing = slots.slots(rows, sets, functions)
    for so_far, after in zip(rows_so_far(rows, sets), passing, strict=True):
        made = permutation.signatures(some.ragged([sorted(members) for members in so_far], np.uint32), 8, seed)
        assert [tuple(math.inf if slot == fss.EMPTY else slot for slot in row) for row in made.tolist()] == after


def estimate(signatures: Sequence[tuple[float, ...]], left: int, right: int) -> float:
    """Return the share of places that agree, by the kernel."""
    made = np.array(signatures, np.uint32)
    return float(jaccard.estimates(made, np.array([left]), np.array([right]))[0])


def test_neighbours_in_a_signature_matrix():
    columns = [(3, 2, 1), (1, 2, 5), (1, 1, 3), (2, 3, 2)]
    assert [estimate(columns, at, at + 1) for at in range(3)] == [1 / 3, 1 / 3, 0]


GOLDEN = {
    ("fss", 8): "359797425 972573949 1328615756 1666990962 2158755732 2744816228 3701159945 4146415312",
    ("fss", 16): "1792926 359797425 560630564 972573949 1328615756 1393372667 1666990962 1940798746"
    " 2158755732 2613040991 2744816228 3136737249 3419668121 3701159945 3963996762 4146415312",
    ("permutation", 8): "284512269 581698025 2134084806 463949805 43131062 1265257912 601513845 372791422",
    ("permutation", 16): "284512269 581698025 2134084806 463949805 43131062 1265257912 601513845 372791422"
    " 127917516 32802813 805846088 317196218 155075861 217993937 597866800 53965035",
}


@pytest.mark.parametrize(("scheme", "size"), GOLDEN)
def test_signature_of_abcdabd_is_fixed_for_good(scheme, size):
    golden = list(map(int, GOLDEN[scheme, size].split()))
    assert twin_signatures.SCHEMES[scheme](ABCDABD, size, 0) == golden
    assert some.signatures(some.ragged([ABCDABD], np.uint32), size, scheme=scheme).tolist() == [golden]


# Bands


def test_20_bands_of_5_rows_have_their_threshold_at_549():
    assert Bands(20, 5).steepest == pytest.approx(0.549, abs=5e-4)


def test_20_bands_of_5_rows_find_99_965_percent_at_80():
    assert pytest.approx(0.328, abs=5e-4) == 0.8**5
    assert Bands(1, 5).chance(0.8) == pytest.approx(0.8**5)
    assert pytest.approx(0.00035, abs=5e-6) == (1 - 0.328) ** 20
    assert 1 - Bands(20, 5).chance(0.8) == pytest.approx(0.000356, abs=5e-7)
    assert Bands(20, 5).chance(0.8) == pytest.approx(0.99965, abs=1e-5)


def test_20_bands_of_5_rows_make_4_74_percent_false_candidates_at_30():
    assert Bands(1, 5).chance(0.3) == pytest.approx(0.00243)
    assert Bands(20, 5).chance(0.3) == pytest.approx(0.0474, abs=1e-4)
    assert Bands(20, 5).chance(0.3) == pytest.approx(0.04749, abs=5e-6)


@pytest.mark.parametrize(
    ("places", "at", "bands", "rows"),
    [(100, 0.8, 10, 10), (100, 0.5, 20, 5), (128, 0.8, 8, 16), (200, 0.8, 20, 10), (200, 0.5, 40, 5)],
)
def test_the_lectures_rule(places, at, bands, rows):
    assert banding.choose(ChoosingBands(threshold=at, rule="nearest"), places) == (bands, rows)
    assert twin_bands.by_nearest(at, places) == (bands, rows)


def test_the_lectures_rule_brings_ten_bands_of_ten_rows_to_794():
    assert Bands(10, 10).steepest == pytest.approx(0.794, abs=5e-4)


@pytest.mark.parametrize(
    ("places", "at", "recall", "bands", "rows", "found"),
    [
        (64, 0.8, 0.95, 10, 6, 0.9522),
        (64, 0.8, 0.99, 12, 5, 0.9915),
        (128, 0.5, 0.95, 42, 3, 0.9963),
        (128, 0.5, 0.99, 42, 3, 0.9963),
        (128, 0.7, 0.95, 25, 5, 0.9899),
        (128, 0.7, 0.99, 32, 4, 0.9998),
        (128, 0.8, 0.95, 18, 7, 0.9855),
        (128, 0.8, 0.99, 21, 6, 0.9983),
        (128, 0.9, 0.95, 10, 12, 0.9638),
        (128, 0.9, 0.99, 12, 10, 0.9942),
        (256, 0.7, 0.95, 36, 7, 0.9547),
        (256, 0.7, 0.99, 42, 6, 0.9948),
        (256, 0.8, 0.95, 28, 9, 0.9823),
        (256, 0.8, 0.99, 32, 8, 0.9972),
        (256, 0.9, 0.95, 16, 16, 0.9623),
        (256, 0.9, 0.99, 18, 14, 0.9907),
    ],
)
def test_the_recall_rule(places, at, recall, bands, rows, found):
    assert banding.choose(ChoosingBands(threshold=at, recall=recall), places) == (bands, rows)
    assert twin_bands.by_recall(at, recall, places) == (bands, rows)
    assert Bands(bands, rows).chance(at) == pytest.approx(found, abs=5e-5)


def test_the_defaults_are_18_bands_of_7_rows():
    assert banding.choose(ChoosingBands(), 128) == (18, 7)
