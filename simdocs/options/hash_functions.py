"""Hash functions that a user states, formulas and permutations, and the rows that they are about; for small sets.

The rows are the different shingles of all documents, which are called items here. The number x of an item is the item
itself if all items are whole numbers, and otherwise its place from 0 in the order of the UTF-8 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from simdocs.options.formulas import MOST_DIGITS, parsed, spelled_functions
from simdocs.options.recipes import (
    FORMULAS,
    MOST_FUNCTIONS,
    MOST_ITEM_BYTES,
    MOST_ITEMS,
    OWN_SCHEMES,
    Sketching,
)

MOST_VALUE = (1 << 32) - 2
"""The largest value of a function. The next number means that a document has no items."""


def are_numbers(items: Iterable[str]) -> bool:
    """Whether all of these items are whole numbers: ASCII digits, and nothing else."""
    return all(item.isascii() and item.isdecimal() for item in items)


def _bytes(item: str) -> bytes:
    return item.encode("utf-8", "surrogateescape")


def in_row_order(items: Iterable[str]) -> list[str]:
    """Items in the order of their numbers x. Items with the same number follow each other."""
    listed = sorted(items, key=_bytes)
    return sorted(listed, key=lambda item: (len(item.lstrip("0")), item.lstrip("0"))) if are_numbers(listed) else listed


def numbers_of(items: Sequence[str]) -> list[int]:
    """The number x of each item. items: all of them, in the order of rows.

    ValueError: there are too many, or numbers that are too large, or the same.
    """
    if len(items) > MOST_ITEMS:
        raise ValueError(f"there are {len(items):,} different shingles, and {MOST_ITEMS:,} are allowed")
    if (size := sum(len(_bytes(item)) for item in items)) > MOST_ITEM_BYTES:
        raise ValueError(f"the different shingles have {size:,} bytes, and {MOST_ITEM_BYTES:,} are allowed")
    if not items or not are_numbers(items):
        return list(range(len(items)))
    if len(items[-1]) > MOST_DIGITS:
        raise ValueError(f"{items[-1][:MOST_DIGITS]}... has {len(items[-1]):,} digits, and {MOST_DIGITS} are allowed")
    xs = list(map(int, items))
    for at in range(1, len(xs)):
        if xs[at - 1] == xs[at]:
            raise ValueError(f"{items[at - 1]} and {items[at]} are the same number: write both in the same way")
    return xs


def function_values(functions: Sequence[str], items: Sequence[str]) -> list[list[int]]:
    """The values of each formula for all items, in the order of rows.

    ValueError: one is too large; see `numbers_of`.
    """
    xs, columns = numbers_of(items), list[list[int]]()
    for function in functions:
        values = parsed(function)[1].values(xs)
        for item, value in zip(items, values, strict=True):
            if value > MOST_VALUE:
                number = f"{value:,}" if value < 10**MOST_DIGITS else "more than 10^18"
                raise ValueError(
                    f"{function} is {number} for {item!r}, and {MOST_VALUE:,} is the most: end it with mod and a number"
                )
        columns.append(values)
    return columns


class _NoPermutationError(ValueError):
    """Words are no permutation. at: the first wrong word, from 0; None: one is missing."""

    def __init__(self, problem: str, at: int | None = None) -> None:
        super().__init__(problem)
        self.at = at


def permuted_rows(words: Sequence[str], items: Sequence[str]) -> list[int]:
    """The rows in the order of a permutation. words: the items, or else their numbers x.

    ValueError: it is not a permutation of the items.
    """
    rows = {item: row for row, item in enumerate(items)}
    if are_numbers(words) and not all(word in rows for word in words):
        rows = {str(x): row for row, x in enumerate(numbers_of(items))}
        words = [word.lstrip("0") or "0" for word in words]
    order = dict[int, str]()
    for at, word in enumerate(words):
        if word not in rows:
            raise _NoPermutationError(f"{word!r} is not one of the {len(items):,} shingles{_shown(items)}", at)
        if rows[word] in order:
            raise _NoPermutationError(f"{word!r} occurs twice", at)
        order[rows[word]] = word
    if missing := [item for row, item in enumerate(items) if row not in order]:
        raise _NoPermutationError(f"{missing[0]!r} is missing, one of the {len(items):,} shingles{_shown(items)}")
    return list(order)


_FEW = 10
"""Items that a message lists."""


def _shown(items: Sequence[str]) -> str:
    return f" ({', '.join(map(repr, items))})" if 0 < len(items) <= _FEW else ""


class PermutationLines(NamedTuple):
    """The lines of a file of permutations.

    lines: the words of each permutation.
    is_column: whether there is one permutation with a word on each line.
    has_tabs: whether the words are those between tabs, and may have spaces.
    """

    lines: tuple[tuple[str, ...], ...]
    is_column: bool
    has_tabs: bool

    @classmethod
    def of(cls, text: str) -> PermutationLines:
        """The permutations in a text. ValueError: there are none, too many, or an empty line."""
        lines = re.split(r"\r\n|\r|\n", text)
        while lines and not lines[-1].strip():
            lines.pop()
        if not lines:
            raise ValueError("there are no permutations in it")
        has_tabs = "\t" in text
        if has_tabs:
            each = [tuple(" ".join(word.split()) for word in line.split("\t") if word.strip()) for line in lines]
        else:
            each = [tuple(line.split()) for line in lines]
        if () in each:
            raise ValueError(f"line {each.index(()) + 1} is empty: remove it")
        if len(each) > 1 and all(len(words) == 1 for words in each):
            return cls((tuple(words[0] for words in each),), is_column=True, has_tabs=has_tabs)
        if len(each) > MOST_FUNCTIONS:
            raise ValueError(f"it has {len(each):,} permutations, and {MOST_FUNCTIONS} are allowed")
        return cls(tuple(each), is_column=False, has_tabs=has_tabs)

    def of_items(self, items: Sequence[str]) -> tuple[str, ...]:
        """Each permutation as the numbers x of the items in its order, with spaces between them.

        ValueError: a line is not a permutation of these items; see `numbers_of`.
        """
        xs, found = numbers_of(items), list[str]()
        for number, words in enumerate(self.lines, 1):
            try:
                found.append(" ".join(str(xs[row]) for row in permuted_rows(words, items)))
            except _NoPermutationError as wrong:
                line = number if not self.is_column else None if wrong.at is None else wrong.at + 1
                tabs = not self.has_tabs and any(" " in item for item in items)
                meant = ": put tabs between shingles that have spaces" if tabs else ""
                raise ValueError(f"{'' if line is None else f'line {line}: '}{wrong}{meant}") from None
        return tuple(found)


def permutation_values(permutations: Sequence[str], items: Sequence[str]) -> list[list[int]]:
    """For each permutation the place of each item in it, from 1. permutations: the numbers x, with spaces between them.

    ValueError: one is not a permutation of the items; see `numbers_of`.
    """
    columns = list[list[int]]()
    for permutation in permutations:
        values = [0] * len(items)
        for place, row in enumerate(permuted_rows(permutation.split(" "), list(map(str, numbers_of(items)))), 1):
            values[row] = place
        columns.append(values)
    return columns


def refuse_contradiction(sketching: Sketching) -> None:
    """Raise ValueError unless the scheme, functions, items and tokens can stand in one manifest."""
    functions, permutations, items = sketching.functions, sketching.permutations, list(sketching.items)
    tokens = sketching.item_tokens
    if sketching.scheme not in OWN_SCHEMES:
        raise ValueError("functions that the scheme does not have")
    if bool(functions) is (sketching.scheme != FORMULAS) or bool(permutations) is (sketching.scheme == FORMULAS):
        raise ValueError("functions of another scheme")
    if sketching.num_perm != len(functions) + len(permutations) or sketching.num_perm > MOST_FUNCTIONS:
        raise ValueError("not a place for each function")
    if not all(items) or items != in_row_order(set(items)):
        raise ValueError("items that are not in the order of their rows")
    if len(tokens) != len(items) or len(set(tokens)) != len(tokens):
        raise ValueError("not a token for each item")
    if any(not 0 <= token < 1 << 32 for token in tokens):
        raise ValueError("tokens that are not 4 bytes")
    if spelled_functions(functions) != functions:
        raise ValueError("a formula that is spelled in another way")
    xs, columns = numbers_of(items), values_of(sketching)
    for permutation, places in zip(permutations, columns, strict=False):
        order = sorted(range(len(xs)), key=places.__getitem__)
        if permutation != " ".join(str(xs[row]) for row in order):
            raise ValueError("a permutation that is spelled in another way")


def values_of(sketching: Sketching) -> list[list[int]]:
    """The values of each function of a scheme with functions of its own, for all items, in the order of rows."""
    if sketching.scheme == FORMULAS:
        return function_values(sketching.functions, sketching.items)
    return permutation_values(sketching.permutations, sketching.items)
