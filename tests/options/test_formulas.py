"""Formulas of hash functions: what is one, what it is worth, and where a text is none."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.options.formulas import parsed, spelled_functions
from simdocs.options.recipes import MOST_FUNCTIONS, HashFunctions

Tree = Any
"""x, a number, or a tuple: a sign and what stands on both sides of it."""

trees = st.recursive(
    st.just("x") | st.integers(0, 10**18 - 1),
    lambda inner: (
        st.tuples(st.sampled_from("+*"), inner, inner) | st.tuples(st.just("mod"), inner, st.integers(1, 10**6))
    ),
    max_leaves=8,
)
STRENGTH = {"mod": 0, "+": 1, "*": 2}


def value(tree: Tree, x: int) -> int:
    """The value of a tree, step by step."""
    if not isinstance(tree, tuple):
        return x if tree == "x" else tree
    sign, left, right = tree
    a, b = value(left, x), value(right, x)
    return a + b if sign == "+" else a * b if sign == "*" else a % b


def text(tree: Tree, space: str, least: int = 0) -> str:
    """A spelling of a tree with no more parentheses than it needs. least: the strength that needs none."""
    if not isinstance(tree, tuple):
        return str(tree)
    sign, left, right = tree
    strength = STRENGTH[sign]
    # A sum has no parentheses before mod, which is about all of it.
    inner = f"{text(left, space, strength)}{space}{sign}{space}{text(right, space, strength + 1)}"
    return inner if strength >= least else f"({inner})"


def has_x(tree: Tree) -> bool:
    return has_x(tree[1]) or has_x(tree[2]) if isinstance(tree, tuple) else tree == "x"


@given(trees.filter(has_x), st.lists(st.integers(0, 10**18), max_size=5), st.sampled_from([" ", "  ", "\t"]))
def test_a_formula_has_the_values_that_its_tree_has(tree, xs, space):
    spelled, formula = parsed(text(tree, space))
    assert formula.values(xs) == [value(tree, x) for x in xs]
    assert parsed(spelled)[0] == spelled
    assert parsed(spelled)[1].values(xs) == formula.values(xs)


@given(st.text(alphabet="x0123 +*()mod/-%", max_size=12) | st.text(max_size=6))
def test_any_text_is_a_formula_or_refused_in_one_line(given_text):
    try:
        _, formula = parsed(given_text)
    except ValueError as wrong:
        assert str(wrong)
        assert "\n" not in str(wrong)
    else:
        assert all(each >= 0 for each in formula.values([0, 1, 7]))


@pytest.mark.parametrize(
    ("spelled", "at_0", "at_3"),
    [
        ("x", 0, 3),
        ("(x+1) mod 5", 1, 4),
        ("x+1 mod 5", 1, 4),
        ("x + 4 mod 5", 4, 2),
        ("3*x+1 mod 5", 1, 0),
        ("3x+1 mod 5", 1, 0),
        ("(2*3x+1) mod 7", 1, 5),
        ("2*(x mod 3)+1", 1, 1),
        ("x mod 7 mod 2", 0, 1),
        ("x*x*x+x", 0, 30),
        ("((x))", 0, 3),
        ("007*x", 0, 21),
        ("1*(x+2)*(x+3)", 6, 30),
    ],
)
def test_mod_is_about_all_that_stands_before_it(spelled, at_0, at_3):
    assert parsed(spelled)[1].values([0, 3]) == [at_0, at_3]


ALLOWED = "only whole numbers, x, +, *, mod and parentheses are allowed"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("7", "has no x, so its value is the same for all"),
        ("3 x", "at character 3: expected +, * or mod before 'x': write 3*x"),
        ("(3 x)", "at character 4: expected +, * or mod before 'x': write 3*x"),
        ("x3", "at character 2: expected +, * or mod before '3': write x*3"),
        ("x mod 5x", "at character 8: '*' after mod can be read in two ways: add parentheses"),
        ("(x)(x)", "at character 4: expected +, * or mod before '('"),
        ("x**2", "at character 3: expected a whole number, x or (, not '*'"),
        ("x+", "at character 3: expected a whole number, x or (, not the end"),
        ("mod 5", "at character 1: expected a whole number, x or (, not 'mod'"),
        ("x/2", f"at character 2: '/': {ALLOWED}"),
        ("-x", f"at character 1: '-': {ALLOWED}"),
        ("x%5", "at character 2: '%': write mod for the remainder"),
        ("X", f"at character 1: 'X': {ALLOWED}"),
        ("x + y", f"at character 5: 'y': {ALLOWED}"),
        ("__import__('os')", f"at character 1: '__import__': {ALLOWED}"),
        ("٣*x", f"at character 1: '٣': {ALLOWED}"),
        ("x\n", f"at character 2: '\\n': {ALLOWED}"),
        ("x mod 0", "at character 7: nothing can be divided by 0"),
        ("x mod x", "at character 7: expected a whole number after mod, not 'x'"),
        ("x mod 5 + 1", "at character 9: '+' after mod can be read in two ways: add parentheses"),
        ("(x mod 5 * 2)", "at character 10: '*' after mod can be read in two ways: add parentheses"),
        ("(x", "at character 3: expected )"),
        ("x)", "at character 2: no parenthesis was opened that this one closes"),
        ("1234567890123456789*x", "at character 1: this number has 19 digits, and 18 are allowed"),
        ("(" * 21 + "x" + ")" * 21, "at character 21: more than 20 parentheses within each other"),
        ("x" + "+1" * 100, "has 201 characters, and 200 are allowed"),
    ],
)
def test_what_is_no_formula_is_refused_with_its_place(wrong, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        parsed(wrong)


def test_the_largest_formula_is_computed_without_overflow():
    factors = "*".join(["x"] * 100)
    assert parsed(factors)[1].values([10**18]) == [math.prod([10**18] * 100)]
    assert parsed("(" * 20 + "x" + ")" * 20)[1].values([5]) == [5]


def test_several_formulas_stand_between_commas_or_in_a_sequence():
    assert spelled_functions("( x + 1 )mod 5,x") == ("(x+1) mod 5", "x")
    assert HashFunctions().check(["(x+1) mod 5", "x"]) == HashFunctions().parse("(x+1) mod 5, x")
    for wrong, said in (
        ("x,", "formula 2 is empty"),
        (["x", "x,x"], f"formula 2 at character 2: ',': {ALLOWED}"),
        (["x"] * (MOST_FUNCTIONS + 1), "there are 51, and 50 are allowed"),
        (["x", 3], ""),
        (3, ""),
    ):
        with pytest.raises(ValueError, match=r"^formulas of x with"):
            HashFunctions().check(wrong)
        assert HashFunctions().hint(wrong) == said
