"""Looking up documents in the bucket tables of an index, of which no more is read than is looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from simdocs.corpora.long_paths import status_of
from simdocs.kernels.lsh.bucket_search import bucket_bounds
from simdocs.kernels.lsh.buckets import PAIRS_AT_ONCE, band_keys
from simdocs.matching.corpus import Corpus
from simdocs.model.artifact import BandIndex
from simdocs.model.ragged import Array, Index, Keys, Mask, Tokens, ranges

_AT_ONCE = 1 << 12
"""Documents looked up at once."""

_MATCHES_AT_ONCE = 1 << 20
"""Matches, copies among them, that are held at once: some 100 MiB, with the names of all."""

STAMPED = ("inode", "ctime_ns", "mtime_ns", "start", "extent")
"""Facts by which a file, or a line of it, is known again."""

Place = tuple[object, object, bytes]


def keys_for(index: BandIndex, signatures: Tokens, rows: Index) -> Keys:
    """The band keys of these rows of signatures, as the tables of the index have them: (B, len(rows)) uint64."""
    return band_keys(signatures, rows, *index.recipe.banding.cut)


def bounds(index: BandIndex, keys: Keys) -> tuple[Index, Index]:
    """Where in the flattened tables the bucket of each key (B, Q) stands: begins and ends, (B, Q)."""
    return bucket_bounds(keys, index["band_keys"].shape[1], index["band_keys"].at)


def candidates(index: BandIndex, signatures: Tokens, rows: Index) -> Iterator[tuple[Index, Index, Index]]:
    """Rows of signatures (a part of `rows` at a time, in order), and the distinct pairs of places among these with
    rows of the index that share a bucket with them, ascending."""
    size = index.n_documents
    copies = np.bincount(index["same_as"].all(), minlength=size)
    for at in range(0, len(rows), _AT_ONCE):
        part = rows[at : at + _AT_ONCE]
        begins, ends = bounds(index, keys_for(index, signatures, part))
        counts = ends - begins
        # As many of them at once as have about PAIRS_AT_ONCE pairs, or one.
        block = np.cumsum(counts.sum(axis=0)) // PAIRS_AT_ONCE
        for number in np.unique(block).tolist():
            here = np.flatnonzero(block == number)
            found = index["band_rows"].at(ranges(begins[:, here].ravel(), counts[:, here].ravel()))
            asking = np.repeat(np.tile(np.arange(len(here)), len(begins)), counts[:, here].ravel())
            pairs = np.unique(asking * size + found)
            yield from _cut(part[here], pairs // size, pairs % size, copies)


def _cut(asking: Index, left: Index, right: Index, copies: Index) -> Iterator[tuple[Index, Index, Index]]:
    """The same pairs, cut so that they become about _MATCHES_AT_ONCE with all copies of the texts on the right, more if
    one document alone has more. copies: how many documents have the text of each row."""
    block = np.cumsum(np.bincount(left, copies[right], len(asking))) // _MATCHES_AT_ONCE
    starts = np.flatnonzero(np.append(True, block[1:] != block[:-1])[: len(block)])
    for start, stop in pairwise(np.append(starts, len(asking)).tolist()):
        low, high = np.searchsorted(left, (start, stop))
        yield asking[start:stop], left[low:high] - start, right[low:high]


def copies_of(same_as: Array, firsts: Index) -> tuple[Index, Index]:
    """The documents of the same text as these first ones (ascending): places among firsts, and rows, by both."""
    rows = np.flatnonzero(np.isin(same_as, firsts))
    place = np.searchsorted(firsts, same_as[rows])
    order = np.argsort(place, kind="stable")
    return place[order], rows[order]


def same_files(one: Corpus, left: Index, other: Corpus, right: Index) -> Mask:
    """Whether documents left[i] of one and right[i] of the other are the same file, or the same line of it: by inode
    and times, or by where they are found now."""
    # Facts are large, and the same document stands in many pairs: only what is asked of them is held for each.
    lefts, a = np.unique(left, return_inverse=True)
    rights, b = np.unique(right, return_inverse=True)
    ours, theirs = one.facts(lefts), other.facts(rights)
    same: Mask = ours["inode"][a] != 0
    from_files: Mask = same & (theirs["inode"][b] != 0)
    for field in STAMPED:
        same &= ours[field][a] == theirs[field][b]
    known: dict[Place, int] = {}
    same[from_files] |= _numbers(one, left[from_files], known) == _numbers(other, right[from_files], known)
    return same


def _numbers(corpus: Corpus, rows: Index, known: dict[Place, int]) -> Index:
    """The places of these documents as numbers: new ones are entered into known."""
    unique, which = np.unique(rows, return_inverse=True)
    return np.array([known.setdefault(place, len(known)) for place in places(corpus, unique)], np.int64)[which]


def places(corpus: Corpus, rows: Index) -> list[Place]:
    """Where these documents are found now: the file that has the name, and what of the name stands for a line of it."""
    names, ends = corpus.names(rows), corpus.facts(rows)["container"].tolist()
    lines = [name[end:] if end else b"" for name, end in zip(names, ends, strict=True)]
    files = [name[:end] if end else name for name, end in zip(names, ends, strict=True)]
    found = {file: _file(os.path.join(corpus.root, file)) for file in set(files)}
    return [(*found[file], line) for file, line in zip(files, lines, strict=True)]


def _file(path: bytes) -> tuple[object, object]:
    """The identity of the file of this name, or, if it cannot be had, its path."""
    try:
        status = status_of(path)
    except OSError:
        return "", os.path.abspath(path)
    return status.st_dev, status.st_ino
