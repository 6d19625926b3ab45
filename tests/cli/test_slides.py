"""Signatures with the hash functions and permutations of slides are what stands on the slides."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs as library
from tests.amounts import examples
from tests.cli.corpus import lay
from tests.cli.lectures import EMPTY, MATRIX, OF_LETTERS, QUIZ, laid, shown, signed, traced
from tests.cli.program import simdocs
from tests.twins import slots as twin


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return laid(tmp_path)


def test_the_matrix_of_7_rows_has_3112_and_2213(here):
    assert signed(here, "matrix", "--permutation-file", "orders") == [[3, 1, 1, 2], [2, 2, 1, 3]]
    simdocs("shingle", "matrix", "--unit", "line", "-o", "x.shingles", cwd=here)
    rows = simdocs("show", "x.shingles", "--matrix", cwd=here).rows
    assert [row[0] for row in rows] == [b"1", b"2", b"3", b"4", b"5", b"6", b"7"]
    assert [b"".join(row[2:]) for row in rows] == [b"0110", b"0011", b"1000", b"0101", b"0001", b"1100", b"0010"]
    trace = traced(here, *(f"matrix/{name}" for name in MATRIX), "--unit", "line", "--permutation-file", "orders")
    assert trace[1][-1] == [(3, 2), (1, 2), (1, 1), (2, 3)]


def test_a_permuted_order_of_five_rows(here):
    sets = {"D1": "14", "D2": "3", "D3": "245", "D4": "134"}
    lay(here, {f"five/{name}": "\n".join(lines).encode() for name, lines in sets.items()})
    (here / "order").write_text("2 5 1 4 3\n")
    order = [2, 5, 1, 4, 3]
    (places,) = signed(here, "five", "--permutation-file", "order")
    assert [order[place - 1] for place in places] == [1, 3, 2, 1]
    (here / "order").write_text("2\n5\n1\n4\n3\n")
    assert signed(here, "five", "--permutation-file", "order") == [places]


def test_shingles_of_characters_in_permuted_order(here):
    lay(here, {"names/nadal": b"nadal", "names/nadia": b"nadia"})
    order = ["di", "da", "ia", "na", "ad", "al"]
    (here / "order").write_text(" ".join(order))
    assert simdocs("signature", "names", "-k", "2", "--permutation-file", "order", "-o", "n.signatures", cwd=here) == (
        *(0, b"", ""),
    )
    assert [order[place - 1] for place in shown(here, "n.signatures")[0]] == ["da", "di"]


def test_letters_are_numbered_from_0(here):
    assert signed(here, "letters", "--functions", OF_LETTERS) == [[1, 3, 0, 1], [0, 2, 0, 0]]
    as_on_slides = "x + 1 mod 5,3*x + 1 mod 5"
    assert signed(here, "letters", "--functions", as_on_slides, name="y.signatures") == [[1, 3, 0, 1], [0, 2, 0, 0]]
    agree = simdocs("show", "x.signatures", "letters/D1", "letters/D4", cwd=here).rows
    assert [row[-1] for row in agree] == [b"yes", b"yes"]
    two = simdocs("compare", "letters/D1", "letters/D4", "--unit", "line", cwd=here)
    assert b"\njaccard\t0.666667\n" in two.out


def test_the_slot_table_of_two_sets(here):
    inf = float("inf")
    options = ("slots/C1", "slots/C2", "--unit", "line", "--functions", "x mod 5, 2*x+1 mod 5")
    rows, after = traced(here, *options)
    assert rows == ["1", "2", "3", "4", "5"]
    assert [first for first, _ in after] == [(1, 3), (1, 3), (1, 2), (1, 2), (1, 2)]
    assert [second for _, second in after] == [(inf, inf), (2, 0), (2, 0), (2, 0), (0, 0)]


def test_the_pop_quiz(here):
    functions = ("--unit", "line", "--functions", "x+1 mod 4, 3*x+1 mod 4")
    assert traced(here, *(f"quiz/{name}" for name in QUIZ), *functions)[1][-1] == [(0, 1), (3, 3), (0, 0)]
    assert signed(here, "quiz", *functions[2:]) == [[0, 3, 0], [1, 3, 0]]


def test_shingles_that_come_first_in_a_later_batch_are_numbered(tmp_path):
    texts = [*(" ".join(map(str, range(at % 7, 200))) for at in range(2000)), "777"]
    lay(tmp_path, {"x.jsonl": "\n".join(f'{{"text": "{text}"}}' for text in texts).encode()})
    words = ("--unit", "word", "-k", "1", "--functions", "(x+1) mod 997", "-o", "x.signatures")
    assert simdocs("signature", "x.jsonl", *words, cwd=tmp_path) == (0, b"", "")


# The slow twin

NUMBERS = st.integers(0, 99)
SETS = st.lists(st.sets(NUMBERS, max_size=8), min_size=1, max_size=5)
FUNCTIONS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(1, 50)), min_size=1, max_size=3)


@examples(50)
@given(SETS, FUNCTIONS, st.sampled_from(["", "row "]))
def test_signatures_with_stated_functions_are_those_of_the_slot_algorithm(sets, functions, prefix):
    every = sorted(set().union(*sets), key=(lambda row: f"{prefix}{row}") if prefix else None)
    number = {row: place if prefix else row for place, row in enumerate(every)}
    lambdas = [lambda row, a=a, b=b, m=m: (a * row + b) % m for a, b, m in functions]
    columns = [{number[row] for row in column} for column in sets]
    expected = twin.signatures([number[row] for row in every], columns, lambdas) if every else []
    texts = ["\n".join(f"{prefix}{row}" for row in column) for column in sets]
    formulas = [f"({a}*x+{b}) mod {m}" for a, b, m in functions]
    made = library.signature(texts=texts, unit="line", functions=formulas)
    for row, column in enumerate(sets):
        assert made.signatures[row].tolist() == (list(expected[row]) if column else [EMPTY] * len(functions))
    assert list(made.recipe.sketching.items) == [f"{prefix}{row}" for row in every]


@examples(50)
@given(sets=st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1), min_size=1, max_size=5), data=st.data())
def test_signatures_with_permutations_are_places_of_the_first_rows(sets, data, tmp_path_factory):
    every = sorted(set().union(*sets))
    orders = data.draw(st.lists(st.permutations(every), min_size=1, max_size=3))
    file = tmp_path_factory.mktemp("orders") / "orders"
    file.write_text("\n".join(map(" ".join, orders)))
    made = library.signature(texts=["\n".join(column) for column in sets], unit="line", permutation_file=file)
    expected = [[list(order).index(twin.minhash(order, column)) + 1 for order in orders] for column in sets]
    assert made.signatures.tolist() == expected
