"""Artifacts in memory: built as those on disk are, and read as they are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.manifest import Manifest
from simdocs.artifacts.reader import Artifact
from simdocs.artifacts.writer import made_from
from simdocs.model.documents import Documents
from simdocs.model.names import bytes_of, text_of
from simdocs.model.ragged import Array, Ragged
from simdocs.model.sketches import BandIndex, Held, Shingles, Signatures, Tables
from simdocs.model.skipped import Skipped
from simdocs.parameters import Recipe

Noun = Shingles | Signatures | BandIndex


class InMemory:
    """An artifact under way that stays in memory: what Saving is for one on disk."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[Array]] = {}
        self._documents: Documents | None = None
        self._recipe: Recipe | None = None
        self._root = b""

    def append(self, name: str, piece: Array) -> None:
        """Rows of an array, after those that it has."""
        self._pieces.setdefault(name, []).append(piece)

    def finish(self, documents: Documents, recipe: Recipe, run: Mapping[str, Any]) -> None:
        """The rest of it."""
        self._documents, self._recipe = documents, recipe
        root = run.get("root")
        self._root = bytes_of(root) if isinstance(root, str) else b""

    def noun(self, kind: str, skipped: Skipped) -> Noun:
        """The finished artifact, of this kind."""
        dtypes = {array.name: array.dtype for array in FORMATS[kind].arrays}
        arrays = {
            name: np.concatenate(pieces).astype(dtypes[name], copy=False) for name, pieces in self._pieces.items()
        }
        assert self._documents is not None
        assert self._recipe is not None
        # As on disk: without the parameters of later stages.
        recipe, groups = self._recipe, FORMATS[kind].recipe
        sketching = recipe.sketching if "sketching" in groups else None
        banding = recipe.banding if "banding" in groups else None
        recipe = replace(recipe, sketching=sketching, banding=banding)
        return _noun(kind, arrays, self._documents, recipe, self._root, skipped)


def _noun(
    kind: str, arrays: Mapping[str, Array], documents: Documents, recipe: Recipe, root: bytes, skipped: Skipped
) -> Noun:
    if kind == "shingles":
        return Shingles(documents, Ragged(arrays["tokens"], arrays["offsets"]), recipe, root, skipped)
    if kind == "signatures":
        return Signatures(documents, arrays["signatures"], recipe, root, skipped)
    tables = Tables(arrays["band_keys"], arrays["band_rows"], arrays["same_as"])
    return BandIndex(documents, arrays["signatures"], tables, recipe, root, skipped)


def noun_of(shelf: Artifact) -> Noun:
    """What is on a shelf, all of it checked; its arrays are memory-mapped where they are on disk."""
    arrays = {array.name: np.asarray(shelf[array.name].all()) for array in FORMATS[shelf.kind].arrays}
    names = Ragged(arrays["names"], arrays["name_offsets"])
    documents = Documents(names, arrays["documents"], dict(shelf.held))
    return _noun(shelf.kind, arrays, documents, shelf.recipe, shelf.root or b"", Skipped())


def artifact_of(noun: Noun) -> Artifact:
    """A shelf in memory that holds this."""
    documents = noun.documents
    arrays: dict[str, Array] = {
        "documents": documents.facts,
        "names": documents.names.values,
        "name_offsets": documents.names.offsets,
    }
    if isinstance(noun, Shingles):
        kind = "shingles"
        arrays |= {"tokens": noun.tokens.values, "offsets": noun.tokens.offsets}
    elif isinstance(noun, Signatures):
        kind = "signatures"
        arrays |= {"signatures": noun.signatures}
    else:
        kind = "index"
        arrays |= {"band_keys": noun.tables.keys, "band_rows": noun.tables.rows, "same_as": noun.tables.same_as}
        arrays |= {"signatures": noun.signatures}
    shapes = {name: array.shape for name, array in arrays.items()}
    manifest = Manifest(FORMATS[kind], noun.recipe, made_from(documents, noun.recipe), shapes, {})
    columns = {name: Held(array) for name, array in arrays.items()}
    root = text_of(noun.root or os.getcwdb())
    return Artifact(f"the {kind} given", kind, manifest, columns, {"root": root}, documents.held)
