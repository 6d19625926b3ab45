"""Artifacts that break one rule each, and are signed as if they had been written so."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from simdocs.artifacts import formats, npy, writer
from simdocs.artifacts.manifest import Manifest
from simdocs.model.documents import Documents
from tests import strategies as some
from tests.artifacts.tiny import checksums_of
from tests.commands.building import opened

Arrays = dict[str, np.ndarray]


def signed_anew(path: Path, change: Callable[[Arrays], object] = len, **of_manifest: Any) -> None:
    """Change arrays, and the manifest, of an artifact that nobody can tell from one that was written so."""
    artifact = opened(path)
    arrays = {array.name: np.array(artifact[array.name].all()) for array in formats.FORMATS[artifact.kind].arrays}
    change(arrays)
    checksums = {}
    for array in formats.FORMATS[artifact.kind].arrays:
        data = arrays[array.name].tobytes()
        checksums[array.name] = checksums_of(data)
        (path / array.file).write_bytes(npy.header(array.dtype, arrays[array.name].shape) + data)
    names = some.Ragged(arrays["names"], arrays["name_offsets"])
    documents = Documents(names, arrays["documents"], arrays["files"], {})
    recipe = of_manifest.pop("recipe", artifact.recipe)
    shapes = {name: array.shape for name, array in arrays.items()}
    manifest = Manifest(formats.FORMATS[artifact.kind], recipe, writer.made_from(documents, recipe), shapes, checksums)
    (path / "manifest.json").write_bytes(manifest._replace(**of_manifest).encoded())


def exchange(array: np.ndarray, one: Any, other: Any) -> None:
    array[one], array[other] = array[other].copy(), array[one].copy()


def set_digest(arrays: Arrays, row: int) -> None:
    tokens = arrays["tokens"][arrays["offsets"][row] : arrays["offsets"][row + 1]]
    digest = hashlib.sha256(tokens.tobytes()).digest()[:16]
    arrays["documents"]["set_digest"][row] = np.frombuffer(digest, "<u8")


def unsorted(arrays: Arrays) -> None:
    first = arrays["offsets"][5]
    exchange(arrays["tokens"], first + 3, first + 4)
    set_digest(arrays, 5)


def repeated(arrays: Arrays) -> None:
    first = arrays["offsets"][6]
    arrays["tokens"][first + 1] = arrays["tokens"][first]
    set_digest(arrays, 6)


def keys_exchanged(arrays: Arrays) -> None:
    for name in ("band_keys", "band_rows"):
        exchange(arrays[name], (2, 0), (2, -1))


def put(name: str, place: Any, value: Any) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        assert (arrays[name][place] != value).any()
        arrays[name][place] = value

    return change


def sketched_twice(arrays: Arrays) -> None:
    for name in ("sketch_tokens", "sketch_rows"):
        arrays[name][1] = arrays[name][0]


def fact(field: str, row: int) -> Callable[[Arrays], None]:
    return lambda arrays: arrays["documents"][field].__setitem__(row, arrays["documents"][field][row] + 1)


def same_file(arrays: Arrays) -> None:
    arrays["files"]["row"][2] = 1


BROKEN = {
    "tokens fall": ("shingles", unsorted, "tokens.npy: the tokens of row 5 do not ascend"),
    "tokens repeat": ("shingles", repeated, "tokens.npy: the tokens of row 6 do not ascend without repeats"),
    "counts": ("shingles", fact("count", 5), "documents.npy: count does not match offsets.npy"),
    "set digest": ("shingles", fact("set_digest", 4), "documents.npy: set_digest of row 4 does not match its tokens"),
    "offsets end": ("shingles", put("offsets", -1, 9), "offsets.npy: does not ascend from 0 to "),
    "offsets wrap": (
        "shingles",
        put("offsets", (slice(2, 4)), [(1 << 63) - 1, -(1 << 63)]),
        "offsets.npy: does not asc",
    ),
    "files": ("signatures", same_file, "files.npy: its files and their rows do not fit together"),
    "names end": ("index", put("name_offsets", -1, 1 << 40), "name_offsets.npy: does not ascend from 0 to "),
    "empty": ("signatures", put("signatures", (3, 7), 5), "signatures.npy: a document without tokens has a signature"),
    "same as": ("index", put("same_as", 2, 2), "same_as.npy: does not hold the rows of the first documents"),
    "same as nobody": ("index", put("same_as", 5, 99), "same_as.npy: holds the row of a document that does not exist"),
    "keys": ("index", keys_exchanged, "band_keys.npy: a band does not ascend"),
    "rows": (
        "index",
        put("band_rows", (1, 0), 3),
        "band_rows.npy: does not hold every distinct text once in each band",
    ),
    "key": ("index", put("band_keys", (17, -1), (1 << 64) - 1), "band_keys.npy: band 17 does not match signatures.npy"),
    "sketch tokens": ("index", put("sketch_tokens", -1, (1 << 32) - 1), "sketch_tokens.npy: does not ascend, or holds"),
    "sketched twice": ("index", sketched_twice, "sketch_rows.npy: the documents that have a token do not ascend"),
    "sketch of a copy": (
        "index",
        put("sketch_rows", 0, 2),
        "sketch_rows.npy: holds a document that has no tokens, or ",
    ),
    "signature": ("index", put("signatures", (0, 8), 77), "band_keys.npy: band 1 does not match signatures.npy"),
}
"""Of artifacts as test_check lays them out: the kind, what is changed, what is said of it."""
