"""The kernels in C as functions of arrays: each has the name, the parameters and the result of the one in NumPy.

A function returns NotImplemented if only NumPy can do it, such as for texts that are not UTF-8.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from simdocs.kernels.characters import CodepointTable, ascii_table, character_kinds, depends_on_context, mapped_alone
from simdocs.kernels.multisets import leave_out
from simdocs.kernels.native import compiled
from simdocs.model.ragged import NO_TOKENS, STRIDE, Array, Bytes, Floats, Index, Keys, Ragged, Texts, Tokens, distinct
from simdocs.options.recipes import Normalisation

if TYPE_CHECKING:
    from simdocs.kernels.shinglers import ShingledTexts
    from simdocs.options.recipes import Shingling


def normalise(raw: Ragged, switches: Normalisation, *, lines: bool = False) -> Texts | Any:
    """The normalised texts of N documents, if each character can be mapped by itself."""
    greatest = compiled.greatest(
        raw.values
    )  # to free a large array first would make malloc keep later ones in its heap
    if greatest > 127:
        return NotImplemented if depends_on_context(switches) else _mapped(raw, switches, lines)
    out, lengths = np.empty(len(raw.values), np.uint8), np.empty(len(raw), np.int64)
    size = compiled.collapsed(raw.values, raw.offsets, ascii_table(switches, lines), out, lengths)
    out.resize(size, refcheck=False)
    encoded = Ragged.from_lengths(out, lengths)
    return Texts(encoded, encoded)


def _mapped(raw: Ragged, switches: Normalisation, lines: bool) -> Texts | Any:
    ascii_bytes = ascii_table(switches, lines)
    out, sizes = np.empty(3 * len(raw.values) + 8, np.uint8), np.empty(len(raw), np.int64)  # of 2 bytes, 6 can be made
    size = _with_table(
        _spelt_table(switches, lines),
        raw.values,
        lambda table: compiled.mapped(raw.values, raw.offsets, ascii_bytes, table, out, sizes),
    )
    if size is None:
        return NotImplemented
    out.resize(size, refcheck=False)
    encoded = Ragged.from_lengths(out, sizes)
    greatest = compiled.greatest(out)
    if greatest < 128:
        return Texts(encoded, encoded)
    points: Array = np.empty(size, np.uint32 if greatest >= _FOUR_BYTES else np.uint16)
    strides, lengths = np.empty(size // STRIDE + 1, np.int64), np.empty(len(raw), np.int64)
    count = compiled.decoded(out, encoded.offsets, points, points.itemsize, STRIDE, strides, lengths)
    assert count is not None, "what was mapped is UTF-8"
    points.resize(count, refcheck=False)
    return Texts(encoded, Ragged.from_lengths(points, lengths), strides[: count // STRIDE + 1])


@cache
def _spelt_table(switches: Normalisation, lines: bool) -> CodepointTable:
    """For each code point, the UTF-8 that it becomes, up to 6 bytes, and 128 + their number in the eighth: uint64."""

    def entries(codepoints: Index) -> list[int]:
        spelt = [made.encode("utf-8", "surrogatepass") for made in mapped_alone(codepoints, switches, lines)]
        return [int.from_bytes(each, "little") | 128 + len(each) << 56 for each in spelt]

    return CodepointTable(entries, np.uint64)


_FOUR_BYTES = 0xF0
"""The first byte of a character that does not fit in 16 bits, in UTF-8, and greater ones."""


def _with_table(table: CodepointTable, data: Bytes, call: Callable[[Array], int | None]) -> int | None:
    """The result of a kernel that looks code points up in a table, after what it misses there was filled in.

    data: the UTF-8 that it looks at. At the first miss all that it will miss is filled in, since it begins anew.
    """
    found = call(table.numbers)
    if found is not None and found < 0:
        used = np.zeros(len(table.numbers) >> 8, np.uint8)
        compiled.pages(data, used)
        table.fill(np.flatnonzero(used & (table.numbers[::256] == 0)))
        found = call(table.numbers)
        assert found is None or found >= 0, "every character has an entry now"
    return found


def char_tokens(texts: Texts, shingling: Shingling) -> ShingledTexts | Any:
    """The tokens of k characters each, if all texts are UTF-8."""
    from simdocs.kernels.shinglers import ShingledTexts

    points = texts.codepoints
    tokens = Ragged.from_lengths(np.empty(0, np.uint32), _windows(points.lengths, shingling.k))
    out = np.empty(int(tokens.offsets[-1]), np.uint32)
    place = texts.data, texts.encoded.offsets, points.offsets
    if not compiled.char_tokens(*place, shingling.k, shingling.seed, out):
        return NotImplemented
    return ShingledTexts(Ragged(out, tokens.offsets), points.lengths)


def tokens_of_units(hashes: Ragged, shingling: Shingling) -> ShingledTexts:
    """The tokens of k units each, in place of the hashes of the units."""
    from simdocs.kernels.shinglers import ShingledTexts

    sizes = hashes.lengths
    compiled.number_tokens(hashes.values, hashes.offsets, shingling.k, shingling.seed)
    counts = _windows(sizes, shingling.k)
    return ShingledTexts(Ragged.from_lengths(hashes.values[: counts.sum()], counts), sizes)


def _windows(sizes: Index, k: int) -> Index:
    """The number of windows of k units in rows of these sizes. A row with fewer units has one, an empty row none."""
    return np.where(sizes >= k, sizes - k + 1, np.minimum(sizes, 1))


def hash_byte_strings(data: Bytes, starts: Array, lengths: Array, seed: int, long: int = 0) -> Tokens:
    """The hashes of the byte strings data[starts[i] : starts[i] + lengths[i]]. long: not used."""
    out = np.empty(len(starts), np.uint32)
    compiled.byte_strings(np.ascontiguousarray(data), _whole(starts), _whole(lengths), seed, out)
    return out


def word_hashes(texts: Texts, seed: int) -> Ragged | Any:
    """The hash of every word of N texts, if all are UTF-8."""
    counts = np.empty(len(texts), np.int64)
    hashes = np.empty(int(((texts.encoded.lengths + 1) // 2).sum()), np.uint32)
    place = texts.data, texts.encoded.offsets, texts.codepoints.offsets
    done = _with_table(
        character_kinds,
        texts.data,
        lambda kinds: compiled.word_hashes(*place, kinds, seed, hashes, counts),
    )
    if done is None:
        return NotImplemented
    hashes.resize(done, refcheck=False)
    return Ragged.from_lengths(hashes, counts)


def token_sets(tokens: Ragged, ignored: Tokens = NO_TOKENS) -> Ragged:
    """The distinct tokens of each of N documents, ascending, without the ignored ones."""
    values, counts = tokens.values.copy(), np.empty(len(tokens), np.int64)
    values.resize(compiled.sets(values, tokens.offsets, counts), refcheck=False)
    sets = Ragged.from_lengths(values, counts)
    return leave_out(sets, ignored) if len(ignored) else sets


def signatures(tokens: Ragged, num_perm: int, seed: int = 0) -> Tokens:
    """The signatures of N documents. seed: not used."""
    out = np.empty((len(tokens), num_perm), np.uint32)
    compiled.fss(np.ascontiguousarray(tokens.values), tokens.offsets, out)
    return out


def estimates(signatures: Tokens, left: Array, right: Array) -> Floats:
    """The share of positions at which signatures[left[i]] and signatures[right[i]] agree."""
    width, agree = signatures.shape[1], np.empty(len(left), np.int64)
    compiled.agreements(np.ascontiguousarray(signatures), width, _whole(left), _whole(right), agree)
    share: Floats = agree / width
    return share


def keys_of_band(signatures: Tokens, order: Index, band: int, rows: int) -> Keys | Any:
    """The keys of one band of these signatures."""
    if not signatures.flags.c_contiguous:  # a copy of all would take much memory
        return NotImplemented
    keys = np.empty(len(order), np.uint64)
    compiled.band_keys(signatures, signatures.shape[1], _whole(order), band * rows, rows, keys)
    return keys


def order_of_keys(keys: Keys) -> Index:
    """The places of the keys in ascending order. Equal keys keep their order."""
    order = np.empty(len(keys), np.int64)
    compiled.order(np.ascontiguousarray(keys), order)
    return order


def positions_of_members(buckets: Ragged, size: int) -> Ragged | Any:
    """The positions of each member below `size` in the values of buckets, ascending."""
    members = buckets.values
    if members.dtype != np.int32 or len(members) >= 1 << 31:
        return NotImplemented
    starts, positions = np.empty(size + 1, np.int64), np.empty(len(members), np.int32)
    compiled.positions(np.ascontiguousarray(members), starts, positions)
    return Ragged(positions, starts)


def overlaps(sets: Ragged, left: Array, right: Array) -> Index:
    """The number of tokens that sets[left[i]] and sets[right[i]] have in common."""
    common, values = np.empty(len(left), np.int64), np.ascontiguousarray(sets.values)
    rows, others = distinct(left), distinct(right)
    if len(rows) > len(others):
        left, right, rows = right, left, others
    order = _by_few_rows(sets.lengths, rows, left, right)
    if order is None:
        compiled.overlaps(values, sets.offsets, _whole(left), _whole(right), common)
        return common
    compiled.overlaps(values, sets.offsets, _whole(left[order]), _whole(right[order]), common)
    out = np.empty_like(common)
    out[order] = common
    return out


_FEW_ROWS = 64
_FEW_ROWS_VALUES = 1 << 17
"""SPAN_ROWS and SPAN_VALUES of overlaps.c."""


def _by_few_rows(sizes: Index, rows: Array, left: Array, right: Array) -> Index | None:
    """The order of pairs in which those of a few left rows are together, by their right rows: int64 (P,).

    None: they are in this order. rows: the distinct left ones, ascending.
    """
    group = np.cumsum(sizes[rows]) // _FEW_ROWS_VALUES + np.arange(len(rows)) // _FEW_ROWS
    if len(rows) and not group[-1]:
        return None if (right[1:] >= right[:-1]).all() else np.argsort(right, kind="stable")
    return np.lexsort((right, group[np.searchsorted(rows, left)]))


def _whole(numbers: Array) -> Index:
    """The numbers as contiguous int64."""
    return np.ascontiguousarray(numbers, np.int64)
