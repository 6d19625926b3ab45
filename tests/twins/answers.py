"""The twin of all answers about a corpus. It compares every two documents, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations, pairwise
from typing import NamedTuple

from tests import strategies as some
from tests.twins import shingles, signatures, similarity
from tests.twins.decoding import utf8
from tests.twins.groups import keep_order


class Document(NamedTuple):
    """A text with a name: its bytes as read."""

    name: bytes
    data: bytes
    mtime_ns: int = 0

    @property
    def size(self) -> int:
        return len(self.data)

    @property
    def text(self) -> bytes:
        return utf8(self.data)


Row = tuple[int, int, float]
"""Two documents and their similarity."""


class Signing(NamedTuple):
    """How documents are signed, and how their signatures are cut into bands. bands, rows: see the glossary.

    ignore_common: tokens in more than this share of the documents (those of the index, if there is one) are left out.
    templates: texts whose tokens are left out.
    """

    scheme: str = "fss"
    num_perm: int = 128
    bands: int = 18
    rows: int = 7
    ignore_common: float = 1.0
    templates: tuple[bytes, ...] = ()


class Criteria(NamedTuple):
    """What decides an answer. exact: all pairs are candidates. by_estimate, by_containment: that decides."""

    shingling: some.Shingling
    threshold: float
    keep: str = "first"
    signing: Signing = Signing()
    exact: bool = True
    by_estimate: bool = False
    by_containment: bool = False


class Answers:
    """The answers about these documents, in row order. given: the first `given` documents are those of an index."""

    def __init__(self, documents: Sequence[Document], criteria: Criteria, given: int = 0) -> None:
        self.documents, self.criteria, self.given = documents, criteria, given
        self.normalised = [shingles.text_of(document.text, criteria.shingling) for document in documents]
        self.tokens = [
            [shingles.token(one, criteria.shingling) for one in shingles.shingles(text, criteria.shingling)]
            for text in self.normalised
        ]
        self.sets = list(map(self.token_set, self.tokens))
        counted = self.sets[: given or len(documents)]
        self.ignored = {
            token
            for token, count in Counter(token for one in counted for token in one).items()
            if count / len(counted) > criteria.signing.ignore_common
        }
        for template in criteria.signing.templates:
            self.ignored |= set(shingles.tokens(template, criteria.shingling))
        self.left = [tokens - self.ignored for tokens in self.sets]
        self.judged = [row for row, tokens in enumerate(self.left) if tokens]
        self._scores: dict[tuple[int, int], float] = {}

    def token_set(self, tokens: Sequence[int]) -> set[int]:
        """Return the set of these tokens, or the set that stands for their multiset."""
        seed, multiset = self.criteria.shingling.seed, self.criteria.shingling.multiset
        return set(shingles.multiset(list(tokens), seed) if multiset else tokens)

    def is_ignored(self, document: Document) -> bool:
        """Return whether a document has tokens, but all of them are left out."""
        tokens = set(shingles.tokens(document.text, self.criteria.shingling))
        return bool(tokens) and tokens <= self.ignored

    @cached_property
    def signatures(self) -> list[list[int]]:
        scheme, size, *_ = self.criteria.signing
        return [signatures.SCHEMES[scheme](sorted(one), size, self.criteria.shingling.seed) for one in self.left]

    def jaccard(self, left: int, right: int) -> float:
        if (left, right) not in self._scores:
            if self.criteria.shingling.multiset and not self.ignored:
                score = similarity.multiset_jaccard(self.tokens[left], self.tokens[right])
            else:
                score = similarity.jaccard(self.left[left], self.left[right])
            self._scores[left, right] = score
        return self._scores[left, right]

    def estimate(self, left: int, right: int) -> float:
        return similarity.estimate(self.signatures[left], self.signatures[right])

    def score(self, left: int, right: int) -> float:
        """Return the number that decides whether two documents are similar."""
        return self.estimate(left, right) if self.criteria.by_estimate else self.jaccard(left, right)

    def candidates(self, left: int, right: int) -> bool:
        """Return whether two documents share a bucket, and pass the prefilter."""
        _, size, bands, rows, *_ = self.criteria.signing
        cut = [slice(band * rows, band * rows + rows) for band in range(bands)]
        shared = any(self.signatures[left][band] == self.signatures[right][band] for band in cut)
        return shared and (
            self.criteria.by_estimate
            or not similarity.below_prefilter(self.estimate(left, right), self.criteria.threshold, size)
        )

    def similar(self, left: int, right: int) -> bool:
        if self.criteria.by_containment:
            return self.larger_containment(left, right)[0] >= self.criteria.threshold
        met = self.criteria.exact or self.candidates(left, right)
        return met and self.score(left, right) >= self.criteria.threshold

    def in_keep_order(self) -> list[int]:
        """Return the rows in keep order, with those of the index first, without empty documents."""
        new = self.documents[self.given :]
        order = keep_order(self.criteria.keep, [one.size for one in new], [one.mtime_ns for one in new])
        rows = [*range(self.given), *(row + self.given for row in order)]
        return [row for row in rows if row in self.judged]

    def greedy(self) -> list[Row]:
        """Return each duplicate with the most similar document kept before it, ties to the earlier one."""
        kept: list[int] = []
        rows = []
        for row in self.in_keep_order():
            near = [other for other in kept if self.similar(other, row)] if row >= self.given else []
            if near:
                best = max(near, key=lambda other: self.score(other, row))  # max takes the first of equals
                rows.append((best, row, self.score(best, row)))
            else:
                kept.append(row)
        return sorted(rows)

    def components(self) -> list[Row]:
        """Return the documents that a chain connects, with the first in keep order and the similarity to it."""
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
            rows += [(first, row, self.score(first, row)) for row in reached[1:]]
        return sorted(rows)

    def all_pairs(self) -> list[Row]:
        return [(a, b, self.score(a, b)) for a, b in combinations(self.judged, 2) if self.similar(a, b)]

    def pairs(self) -> list[Row]:
        """Return all similar pairs, but copies of a text only as a chain from the first copy.

        Only the first copy occurs in other pairs.
        """
        copies: dict[str, list[int]] = {}
        for row in self.judged:
            copies.setdefault(self.normalised[row], []).append(row)
        firsts = {rows[0] for rows in copies.values()}
        chain = [(a, b, 1.0) for rows in copies.values() for a, b in pairwise(rows)]
        others = [row for row in self.all_pairs() if {row[0], row[1]} <= firsts]
        return sorted(chain + others)

    def matches(self) -> list[Row]:
        """Return the similar documents of the index for each new document, the most similar first, then by name."""
        rows = []
        for row in self.judged:
            near = [
                (-self.score(other, row), self.documents[other].name, other)
                for other in self.judged
                if row >= self.given > other and self.similar(other, row)
            ]
            rows += [(row, other, -score) for score, _, other in sorted(near)]
        return rows

    def containment(self, left: int, right: int) -> float:
        """Return what share of one document another has."""
        if self.criteria.shingling.multiset and not self.ignored:
            return similarity.multiset_containment(self.tokens[left], self.tokens[right])
        return similarity.containment(self.left[left], self.left[right])

    def larger_containment(self, left: int, right: int) -> tuple[float, bytes]:
        """Return what share of one of two documents the other has, and which of the two that is."""
        a, b = self.containment(left, right), self.containment(right, left)
        return max(a, b), b"both" if a == b else b"document" if a > b else b"other"
