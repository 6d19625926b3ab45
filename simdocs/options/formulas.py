"""Formulas of hash functions, as slides state them: (3*x+1) mod 5.

A formula has whole numbers, x, +, *, mod and parentheses, and nothing else:

    function = sum {"mod" number}          x+1 mod 5 is (x+1) mod 5, as mathematicians read it
    sum      = product {"+" product}
    product  = factor {"*" factor}
    factor   = number | "x" | "(" function ")"      3x is 3*x

What stands after `mod 5` must be another mod, `)` or the end, so that nobody can read a formula in two ways. Formulas
are computed with Python's integers, which do not overflow, and never evaluated as code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from simdocs.options.recipes import MOST_FUNCTIONS

_LONGEST, _DEEPEST, MOST_DIGITS = 200, 20, 18
"""Characters of a formula, parentheses within parentheses, and digits of a number."""

_TOKEN = re.compile(r"(?P<number>[0-9]+)|(?P<name>[A-Za-z_]+)|(?P<sign>[+*()])")

_USE_MOD = "write mod for the remainder"
_MEANT = {"%": _USE_MOD, "×": "write *", "·": "write *"}
_WANTED = "only whole numbers, x, +, *, mod and parentheses are allowed"


class _Word(NamedTuple):
    """A token of a formula. kind: `number`, `name`, `sign`, or empty at the end. place: its first character, from 1."""

    kind: str
    text: str
    place: int

    @property
    def shown(self) -> str:
        """The token as a message shows it."""
        return repr(self.text) if self.kind else "the end"


def _words(text: str) -> list[_Word]:
    """The tokens of a formula, and its end. ValueError: a character or a name that no formula has."""
    found, at = list[_Word](), 0
    while at < len(text):
        if text[at] in " \t":
            at += 1
            continue
        token = _TOKEN.match(text, at)
        if token is None:
            raise _wrong(at + 1, f"{text[at]!r}: {_MEANT.get(text[at], _WANTED)}")
        kind = str(token.lastgroup)
        if kind == "name" and token[0] not in ("x", "mod"):
            raise _wrong(at + 1, f"{token[0]!r}: {_WANTED}")
        if token[0] == "x" and text[at - 1 : at].isdecimal():
            found.append(_Word("sign", "*", at + 1))
        found.append(_Word(kind, token[0], at + 1))
        at = token.end()
    return [*found, _Word("", "", len(text) + 1)]


def _wrong(place: int, problem: str) -> ValueError:
    return ValueError(f"at character {place}: {problem}")


class Formula:
    """A node of a formula: x, a number, or an operation on other nodes.

    operation: `x`, `number`, `+`, `*` or `mod`.
    nodes: those that it is about.
    number: the number itself, or the divisor of mod.
    """

    __slots__ = ("nodes", "number", "operation")

    def __init__(self, operation: str, nodes: Sequence[Formula] = (), number: int = 0) -> None:
        self.operation, self.nodes, self.number = operation, nodes, number

    def values(self, xs: Sequence[int]) -> list[int]:
        """The value for each x."""
        if self.operation == "x":
            return list(xs)
        if self.operation == "number":
            return [self.number] * len(xs)
        columns = [node.values(xs) for node in self.nodes]
        if self.operation == "mod":
            return [value % self.number for value in columns[0]]
        combine = sum if self.operation == "+" else math.prod
        return [combine(row) for row in zip(*columns, strict=True)]


class _Parser:
    """Parses the tokens of one formula by recursive descent."""

    def __init__(self, words: Sequence[_Word]) -> None:
        self._words, self._at, self._depth = words, 0, 0

    @property
    def _next(self) -> _Word:
        return self._words[self._at]

    def _takes(self, text: str) -> bool:
        """Whether the next token is this one, which is then taken."""
        taken = self._next.text == text
        self._at += taken
        return taken

    def whole(self) -> Formula:
        """The formula of all tokens."""
        formula = self._function()
        if self._next.text == ")":
            raise _wrong(self._next.place, "no parenthesis was opened that this one closes")
        if self._next.kind:
            raise self._unexpected()
        return formula

    def _unexpected(self) -> ValueError:
        """The error that this token cannot follow what is complete."""
        before, word = self._words[self._at - 1], self._next
        if not word.kind:
            return _wrong(word.place, "expected )")
        if word.text in ("+", "*"):
            return _wrong(word.place, f"{word.shown} after mod can be read in two ways: add parentheses")
        is_product = before.text != ")" and word.text != "mod"
        meant = f": write {before.text}*{word.text}" if is_product else ""
        return _wrong(word.place, f"expected +, * or mod before {word.shown}{meant}")

    def _function(self) -> Formula:
        formula = self._sum()
        while self._takes("mod"):
            divisor = self._next
            if divisor.kind != "number":
                raise _wrong(divisor.place, f"expected a whole number after mod, not {divisor.shown}")
            formula = Formula("mod", (formula,), self._number())
            if not formula.number:
                raise _wrong(divisor.place, "nothing can be divided by 0")
        return formula

    def _sum(self) -> Formula:
        return self._joined("+", self._product)

    def _product(self) -> Formula:
        return self._joined("*", self._factor)

    def _joined(self, sign: str, part: Callable[[], Formula]) -> Formula:
        parts = [part()]
        while self._takes(sign):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Formula(sign, parts)

    def _factor(self) -> Formula:
        word = self._next
        if word.kind == "number":
            return Formula("number", number=self._number())
        if self._takes("x"):
            return Formula("x")
        if not self._takes("("):
            raise _wrong(word.place, f"expected a whole number, x or (, not {word.shown}")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _wrong(word.place, f"more than {_DEEPEST} parentheses within each other")
        inner = self._function()
        self._depth -= 1
        if not self._takes(")"):
            raise self._unexpected()
        return inner

    def _number(self) -> int:
        word = self._next
        self._at += 1
        if len(word.text) > MOST_DIGITS:
            raise _wrong(word.place, f"this number has {len(word.text):,} digits, and {MOST_DIGITS} are allowed")
        return int(word.text)


def parsed(text: str) -> tuple[str, Formula]:
    """A formula in its usual spelling, and the formula itself.

    ValueError: it is none, with the place of what is wrong.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"has {len(text):,} characters, and {_LONGEST} are allowed")
    words = _words(text)
    if len(words) == 1:
        raise ValueError("is empty")
    formula = _Parser(words).whole()
    if all(word.text != "x" for word in words):
        raise ValueError("has no x, so its value is the same for all")
    return "".join(" mod " if word.text == "mod" else word.text for word in words), formula


def spelled_functions(value: Any) -> tuple[str, ...]:
    """The formulas in a value from Python, or between the commas of a text, in their usual spelling.

    ValueError: this is no formula, with what is wrong and where; with an empty text if the value is no text at all.
    """
    if not isinstance(value, str | tuple | list):
        raise ValueError("")
    texts = value.split(",") if isinstance(value, str) else value
    if len(texts) > MOST_FUNCTIONS:
        raise ValueError(f"there are {len(texts):,}, and {MOST_FUNCTIONS} are allowed")
    found = list[str]()
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise ValueError("")
        try:
            found.append(parsed(text)[0])
        except ValueError as wrong:
            raise ValueError(f"formula {number} {wrong}") from None
    return tuple(found)
