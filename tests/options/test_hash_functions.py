"""Own hash functions: the rows that they are about, and permutations of these."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.options.hash_functions import (
    HASH_FUNCTIONS,
    MOST_FUNCTIONS,
    TOO_MANY,
    in_row_order,
    numbers_of,
    permutations_in,
    permuted,
    refuse_contradiction,
    values_of,
)
from simdocs.options.recipes import Sketching

items = st.sets(st.text(st.characters(exclude_categories=()), max_size=4).filter(lambda item: item.split() == [item]))


LARGEST = 10**9 - 1
FACTORS = st.integers(0, LARGEST)


@given(FACTORS, FACTORS, st.integers(1, LARGEST), st.sets(st.integers(0, 10**18 - 1)), st.sampled_from(["", " ", "  "]))
def test_a_linear_function_is_computed_without_overflow(a, b, m, numbers, space):
    expected = [(a * x + b) % m for x in sorted(numbers)]
    texts = [f"{a}*x+{b}mod{m}", f"({a}x+{b})%{m}", f"{a} * x + {b} mod {m}", f"({a}x + {b}) % {m}"]
    functions = HASH_FUNCTIONS.check([f"{space}{text}{space}" for text in texts])
    assert functions == tuple([f"{a}*x+{b} mod {m}", f"({a}*x+{b}) mod {m}"] * 2)
    assert HASH_FUNCTIONS.check(functions) == HASH_FUNCTIONS.parse(",".join(texts)) == functions
    scheme = Sketching(scheme="functions", functions=functions, items=tuple(map(str, sorted(numbers))))
    assert values_of(scheme) == [expected] * 4


@pytest.mark.parametrize(
    "wrong",
    [
        *("", " ", "x", "7", "7 mod 5", "x*x mod 5", "x**2 mod 5", "x+x mod 5", "x-1 mod 5", "x/2 mod 5", "1+3x mod 5"),
        *("x mod 0", "x mod 05", "x mod x", "x mod 5 mod 3", "x mod 5+1", "(x mod 5", "x) mod 5", "((x)) mod 5"),
        *("2(x+1) mod 5", "1 2x mod 5", "X mod 5", "٣*x mod 5", "1234567890x mod 5", "x mod 1234567890", "x mod 5,"),
        *(["x mod 5", "x mod 5,x mod 3"], ["x mod 5", 3], ["x mod 5"] * (MOST_FUNCTIONS + 1), 3, {"x mod 5"}),
    ],
)
def test_what_is_no_linear_function_is_refused(wrong):
    said = "1 to 50 functions (a*x+b) mod m, such as '(x+1) mod 5, (3*x+1) mod 5'"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        HASH_FUNCTIONS.check(wrong)


@given(items, st.randoms(use_true_random=False))
def test_a_permutation_of_items_or_their_numbers_has_places_from_1(given_items, random):
    rows = in_row_order(given_items)
    order = random.sample(rows, len(rows))
    numbers = dict(zip(rows, numbers_of(rows), strict=True))
    (recorded,) = permuted([order], rows)
    assert recorded == " ".join(str(numbers[item]) for item in order)
    scheme = Sketching(scheme="permutation-file", permutations=(recorded,), items=tuple(rows))
    assert values_of(scheme) == [[order.index(item) + 1 for item in rows]]
    assert permuted([recorded.split()], list(map(str, numbers.values()))) == (recorded,)


@pytest.mark.parametrize(
    ("text", "rows", "permutations"),
    [
        ("1 2 3\n3 2 1\n", "1 2 3", ("1 2 3", "3 2 1")),
        ("1 2 3\r3 2 1\r", "1 2 3", ("1 2 3", "3 2 1")),
        ("3\n1\n2", "1 2 3", ("3 1 2",)),
        ("c a b", "a b c", ("2 0 1",)),
        ("2 0 1", "a b c", ("2 0 1",)),
        ("2 \t 0 \t 1", "a b c", ("2 0 1",)),
        ("c\r\na\r\nb\r\n\n", "a b c", ("2 0 1",)),
        ("\n1 2 3\n\n3 2 1", "1 2 3", ("1 2 3", "3 2 1")),
        ("1 a b", "1 a b", ("0 1 2",)),
        ("0 1 2", "1 a b", ("0 1 2",)),
        ("03 1 02", "1 2 3", ("3 1 2",)),
        ("7", "7", ("7",)),
    ],
)
def test_a_file_has_a_permutation_on_each_line_or_a_shingle_on_each_line(text, rows, permutations):
    assert permuted(permutations_in(text), rows.split()) == permutations


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2 3\n1 2", "permutation 2: '3' is missing among the 3 shingles"),
        ("1 2 2", "permutation 1: '2' occurs twice among the 3 shingles"),
        ("1 2 3 4", "permutation 1: '4' is not among the 3 shingles"),
        ("1 2 -3", "permutation 1: '-3' is not among the 3 shingles"),
        ("1 2 ٣", "permutation 1: '٣' is not among the 3 shingles"),
        ("1,2,3", "permutation 1: '1,2,3' is not among the 3 shingles"),
        ("1\n2\n2", "permutation 1: '2' occurs twice among the 3 shingles"),
        (" \n\n", "it has 0 permutations, not 1 to 50"),
        ("1 2 3\n" * (MOST_FUNCTIONS + 1), "it has 51 permutations, not 1 to 50"),
    ],
)
def test_what_is_no_permutation_is_refused(text, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        permuted(permutations_in(text), ["1", "2", "3"])


def test_tabs_stand_between_shingles_that_have_spaces():
    assert permuted(permutations_in("c  d\ta b\n"), ["a b", "c d"]) == ("1 0",)
    said = "permutation 1: 'c' is not among the 2 shingles: put tabs between shingles that have spaces"
    with pytest.raises(ValueError, match=f"^{said}$"):
        permuted(permutations_in("c d a b\n"), ["a b", "c d"])


def test_a_thousand_shingles_of_64_kib_are_numbered_by_value_or_by_place():
    most = [f"{at:03}" for at in range(1000)]
    assert in_row_order(reversed(most)) == most
    assert in_row_order(["10", "9", "1"]) == ["1", "9", "10"]
    assert in_row_order(["10", "9", "x"]) == ["10", "9", "x"]
    assert numbers_of(most) == list(range(1000))
    assert numbers_of(["é" * (1 << 15)]) == [0]
    for wrong, said in (
        ([*most, "1000"], TOO_MANY),
        (["é" * (1 << 15), "x"], TOO_MANY),
        (["1", "01"], "1 and 01 are the same number: write both in the same way"),
    ):
        with pytest.raises(ValueError, match=f"^{said}$"):
            numbers_of(wrong)
    assert HASH_FUNCTIONS.check(["x mod 5"] * MOST_FUNCTIONS) == ("x mod 5",) * MOST_FUNCTIONS


LINEAR = Sketching(
    scheme="functions",
    num_perm=2,
    functions=("x+1 mod 5", "3*x mod 5"),
    items=("1", "2"),
    item_tokens=(0, (1 << 32) - 1),
)
PERMUTED = Sketching(scheme="permutation-file", num_perm=1, permutations=("2 1",), items=("1", "2"), item_tokens=(7, 8))


@pytest.mark.parametrize(
    ("scheme", "changes"),
    [
        *((LINEAR, {"scheme": scheme}) for scheme in ("fss", "permutation-file")),
        (LINEAR, {"permutations": ("1 2", "2 1")}),
        *((LINEAR, {"num_perm": number}) for number in (1, 3)),
        (LINEAR, {"num_perm": MOST_FUNCTIONS + 1, "functions": ("x mod 5",) * (MOST_FUNCTIONS + 1)}),
        (LINEAR, {"functions": (), "num_perm": 0}),
        (LINEAR, {"functions": ("x + 1 mod 5", "3*x mod 5")}),
        *((LINEAR, {"items": items}) for items in (("", "1"), ("2", "1"), ("1", "1"), ("1",), ("1", "01"))),
        *((LINEAR, {"item_tokens": tokens}) for tokens in ((7,), (7, 7), (-1, 7), (7, 1 << 32))),
        *((PERMUTED, {"permutations": (order,)}) for order in ("1", "02 1", "2 1 1", "2  1")),
    ],
)
def test_functions_that_contradict_themselves_are_refused(scheme, changes):
    for whole in (LINEAR, PERMUTED, LINEAR.but(items=(), item_tokens=())):
        refuse_contradiction(whole)
    with pytest.raises(ValueError, match=r"^|."):
        refuse_contradiction(scheme.but(**changes))
