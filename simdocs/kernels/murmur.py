"""MurmurHash3_x86_32 of many short byte strings at once, in NumPy.

Austin Appleby's MurmurHash3 (public domain) reads a string in 4-byte little-endian blocks. Each block is *mixed* by
itself and then *stirred* into the hash. Mixing does not depend on the block's place in its string, so overlapping
windows share it: the bytes of a batch are mixed once at every offset, and windows only stir.

The work goes in chunks that fit in the processor's cache. One pass over a whole corpus takes three times as long.
"""

from __future__ import annotations

import mmh3
import numpy as np

from simdocs.kernels.native import accelerated
from simdocs.model.ragged import Array, Bytes, Tokens

CHUNK = 1 << 15
"""Elements that are worked on at once: 128 KiB of uint32, which fit in a level-2 cache with their scratch arrays."""

LONG = 256
"""Longer strings, in bytes, are hashed one at a time by mmh3, because stirring in step takes NumPy calls per block."""

_C1 = np.uint32(0xCC9E2D51)
_C2 = np.uint32(0x1B873593)
_FIVE = np.uint32(5)
_N = np.uint32(0xE6546B64)
_F1 = np.uint32(0x85EBCA6B)
_F2 = np.uint32(0xC2B2AE35)
_TAIL_MASK = np.array([0, 0xFF, 0xFFFF, 0xFFFFFF], np.uint32)


def _rotate(x: Tokens, by: int, scratch: Tokens) -> None:
    np.left_shift(x, np.uint32(by), out=scratch)
    np.right_shift(x, np.uint32(32 - by), out=x)
    np.bitwise_or(x, scratch, out=x)


def mix(blocks: Array) -> Tokens:
    """Each 4-byte block mixed, which is the first half of MurmurHash3's step: uint32, same shape as `blocks`."""
    mixed: Tokens = np.multiply(blocks, _C1)
    _rotate(mixed, 15, np.empty_like(mixed))
    np.multiply(mixed, _C2, out=mixed)
    return mixed


def _stir(state: Tokens, mixed: Tokens, scratch: Tokens) -> None:
    np.bitwise_xor(state, mixed, out=state)
    _rotate(state, 13, scratch)
    np.multiply(state, _FIVE, out=state)
    np.add(state, _N, out=state)


def fmix32(state: Tokens) -> Tokens:
    """Apply MurmurHash3's finaliser to `state` (uint32) in place and return it: a bijection of 32-bit numbers."""
    scratch = np.empty_like(state)
    for shift, factor in ((16, _F1), (13, _F2)):
        np.right_shift(state, np.uint32(shift), out=scratch)
        np.bitwise_xor(state, scratch, out=state)
        np.multiply(state, factor, out=state)
    np.right_shift(state, np.uint32(16), out=scratch)
    np.bitwise_xor(state, scratch, out=state)
    return state


def stir_block_runs(mixed: Tokens, starts: Array, counts: Array, seed: int) -> Tokens:
    """The hash states, before the finaliser, of n runs of mixed blocks: uint32 (n,).

    Run i is mixed[starts[i] + 4*j] for j < counts[i]. All runs advance together: one round of NumPy calls for each
    block, however many runs there are. They are sorted by length, the longest first, and the runs that still have
    blocks are a prefix.
    """
    state, order = np.full(len(starts), seed, np.uint32), np.argsort(-counts, kind="stable")
    starts, longest, scratch = starts[order], int(counts.max(initial=0)), np.empty_like(state)
    running = len(counts) - np.cumsum(np.bincount(counts, minlength=longest + 1))
    for block, live in enumerate(running[:longest].tolist()):
        _stir(state[:live], mixed.take(starts[:live] + 4 * block), scratch[:live])
    out = np.empty_like(state)
    out[order] = state
    return out


@accelerated
def hash_byte_strings(data: Bytes, starts: Array, lengths: Array, seed: int, long: int = LONG) -> Tokens:
    """The hashes of the byte strings data[starts[i] : starts[i] + lengths[i]]: uint32 (n,).

    Equals [mmh3.hash(bytes(...), seed, signed=False) for each i]. Strings may overlap and may be empty. Strings of more
    than `long` bytes are hashed one at a time: raise `long` if strings overlap, since there may be many long ones then.
    """
    out = np.empty(len(starts), np.uint32)
    for at in range(0, len(starts), CHUNK):
        part, begins, sizes = out[at : at + CHUNK], starts[at : at + CHUNK], lengths[at : at + CHUNK]
        short = np.flatnonzero(sizes <= long)
        part[short] = _hash_short_strings(data, begins[short], sizes[short], seed)
        # If strings do not overlap, this loop runs at most once for every `long` bytes of data.
        others = np.flatnonzero(sizes > long)
        spans = zip(begins[others].tolist(), sizes[others].tolist(), strict=True)
        part[others] = [mmh3.hash_from_buffer(data[a : a + n].data, seed, signed=False) for a, n in spans]
    return out


def _hash_short_strings(data: Bytes, starts: Array, lengths: Array, seed: int) -> Tokens:
    if not len(starts):
        return np.empty(0, np.uint32)
    first = int(starts.min())
    some = data[first : int((starts + lengths).max())]
    padded = np.zeros(len(some) + 4, np.uint8)
    padded[: len(some)] = some
    # The little-endian number in 4 bytes from each place on, and from the end on, which an empty tail may read.
    words = np.ascontiguousarray(np.ndarray(len(some) + 1, "<u4", padded, strides=(1,)), np.uint32)
    starts = starts - first
    counts = lengths >> 2
    state = stir_block_runs(mix(words), starts, counts, seed)
    tails = words.take(starts + 4 * counts, mode="wrap")
    tails &= _TAIL_MASK.take(lengths & 3, mode="wrap")
    np.bitwise_xor(state, mix(tails), out=state)
    np.bitwise_xor(state, lengths.astype(np.uint32), out=state)
    return fmix32(state)


def hash_number_runs(numbers: Tokens, starts: Array, counts: Array, seed: int, long: int = LONG // 4) -> Tokens:
    """The hashes of the runs numbers[starts[i] : starts[i] + counts[i]] of 4-byte numbers, little-endian: uint32 (n,).

    Equals mmh3.hash(run.astype("<u4").tobytes(), seed, signed=False) for each run. long: in numbers, as that of
    `hash_byte_strings` in bytes.
    """
    data = np.ascontiguousarray(numbers, "<u4").view(np.uint8)
    return hash_byte_strings(data, 4 * starts, 4 * counts, seed, 4 * long)


def hash_number_windows(numbers: Tokens, count: int, seed: int, out: Tokens | None = None) -> Tokens:
    """The hashes of all windows of `count` numbers, 4 bytes each: uint32 (max(0, len(numbers) - count + 1),).

    If `out` is given, the hashes are written to its beginning. It may be `numbers` itself.
    """
    size = max(0, len(numbers) - count + 1)
    out = np.empty(size, np.uint32) if out is None else out[:size]
    for at in range(0, size, CHUNK):
        mixed = mix(numbers[at : min(at + CHUNK, size) + count - 1])
        state = out[at : at + CHUNK]
        state[:] = seed
        scratch = np.empty_like(state)
        for block in range(count):
            _stir(state, mixed[block : block + len(state)], scratch)
        np.bitwise_xor(state, np.uint32(4 * count), out=state)
        fmix32(state)
    return out
