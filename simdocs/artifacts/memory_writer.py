"""Build an artifact in memory, as ArtifactWriter does on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.manifest import made_from
from simdocs.model.artifact import Artifact
from simdocs.model.columns import Column, MemoryColumn
from simdocs.model.documents import Documents
from simdocs.model.ragged import Array
from simdocs.model.skipped import Skipped
from simdocs.recipes import Recipe


class MemoryWriter:
    """Collects the arrays of an artifact in pieces; `artifact` returns it when it is finished."""

    def __init__(self, kind: str) -> None:
        self._format = FORMATS[kind]
        self._pieces: dict[str, list[Array]] = {}
        self._artifact: Artifact | None = None

    def append(self, name: str, piece: Array) -> None:
        """Append rows to an array."""
        self._pieces.setdefault(name, []).append(piece)

    def finish(self, documents: Documents, recipe: Recipe, run: Mapping[str, Any]) -> None:
        """Take the documents, the recipe and the contents of run.json, and build the artifact."""
        names = documents.names
        arrays = {"documents": documents.facts, "names": names.values, "name_offsets": names.offsets}
        arrays |= {"files": documents.sources.files, "chunks": documents.sources.chunks}
        arrays |= {name: np.concatenate(pieces) for name, pieces in self._pieces.items()}
        self._pieces = {}
        columns: dict[str, Column] = {
            array.name: MemoryColumn(arrays[array.name].astype(array.dtype, copy=False))
            for array in self._format.arrays
        }
        self._artifact = self._format.noun(
            f"the {self._format.kind} given",
            recipe,
            made_from(documents, recipe),
            columns,
            dict(run),
            documents.held,
        )

    def artifact(self, skipped: Skipped) -> Artifact:
        """Return the finished artifact."""
        assert self._artifact is not None, "not finished"
        return replace(self._artifact, skipped=skipped)
