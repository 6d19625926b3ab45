"""The texts of an index that are most similar to the queries, regardless of the threshold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.containment import Parts, containers
from simdocs.kernels.jaccard import agreements, least_agreements, of_overlaps
from simdocs.matching.candidates import token_sets
from simdocs.matching.corpus import Corpus
from simdocs.matching.lookup import Lookup, MatchBlock, first_copies, ranked, texts_of_index
from simdocs.model.groups import Pairs
from simdocs.model.ragged import (
    Floats,
    Index,
    Mask,
    Ragged,
    Rows,
    TextNumbers,
    Tokens,
    distinct,
    offsets_of,
    row_blocks,
)

_ROWS_AT_ONCE = 1 << 14
"""Signatures of the index that are read at once: 8 MiB at K = 128."""

_ASKED_AT_ONCE = 32
"""Queries whose candidates are compared together. Texts that several of them need are read once."""

_BYTES_AT_ONCE = 1 << 23
"""Bytes of the queries, at most 1024, that are compared together with every text of the index."""

_PAIRS_AT_ONCE = 1 << 20
"""Pairs that are compared at once with every text: 32 MiB."""

_FIRST, _LEAST_FIRST = 4, 20
"""Texts that are compared first: for each of the N wanted, and at least. Then as many again, and so on."""

_MOST, _LEAST_MOST = 50, 1000
"""The limit on compared texts: for each of the N wanted, and at least (docs/decisions.md, Looking up)."""

_MISSED = 0.01
"""The probability that the signature of one of the N most similar texts agrees too little for it to be compared."""

_ANY = 1e-9
"""A containment that a single common token reaches."""


def find_nearest(lookup: Lookup, number: int, *, exact: bool = False, all_copies: bool = False) -> Iterator[MatchBlock]:
    """Yield for each query the `number` different texts of the index that are most similar to it.

    Texts are compared exactly, in the order of their signatures' agreement. This ends when the signature of a text as
    similar as the last of the best ones would agree less with a probability of at most _MISSED, or at _MOST texts.
    Fewer texts are yielded if no others share a token with the query. Ties go to the texts that come first in the
    index. Copies that are missing or have changed are reported, and the next copy or text takes their place.

    exact: compare all texts of the index instead
    all_copies: list all copies of a text; otherwise the first one
    """
    search = _Search(lookup, number)
    filled = lookup.filled
    lookup.verifier.for_corpus(lookup.asked).copy(filled)
    if exact:
        if len(filled):
            search.look_at_all()
        sizes = np.maximum(lookup.asked.documents.facts["size"][filled], _BYTES_AT_ONCE >> 10)
    else:
        sizes = np.full(len(filled), _BYTES_AT_ONCE // _ASKED_AT_ONCE)
    for begin, end in row_blocks(offsets_of(sizes), _BYTES_AT_ONCE):
        rows = filled[begin:end]
        found = search.among_all(rows) if exact else search.by_signature(rows)
        yield search.matches(found, all_copies=all_copies)
        lookup.verifier.run.progress("looking up", int(rows[-1]) + 1, len(lookup.asked))


class _Search:
    """A search for the nearest texts of an index. Its pairs have a text's number on the right.

    number: how many texts are wanted for each query
    texts: all copies of each text
    lost: (N,) which documents of the index are known to be missing or changed
    """

    def __init__(self, lookup: Lookup, number: int) -> None:
        self.lookup, self.number, self.texts = lookup, number, texts_of_index(lookup.indexed)
        self.lost: Mask = np.zeros(lookup.index.n_documents, bool)

    def look_at_all(self) -> None:
        """Check all texts with several copies."""
        number, rows = self._all_copies(np.arange(len(self.texts)))
        self.lost[rows] |= self.lookup.verifier.lost_copies(rows, number)
        if self.lookup.indexed.sets is None:
            self.lookup.explain_reading(len(self.texts))

    def by_signature(self, rows: Rows) -> Pairs:
        """The nearest texts of these queries, among those whose signatures agree most."""
        verifier, most = self.lookup.verifier, max(_MOST * self.number, _LEAST_MOST)
        rows = rows[verifier.for_corpus(self.lookup.asked).unchanged(rows)] if verifier.exact else rows
        signatures = self.lookup.asked.signatures.all()
        orders = [self._by_agreement(signatures[row], most) for row in rows.tolist()]
        lengths = np.array([len(texts) for texts, _ in orders], np.int64)
        best, done, active = Pairs.empty(), np.zeros(len(rows), np.int64), np.flatnonzero(lengths)
        while len(active):
            first = max(_FIRST * self.number, _LEAST_FIRST)
            ends = np.minimum(np.maximum(2 * done[active], first), lengths[active])
            cuts = list(zip(active.tolist(), done[active].tolist(), ends.tolist(), strict=True))
            texts = np.concatenate([orders[at][0][begin:end] for at, begin, end in cuts])
            best = self._best([best, self._compared(np.repeat(rows[active], ends - done[active]), texts)])
            done[active] = ends
            further = done < lengths
            following = [int(orders[at][1][done[at]]) for at in np.flatnonzero(further)]
            further[further] = following >= self._least_agreements(best, rows[further])
            active = np.flatnonzero(further)
        return best

    def _by_agreement(self, signature: Tokens, most: int) -> tuple[TextNumbers, Index]:
        """The texts that agree with a signature in the most places, at least one, ties by row; and these numbers."""
        indexed, firsts = self.lookup.indexed, first_copies(self.texts)
        parts = [
            agreements(np.asarray(indexed.signatures.cut(at, min(at + _ROWS_AT_ONCE, len(indexed)))), signature)
            for at in range(0, len(indexed), _ROWS_AT_ONCE)
        ]
        agree = np.concatenate(parts)[firsts] if parts else np.empty(0, np.int64)
        least = 1 if len(agree) <= most else max(1, int(np.partition(agree, -most)[-most]))
        texts = np.flatnonzero(agree >= least)
        texts = texts[np.argsort(-agree[texts], kind="stable")][:most]
        return texts, agree[texts]

    def _least_agreements(self, best: Pairs, rows: Rows) -> Index:
        """The fewest positions at which the signature of a further text must agree with that of each of these queries.

        It is above the number of positions if no further texts are needed.
        """
        places = self.lookup.indexed.num_perm
        begins, ends = np.searchsorted(best.left, rows), np.searchsorted(best.left, rows, side="right")
        full = np.flatnonzero(ends - begins == self.number)
        least = np.ones(len(rows), np.int64)
        last = best.score[ends[full] - 1]
        exact = self.lookup.verifier.exact
        least[full] = np.maximum(least_agreements(last, places, _MISSED), 1) if exact else places + 1
        return least

    def among_all(self, rows: Rows) -> Pairs:
        """The nearest texts of these queries, among all texts of the index, which are read again."""
        verifier = self.lookup.verifier
        number, copies = self._all_copies(np.arange(len(self.texts)))
        unlost = np.flatnonzero(~self.lost[copies])
        numbers, first = np.unique(number[unlost], return_index=True)
        firsts, asked = copies[unlost[first]], verifier.for_corpus(self.lookup.asked)
        parts = Parts.of(Ragged.concat([sets for _, sets in token_sets(asked, rows)], np.uint32), _ANY)
        best, size = Pairs.empty(), _PAIRS_AT_ONCE // len(rows)
        for at, sets in token_sets(verifier, firsts):
            for begin in range(0, len(sets), size):
                some = sets.cut(begin, min(begin + size, len(sets)))
                left, right, common = containers(parts, some)
                jaccard = of_overlaps(common, parts.sets.lengths[left], some.lengths[right])
                pairs = Pairs(rows[left], numbers[at + begin + right], jaccard, jaccard)
                best = self._best([best, self._of_others(pairs)])
            verifier.run.tally.verified += len(sets) * len(rows)
        return best

    def matches(self, best: Pairs, *, all_copies: bool) -> MatchBlock:
        """The pairs with the first copy of each text, or with all copies, in the order of an answer."""
        verifier, left_out = self.lookup.verifier, 0
        if all_copies:
            place, copies = self._all_copies(best.right)
            if verifier.exact:
                looked_at = distinct(copies)
                self.lost[looked_at] |= ~verifier.unchanged(looked_at)
            best = best.take(place)
            fit = np.flatnonzero(~self.lost[copies] & ~self._same(best.left, copies))
        else:
            copies = self._standing(best.left, best.right)
            fit = np.flatnonzero(copies >= 0)
            listed = best.take(fit)
            place, others = self._all_copies(listed.right)
            wrong = self.lost[others] | self._same(listed.left[place], others)
            left_out = int(np.count_nonzero(~wrong)) - len(listed)
        best, copies = best.take(fit), copies[fit]
        rows, right = np.unique(copies, return_inverse=True)
        corpus, left = self._with_asked(rows), len(rows) + best.left
        jaccard = best.jaccard if verifier.exact else np.full(len(best), np.nan)
        pairs = ranked(corpus, Pairs(left, right, jaccard, corpus.estimates(left, right)), 0)
        return MatchBlock(corpus, pairs, left_out)

    def _best(self, parts: list[Pairs]) -> Pairs:
        """The best pairs of each query, the most similar first, ties by text."""
        pairs = Pairs.concat(parts)
        pairs = pairs.take(np.lexsort((pairs.right, -pairs.score, pairs.left)))
        return pairs.take(np.flatnonzero(np.arange(len(pairs)) - np.searchsorted(pairs.left, pairs.left) < self.number))

    def _of_others(self, pairs: Pairs) -> Pairs:
        """The best of these pairs, without texts that only the query itself has."""
        while True:
            best = self._best([pairs])
            own = best.take(np.flatnonzero(self._standing(best.left, best.right) < 0))
            if not len(own):
                return best
            size = len(self.texts)
            pairs = pairs.take(np.flatnonzero(~np.isin(pairs.left * size + pairs.right, own.left * size + own.right)))

    def _compared(self, asked: Rows, texts: TextNumbers) -> Pairs:
        """The pairs of queries with these texts that share a token."""
        score = self._scores(asked, texts)
        if (lost := np.flatnonzero(np.isnan(score))).size:
            # All copies are checked together, so that many missing ones do not take many rounds.
            copies = self.texts.take(distinct(texts[lost])).values
            self.lost[copies] |= ~self.lookup.verifier.unchanged(copies)
            score[lost] = self._scores(asked[lost], texts[lost])
        self.lookup.verifier.run.tally.candidates += len(asked)
        found = np.flatnonzero(np.nan_to_num(score) > 0)
        return Pairs(asked[found], texts[found], score[found], score[found])

    def _scores(self, asked: Rows, texts: TextNumbers) -> Floats:
        """The similarity of these queries to the texts: exact, or estimated if estimates are wanted.

        0: no copy of the text is left. NaN: the copy that was compared is missing or has changed.
        """
        copies, score = self._standing(asked, texts), np.zeros(len(asked))
        there = np.flatnonzero(copies >= 0)
        rows, right = np.unique(copies[there], return_inverse=True)
        corpus, verifier = self._with_asked(rows), self.lookup.verifier
        left = len(rows) + asked[there]
        if not verifier.exact:
            score[there] = corpus.estimates(left, right)
            return score
        score[there] = verifier.for_corpus(corpus).exact_jaccard(left, right)
        verifier.run.tally.verified += int(np.count_nonzero(~np.isnan(score[there])))
        return score

    def _with_asked(self, rows: Rows) -> Corpus:
        """These documents of the index, and then all queries."""
        return self.lookup.indexed.select(rows).followed_by(self.lookup.asked)

    def _standing(self, asked: Rows, texts: TextNumbers) -> Rows:
        """The first copy of each text that is neither lost nor the query itself; -1: no copy."""
        copies = first_copies(self.texts)[texts]
        wrong = np.flatnonzero(self.lost[copies] | self._same(asked, copies))
        place, rows = self._all_copies(texts[wrong])
        fit = np.flatnonzero(~self.lost[rows] & ~self._same(asked[wrong][place], rows))
        copies[wrong] = -1
        found, first = np.unique(place[fit], return_index=True)
        copies[wrong[found]] = rows[fit[first]]
        return copies

    def _all_copies(self, texts: TextNumbers) -> tuple[Index, Rows]:
        """All copies of these texts: the place of each one's pair, and its row."""
        copies = self.texts.take(texts)
        return np.repeat(np.arange(len(texts)), copies.lengths), copies.values

    def _same(self, asked: Rows, copies: Rows) -> Mask:
        """Whether each copy is the query itself, which is not a match."""
        return np.zeros(len(asked), bool) if self.lookup.itself else self.lookup.same(asked, copies)
