"""The passages that chains of repeated windows make up: the longest runs around each that all its occurrences have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simdocs.kernels.compare.repeated_runs import common_reach, dense
from simdocs.matching.repeats.repeated_windows import WindowChains
from simdocs.matching.repeats.unit_texts import UnitTexts, by_characters, opening
from simdocs.model.ragged import Index, Ragged

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
    reach = common_reach(
        numbers, chains.steps, occurrences, offsets, before=chains.left[heads], after=chains.right[heads]
    )
    begins, ends = chains.begins[heads - reach.before + 1], chains.ends[heads + reach.after - 1]
    order = np.lexsort((ends, begins))
    ordered = begins[order], ends[order]
    new = np.append(True, (np.diff(ordered[0]) != 0) | (np.diff(ordered[1]) != 0))[: len(order)]
    some = order[new]
    own = np.bincount(np.cumsum(new) - 1, _own_units(chains, heads)[order], len(some)).astype(np.int64)
    found = Ragged(chains.begins[occurrences], offsets).take(some)
    back = np.repeat(chains.begins[heads[some]] - begins[some], found.lengths)
    repeats = _within_texts(texts, Repeats(ends[some] - begins[some], own, Ragged(found.values - back, found.offsets)))
    return _with_ends(texts, repeats) if by_characters(texts.unit) and len(repeats.units) else repeats


def _own_units(chains: WindowChains, some: Index) -> Index:
    """How many units of these chains no window has that also occurs elsewhere: the windows before and after them."""
    begins, ends = chains.begins[some], chains.ends[some]
    first = np.where(chains.left[some], chains.ends[np.maximum(some - 1, 0)], begins)
    stop = np.where(chains.right[some], chains.begins[np.minimum(some + 1, len(chains.begins) - 1)], ends)
    own: Index = np.maximum(stop - first, 0)
    return own


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
