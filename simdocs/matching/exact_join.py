"""The exact join: candidates that include every similar pair, from token sets in memory, and the memory they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simdocs.engines.engine import available_memory
from simdocs.errors import MemoryNeededError, shown_memory
from simdocs.kernels import containment, prefix_index
from simdocs.kernels.grouping import KEPT, REMOVED, UNDECIDED
from simdocs.kernels.prefix_index import JoinIndex, match_blocks, similar_candidates
from simdocs.matching.rounds import BucketCandidates, Compare, GroupingState
from simdocs.matching.verification_blocks import load_token_sets
from simdocs.matching.verify import Verifier
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, GrowingArray, Mask, Ragged, Rows, TextNumbers, batches, offsets_of
from simdocs.pipeline.reload import SetSource

_UNDECIDED_AT_ONCE = 1024
"""Texts that are decided together. In a large family, every two of them may be compared."""


class ExactJoin:
    """The candidate pairs of an exact join among documents that are numbered 0, 1, ...

    index: the token sets, by their rarest tokens.
    verifier: compares documents, with their token sets in memory.
    """

    def __init__(self, verifier: Verifier, rows: Rows, most_memory: int | None = None) -> None:
        """Load the token sets of the documents in these rows.

        most_memory: the bytes that this may take; None: all available memory. MemoryNeededError: it needs more.
        """
        sets = held_sets([(verifier, rows)], most_memory)
        self.index: JoinIndex
        if verifier.measure == "jaccard":
            self.index = prefix_index.prefix_index(sets, verifier.threshold)
        else:
            self.index = containment.containment_index(sets, verifier.threshold)
        place = np.full(len(verifier.corpus), -1)
        place[rows] = np.arange(len(rows))
        self.verifier = verifier.for_corpus(replace(verifier.corpus, sets_in_memory=(sets, place)))

    def pairs(self, wanted: Mask | None = None) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """All candidate pairs, or those with a wanted member, ascending, in blocks.

        A block has all pairs of each of its left members.
        """
        for left, right in similar_candidates(self.index, np.arange(len(self.index)), wanted):
            if len(left):
                yield left, right

    def decide(self, compare: Compare, progress: Callable[[int], None]) -> GroupingState:
        """Decide which texts are kept, with the same result as deciding about them one by one.

        The next undecided texts are compared with each other, in rounds. Then those that are kept are compared with all
        later texts. compare, progress: see `BucketCandidates.decide`.
        """
        state = GroupingState(len(self.index))
        at = 0
        while at < len(self.index):
            members = at + np.flatnonzero(state.status[at : at + _UNDECIDED_AT_ONCE] == UNDECIDED)
            some = next(match_blocks(self.index, members), members)
            at = int(some[-1]) + 1 if len(some) < len(members) else at + _UNDECIDED_AT_ONCE
            if len(some):
                self._decide_about(some, state, compare)
            progress(min(at, len(self.index)))
        return state

    def _decide_about(self, some: TextNumbers, state: GroupingState, compare: Compare) -> None:
        """Decide about these texts, which are the first undecided ones."""
        ((left, right),) = similar_candidates(self.index, some)
        inside = (right <= some[-1]) & (state.status[right] == UNDECIDED)
        among = np.searchsorted(some, np.column_stack((left[inside], right[inside])))
        buckets = Ragged.from_lengths(among.ravel(), np.full(len(among), 2))

        def compare_some(left: TextNumbers, right: TextNumbers) -> Pairs:
            found = compare(some[left], some[right])
            return replace(found, left=np.searchsorted(some, found.left), right=np.searchsorted(some, found.right))

        found = BucketCandidates(buckets, len(some), len(some)).decide(compare_some, lambda _: None)
        state.status[some] = found.status
        state.jaccard[some], state.estimate[some] = found.jaccard, found.estimate
        removed = found.status == REMOVED
        state.under[some[removed]] = some[found.under[removed]]
        outside = ~inside & (state.status[left] == KEPT)
        state.remove(compare(left[outside], right[outside]))

    def capped(self, _status: Array) -> TextNumbers:
        """No texts: an exact join compares all."""
        return np.empty(0, np.int64)

    def with_kept(self, removed: TextNumbers, status: Array) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of each of these removed texts with later kept ones, in blocks."""
        for left, right in similar_candidates(self.index, removed):
            kept = status[right] == KEPT
            yield left[kept], right[kept]

    def links(self) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """No pairs: see `other_links`."""
        yield from ()

    def other_links(self, _label: TextNumbers) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """All candidate pairs, in blocks. First comes one pair of each text on the right, which often connects it."""
        for left, right in self.pairs():
            first = np.zeros(len(right), bool)
            first[np.unique(right, return_index=True)[1]] = True
            yield left[first], right[first]
            yield left[~first], right[~first]


def token_sets(verifier: Verifier, rows: Rows) -> Iterator[tuple[int, Ragged]]:
    """Yield the token sets of these rows in blocks: the place of the first row, and Ragged uint32.

    The set of a document that is missing or has changed is empty, and the document is reported.
    """
    cuts = list(batches(verifier.corpus.facts(rows)["size"]))
    verifier.copy(rows)

    def tasks() -> Iterator[SetSource]:
        for cut in cuts:
            ((_, source),) = verifier.corpus.sources(rows[cut.start : cut.stop])
            yield source

    work = partial(load_token_sets, shingling=verifier.corpus.recipe.shingling)
    for cut, (sets, _, skips) in zip(cuts, verifier.run.engine.map(work, tasks()), strict=True):
        recorded = verifier.corpus.recorded(rows[cut.start : cut.stop])
        verifier.looked_for(int(recorded.sum()), verifier.report(skips))
        yield cut.start, sets
        verifier.run.progress("reading all", cut.stop, len(rows))


_DOCUMENT = 1000
"""Bytes of a document beside its tokens: its facts, name and signature, and its place in buckets."""

_MUCH = 1 << 26
"""From this number of bytes on, a terminal shows how much memory is needed: 64 MiB."""


def held_sets(parts: Sequence[tuple[Verifier, Rows]], most_memory: int | None) -> Ragged:
    """The token sets of the documents in these rows of each verifier's corpus, end to end: Ragged uint32.

    Documents that are missing or have changed are reported, and have empty sets. The verifiers have the same run,
    measure and threshold. most_memory: the bytes that an exact join of these documents may take; None: all available
    memory. MemoryNeededError: it needs more.
    """
    facts = np.concatenate([verifier.corpus.facts(rows) for verifier, rows in parts])
    first, _ = parts[0]
    memory, read = TokenMemory(facts, first, most_memory), offsets_of(facts["size"])
    if memory.counted:
        memory.check(0, 0)
    tokens, lengths = GrowingArray(np.uint32), GrowingArray(np.int64)
    for verifier, rows in parts:
        for _, sets in token_sets(verifier, rows):
            tokens.add(sets.values)
            lengths.add(sets.lengths)
            memory.check(len(tokens), int(read[len(lengths)]))
    return Ragged.from_lengths(tokens.all(), lengths.all())


class TokenMemory:
    """Checks that the tokens of an exact join fit in memory, while they are read.

    counted: the number of all tokens, if an artifact states it; otherwise 0.
    """

    def __init__(self, facts: NDArray[np.void], verifier: Verifier, most: int | None) -> None:
        """facts: of the documents that the verifier compares. most: the bytes that they may take; None: all free."""
        counts = facts["count"]
        self.counted = int(counts.sum()) if counts.all() else 0
        self._verifier, self._documents, self._size = verifier, len(facts), int(facts["size"].sum())
        self._limit, self._is_given = available_memory() if most is None else most, most is not None
        self._is_announced = False

    def check(self, tokens: int, size: int) -> None:
        """Check that the join fits in memory. tokens: their number in the first `size` bytes of text.

        Texts that were not read yet are expected to have as many tokens per byte. MemoryNeededError: it does not fit.
        """
        expected = self.counted or (tokens * self._size // size if size else tokens)
        is_jaccard = self._verifier.measure == "jaccard"
        needed_by = prefix_index.bytes_needed if is_jaccard else containment.bytes_needed
        needed = needed_by(expected, self._documents, self._verifier.threshold)
        needed += _DOCUMENT * self._documents if self._is_given else 0
        if self._limit is not None and needed > self._limit:
            option = "--exact" if is_jaccard else "--measure"
            raise MemoryNeededError(self._documents, needed, self._limit, self._is_given, option)
        if not self._is_announced:
            left = "" if self._limit is None else f", of {shown_memory(self._limit)}"
            texts = "1 text" if self._documents == 1 else f"{self._documents:,} texts"
            self._verifier.run.explain(
                f"comparing {texts} exactly needs about {shown_memory(needed)} of memory{left}"
                f" {'allowed' if self._is_given else 'available'}: {expected:,} tokens, and their prefix index",
                detail=needed < _MUCH,
            )
            self._is_announced = True
