"""The runs of symbols that two sequences have in common, the longest first, in time that never grows with a square.

A run of `a` that `b` also has is *longest from its place* if no longer run begins there. These are found for all places
of `a` at once, by sorting the suffixes of both sequences by their first 1, 2, 4, ... symbols: Manber, Myers, Suffix
arrays: a new method for on-line string searches (1993). A run of `a` shares most with the one or the other of its
neighbours in `b` in that order. Groups of suffixes without a suffix of both sequences are not sorted any further.

Before that, all is left out that no run of the least length has. What both sequences have once, and in the same order,
becomes one symbol. So nearly equal texts take little more time than texts that share nothing.

The runs are then chosen as the tiles of Wise, String similarity via greedy string tiling and running Karp-Rabin
matching (1993), except that a place of `b` may be in several runs.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from simdocs.kernels.buckets import equal_runs
from simdocs.kernels.windows import window_keys
from simdocs.model.ragged import Array, Index, Keys, Mask, distinct, ranges

_PLACES_A_KEY = 8
"""Places of a table of keys for each key in it: of other keys, at most one in this number is taken for one of them."""


class Edges(NamedTuple):
    """Where runs of the n symbols of `a` may begin and end, and how long they must be. Each is int64 (n + 1,).

    opens: for each place the first one, not before it, where a run may begin; n if there is none.
    closes: for each place the last one, not after it, where a run may end; 0 if there is none.
    least: for each place where a run may begin, the first place where it is long enough to end. It ascends.
    """

    opens: Index
    closes: Index
    least: Index

    @classmethod
    def of(cls, opens: Mask, closes: Mask, least: int) -> Edges:
        """Runs of at least this many symbols. opens, closes: bool (n,), which symbols can be the first, or the last."""
        places = np.arange(len(opens) + 1)
        first = np.append(np.where(opens, places[:-1], len(opens)), len(opens))
        last = np.append(0, np.where(closes, places[1:], 0))
        return cls(np.minimum.accumulate(first[::-1])[::-1], np.maximum.accumulate(last), places + least)


def common_runs(a: Array, b: Array, least: int, edges: Edges) -> tuple[Index, Index, Index]:
    """The runs of at least this many symbols that both sequences have, by falling length, then by their place in `a`.

    Where they begin in a and in b, and their lengths: three arrays of int64 (R,).

    The longest run comes first. Then its places in `a` count as taken, and the next is the longest run of places that
    are not taken, the first of several; and so on. So a place of `a` is in at most one run, what is left of `a` has no
    run in common with `b`, and a run cannot be made longer, unless by places that another run has. Only what `edges`
    allows is a run. If `b` has a run several times, one of these places is returned, always the same.

    a, b: one-dimensional arrays of integers of one dtype, which stand for symbols. least: at least 1, and no more than
    any run of `edges` has. With n = len(a) + len(b), the time grows with n log(n)^2 and the memory with n log(n),
    whatever the sequences are.
    """
    longest = _longest(*_shortened(a, b, least), least, edges) if min(len(a), len(b)) >= least else None
    if longest is None or not len(longest[0]):
        none = np.empty(0, np.int64)
        return none, none, none
    return _tiles(*longest, edges)


def _shortened(a: Array, b: Array, least: int) -> tuple[Index, Index, int]:
    """Both sequences, one after the other, without the symbols that are in no common run of `least` symbols.

    Their symbols, int64 (n,); the place of each in its sequence; and where the second one begins. A symbol that only
    one of the sequences has stands for whatever was left out between others, and for the end of each sequence. Where
    both have a long run exactly once, its inner symbols become one, which nothing else has.
    """
    windows = [window_keys(each, least) for each in (a, b)]
    keys = np.concatenate(windows)
    order = _perhaps_in_both(*windows)
    order = order[np.argsort(keys[order], kind="stable")]
    keys = keys[order]
    begins, sizes = equal_runs(keys)
    of_a = np.add.reduceat(order < len(windows[0]), begins, dtype=np.int64) if len(begins) else sizes
    shared = order[np.repeat((of_a > 0) & (of_a < sizes), sizes)]
    inner = _inner_symbols(a, b, order[begins[(of_a == 1) & (sizes == 2)][:, np.newaxis] + (0, 1)], least)
    symbols, places, ends = list[Array](), list[Index](), list[Mask]()
    for at, each in enumerate((a, b)):
        first = at * len(windows[0])
        has = np.zeros(len(each) + 1, np.int64)
        has[shared[(shared >= first) & (shared < first + len(windows[at]))] - first] = 1
        np.cumsum(has, out=has)
        covered = has > 0
        covered[least:] = has[least:] > has[:-least]
        end = ~covered & np.append(False, covered[:-1])
        covered[ranges(inner[at] + 1, inner[2] - 1)] = False
        places.append(np.flatnonzero(covered | end))
        ends.append(end[places[at]])
        symbols.append(np.append(each, each[:1])[places[at]])
    known = distinct(np.concatenate(symbols))
    for at, each in enumerate(places):
        dense = np.searchsorted(known, symbols[at])
        dense[np.searchsorted(each, inner[at])] = len(known) + np.arange(len(inner[at]))
        dense[ends[at]] = len(known) + len(inner[at]) + at
        symbols[at] = dense
    return np.concatenate(symbols), np.concatenate(places), len(places[0])


def _perhaps_in_both(a: Keys, b: Keys) -> Index:
    """The places in a, and in b after all those of a, whose keys may be in both: none that is in both is missing.

    Most keys of texts with little in common are in only one of them. To sort these would take most of the time.
    """
    size = 1 << (_PLACES_A_KEY * max(len(a), len(b))).bit_length()
    places = [(keys & np.uint64(size - 1)).astype(np.int64) for keys in (a, b)]
    found = list[Index]()
    for own, others in (places, places[::-1]):
        table = np.zeros(size, bool)
        table[others] = True
        found.append(np.flatnonzero(table[own]))
    return np.concatenate((found[0], len(a) + found[1]))


def _inner_symbols(a: Array, b: Array, once: Index, least: int) -> tuple[Index, Index, Index]:
    """Where the inner symbols of long common runs begin in a and in b, and how many there are: three arrays of int64.

    A run of `least` symbols stays at each end. once: (n, 2), where the runs of `least` symbols begin that each sequence
    has once: in a, and in b, counted on from the last one of a.
    """
    left, right = once[:, 0], once[:, 1] - (len(a) - least + 1)
    order = np.argsort(left)
    left, right = left[order], right[order]
    equal = a[left] == b[right]  # hashes of different runs may be equal
    left, right = left[equal], right[equal]
    begins = np.flatnonzero(np.append(True, (np.diff(left) != 1) | (np.diff(right) != 1))[: len(left)])
    sizes = np.diff(np.append(begins, len(left))) - 1 - least
    begins, sizes = begins[sizes > 1], sizes[sizes > 1]
    return left[begins] + least, right[begins] + least, sizes


def _longest(symbols: Index, places: Index, split: int, least: int, edges: Edges) -> tuple[Index, Index, Index]:
    """The longest run from each place of the first sequence, if it is long enough and no longer one contains it.

    Where they begin and end in `a`, both ascending, and where they begin in `b`: int64 (n,). symbols, places,
    split: see `_shortened`.
    """
    in_a = np.arange(len(symbols)) < split
    counts = np.bincount(symbols)
    of_a = np.bincount(symbols[:split], minlength=len(counts))
    # The rank of a suffix is its place among all, if only its first `width` symbols count; of equals, the first.
    ranks = (np.cumsum(counts) - counts)[symbols]
    levels, width = list[Array](), 1
    alive = np.flatnonzero(((of_a > 0) & (of_a < counts))[symbols])
    found = [np.empty((3, 0), np.int64)]
    while len(alive):
        levels.append(ranks.astype(np.uint32))
        keys = ranks[alive].astype(np.uint64) << np.uint64(32) | ranks[alive + width].astype(np.uint64)
        order = np.argsort(keys, kind="stable")
        alive, keys = alive[order], keys[order]
        before = _begins_of_equal(keys >> np.uint64(32))
        now = _begins_of_equal(keys)
        ranks[alive] += now - before
        here = in_a[alive]
        begins = distinct(now)
        of_a = np.add.reduceat(here, begins, dtype=np.int64)
        sizes = np.diff(np.append(begins, len(alive)))
        shared = np.repeat((of_a > 0) & (of_a < sizes), sizes)
        if 2 * width > least:
            wanted = np.flatnonzero(here & ~shared)
            found.append(_best_neighbours(alive, here, before, wanted, levels, width))
        alive = alive[shared]
        width *= 2
    starts, others, lengths = np.concatenate(found, axis=1)
    order = np.argsort(starts)
    starts, others, lengths = starts[order], others[order], lengths[order]
    firsts = places[starts]
    begins, ends = edges.opens[firsts], edges.closes[places[starts + lengths - 1] + 1]
    longer = np.append(True, ends[1:] > np.maximum.accumulate(ends)[:-1])[: len(ends)]
    some = np.flatnonzero((ends >= edges.least[begins]) & longer)
    return begins[some], ends[some], (places[others] + begins - firsts)[some]


def _begins_of_equal(ordered: Keys) -> Index:
    """For each value, the place of the first one that is equal to it: int64 (n,)."""
    places = np.arange(len(ordered))
    places[1:][ordered[1:] == ordered[:-1]] = 0
    return np.maximum.accumulate(places)


def _best_neighbours(alive: Index, here: Mask, groups: Index, places: Index, levels: list[Array], width: int) -> Array:
    """Suffixes of the first sequence, for each the one of the second that shares most with it, and how much: (3, n).

    alive: suffixes in order. here: which of them are of the first sequence. groups: the place of the first one with
    the same first `width` symbols. places: those of the wanted suffixes, in whose group is one of the second sequence.
    levels: the ranks of all suffixes by their first 1, 2, 4, ... width symbols.
    """
    at = np.arange(len(alive))
    before = np.maximum.accumulate(np.where(here, -1, at))[places]
    after = np.minimum.accumulate(np.where(here, len(alive), at)[::-1])[::-1][places]
    group = groups[places]
    best, most = np.zeros(len(places), np.int64), np.zeros(len(places), np.int64)
    for near, is_there in (
        (before, before >= group),
        (after, (after < len(alive)) & (groups[np.minimum(after, len(alive) - 1)] == group)),
    ):
        some = np.flatnonzero(is_there)
        left, right = alive[places[some]], alive[near[some]]
        shared = np.full(len(some), width)
        for step in range(len(levels) - 2, -1, -1):
            level = levels[step]
            shared += (level[left + shared] == level[right + shared]).astype(np.int64) << step
        better = (shared > most[some]) | ((shared == most[some]) & (right < best[some]))
        best[some[better]], most[some[better]] = right[better], shared[better]
    return np.stack((alive[places], best, most))


def _tiles(begins: Index, ends: Index, others: Index, edges: Edges) -> tuple[Index, Index, Index]:
    """The longest of these runs (see `_longest`), then the longest one of the places of `a` that are left, and so on.

    Runs of one length that begin at places next to each other are one candidate: any stretch of that length between the
    beginning of the first and the end of the last is a run. A candidate is cut by taken places at each side at most
    once or twice, because what was taken before is at least as long: nothing is left of it after such places.
    """
    lengths = ends - begins
    firsts = np.flatnonzero(np.append(True, (np.diff(begins) != 1) | (np.diff(lengths) != 0)))
    lasts = np.append(firsts[1:], len(begins)) - 1
    candidates = list(
        zip(
            (-lengths[firsts]).tolist(),
            begins[firsts].tolist(),
            ends[lasts].tolist(),
            lengths[firsts].tolist(),
            strict=True,
        )
    )
    heapq.heapify(candidates)

    def offer(begin: int, end: int, length: int) -> None:
        if end - begin < length:
            begin, end = int(edges.opens[begin]), int(edges.closes[end])
        if end >= edges.least[begin]:
            heapq.heappush(candidates, (-min(length, end - begin), begin, end, length))

    taken, until = list[int](), list[int]()
    while candidates:
        key, begin, end, length = heapq.heappop(candidates)
        at = bisect_right(taken, begin)
        start = max(begin, until[at - 1]) if at else begin
        while at < len(taken) and taken[at] == start:
            start, at = until[at], at + 1
        stop = min(end, taken[at]) if at < len(taken) else end
        size = min(length, stop - start)
        if size == -key:
            taken.insert(at, start)
            until.insert(at, start + size)
            start += size
        offer(start, stop, length)
    found = np.array(taken, np.int64)
    sizes = np.array(until, np.int64) - found
    run = np.searchsorted(begins, found, side="right") - 1
    order = np.lexsort((found, -sizes))
    found, sizes, run = found[order], sizes[order], run[order]
    return found, others[run] + found - begins[run], sizes
