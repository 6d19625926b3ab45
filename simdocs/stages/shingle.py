"""From documents to tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.decoding import as_utf8, is_binary
from simdocs.corpora.reading import Stamp, Unread, read
from simdocs.kernels import bags
from simdocs.kernels.shinglers import SHINGLERS, shingles_of, texts_of, tokens_of
from simdocs.model.documents import DOCUMENT, EMPTY, INVALID, SHORT, WIDE, digests_as_numbers
from simdocs.model.ragged import Index, Ragged
from simdocs.model.skipped import Skip
from simdocs.model.texts import Texts
from simdocs.parameters import Shingling


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents to read: their names, the bytes of those already held (by place), and the limit on a size."""

    names: list[bytes]
    held: dict[int, bytes]
    limit: int


@dataclass(slots=True)
class Read:
    """What was read of a batch: for each document read its place in the batch, its UTF-8 bytes and its facts."""

    places: list[int]
    raws: list[bytes]
    facts: NDArray[np.void]
    skips: list[Skip]


def read_batch(batch: Batch) -> Read:
    """The documents of a batch that are text and can be read; the others are skips."""
    places, raws, rows, skips = [], [], [], []
    for place, name in enumerate(batch.names):
        try:
            data, stamp = _read_one(batch, place, name)
        except Unread as unread:
            skips.append((unread.reason, name, unread.detail))
            continue
        raw, wide = as_utf8(data)
        places.append(place)
        raws.append(raw)
        rows.append((*stamp, 0, 0, (0, 0), (0, 0), 0, 0, 0, WIDE * wide))
    return Read(places, raws, np.array(rows, DOCUMENT), skips)


def _read_one(batch: Batch, place: int, name: bytes) -> tuple[bytes, Stamp]:
    held = batch.held.get(place)
    data, stamp = read(name, batch.limit) if held is None else (held, Stamp(len(held), 0, 0, 0))
    if is_binary(data):
        raise Unread("binary")
    return data, stamp


@dataclass(frozen=True, slots=True)
class Shingled:
    """Some documents of a batch: which (ascending), normalised, their tokens (in text order, or as bags), and how many
    units each has."""

    places: Index
    texts: Texts
    tokens: Ragged
    lengths: Index


def shingled(raws: Sequence[bytes], how: Shingling) -> Iterator[Shingled]:
    """The tokens of documents given as UTF-8 bytes: first of those in ASCII, which are done faster, then the rest."""
    plain = np.fromiter((raw.isascii() for raw in raws), bool, len(raws))
    for places in (np.flatnonzero(plain), np.flatnonzero(~plain)):
        if len(places):
            texts = texts_of(ragged_bytes([raws[place] for place in places.tolist()]), how)
            tokens, lengths = shingles_of(texts, how)
            yield Shingled(places, texts, bags.bags(tokens, how.seed) if how.multiset else tokens, lengths)


def ragged_bytes(rows: Sequence[bytes]) -> Ragged:
    """Byte strings as Ragged uint8."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    return Ragged.of(np.frombuffer(b"".join(rows), np.uint8), lengths)


def note(facts: NDArray[np.void], part: Shingled, k: int) -> None:
    """Write into facts what shingling found out: digest, length in units, flags."""
    facts["length"][part.places] = part.lengths
    facts["digest"][part.places] = digests_as_numbers(digests(part.texts.encoded))
    empty, short = part.lengths == 0, part.lengths < k
    facts["flags"][part.places] |= np.where(empty, EMPTY, np.where(short, SHORT, 0)).astype(np.uint32)
    points = part.texts.points
    if part.texts.starts is not None:
        escaped = np.flatnonzero((points.values >= 0xDC80) & (points.values <= 0xDCFF))
        rows = np.searchsorted(points.offsets, escaped, side="right") - 1
        facts["flags"][part.places[np.unique(rows)]] |= INVALID


def digests(encoded: Ragged) -> list[bytes]:
    """The first 16 bytes of the SHA-256 of each row."""
    view = np.ascontiguousarray(encoded.values).data
    return [hashlib.sha256(view[a:b]).digest()[:16] for a, b in pairwise(encoded.offsets.tolist())]


def token_sets(raws: Sequence[bytes], how: Shingling) -> tuple[Ragged, Index]:
    """The token sets of documents (Ragged uint32, rows ascending), and for each document its row."""
    row_of = np.empty(len(raws), np.int64)
    parts, done = [], 0
    for part in shingled(raws, how):
        row_of[part.places] = done + np.arange(len(part.places))
        done += len(part.places)
        parts.append(bags.sets(part.tokens))
    return Ragged.concat(parts, np.uint32), row_of


def show(data: bytes, how: Shingling) -> Iterator[tuple[str, int]]:
    """Each shingle of one text, in text order, with its token."""
    raw, _ = as_utf8(data)
    texts = texts_of(ragged_bytes([raw]), how)
    shingler = SHINGLERS[how.unit]
    units = shingler.units(texts)
    layout = shingler.layout(texts, units, how)
    starts, lengths = units.byte_spans(texts)
    view = texts.data.tobytes()
    spelt = [
        view[a : a + n].decode("utf-8", "surrogateescape")
        for a, n in zip(starts.tolist(), lengths.tolist(), strict=True)
    ]
    tokens = tokens_of(texts, how)
    if how.multiset:
        tokens = bags.bags(tokens, how.seed)
    for first, size, token in zip(layout.firsts.tolist(), layout.sizes.tolist(), tokens.values.tolist(), strict=True):
        yield shingler.joint.join(spelt[first : first + size]), token
