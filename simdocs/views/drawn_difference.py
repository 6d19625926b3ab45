"""The difference of two texts as bytes: with marks in the text, or as a unified diff."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from simdocs.model.passages import Difference, lines_of
from simdocs.parameters.families import DIFFS
from simdocs.views.wrapping import columns_of_output, flowed

PLAIN = "\x1b[0m"
"""The end of a colour."""

_REMOVED, _ADDED, _DIM, _BOLD = "\x1b[31;9m", "\x1b[32;4m", "\x1b[2m", "\x1b[1m"


class Marks(NamedTuple):
    """The marks around passages of the first text alone, of the second alone, and around a note on what is left out;
    and around a passage that both have, if others are around it."""

    removed: tuple[str, str] = ("[-", "-]")
    added: tuple[str, str] = ("{+", "+}")
    left_out: tuple[str, str] = ("[... ", " ...]")
    both: tuple[str, str] = ("[=", "=]")


COLORS = Marks((_REMOVED, PLAIN), (_ADDED, PLAIN), (f"{_DIM}[... ", f" ...]{PLAIN}"), (_BOLD, PLAIN))
"""Marks for a terminal with colours."""


Pieces = Iterator[tuple[str, bool]]
"""Pieces of an answer, and whether each comes from a text, so that it may do harm to a terminal."""


_LONGEST = 600
"""Characters of a passage that differs that are shown of each text if the rest is left out ..."""

_ENDS = 150
"""... and of a longer one at its beginning, and at its end."""

_SHOWN_AROUND = 40
"""Characters of a long shared passage that are shown before and after a difference when the rest is left out."""


def marked(difference: Difference, marks: Marks, *, whole: bool = True, brief: bool = False) -> Pieces:
    """Yield both texts as one, with marks around the passages that only one of them has.

    Shared passages are those of the first text. Where a passage that differs begins or ends, there are spaces if either
    text has some there, so that no mark makes one word of two.

    whole: show shared passages in full.
    brief: leave out the middle of long passages that differ.
    """
    for at, passage in enumerate(difference.passages):
        if passage.shared:
            more = at < len(difference.passages) - 1
            text = passage.a + (_spaces_after(passage.b) if more and not _spaces_after(passage.a) else "")
            yield from [(text, True)] if whole else _shortened(text, marks, at > 0, more)
        else:
            for text, around in ((passage.a, marks.removed), (passage.b, marks.added)):
                if text.strip():
                    yield from _between(text.rstrip(), around, marks, brief=brief)
            yield _spaces_after(passage.b) or _spaces_after(passage.a), True


def _between(text: str, around: tuple[str, str], marks: Marks, *, brief: bool) -> Pieces:
    """Yield a text between marks. brief: leave out the middle of a long one."""
    begin, end = around
    parts = ends_of(text) if brief else (text,)
    yield from ((begin, False), (parts[0], True), (end, False))
    if len(parts) > 1:
        count = len(text) - sum(map(len, parts))
        yield f"{marks.left_out[0]}{count:,} more characters{marks.left_out[1]}", False
        yield from ((begin, False), (parts[1], True), (end, False))


def in_context(before: str, passage: str, after: str, *, colored: bool, terminal: bool) -> bytes:
    """A passage that two texts have in common, between marks, with what is around it in one of them, and a line end.

    The middle of a long one is left out. terminal: escape what could do harm to a terminal, and wrap between words.
    """
    marks = COLORS if colored else Marks()
    pieces = [(before, True), *_between(passage, marks.both, marks, brief=True), (after, True)]
    return drawn(_flowed(iter(pieces), columns_of_output()) if terminal else iter(pieces), terminal=False)


def ends_of(text: str) -> tuple[str, ...]:
    """The beginning and the end of a long text, cut between words if possible; another text as it is."""
    if len(text) <= _LONGEST:
        return (text,)
    head, tail = text[:_ENDS], text[-_ENDS:]
    return head.rpartition(" ")[0] or head, tail.partition(" ")[2] or tail


def _spaces_after(text: str) -> str:
    """The spaces and ends of lines that a text ends with."""
    return text[len(text.rstrip()) :]


def _shortened(text: str, marks: Marks, after: bool, before: bool) -> Pieces:
    """Yield a shared passage without its middle if it is long. after, before: whether a difference is next to it."""
    head, tail = _SHOWN_AROUND * after, _SHOWN_AROUND * before
    if len(text) <= head + tail + _SHOWN_AROUND:
        yield text, True
        return
    begin = text[:head].rpartition(" ")[0] if head else ""
    end = text[len(text) - tail :].partition(" ")[2] if tail else ""
    count = len(text) - len(begin) - len(end)
    yield from ((begin.rstrip(), True), ("\n" if begin else "", False))
    yield f"{marks.left_out[0]}{count:,} equal characters{marks.left_out[1]}\n", False
    yield end.lstrip(), True


_AROUND = 3
"""Lines around a difference."""


class _Line(NamedTuple):
    """A line of a diff.

    sign: `-` or `+` if only the first or only the second text has it; a space if both have.
    a, b: the number of lines of each text before it.
    """

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


def drawn_as(
    diff: str | None,
    difference: Difference,
    names: Sequence[str],
    *,
    whole: bool,
    colored: bool,
    terminal: bool,
    brief: bool = False,
) -> bytes:
    """A difference as bytes. If nothing differs, one line says so.

    diff: how it is drawn, a member of `DIFFS`; None: with marks in the text.
    whole, brief: see `marked`.
    terminal: escape what could do harm to a terminal, and wrap texts with marks between words.
    """
    kind = DIFFS[diff or "words"]
    if same := difference.equality if kind.is_patch else difference.likeness:
        return f"[{same}]\n".encode()
    draw: Callable[..., bytes] = kind.load()
    return draw(difference, names, whole=whole, colored=colored, terminal=terminal, brief=brief)


def as_patch(difference: Difference, names: Sequence[str], *, colored: bool, terminal: bool, **_: bool) -> bytes:
    """A unified diff."""
    return drawn(unified(difference, names, colored=colored), terminal=terminal)


def in_text(
    difference: Difference, _names: Sequence[str], *, whole: bool, colored: bool, terminal: bool, brief: bool
) -> bytes:
    """The texts with marks around the passages that differ."""
    pieces = marked(difference, COLORS if colored else Marks(), whole=whole, brief=brief)
    if not terminal:
        return drawn(pieces, terminal=False)
    return drawn(_flowed(pieces, columns_of_output()), terminal=False)


def _flowed(pieces: Pieces, width: int) -> Pieces:
    """Yield the pieces without what could do harm to a terminal, in lines that are not wider than it."""
    for text in flowed((_harmless(text) if given else text for text, given in pieces), width):
        yield text, False


def _harmless(text: str) -> str:
    from simdocs.views.output_formats import harmless

    return harmless(text.encode("utf-8", "surrogateescape"), json=False).decode()


def drawn(pieces: Pieces, *, terminal: bool) -> bytes:
    """The pieces as bytes, with a line end. terminal: escape what could do harm to a terminal in pieces of texts."""
    encoded = (
        (_harmless(text) if given and terminal else text).encode("utf-8", "surrogateescape") for text, given in pieces
    )
    whole = b"".join(encoded)
    return whole if not whole or whole.endswith(b"\n") else whole + b"\n"
