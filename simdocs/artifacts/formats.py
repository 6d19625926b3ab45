"""The formats of artifacts: one table, from which the writer, the reader, `info`, `check` and the docs come.

History: version 1, the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.model.documents import DOCUMENT

MANIFEST, RUN = "manifest.json", "run.json"
"""The files of an artifact beside its arrays."""

BLOCK = 1 << 18
"""Bytes of an array under one checksum: few enough that a query checks little more than it reads."""


@dataclass(frozen=True, slots=True)
class ArrayFormat:
    """One array of a format: its name (NAME.npy is its file), dtype, shape in letters, and what it holds."""

    name: str
    dtype: np.dtype[np.void] | np.dtype[np.generic]
    shape: tuple[str, ...]
    holds: str

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.name}.npy"


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of artifact. noun: the class that opens it; recipe: the groups of parameters in its manifest."""

    noun: type[Artifact]
    version: int
    arrays: tuple[ArrayFormat, ...]
    recipe: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return self.noun.kind

    @property
    def suffix(self) -> str:
        """The suffix of its names."""
        return f".{self.kind}"

    @property
    def name(self) -> str:
        """What the manifest calls it."""
        return f"simdocs.{self.kind}"

    @property
    def files(self) -> frozenset[str]:
        """All that may be in its directory."""
        return frozenset((MANIFEST, RUN, *(array.file for array in self.arrays)))


def _array(name: str, dtype: str, shape: str, holds: str) -> ArrayFormat:
    return ArrayFormat(name, np.dtype(dtype), tuple(shape.split()), holds)


_DOCUMENTS = (
    ArrayFormat("documents", DOCUMENT, ("N",), "one row of facts a document"),
    _array("names", "u1", "C", "the documents' names, end to end"),
    _array("name_offsets", "<i8", "N+1", "where in names each begins, and the end"),
)

_SIGNATURES = _array("signatures", "<u4", "N K", "a row a document; an empty document's is all 0xFFFFFFFF")

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        one.kind: one
        for one in (
            Format(
                Shingles,
                1,
                (
                    _array("tokens", "<u4", "T", "the documents' tokens, each one's ascending, without repeats"),
                    _array("offsets", "<i8", "N+1", "where in tokens each document's begin, and the end"),
                    *_DOCUMENTS,
                ),
                ("sequences", "shingling"),
            ),
            Format(Signatures, 1, (_SIGNATURES, *_DOCUMENTS), ("sequences", "shingling", "sketching")),
            Format(
                BandIndex,
                1,
                (
                    _array("band_keys", "<u8", "B M", "the key of each distinct text in each band, ascending by band"),
                    _array("band_rows", "<u4", "B M", "the row of the document whose key it is"),
                    _array(
                        "same_as", "<u4", "N", "the row of the first document of the same text; its own, if it is empty"
                    ),
                    _SIGNATURES,
                    *_DOCUMENTS,
                ),
                ("sequences", "shingling", "sketching", "banding"),
            ),
        )
    }
)
"""N documents, T tokens, K places of a signature, B bands, M distinct texts that are not empty, C bytes of names."""

KIND_OF_SUFFIX: Mapping[str, str] = MappingProxyType({one.suffix: kind for kind, one in FORMATS.items()})
