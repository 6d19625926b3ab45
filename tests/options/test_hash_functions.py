"""Own hash functions: the rows that they are about, and permutations of these."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.options.hash_functions import (
    PermutationLines,
    function_values,
    in_row_order,
    numbers_of,
    permutation_values,
    permuted_rows,
)
from simdocs.options.recipes import MOST_FUNCTIONS, MOST_ITEM_BYTES, MOST_ITEMS

items = st.sets(st.text(st.characters(exclude_categories=()), max_size=4).filter(lambda item: item.split() == [item]))


@given(st.sets(st.integers(0, 10**18 - 1)))
def test_whole_numbers_are_their_own_numbers(numbers):
    rows = in_row_order(map(str, numbers))
    assert rows == [str(number) for number in sorted(numbers)]
    assert numbers_of(rows) == sorted(numbers)


@given(st.sets(st.text(), min_size=1))
def test_other_items_are_numbered_in_the_order_of_their_bytes(given_items):
    rows = in_row_order([*given_items, "z"])
    assert rows == sorted([*given_items, "z"], key=lambda item: item.encode("utf-8", "surrogateescape"))
    assert numbers_of(rows) == list(range(len(rows)))


@pytest.mark.parametrize("other", ["a", "-3", "3.5", "٣", "1 2", "+1", ""])
def test_one_item_that_is_no_whole_number_makes_all_of_them_places(other):
    rows = in_row_order(["10", "9", other])
    assert numbers_of(rows) == [0, 1, 2]
    assert rows.index("10") < rows.index("9")


def test_invalid_bytes_are_ordered_as_bytes():
    assert in_row_order(["\udcff", "\U0001f600", "\uffff"]) == ["\uffff", "\U0001f600", "\udcff"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["007", "7"], "007 and 7 are the same number: write both in the same way"),
        (["1" * 19], "111111111111111111... has 19 digits, and 18 are allowed"),
        ([f"{number:04}" for number in range(MOST_ITEMS + 1)], "there are 1,001 different shingles, and 1,000 are"),
        (["x" * (MOST_ITEM_BYTES + 1)], "the different shingles have 65,537 bytes, and 65,536 are allowed"),
    ],
)
def test_numbers_that_are_too_large_or_the_same_are_refused(rows, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        numbers_of(rows)


def test_a_value_that_is_no_signature_is_refused():
    assert function_values(["x"], ["4294967294"]) == [[4294967294]]
    for row, value in (("4294967295", "4,294,967,295"), ("1" * 18, "111,111,111,111,111,111")):
        with pytest.raises(ValueError, match=f"^x is {value} for '{row}', and 4,294,967,294 is the most: end it with"):
            function_values(["x"], [row])
    with pytest.raises(ValueError, match=r"is more than 10\^18 for"):
        function_values(["x*x"], ["1" * 18])


@given(items, st.randoms(use_true_random=False))
def test_a_permutation_of_items_or_their_numbers_has_places_from_1(given_items, random):
    rows = in_row_order(given_items)
    order = random.sample(rows, len(rows))
    xs = dict(zip(rows, numbers_of(rows), strict=True)) if len(set(map(len, rows))) < 2 else None
    assert permuted_rows(order, rows) == [rows.index(item) for item in order]
    if xs is None or not rows:
        return
    (places,) = permutation_values([" ".join(str(xs[item]) for item in order)], rows)
    assert places == [order.index(item) + 1 for item in rows]


@pytest.mark.parametrize(
    ("text", "rows", "permutations"),
    [
        ("1 2 3\n3 2 1\n", "1 2 3", ("1 2 3", "3 2 1")),
        ("3\n1\n2", "1 2 3", ("3 1 2",)),
        ("c a b", "a b c", ("2 0 1",)),
        ("2 0 1", "a b c", ("2 0 1",)),
        ("2 \t 0 \t 1", "a b c", ("2 0 1",)),
        ("c\r\na\r\nb\r\n\n", "a b c", ("2 0 1",)),
        ("1 a b", "1 a b", ("0 1 2",)),
        ("0 1 2", "1 a b", ("0 1 2",)),
        ("03 1 02", "1 2 3", ("3 1 2",)),
        ("7", "7", ("7",)),
    ],
)
def test_a_file_has_a_permutation_on_each_line_or_a_shingle_on_each_line(text, rows, permutations):
    assert PermutationLines.of(text).of_items(rows.split()) == permutations


def test_tabs_stand_between_shingles_that_have_spaces():
    rows = ["alice and", "roses are", "the plane"]
    assert PermutationLines.of("the plane\talice and\t roses  are \n").of_items(rows) == ("2 0 1",)
    with pytest.raises(ValueError, match=r"^line 1: 'the' is not one of the 3 shingles .*: put tabs between shingles"):
        PermutationLines.of("the plane alice and roses are").of_items(rows)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2 3\n1 2", "line 2: '3' is missing, one of the 3 shingles ('1', '2', '3')"),
        ("1 2 2", "line 1: '2' occurs twice"),
        ("1 2 3 4", "line 1: '4' is not one of the 3 shingles ('1', '2', '3')"),
        ("1 2 -3", "line 1: '-3' is not one of the 3 shingles ('1', '2', '3')"),
        ("1 2 ٣", "line 1: '٣' is not one of the 3 shingles ('1', '2', '3')"),
        ("1,2,3", "line 1: '1,2,3' is not one of the 3 shingles ('1', '2', '3')"),
        ("1\n2\n2", "line 3: '2' occurs twice"),
        ("1\n2", "'3' is missing, one of the 3 shingles ('1', '2', '3')"),
        ("1 2 3\n\n3 2 1", "line 2 is empty: remove it"),
        ("\n1 2 3", "line 1 is empty: remove it"),
        (" \n\n", "there are no permutations in it"),
        ("1 2 3\n" * (MOST_FUNCTIONS + 1), "it has 51 permutations, and 50 are allowed"),
    ],
)
def test_what_is_no_permutation_is_refused_with_its_line(text, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        PermutationLines.of(text).of_items(["1", "2", "3"])
