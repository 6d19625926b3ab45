"""Sets and bags: what is left of a document's tokens once their order is forgotten.

Work goes in parts: many documents, whose tokens are sorted together, or a large one, which is sorted in place and
then done in chunks, so that it takes little more memory than its tokens.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.tokens import murmur
from simdocs.model.ragged import Array, Index, Keys, Mask, Ragged, Tokens, count_true_in_rows, row_blocks

_AT_ONCE = 1 << 17
"""Tokens sorted at once: their keys, 1 MiB, stay in a level-2 cache."""

_COUNTED_AT_ONCE = 1 << 16
"""Tokens of which bags are made at once: a key holds the place in 16 bits."""


def sort_rows(rows: Ragged) -> Ragged:
    """Each row of uint32 in ascending order, repeats kept."""
    values = np.empty_like(rows.values)
    for first, end in row_blocks(rows.offsets, _AT_ONCE):
        _sort(rows, first, end, values[rows.offsets[first] : rows.offsets[end]])
    return Ragged(values, rows.offsets)


def _sort(rows: Ragged, first: int, end: int, out: Tokens) -> None:
    """Write the rows first to end - 1, each sorted, to out."""
    offsets = rows.offsets[first : end + 1]
    values = rows.values[offsets[0] : offsets[-1]]
    if end == first + 1:
        out[:] = values
        out.sort()
        return
    keys = np.repeat(np.arange(end - first, dtype=np.uint64) << np.uint64(32), np.diff(offsets))
    keys |= values
    keys.sort()
    out[:] = keys.astype(np.uint32)  # the low half


def token_sets(tokens: Ragged) -> Ragged:
    """Each document's distinct tokens, ascending: Ragged uint32."""
    values = np.empty_like(tokens.values)
    counts = np.empty(len(tokens), np.int64)
    done = 0
    for first, end in row_blocks(tokens.offsets, _AT_ONCE):
        offsets = tokens.offsets[first : end + 1] - tokens.offsets[first]
        part = values[done : done + int(offsets[-1])]
        _sort(tokens, first, end, part)
        if end == first + 1:
            counts[first] = _keep_firsts(part)
        else:
            new = _differs(part)
            new[offsets[:-1][np.diff(offsets) > 0]] = True
            counts[first:end] = count_true_in_rows(new, offsets)
            part[: np.count_nonzero(new)] = part[new]
        done += int(counts[first:end].sum())
    values.resize(done, refcheck=False)
    return Ragged.from_lengths(values, counts)


def _differs(values: Array) -> Mask:
    """Where a value differs from the one before it; the first does."""
    new = np.empty(len(values), bool)
    new[:1] = True
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def _keep_firsts(values: Tokens) -> int:
    """Move the first of equal values in a row to the front, in place and in chunks; how many these are."""
    done, last = 0, -1
    for at in range(0, len(values), murmur.CHUNK):
        chunk = values[at : at + murmur.CHUNK]
        new = _differs(chunk)
        new[0] = chunk[0] != last
        last = int(chunk[-1])
        kept = chunk[new]
        values[done : done + len(kept)] = kept
        done += len(kept)
    return done


def token_multisets(tokens: Ragged, seed: int) -> Ragged:
    """Tokens under which bags compare as sets: the Jaccard of the results is minimum over maximum of the counts.

    A token's first occurrence in a row stands for itself; its i-th (i >= 2) becomes the hash of the token and i,
    4 bytes each. Ragged uint32, the same rows in the same order.
    """
    values = tokens.values.copy()
    for first, end in row_blocks(tokens.offsets, _COUNTED_AT_ONCE):
        cut = slice(int(tokens.offsets[first]), int(tokens.offsets[end]))
        lengths = np.diff(tokens.offsets[first : end + 1])
        for keys, bits in _keys(tokens.values[cut], lengths):
            keys.sort()
            _count(keys, bits, values[cut], seed)
    return Ragged(values, tokens.offsets)


def _keys(values: Tokens, lengths: Index) -> Iterator[tuple[Keys, int]]:
    """Keys of tokens, in rows of these lengths: the row, the token and, in so many low bits, its place, so that equal
    tokens stand together and their places ascend. One large row needs no number, which leaves 32 bits for the place;
    its keys come in parts, by the token's first three bits: those of all would take twice the memory of the tokens."""
    if len(lengths) > 1 or len(values) <= _COUNTED_AT_ONCE:
        keys = np.repeat(np.arange(len(lengths), dtype=np.uint64) << np.uint64(48), lengths)
        keys |= values.astype(np.uint64) << np.uint64(16)
        keys |= np.arange(len(values), dtype=np.uint64)
        yield keys, 16
        return
    keys = np.empty(len(values), np.uint64)  # of which only what is written takes memory
    for some in range(8):
        done = 0
        for at in range(0, len(values), murmur.CHUNK):
            chunk = values[at : at + murmur.CHUNK]
            places = np.flatnonzero(chunk >> np.uint32(29) == some)
            part = keys[done : done + len(places)]
            np.left_shift(chunk[places], np.uint64(32), out=part, dtype=np.uint64)
            part |= (places + at).astype(np.uint64)
            done += len(places)
        yield keys[:done], 32


def _count(keys: Keys, bits: int, values: Tokens, seed: int) -> None:
    """Put the i-th (i >= 2) of equal values, by ascending keys, in the place that the low bits of its key name."""
    begin, last = 0, None  # of the equal values up to here: where in keys they begin, and what they are
    for at in range(0, len(keys), murmur.CHUNK):
        chunk = keys[at : at + murmur.CHUNK]
        of = chunk >> np.uint64(bits)
        new = _differs(of)
        new[0] = of[0] != last
        last = of[-1]
        places = np.arange(at, at + len(chunk))
        begins = np.maximum.accumulate(np.where(new, places, begin))
        begin = int(begins[-1])
        again = np.flatnonzero(~new)
        nth = places[again] - begins[again] + 1
        pairs = np.column_stack((of[again].astype(np.uint32), nth.astype(np.uint32)))
        hashes = murmur.hash_number_windows(pairs.ravel(), 2, seed)[::2]
        values[(chunk[again] & np.uint64((1 << bits) - 1)).astype(np.intp)] = hashes
