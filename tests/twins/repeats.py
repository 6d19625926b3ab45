"""Passages that occur in several texts, found by looking at every window, and extending it unit by unit."""

from __future__ import annotations

from collections.abc import Sequence

Place = tuple[int, int]
"""A text, and a unit of it."""

Repeat = tuple[int, int, tuple[Place, ...]]
"""The number of units of a passage, how many of them are its own, and all its places."""


def windows(text: Sequence[object], least: int, space: object) -> list[tuple[int, int]]:
    """The begin and end of every window: `least` units, or one more if it would end with a space."""
    found = []
    for begin in range(len(text)):
        end = begin + least
        end += end <= len(text) and text[end - 1] == space
        if end <= len(text) and text[begin] != space:
            found.append((begin, end))
    return found


def repeats(texts: Sequence[Sequence[object]], least: int, space: object = None) -> list[Repeat]:
    """The passages, each once. space: the unit with which no passage begins or ends."""
    places: dict[tuple[object, ...], list[Place]] = {}
    for number, text in enumerate(texts):
        for begin, end in windows(text, least, space):
            places.setdefault(tuple(text[begin:end]), []).append((number, begin))
    found: dict[tuple[int, tuple[Place, ...]], set[tuple[object, ...]]] = {}
    for window, where in places.items():
        if len({number for number, _ in where}) > 1:
            begin, end = 0, len(window)
            while same(texts, where, begin - 1):
                begin -= 1
            while same(texts, where, end):
                end += 1
            number, first = where[0]
            while texts[number][first + begin] == space:
                begin += 1
            while texts[number][first + end - 1] == space:
                end -= 1
            moved = tuple(sorted((number, at + begin) for number, at in where))
            found.setdefault((end - begin, moved), set()).add(window)
    return sorted(
        (size, own_units(texts[moved[0][0]][moved[0][1] :][:size], windows_of, least, space), moved)
        for (size, moved), windows_of in found.items()
    )


def own_units(text: Sequence[object], own: set[tuple[object, ...]], least: int, space: object) -> int:
    """How many units of a passage are in no window of another passage."""
    others = [each for each in windows(text, least, space) if tuple(text[slice(*each)]) not in own]
    return len(text) - len({at for begin, end in others for at in range(begin, end)})


def same(texts: Sequence[Sequence[object]], places: Sequence[Place], by: int) -> bool:
    """Whether all these texts have the same unit, so many units after these places."""
    if not all(0 <= at + by < len(texts[number]) for number, at in places):
        return False
    return len({texts[number][at + by] for number, at in places}) == 1
