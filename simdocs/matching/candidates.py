"""Candidates: texts that may be similar, from the buckets that they share or from an exact join, and decisions on them.

Greedy grouping goes in rounds. A round keeps all texts that come first among the undecided in their buckets, and
compares them with the later members. An exact join takes token sets in memory, and misses no similar pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from simdocs.engines.engine import available_memory
from simdocs.errors import MemoryNeededError, shown_memory
from simdocs.kernels import containment, grouping, prefix_index
from simdocs.kernels.buckets import distinct_pairs, joined_blocks, member_blocks, positions_of_members
from simdocs.kernels.grouping import (
    KEPT,
    REMOVED,
    UNDECIDED,
    capped_members,
    first_undecided,
    most_similar_kept,
    pairs_with_always_kept,
)
from simdocs.kernels.prefix_index import JoinIndex, match_blocks, similar_candidates
from simdocs.matching.verify import Verifier
from simdocs.model.groups import Pairs
from simdocs.model.ragged import (
    Array,
    Floats,
    GrowingArray,
    Index,
    Mask,
    Ragged,
    Rows,
    TextNumbers,
    batches,
    count_true_in_rows,
    distinct,
    offsets_of,
    ranges,
    row_blocks,
)
from simdocs.pipeline.again import SetSource, load_token_sets

_AT_ONCE = 1 << 18
"""Members of buckets that are looked at together when the frontier is made."""


class GroupingState:
    """The decisions so far about M members, one entry each. Each decision changes the arrays in place.

    status: int8 (M,), UNDECIDED, KEPT or REMOVED.
    under: int64 (M,), for a removed member the kept one in its place; -1 for others.
    score, estimate: float64 (M,), the similarity of the two that is compared, and the estimate; -1 for others.
    """

    def __init__(self, size: int) -> None:
        """size: M. No member is decided yet."""
        self.status: Array = np.zeros(size, np.int8)
        self.under: Index = np.full(size, -1)
        self.score: Floats = np.full(size, -1.0)
        self.estimate: Floats = np.full(size, -1.0)

    def remove(self, pairs: Pairs) -> TextNumbers:
        """Remove the members on the right, and return those that were undecided, each once.

        The members on the left are kept. Each member is removed in favour of the most similar kept one that it was
        paired with so far; ties to the earlier. A member may occur in several pairs, and may have been removed before.
        """
        best = pairs.take(most_similar_kept(pairs.left, pairs.right, pairs.score))
        kept, members, score = best.left, best.right, best.score
        old = self.score[members]
        better = (score > old) | ((score == old) & (kept < self.under[members]))
        changed = members[better]
        self.under[changed], self.score[changed] = kept[better], score[better]
        self.estimate[changed] = best.estimate[better]
        new: TextNumbers = members[self.status[members] == UNDECIDED]
        self.status[new] = REMOVED
        return new


Compare: TypeAlias = Callable[[TextNumbers, TextNumbers], Pairs]
"""Returns the similar ones of these pairs of texts, in the order given."""


class Frontier:
    """The undecided members that come first among the undecided in all their open buckets.

    ready: these members, ascending, when the frontier is made. A bucket is open while fewer than `most` of its members
    are kept. This bounds the work that boilerplate or forged signatures can cause.
    """

    def __init__(self, buckets: Ragged, status: Array, most: int) -> None:
        """buckets: Ragged int64, members ascending in each. status: int8 (M,), changed by the caller as it decides."""
        self._buckets, self._status, self._most = buckets, status, most
        members, size = buckets.values, len(status)
        self._positions = positions_of_members(buckets, size)
        # There may be many more buckets than members, so they are counted in numbers of 4 bytes.
        self._kept = np.zeros(len(buckets), np.int32)
        self._bucket_of = np.repeat(np.arange(len(buckets), dtype=np.int32), buckets.lengths)
        self._heads = np.empty(len(buckets), self._positions.values.dtype)
        # In how many of its open buckets a member comes after an undecided one.
        self._waits = np.zeros(size, np.int64)
        for begin, end in row_blocks(buckets.offsets, _AT_ONCE):
            offsets = buckets.offsets[begin : end + 1]
            here = members[offsets[0] : offsets[-1]]
            kept = count_true_in_rows(status[here] == KEPT, offsets - offsets[0])
            self._kept[begin:end] = kept
            self._heads[begin:end] = first_undecided(members, offsets[:-1], offsets[1:], status)
            waiting = np.repeat(kept < most, np.diff(offsets)) & (status[here] == UNDECIDED)
            np.add.at(self._waits, here[waiting], 1)
            np.subtract.at(self._waits, self._led(begin + np.flatnonzero(kept < most)), 1)
        self.ready = np.flatnonzero((status == UNDECIDED) & (self._waits == 0))

    def pairs(self, members: TextNumbers) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The distinct pairs of each of these members with the later members of its open buckets, in blocks."""
        every = self._buckets.values
        for some in member_blocks(self._positions, members):
            positions, bucket = self._in_open_buckets(some)
            counts = self._buckets.offsets[bucket + 1] - positions - 1
            yield from distinct_pairs(every[positions], positions + 1, counts, every, len(self._status))

    def advance(self, kept: TextNumbers, removed: TextNumbers) -> TextNumbers:
        """Update the frontier after these members were decided, and return the members that have become ready.

        kept: ready members. removed: members that were undecided. Their status has been changed.
        """
        ready, done = [np.empty(0, np.int64)], 0
        # The kept ones come first, because whether a bucket is open for the others depends on them.
        for some in member_blocks(self._positions, np.concatenate((kept, removed))):
            of_kept, of_removed = (
                self._in_open_buckets(part)[1] for part in np.split(some, [max(0, len(kept) - done)])
            )
            done += len(some)
            # A ready member comes first in its open buckets, so each of these buckets has one of the kept members.
            self._kept[of_kept] += 1
            closed = of_kept[self._kept[of_kept] == self._most]
            heads = self._heads[closed]
            released = self._buckets.values[ranges(heads, self._buckets.offsets[closed + 1] - heads)]
            released = released[self._status[released] == UNDECIDED]
            touched = distinct(np.concatenate((of_kept, of_removed)))
            left = self._heads[touched] < self._buckets.offsets[touched + 1]  # or all members are decided
            touched = touched[left & (self._kept[touched] < self._most)]
            stale = touched[self._status[self._buckets.values[self._heads[touched]]] != UNDECIDED]
            ends = self._buckets.offsets[stale + 1]
            self._heads[stale] = first_undecided(self._buckets.values, self._heads[stale], ends, self._status)
            fewer = np.concatenate((released, self._led(stale)))
            np.subtract.at(self._waits, fewer, 1)
            ready.append(distinct(fewer[self._waits[fewer] == 0]))
        return np.sort(np.concatenate(ready))

    def _in_open_buckets(self, members: TextNumbers) -> tuple[Index, Array]:
        """The positions of these members in their open buckets, and these buckets."""
        positions = self._positions.take(members).values.astype(np.int64)
        bucket = self._bucket_of[positions]
        is_open = self._kept[bucket] < self._most
        return positions[is_open], bucket[is_open]

    def _led(self, buckets: Index) -> TextNumbers:
        """The first undecided member of each of these buckets that has one."""
        heads = self._heads[buckets]
        led: TextNumbers = self._buckets.values[heads[heads < self._buckets.offsets[buckets + 1]]]
        return led


class BucketCandidates:
    """The pairs among texts 0, 1, ... below `size` that share a bucket.

    buckets: Ragged int64 of texts, ascending in each.
    most: in a bucket, later texts are compared with at most this number of kept ones.
    always_kept: the first texts, which are kept even if they are similar.
    """

    def __init__(self, buckets: Ragged, size: int, most: int, always_kept: int = 0) -> None:
        self.buckets, self.size, self.most, self.always_kept = buckets, size, most, always_kept

    def decide(self, compare: Compare, progress: Callable[[int], None]) -> GroupingState:
        """The decisions about all texts, with the same result as deciding about them one by one.

        compare: receives each pair of a kept text (left) with later ones (right) once.
        progress: receives the number of texts decided so far.
        """
        state, decided, frontier = GroupingState(self.size), self.always_kept, None
        state.status[:decided] = KEPT
        ready = np.empty(0, np.int64)
        pairs = pairs_with_always_kept(self.buckets, self.always_kept, self.most, self.size) if decided else iter(())
        while frontier is None or len(ready):
            removed = [np.empty(0, np.int64)]
            for left, right in pairs:
                removed.append(state.remove(compare(left, right)))
                decided += len(removed[-1])
                progress(decided)
            if frontier is None:
                frontier = Frontier(self.buckets, state.status, self.most)
                ready = frontier.ready
                progress(decided)
            else:
                ready = frontier.advance(ready, np.concatenate(removed))
            state.status[ready] = KEPT
            decided += len(ready)
            progress(decided)
            pairs = joined_blocks(frontier.pairs(ready))
        return state

    def capped(self, status: Array) -> TextNumbers:
        """The kept texts that were not compared with all texts kept before them, because a bucket was full."""
        capped = capped_members(self.buckets, status, self.most)
        return capped[capped >= self.always_kept]

    def with_kept(self, removed: TextNumbers, status: Array) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """The candidate pairs of these removed texts with kept ones, at least with later ones, in blocks."""
        buckets = self.buckets
        every = positions_of_members(buckets, len(status))
        for members in member_blocks(every, removed):
            positions = every.take(members).values
            bucket, place = np.unique(
                np.searchsorted(buckets.offsets, positions, side="right") - 1, return_inverse=True
            )
            kept = buckets.take(bucket)
            kept = kept.keep(status[kept.values] == KEPT)
            left = buckets.values[positions]
            yield from distinct_pairs(left, kept.offsets[place], kept.lengths[place], kept.values, len(status))

    def links(self, label: TextNumbers) -> Iterator[tuple[TextNumbers, TextNumbers]]:
        """Candidate pairs that connect each component, in blocks: first some that probably connect most of it, and then
        those of texts that have different labels by then. label: of each text, changed by the caller meanwhile."""
        yield from grouping.star_pairs(self.buckets, self.size)
        yield from grouping.cross_component_pairs(self.buckets, label)


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
        is_jaccard = verifier.measure == "jaccard"
        indexed = prefix_index.prefix_index if is_jaccard else containment.containment_index
        self.index: JoinIndex = indexed(sets, verifier.threshold)
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
        state.score[some], state.estimate[some] = found.score, found.estimate
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

    def links(self, _label: TextNumbers) -> Iterator[tuple[TextNumbers, TextNumbers]]:
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
    memory. MemoryNeededError: it needs more. Texts that were not read yet are expected to have as many tokens per byte.
    """
    facts = np.concatenate([verifier.corpus.facts(rows) for verifier, rows in parts])
    first, _ = parts[0]
    counted = int(facts["count"].sum()) if facts["count"].all() else 0  # an artifact states it
    read, is_jaccard, is_announced = offsets_of(facts["size"]), first.measure == "jaccard", False
    limit, needed_by = most_memory, (prefix_index if is_jaccard else containment).bytes_needed
    if limit is None:
        limit = available_memory()

    def check(tokens: int, sets: int) -> None:
        """Check that the join fits in memory. tokens: how many the first of these sets have."""
        nonlocal is_announced
        size = int(read[sets])
        expected = counted or (tokens * int(read[-1]) // size if size else tokens)
        needed = needed_by(expected, len(facts), first.threshold)
        needed += _DOCUMENT * len(facts) if most_memory is not None else 0
        if limit is not None and needed > limit:
            option = "--exact" if is_jaccard else "--measure"
            raise MemoryNeededError(len(facts), needed, limit, most_memory is not None, option)
        if not is_announced:
            left = "" if limit is None else f", of {shown_memory(limit)}"
            texts = "1 text" if len(facts) == 1 else f"{len(facts):,} texts"
            first.run.explain(
                f"comparing {texts} exactly needs about {shown_memory(needed)} of memory{left}"
                f" {'available' if most_memory is None else 'allowed'}: {expected:,} tokens, and their prefix index",
                detail=needed < _MUCH,
            )
            is_announced = True

    if counted:
        check(0, 0)
    tokens, lengths = GrowingArray(np.uint32), GrowingArray(np.int64)
    for verifier, rows in parts:
        for _, sets in token_sets(verifier, rows):
            tokens.add(sets.values)
            lengths.add(sets.lengths)
            check(len(tokens), len(lengths))
    return Ragged.from_lengths(tokens.all(), lengths.all())
