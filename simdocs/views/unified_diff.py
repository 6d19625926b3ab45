"""The difference of two texts as a unified diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from simdocs.model.passages import Difference, lines_of
from simdocs.views.marks import PLAIN, Pieces

_AROUND = 3
"""Lines around a difference."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a diff. sign: a space if both texts have it. a, b: how many lines of each come before it."""

    sign: str
    text: str
    a: int
    b: int


def unified(difference: Difference, names: Sequence[str], *, colored: bool) -> Pieces:
    """Yield a unified diff: the lines that differ, with three lines around them. Nothing if none differs."""
    lines = list(_lines(difference))
    changed = [at for at, line in enumerate(lines) if line.sign != " "]
    if not changed:
        return
    for sign, name in zip(("---", "+++"), names, strict=True):
        yield from ((f"{sign} ", False), (name, True), ("\n", False))
    for begin, end in _hunks(changed, len(lines)):
        hunk = lines[begin:end]
        spans = (_span(hunk, "-", hunk[0].a), _span(hunk, "+", hunk[0].b))
        yield f"@@ -{spans[0]} +{spans[1]} @@\n", False
        for line in hunk:
            color = {"-": "\x1b[31m", "+": "\x1b[32m"}.get(line.sign, "") if colored else ""
            kept = line.text.rstrip("\n")
            yield from ((color + line.sign, False), (kept, True), (PLAIN if color else "", False))
            yield "\n" if line.text.endswith("\n") else "\n\\ No newline at end of file\n", False


def _lines(difference: Difference) -> Iterator[_Line]:
    a = b = 0
    for passage in difference.passages:
        if passage.shared:
            for text in lines_of(passage.a):
                yield _Line(" ", text, a, b)
                a, b = a + 1, b + 1
            continue
        for text in lines_of(passage.a):
            yield _Line("-", text, a, b)
            a += 1
        for text in lines_of(passage.b):
            yield _Line("+", text, a, b)
            b += 1


def _hunks(changed: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """Yield where each hunk begins and ends. Differences with up to six lines between them are in one, as of diff."""
    begin = previous = changed[0]
    for at in changed[1:]:
        if at - previous > 2 * _AROUND + 1:
            yield max(0, begin - _AROUND), previous + _AROUND + 1
            begin = at
        previous = at
    yield max(0, begin - _AROUND), min(size, previous + _AROUND + 1)


def _span(hunk: Sequence[_Line], sign: str, before: int) -> str:
    """The lines of one text in a hunk, as the head of the hunk states them."""
    count = sum(line.sign in (" ", sign) for line in hunk)
    return f"{before + 1 if count else before},{count}"
