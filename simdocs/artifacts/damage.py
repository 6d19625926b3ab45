"""Checking an artifact: all of it is read, and every rule that it must keep is looked at."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from simdocs.artifacts.formats import MANIFEST, RUN
from simdocs.artifacts.manifest import Manifest, made_from
from simdocs.artifacts.mapped_column import map_file
from simdocs.artifacts.reader import TRIES, is_still, missing, raise_unless_damage, read_manifest, read_run
from simdocs.errors import ArtifactError, InputError
from simdocs.kernels.lsh.buckets import band_keys
from simdocs.kernels.sketch.fss import EMPTY as EMPTY_PLACE
from simdocs.model.documents import EMPTY, Documents
from simdocs.model.names import shown
from simdocs.model.ragged import Array, Ragged
from simdocs.parameters import Banding
from simdocs.storage.syscalls import open_directory

Arrays = Mapping[str, Array]


def damages(path: bytes) -> list[str]:
    """What is wrong with the artifact of this name, a line each; none when all is well. InputError: there is none."""
    name = shown(path)
    for _ in range(TRIES):
        try:
            dir_fd = open_directory(os.fsdecode(path))
        except FileNotFoundError:
            raise InputError(f"{name}: no such artifact") from None
        except OSError as error:
            raise_unless_damage(error, name)
            return [f"{name}: not an artifact: {error.strerror}"]
        try:
            found = list(_damages(dir_fd, name))
            # What was replaced meanwhile has lost its files to the one that is there now.
            if not found or is_still(path, dir_fd):
                return found
        finally:
            os.close(dir_fd)
    return found


def _damages(dir_fd: int, name: str) -> Iterator[str]:
    try:
        manifest = read_manifest(dir_fd, name)
    except ArtifactError as error:
        yield str(error)
        return
    except FileNotFoundError:
        yield str(missing(dir_fd, name, MANIFEST))
        return
    except OSError as error:
        raise_unless_damage(error, f"{name}/{MANIFEST}")
        yield f"{name}/{MANIFEST}: {error.strerror}"
        return
    stored, sound = {}, True
    for array in manifest.format.arrays:
        shape, checksums = manifest.shapes[array.name], manifest.checksums[array.name]
        try:
            stored[array.name] = map_file(dir_fd, name, array, shape, checksums)
        except ArtifactError as error:
            sound = False
            yield str(error)
        except OSError as error:
            raise_unless_damage(error, f"{name}/{array.file}")
            sound = False
            yield f"{name}/{array.file}: {error.strerror}"
    if read_run(dir_fd, name).get("root") is None:
        yield f"{name}/{RUN}: missing or damaged: it says where the documents are, as does --root"
    for one in stored.values():
        for block in one.damaged():
            sound = False
            yield f"{one.name}: block {block} does not match its checksum"
    # Rules are about what was written; where that is damaged they would say the same again.
    if sound:
        arrays = {key: one.all() for key, one in stored.items()}
        yield from (f"{name}/{what}" for what in _broken_rules(manifest, arrays))


def _broken_rules(manifest: Manifest, arrays: Arrays) -> Iterator[str]:
    yield from _offsets("name_offsets", arrays["name_offsets"], len(arrays["names"]))
    if manifest.format.kind == "shingles":
        yield from _shingles(arrays)
    else:
        yield from _signatures(arrays)
    if manifest.recipe.banding is not None:
        yield from _tables(manifest.recipe.banding, arrays)
    if made_from(_documents(arrays), manifest.recipe) != manifest.made_from:
        yield "manifest.json: made_from is not that of its documents"


def _documents(arrays: Arrays) -> Documents:
    return Documents(Ragged(arrays["names"], arrays["name_offsets"]), arrays["documents"], {})


def _offsets(name: str, offsets: Array, end: int) -> Iterator[str]:
    if offsets[0] != 0 or offsets[-1] != end or (offsets[1:] < offsets[:-1]).any():
        yield f"{name}.npy: not ascending from 0 to {end}"


def _shingles(arrays: Arrays) -> Iterator[str]:
    tokens, offsets, documents = arrays["tokens"], arrays["offsets"], arrays["documents"]
    problems = list(_offsets("offsets", offsets, len(tokens)))
    yield from problems
    if problems:
        return
    lengths = np.diff(offsets)
    falling = np.flatnonzero(tokens[1:] <= tokens[:-1]) + 1
    unsorted = np.setdiff1d(falling, offsets)
    if len(unsorted):
        row = int(np.searchsorted(offsets, unsorted[0], side="right")) - 1
        yield f"tokens.npy: those of row {row} are not ascending without repeats"
    if (documents["count"] != lengths).any():
        yield "documents.npy: counts are not those of offsets.npy"
    view = np.ascontiguousarray(tokens).view(np.uint8).data
    for row, (begin, end) in enumerate(pairwise((4 * offsets).tolist())):
        if hashlib.sha256(view[begin:end]).digest()[:16] != documents["set_digest"][row].tobytes():
            yield f"documents.npy: set_digest of row {row} is not that of its tokens"
            return


def _signatures(arrays: Arrays) -> Iterator[str]:
    empty = (arrays["documents"]["flags"] & EMPTY) != 0
    if (arrays["signatures"][empty] != EMPTY_PLACE).any():
        yield "signatures.npy: an empty document has a signature"


def _tables(banding: Banding, arrays: Arrays) -> Iterator[str]:
    keys, rows, same_as = arrays["band_keys"], arrays["band_rows"], arrays["same_as"]
    firsts, place = _documents(arrays).distinct_texts()
    expected = np.where(place >= 0, firsts[place] if len(firsts) else 0, np.arange(len(place)))
    if (same_as != expected).any():
        yield "same_as.npy: not the rows of the first documents of the same texts"
    if (keys[:, 1:] < keys[:, :-1]).any():
        yield "band_keys.npy: a band is not ascending"
    if rows.shape[1] != len(firsts) or (np.sort(rows, axis=1) != firsts).any():
        yield "band_rows.npy: not every distinct text once in each band"
        return
    place_of = np.empty(len(place), np.int64)
    place_of[firsts] = np.arange(len(firsts))
    made = band_keys(arrays["signatures"], firsts, banding.bands or 1, banding.rows or 1)
    for band, key in enumerate(made):
        if (key[place_of[rows[band]]] != keys[band]).any():
            yield f"band_keys.npy: band {band} is not that of signatures.npy"
