"""The kernels in C as functions of arrays: each has the name, the parameters and the result of the one in NumPy.

A function returns NotImplemented if only NumPy can do it, such as for texts that are not ASCII.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simdocs.kernels.native import compiled
from simdocs.kernels.text.character_mapping import ascii_table
from simdocs.kernels.text.units import ASCII_WORD
from simdocs.model.ragged import Array, Bytes, Floats, Index, Keys, Ragged, Tokens
from simdocs.model.texts import Texts
from simdocs.parameters.texts import Normalisation

if TYPE_CHECKING:
    from simdocs.kernels.tokens.shinglers import ShingledTexts
    from simdocs.parameters.recipes import Shingling


def normalise(raw: Ragged, switches: Normalisation, *, lines: bool = False) -> Texts | Any:
    """The normalised texts of N documents, if all are ASCII."""
    if not compiled.is_ascii(raw.values):  # to free a large array first would make malloc keep later ones in its heap
        return NotImplemented
    out, lengths = np.empty(len(raw.values), np.uint8), np.empty(len(raw), np.int64)
    size = compiled.collapsed(raw.values, raw.offsets, ascii_table(switches, lines), out, lengths)
    out.resize(size, refcheck=False)
    encoded = Ragged.from_lengths(out, lengths)
    return Texts(encoded, encoded)


def char_tokens(texts: Texts, shingling: Shingling) -> ShingledTexts | Any:
    """The tokens of k characters each, if all texts are ASCII."""
    from simdocs.kernels.tokens.shinglers import ShingledTexts

    if texts.stride_offsets is not None:
        return NotImplemented
    sizes = texts.encoded.lengths
    tokens = Ragged.from_lengths(np.empty(0, np.uint32), _windows(sizes, shingling.k))
    out = np.empty(int(tokens.offsets[-1]), np.uint32)
    compiled.byte_tokens(texts.data, texts.encoded.offsets, shingling.k, shingling.seed, out)
    return ShingledTexts(Ragged(out, tokens.offsets), sizes)


def tokens_of_units(hashes: Ragged, shingling: Shingling) -> ShingledTexts:
    """The tokens of k units each, in place of the hashes of the units."""
    from simdocs.kernels.tokens.shinglers import ShingledTexts

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
    """The hash of every word of N texts, if all are ASCII."""
    if texts.stride_offsets is not None:
        return NotImplemented
    counts = np.empty(len(texts), np.int64)
    hashes = np.empty(int(((texts.encoded.lengths + 1) // 2).sum()), np.uint32)
    done = compiled.word_hashes(texts.data, texts.encoded.offsets, ASCII_WORD, seed, hashes, counts)
    hashes.resize(done, refcheck=False)
    return Ragged.from_lengths(hashes, counts)


def token_sets(tokens: Ragged) -> Ragged:
    """The distinct tokens of each of N documents, ascending."""
    values, counts = tokens.values.copy(), np.empty(len(tokens), np.int64)
    values.resize(compiled.sets(values, tokens.offsets, counts), refcheck=False)
    return Ragged.from_lengths(values, counts)


def signatures(tokens: Ragged, num_perm: int, seed: int = 0) -> Tokens:
    """The signatures of N documents. seed: not used."""
    out = np.empty((len(tokens), num_perm), np.uint32)
    compiled.fss(np.ascontiguousarray(tokens.values), tokens.offsets, out)
    return out


def partial_signatures(tokens: Ragged, num_perm: int, seed: int = 0) -> tuple[Tokens, Index]:
    """Signatures, none of which is unfinished."""
    return signatures(tokens, num_perm, seed), np.empty(0, np.int64)


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


def overlaps(sets: Ragged, left: Array, right: Array) -> Index:
    """The number of tokens that sets[left[i]] and sets[right[i]] have in common."""
    common = np.empty(len(left), np.int64)
    compiled.overlaps(np.ascontiguousarray(sets.values), sets.offsets, _whole(left), _whole(right), common)
    return common


def _whole(numbers: Array) -> Index:
    """The numbers as contiguous int64."""
    return np.ascontiguousarray(numbers, np.int64)
