"""The difference of two texts as one text with marks."""

from __future__ import annotations

from simdocs.model.passages import Difference
from simdocs.views.marks import Marks, Pieces

_LONGEST = 600
"""Characters of a passage that differs that are shown of each text if the rest is left out ..."""

_ENDS = 150
"""... and of a longer one at its beginning, and at its end."""

_SHOWN_AROUND = 40
"""Characters of a long shared passage that are shown before and after a difference when the rest is left out."""


def marked(difference: Difference, marks: Marks, *, whole: bool = True, brief: bool = False) -> Pieces:
    """Yield the texts, with the passages marked that only one of them has. whole: with all shared passages in full.

    brief: without the middle of long passages that differ.

    Shared passages are those of the first text. Where a passage that differs begins or ends, there are spaces if either
    text has some there, so that no mark makes one word of two.
    """
    for at, passage in enumerate(difference.passages):
        if passage.shared:
            more = at < len(difference.passages) - 1
            text = passage.a + (_spaces_after(passage.b) if more and not _spaces_after(passage.a) else "")
            yield from [(text, True)] if whole else _shortened(text, marks, at > 0, more)
        else:
            for text, (begin, end) in ((passage.a, marks.removed), (passage.b, marks.added)):
                if text.strip():
                    parts = _ends_of(text.rstrip()) if brief else (text.rstrip(),)
                    yield from ((begin, False), (parts[0], True), (end, False))
                    if len(parts) > 1:
                        count = len(text.rstrip()) - sum(map(len, parts))
                        yield f"{marks.left_out[0]}{count:,} more characters{marks.left_out[1]}", False
                        yield from ((begin, False), (parts[1], True), (end, False))
            yield _spaces_after(passage.b) or _spaces_after(passage.a), True


def _ends_of(text: str) -> tuple[str, ...]:
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
