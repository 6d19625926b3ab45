"""The whole of dedupe once more, in plain Python: every pair compared, one document after the other.

Written from the definitions. Texts are of letters and marks that need no more than `str.lower`, `str.isspace` and
`\\w`; the switches of normalisation and the scripts without spaces are the kernels' own tests.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import mmh3

from simdocs.kernels.stopwords import STOP_WORDS


class Text(NamedTuple):
    """A document: its bytes and its time."""

    data: bytes
    mtime_ns: int = 0


class How(NamedTuple):
    """What decides an answer, but for LSH, which misses nothing here."""

    unit: str = "char"
    k: int = 3
    multiset: bool = False
    threshold: float = 0.5
    keep: str = "first"


Row = tuple[int, int, float]


def normalised(data: bytes, unit: str) -> str:
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").lower()
    if unit == "line":
        return "\n".join(filter(None, (" ".join(line.split()) for line in re.split("\r\n|\r|\n", text))))
    return " ".join(text.split())


def shingles(text: str, how: How) -> list[tuple[str, ...]]:
    if how.unit in ("word", "stopword"):
        units = re.findall(r"\w+", text)
    elif how.unit == "line":
        units = text.split("\n") if text else []
    else:
        units = list(text)
    runs = [tuple(units[at : at + how.k]) for at in range(len(units) - how.k + 1)]
    if how.unit == "stopword":
        runs = [run for run in runs if run[0] in STOP_WORDS["en"]]
    return runs or ([tuple(units)] if units else [])


def token(shingle: tuple[str, ...], unit: str) -> int:
    if unit == "char":
        return hash32("".join(shingle).encode("utf-8", "surrogateescape"))
    return hash32(b"".join(struct.pack("<I", hash32(one.encode("utf-8", "surrogateescape"))) for one in shingle))


def hash32(data: bytes) -> int:
    return mmh3.hash(data, 0, signed=False)


class Twin:
    """The answers about these documents, in row order."""

    def __init__(self, texts: Sequence[Text], how: How) -> None:
        self.texts, self.how = texts, how
        self.normalised = [normalised(text.data, how.unit) for text in texts]
        self.bags = [Counter(token(one, how.unit) for one in shingles(text, how)) for text in self.normalised]
        self.judged = [row for row, bag in enumerate(self.bags) if bag]

    def jaccard(self, left: int, right: int) -> float:
        a, b = self.bags[left], self.bags[right]
        if not self.how.multiset:
            a, b = Counter(set(a)), Counter(set(b))
        return (a & b).total() / (a | b).total()

    def similar(self, left: int, right: int) -> bool:
        return self.jaccard(left, right) >= self.how.threshold

    def in_keep_order(self) -> list[int]:
        by = {
            "first": lambda row: 0,
            "longest": lambda row: -len(self.texts[row].data),
            "shortest": lambda row: len(self.texts[row].data),
            "newest": lambda row: -self.texts[row].mtime_ns,
            "oldest": lambda row: self.texts[row].mtime_ns,
        }[self.how.keep]
        return sorted(self.judged, key=by)

    def greedy(self) -> list[Row]:
        """Kept unless one kept before is similar enough; else under the most similar of those, ties to the earlier."""
        kept: list[int] = []
        rows = []
        for row in self.in_keep_order():
            near = [other for other in kept if self.similar(other, row)]
            if near:
                best = max(near, key=lambda other: self.jaccard(other, row))  # max takes the first of equals
                rows.append((best, row, self.jaccard(best, row)))
            else:
                kept.append(row)
        return sorted(rows)

    def components(self) -> list[Row]:
        """Whatever a chain connects, under the first in keep order; with the similarity to that one."""
        order = self.in_keep_order()
        seen: set[int] = set()
        rows = []
        for first in order:
            if first in seen:
                continue
            reached = [first]
            for member in reached:  # grows while it is read: breadth first
                reached += [one for one in order if one not in reached and self.similar(member, one)]
            seen.update(reached)
            rows += [(first, row, self.jaccard(first, row)) for row in reached[1:]]
        return sorted(rows)

    def all_pairs(self) -> list[Row]:
        return [(a, b, self.jaccard(a, b)) for a, b in combinations(self.judged, 2) if self.similar(a, b)]

    def pairs(self) -> list[Row]:
        """Copies of one text as a chain from the first, which stands for all of them in every other pair."""
        copies: dict[str, list[int]] = {}
        for row in self.judged:
            copies.setdefault(self.normalised[row], []).append(row)
        firsts = {rows[0] for rows in copies.values()}
        chain = [(a, b, 1.0) for rows in copies.values() for a, b in pairwise(rows)]
        others = [row for row in self.all_pairs() if {row[0], row[1]} <= firsts]
        return sorted(chain + others)
