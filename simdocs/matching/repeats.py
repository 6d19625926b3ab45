"""The windows of texts that occur in several documents, as chains: consecutive windows with the same occurrences.

Every record of a window is written to a file, in partitions that are sorted in memory one after the other. Only windows
with an anchor that occurs in several documents have records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from simdocs.engines.engine import Progress
from simdocs.kernels.buckets import equal_runs
from simdocs.kernels.windows import NONE, alike, common_reach, covered, dense, windows
from simdocs.matching.unit_texts import UnitTexts, by_characters, opening
from simdocs.model.ragged import Array, GrowingArray, Index, Keys, Mask, Ragged
from simdocs.storage.spilled import KEY_PARTS, SpilledRecords, classes, key_parts

_STRETCH = 1 << 18
"""Units of the texts that are looked at together, at least."""

_MOST_STRETCHES = 1 << 12

_FLAGS = 5
"""Bits after the place of a window: whether all its occurrences continue likewise to the right, and to the left; how
many units later the next window begins; whether it has one more unit."""


class WindowChains(NamedTuple):
    """C chains in the order of the texts. A chain is as long as all its occurrences continue likewise.

    begins, ends: int64 (C,), its first unit, and the one after its last.
    keys: uint64 (C,), the same for occurrences of one chain.
    right, left: bool (C,), whether all occurrences continue likewise beyond it: with windows that also occur elsewhere.
    steps: int8 (C,), how many units after its last window the next chain begins; 0 if another window begins next.
    """

    begins: Index
    ends: Index
    keys: Keys
    right: Mask
    left: Mask
    steps: Index


def repeated_chains(texts: UnitTexts, progress: Progress) -> WindowChains:
    """The chains of all windows that occur in several documents. The texts are in stretches of as many units each."""
    total = len(texts.units)
    size = max(_STRETCH, -(-total // _MOST_STRETCHES))
    stretches = -(-total // size)
    if not stretches:
        return WindowChains(*(np.empty(0, kind) for kind in (np.int64, np.int64, np.uint64, bool, bool, np.int64)))
    likely = SpilledRecords(stretches, 2)
    found = SpilledRecords(KEY_PARTS, 4)
    repeated = SpilledRecords(stretches, 2)
    try:
        # The windows that have an anchor that occurs in several documents: the first place, and the one after all.
        reach = texts.least - (texts.least + 1) // 2
        for is_one, blocks in classes(texts.anchors):
            for block, _ in _in_several_documents(texts, blocks, is_one=is_one):
                places = block[:, 1].astype(np.int64)
                begins = np.maximum(places - reach, texts.offsets[texts.text_at(places)])
                likely.add(np.column_stack((begins, places + 1)).astype(np.uint64), begins // size)
        _add_windows(texts, size, likely, found, progress)
        likely.close()
        _find_repeated(texts, size, found, repeated, progress)
        found.close()
        return _chains(texts, map(repeated.all_of, range(stretches)))
    finally:
        for records in (likely, found, repeated):
            records.close()


def _in_several(texts: UnitTexts, firsts: Array, lasts: Array) -> Mask:
    """Whether symbols that occur in these places first and last occur in several documents."""
    first, last = texts.text_at(firsts.astype(np.int64)), texts.text_at(lasts.astype(np.int64))
    several: Mask = (first != last) | (texts.copies[first] > 1)
    return several


def _in_several_documents(
    texts: UnitTexts, blocks: Callable[[], Iterator[Array]], flags: int = 0, *, is_one: bool
) -> Iterator[tuple[Array, Mask]]:
    """Yield the records of keys that occur in several documents; and of each, in which of its further numbers all
    records of its key are equal and not NONE: (n, width - 2).

    A record has a key, a place with this number of bits after it, and further numbers. blocks, is_one: see `classes`.
    """
    shift = np.uint64(flags)
    if is_one:
        ends, low, high = list[Array](), list[Array](), list[Array]()
        for block in blocks():
            ends.append(block[[0, -1], 1])
            low.append(block[:, 2:].min(axis=0))
            high.append(block[:, 2:].max(axis=0))
        if not _in_several(texts, ends[0][:1] >> shift, ends[-1][1:] >> shift)[0]:
            return
        least, most = np.min(low, axis=0), np.max(high, axis=0)
        same = (least == most) & (least != NONE)
        for block in blocks():
            yield block, np.broadcast_to(same, (len(block), len(same)))
        return
    for block in blocks():
        begins, sizes = equal_runs(block[:, 0])
        places = block[:, 1] >> shift
        several = _in_several(texts, places[begins], places[begins + sizes - 1])
        kept = np.repeat(several, sizes)
        same = np.column_stack([np.zeros((len(begins), 0), bool), *(alike(begins, each) for each in block.T[2:])])
        yield block[kept], np.repeat(same, sizes, axis=0)[kept]


def _add_windows(
    texts: UnitTexts, size: int, likely: SpilledRecords, found: SpilledRecords, progress: Progress
) -> None:
    """Add the likely windows: their keys, their places with flags, and the keys of those after and before them."""
    reached, total = 0, len(texts.units)
    for number, begin in enumerate(range(0, total, size)):
        end = min(begin + size, total)
        progress("comparing", end, 3 * total)
        marks = likely.all_of(number).astype(np.int64)
        firsts, stops = np.append(marks[:, 0], begin) - begin, np.append(marks[:, 1], max(reached, begin))
        reached = int(stops.max())
        wanted = covered(firsts, np.minimum(stops, end) - begin, end - begin)
        if not wanted.any():
            continue
        low, high = max(0, begin - 2), min(total, end + texts.least + 3)
        symbols = texts.units.read(low, high)
        some = windows(symbols, texts.ends(low, high), opening(symbols, texts.unit), texts.least)
        places = some.places + low
        inside = np.flatnonzero((places >= begin) & (places < end))
        chosen = inside[wanted[places[inside] - begin]]
        flagged = places[chosen] << _FLAGS | some.gaps[chosen] << 1 | some.longer[chosen]
        each = (some.keys[chosen], flagged.astype(np.uint64), some.nexts[chosen], some.befores[chosen])
        found.add(np.column_stack(each), key_parts(each[0]))


def _find_repeated(
    texts: UnitTexts, size: int, found: SpilledRecords, repeated: SpilledRecords, progress: Progress
) -> None:
    """Add the places of the windows that occur in several documents, with flags, and their keys."""
    done, every, total = 0, int(found.counts.sum()), len(texts.units)
    for is_one, blocks in classes(found):
        for block, same in _in_several_documents(texts, blocks, _FLAGS, is_one=is_one):
            flagged = block[:, 1] | (same[:, 0].astype(np.uint64) << 4) | (same[:, 1].astype(np.uint64) << 3)
            places = (flagged >> np.uint64(_FLAGS)).astype(np.int64)
            repeated.add(np.column_stack((flagged, block[:, 0])), places // size)
            done += len(block)
            progress("comparing", total + total * done // every, 3 * total)


def _chains(texts: UnitTexts, repeated: Iterable[Keys]) -> WindowChains:
    """The chains of these windows, a stretch after the other."""
    begins, ends, keys = GrowingArray(np.int64), GrowingArray(np.int64), GrowingArray(np.uint64)
    right, left, steps = GrowingArray(bool), GrowingArray(bool), GrowingArray(np.int8)
    last = np.empty((0, 2), np.uint64)

    def close(flagged: Keys, gaps: Index) -> None:
        """Add the ends of chains. flagged: their last windows. gaps: how far it is to the next repeated one."""
        places = (flagged >> np.uint64(_FLAGS)).astype(np.int64)
        low = flagged.astype(np.int64)
        ends.add(places + texts.least + (low & 1))
        right.add((low >> 4 & 1) > 0)
        steps.add(np.where(gaps == (low >> 1 & 3), gaps, 0))

    for found in repeated:
        if not len(found):
            continue
        records = np.concatenate((last, found[np.argsort(found[:, 0])]))
        flagged = records[:, 0].astype(np.int64)
        gaps = np.diff(flagged >> _FLAGS)
        goes_on = (flagged[:-1] >> 4 & flagged[1:] >> 3 & 1 > 0) & (gaps == (flagged[:-1] >> 1 & 3))
        some = np.flatnonzero(np.append(not len(last), ~goes_on))
        begins.add(flagged[some] >> _FLAGS)
        keys.add(records[some, 1])
        left.add((flagged[some] >> 3 & 1) > 0)
        cut = np.flatnonzero(~goes_on)
        close(records[cut, 0], gaps[cut])
        last = records[-1:]
    close(last[:, 0], np.zeros(len(last), np.int64))
    return WindowChains(*(each.all() for each in (begins, ends, keys, right, left, steps)))


_PAST = 4
"""Units that a passage may have in common after its last window: the next one ends with at most this many others."""


class Repeats(NamedTuple):
    """P passages in the order of their first places, then of their ends.

    units: int64 (P,), how many units each has.
    own: int64 (P,), how many of these no passage with more places has.
    places: Ragged int64, P rows: all its places among the units of all texts, ascending.
    """

    units: Index
    own: Index
    places: Ragged


def repeats_of(texts: UnitTexts, chains: WindowChains) -> Repeats:
    """The passages around these chains. All occurrences of a chain are within occurrences of its passage."""
    numbers, occurrences, offsets = dense(chains.keys)
    heads = occurrences[offsets[:-1]]
    before, after = common_reach(
        numbers, chains.steps, occurrences, offsets, before=chains.left[heads], after=chains.right[heads]
    )
    begins, ends = chains.begins[heads - before + 1], chains.ends[heads + after - 1]
    order = np.lexsort((ends, begins))
    ordered = begins[order], ends[order]
    new = np.append(True, (np.diff(ordered[0]) != 0) | (np.diff(ordered[1]) != 0))[: len(order)]
    some = order[new]
    # What no window has that also occurs elsewhere: the windows before and after a chain.
    first = np.where(chains.left[heads], chains.ends[np.maximum(heads - 1, 0)], chains.begins[heads])
    next_begins = chains.begins[np.minimum(heads + 1, len(chains.begins) - 1)]
    stop = np.where(chains.right[heads], next_begins, chains.ends[heads])
    own = np.bincount(np.cumsum(new) - 1, np.maximum(stop - first, 0)[order], len(some)).astype(np.int64)
    found = Ragged(chains.begins[occurrences], offsets).take(some)
    back = np.repeat(chains.begins[heads[some]] - begins[some], found.lengths)
    repeats = _within_texts(texts, Repeats(ends[some] - begins[some], own, Ragged(found.values - back, found.offsets)))
    return _with_ends(texts, repeats) if by_characters(texts.unit) and len(repeats.units) else repeats


def _within_texts(texts: UnitTexts, repeats: Repeats) -> Repeats:
    """The passages without places that are in no text. There are none, unless windows that differ have equal hashes."""
    lasts = repeats.places.values + np.repeat(repeats.units, repeats.places.lengths) - 1
    inside = (repeats.places.values >= 0) & (lasts < len(texts.units))
    inside &= texts.text_at(repeats.places.values) == texts.text_at(lasts)
    if inside.all():
        return repeats
    places = repeats.places.keep(inside)
    some = np.flatnonzero(places.lengths)
    return Repeats(repeats.units[some], repeats.own[some], places.take(some))


def _with_ends(texts: UnitTexts, repeats: Repeats) -> Repeats:
    """The passages with what all occurrences have after the last window, up to a unit that may end a passage."""
    places, offsets = repeats.places.values, repeats.places.offsets
    ends = places + np.repeat(repeats.units, repeats.places.lengths)
    stops = texts.offsets[texts.text_at(places) + 1]
    order = np.argsort(ends, kind="stable")
    values = np.empty((len(ends), _PAST), texts.units.dtype)
    values[order] = texts.units.at(ends[order], _PAST)
    heads = np.repeat(offsets[:-1], repeats.places.lengths)
    agree = (values == values[heads]) & (ends[:, np.newaxis] + np.arange(_PAST) < stops[:, np.newaxis])
    shared = np.logical_and.accumulate(np.logical_and.reduceat(agree, offsets[:-1], axis=0), axis=1)
    firsts = values[offsets[:-1]]
    good = shared & opening(firsts.reshape(-1), texts.unit).reshape(firsts.shape)
    more = np.where(good.any(axis=1), _PAST - np.argmax(good[:, ::-1], axis=1), 0)
    return repeats._replace(units=repeats.units + more, own=repeats.own + more)
