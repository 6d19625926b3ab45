"""Hash functions that a user states: (a*x+b) mod m, or permutations of all shingles. They are for small sets.

The different shingles of all documents are called items here. The number x of an item is the item itself if all items
are whole numbers, and otherwise its place from 0 in the order of the UTF-8 bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from simdocs.options.values import Values

if TYPE_CHECKING:
    from simdocs.options.recipes import Sketching

OWN_SCHEMES = FUNCTIONS, PERMUTATIONS = "functions", "permutation-file"
"""The schemes whose hash functions are stated, and not drawn with the seed. Manifests have them as the others. They are
no values of --scheme, because the options that state their functions choose them."""

MOST_FUNCTIONS = 50
"""The largest number of functions or permutations. Candidates are dropped by their estimate only with 64 places or
more, which would be wrong with functions that are not random."""

MOST_ITEMS, MOST_ITEM_BYTES = 1000, 1 << 16
"""The largest number of different shingles for own functions, and of their bytes in UTF-8."""

MOST_OWN_BYTES = 3 << 19
"""Bytes that functions, items and tokens take in a manifest at most: 20 bytes for each row of a permutation, 6 for each
byte of an item, which may be an escape, and less than 100 KiB for all else."""

TOO_MANY = (
    f"there are more than {MOST_ITEMS:,} different shingles, or they have more than {MOST_ITEM_BYTES >> 10} KiB:"
    " --scheme permutation has random functions for any number"
)

# A value below m has its place in a signature, whose largest number means that a document has no items.
_LINEAR = re.compile(
    r"\s*(?P<open>\()?\s*(?:(?P<a>[0-9]{1,9})\s*\*?)?\s*x\s*(?:\+\s*(?P<b>[0-9]{1,9}))?\s*(?(open)\))"
    r"\s*(?:mod|%)\s*(?P<m>[1-9][0-9]{0,8})\s*"
)

_NUMBER = re.compile("[0-9]{1,18}")


def _functions(value: Any) -> tuple[str, ...] | None:
    """Linear functions in their usual spelling, with spaces around mod only; None: they are none."""
    texts, found = value.split(",") if isinstance(value, str) else value, list[str]()
    if not isinstance(texts, tuple | list) or len(texts) > MOST_FUNCTIONS:
        return None
    for text in texts:
        match = _LINEAR.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            return None
        function = (f"{match['a']}*x" if match["a"] else "x") + (f"+{match['b']}" if match["b"] else "")
        found.append(f"({function}) mod {match['m']}" if match["open"] else f"{function} mod {match['m']}")
    return tuple(found)


HASH_FUNCTIONS = Values(
    f"1 to {MOST_FUNCTIONS} functions (a*x+b) mod m, such as '(x+1) mod 5, (3*x+1) mod 5'",
    _functions,
    python="str | Sequence[str]",
)
"""Linear functions; on a command line separated by commas, in Python also in a sequence."""


def _bytes(item: str) -> bytes:
    return item.encode("utf-8", "surrogateescape")


def _are_numbers(items: Iterable[str]) -> bool:
    return all(map(_NUMBER.fullmatch, items))


def in_row_order(items: Iterable[str]) -> list[str]:
    """Items in the order of their numbers x. Items with the same number follow each other."""
    listed = sorted(items, key=_bytes)
    return sorted(listed, key=int) if _are_numbers(listed) else listed


def numbers_of(items: Sequence[str]) -> list[int]:
    """The number x of each item. items: all of them, in the order of rows.

    ValueError: there are too many, or two are the same number.
    """
    if len(items) > MOST_ITEMS or sum(len(_bytes(item)) for item in items) > MOST_ITEM_BYTES:
        raise ValueError(TOO_MANY)
    if not _are_numbers(items):
        return list(range(len(items)))
    for item, other in pairwise(items):
        if int(item) == int(other):
            raise ValueError(f"{item} and {other} are the same number: write both in the same way")
    return list(map(int, items))


def permutations_in(text: str) -> list[list[str]]:
    """The words of each permutation: one on each line, or one alone with a word on each line.

    If there are tabs, they separate words, which may then have spaces. ValueError: there are none, or too many.
    """
    lines = [line for line in re.split(r"\r\n|\r|\n", text) if line.strip()]
    between = "\t" if "\t" in text else None
    found = [[" ".join(word.split()) for word in line.split(between) if word.strip()] for line in lines]
    if len(found) > 1 and all(len(words) == 1 for words in found):
        return [[word for (word,) in found]]
    if not 1 <= len(found) <= MOST_FUNCTIONS:
        raise ValueError(f"it has {len(found):,} permutations, not 1 to {MOST_FUNCTIONS}")
    return found


def permuted(permutations: Iterable[Sequence[str]], items: Sequence[str]) -> tuple[str, ...]:
    """Each permutation as the numbers x of the items in its order, with spaces between them.

    permutations: each of items, or else of their numbers x. ValueError: one does not have each item once.
    """
    xs, found = list(map(str, numbers_of(items))), list[str]()
    for number, given in enumerate(permutations, 1):
        words, x_of = given, dict(zip(items, xs, strict=True))
        if _are_numbers(words) and not x_of.keys() >= set(words):
            words, x_of = [str(int(word)) for word in words], dict(zip(xs, xs, strict=True))
        counts = Counter(words)
        if (wrong := next((word for word in (*counts, *x_of) if counts[word] != (word in x_of)), None)) is not None:
            problem = "is not" if wrong not in x_of else "occurs twice" if counts[wrong] else "is missing"
            tabs = ": put tabs between shingles that have spaces" if any(" " in item for item in items) else ""
            raise ValueError(f"permutation {number}: {wrong!r} {problem} among the {len(items):,} shingles{tabs}")
        found.append(" ".join(x_of[word] for word in words))
    return tuple(found)


def values_of(sketching: Sketching) -> list[list[int]]:
    """The values of each function of a scheme with functions of its own, for all items, in the order of rows.

    That of a permutation is the place of the item in it, from 1. ValueError: see `numbers_of`.
    """
    xs, columns = numbers_of(sketching.items), list[list[int]]()
    for function in sketching.functions:
        match = _LINEAR.fullmatch(function)
        assert match is not None
        a, b, m = int(match["a"] or 1), int(match["b"] or 0), int(match["m"])
        columns.append([(a * x + b) % m for x in xs])
    for permutation in sketching.permutations:
        places = {int(x): place for place, x in enumerate(permutation.split(), 1)}
        columns.append([places[x] for x in xs])
    return columns


def refuse_contradiction(sketching: Sketching) -> None:
    """Raise ValueError unless the scheme, functions, items and tokens can stand in one manifest."""
    functions, permutations, items = sketching.functions, sketching.permutations, sketching.items
    tokens, stated = sketching.item_tokens, functions if sketching.scheme == FUNCTIONS else permutations
    if (
        sketching.scheme not in OWN_SCHEMES
        or bool(functions) is bool(permutations)
        or not len(stated) == sketching.num_perm <= MOST_FUNCTIONS
        or not all(items)
        or list(items) != in_row_order(set(items))
        or not len(items) == len(tokens) == len(set(tokens))
        or any(not 0 <= token < 1 << 32 for token in tokens)
        or _functions(functions) != functions
        or permuted(map(str.split, permutations), list(map(str, numbers_of(items)))) != permutations
    ):
        raise ValueError
