"""The formats of artifacts: one table, which the writer, the reader, `info`, `check` and the docs use.

History:
- Version 1: the first.
- Version 2: `files.npy` and `chunks.npy` tell which documents came from which file, with its size, times, inode and
  content, so that an update reads only what changed. A row of `documents.npy` has the number of a line, and no longer
  the times and the inode of its file. `ignored.npy` has the tokens that were left out. `sketch_tokens.npy` and
  `sketch_rows.npy` have the containment sketch of an index.
- Version 3: `manifest.json` tells whether stop words were left out, and has the list if it was not that of a language.
- Version 4: `manifest.json` has a list of text fields, and the format, delimiter and header of files that were given.
- Version 5: there is no `chunks.npy`: updates take over whole files, and the beginning of files of lines that grew.
- Version 6: case is folded by `str.casefold`, not `str.lower`, and default-ignorable characters are dropped.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from simdocs.errors import InputError
from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.model.documents import DOCUMENT, FILE
from simdocs.names import MANIFEST, is_uri
from simdocs.options.recipes import IndexRecipe, Recipe, SignatureRecipe
from simdocs.storage import syscalls
from simdocs.storage.atomic_file import HEAD_BYTES, manifest_head
from simdocs.storage.targets import Replaceable

RUN = "run.json"
"""The file of an artifact beside its manifest and its arrays."""

BLOCK = 1 << 18
"""Bytes of an array that share a checksum: few enough that a query checks little more than it reads."""


class ArrayFormat(NamedTuple):
    """One array of a format.

    name: the name of the array, whose file is NAME.npy
    shape: its shape; each length is a letter
    holds: its contents in words
    below: the letter of a length; all values are below it
    ascends_to: the letter of a length, to which the values ascend from 0
    nonzero: whether no value is 0
    """

    name: str
    dtype: np.dtype[np.void] | np.dtype[np.generic]
    shape: tuple[str, ...]
    holds: str
    below: str = ""
    ascends_to: str = ""
    nonzero: bool = False

    @property
    def file(self) -> str:
        """The name of the file that holds the array."""
        return f"{self.name}.npy"


class ArtifactFormat(NamedTuple):
    """The format of one kind of artifact.

    noun: the class of the artifact
    recipe_type: the class of its recipe
    """

    noun: type[Artifact]
    recipe_type: type[Recipe]
    version: int
    arrays: tuple[ArrayFormat, ...]

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return self.noun.kind

    @property
    def suffix(self) -> str:
        """The suffix of the names of these artifacts."""
        return f".{self.kind}"

    @property
    def described(self) -> str:
        """The name of this kind of artifact in messages."""
        return "an index" if self.noun is BandIndex else f"a {self.kind} artifact"

    @property
    def name(self) -> str:
        """The name of the format in the manifest."""
        return f"simdocs.{self.kind}"

    @property
    def parameter_groups(self) -> tuple[str, ...]:
        """The groups of parameters in the manifest: "sequences", "shingling", ..."""
        return tuple(name for name in self.recipe_type.defaults if name != "unicode")

    @property
    def files(self) -> frozenset[str]:
        """The names of all files that may be in the directory of an artifact, also of an earlier version."""
        return frozenset((MANIFEST, RUN, "chunks.npy", *(array.file for array in self.arrays)))


def _array(name: str, dtype: str, shape: str, holds: str, **rules: Any) -> ArrayFormat:
    return ArrayFormat(name, np.dtype(dtype), tuple(shape.split()), holds, **rules)


_DOCUMENTS = (
    ArrayFormat("documents", DOCUMENT, ("N",), "one record for each document"),
    ArrayFormat("files", FILE, ("F",), "one record for each file that has documents"),
    _array("names", "u1", "C", "the names of the documents, end to end", nonzero=True),
    _array("name_offsets", "<i8", "N+1", "where each name begins in names, and the end", ascends_to="C"),
)

_SIGNATURES = _array("signatures", "<u4", "N K", "one row for each document; all 0xFFFFFFFF if it has no tokens")

_IGNORED = _array("ignored", "<u4", "I", "the tokens that are left out of all documents, ascending, without repeats")

FORMATS: Mapping[str, ArtifactFormat] = MappingProxyType(
    {
        form.kind: form
        for form in (
            ArtifactFormat(
                Shingles,
                Recipe,
                6,
                (
                    _array("tokens", "<u4", "T", "the tokens of each document, ascending, without repeats"),
                    _array(
                        "offsets", "<i8", "N+1", "where the tokens of each document begin, and the end", ascends_to="T"
                    ),
                    *_DOCUMENTS,
                ),
            ),
            ArtifactFormat(Signatures, SignatureRecipe, 6, (_SIGNATURES, _IGNORED, *_DOCUMENTS)),
            ArtifactFormat(
                BandIndex,
                IndexRecipe,
                6,
                (
                    _array(
                        "band_keys", "<u8", "B M", "the key of each distinct text in each band, ascending in a band"
                    ),
                    _array("band_rows", "<u4", "B M", "the row of the document that has the key", below="N"),
                    _array(
                        "same_as",
                        "<u4",
                        "N",
                        "the row of the first document with the same text; its own row if it has no tokens",
                        below="N",
                    ),
                    _SIGNATURES,
                    _IGNORED,
                    _array("sketch_tokens", "<u4", "S", "the tokens of the containment sketch, ascending; may be none"),
                    _array("sketch_rows", "<u4", "S", "the first document of each text that has the token", below="N"),
                    *_DOCUMENTS,
                ),
            ),
        )
    }
)
"""Every format by kind. N documents, F files, T tokens, K values in a signature, I tokens left out, B bands,
M distinct texts that have tokens, S entries of the containment sketch, C bytes of names."""

KIND_OF_SUFFIX: Mapping[str, str] = MappingProxyType({form.suffix: kind for kind, form in FORMATS.items()})


def no_such_artifact(name: str) -> InputError:
    """The error that there is no artifact of this name."""
    if is_uri(os.fsencode(name)):
        return InputError("an artifact must be on this machine, and not in a store: copy it there first")
    return InputError(f"{name}: no such artifact")


def kind_of(path: bytes) -> str | None:
    """Return the kind of artifact that this argument must be, by its suffix or its manifest; None if it is not one."""
    kind = _kind_of_name(path)
    return kind if kind is not None and os.path.lexists(path) else _kind_of_directory(os.fsdecode(path))


def is_disguised(path: bytes) -> bool:
    """Return whether a directory is an artifact, although its name does not say so."""
    return _kind_of_name(path) is None and _kind_of_directory(os.fsdecode(path)) is not None


def replaceable(kind: str) -> Replaceable:
    """Return which directories a new artifact of this kind may replace: others of its kind, damaged or not."""
    return Replaceable(FORMATS[kind].described, FORMATS[kind].files, partial(_is_of_kind, kind=kind))


def _kind_of_name(path: bytes) -> str | None:
    """The kind of artifact whose suffix this name has; None if it has none."""
    return KIND_OF_SUFFIX.get(os.path.splitext(os.fsdecode(path).rstrip("/"))[1])


def _kind_of_directory(path: str) -> str | None:
    """The kind of the artifact in this directory; None if it is not an artifact or cannot be read."""
    head = manifest_head(path)
    return (_kind_in(head) or "artifact") if head else None


def _is_of_kind(dir_fd: int, names: frozenset[str], *, kind: str) -> bool:
    """Whether a directory with these names is an artifact of this kind, by its manifest.

    If the manifest is damaged or missing, the names of the arrays decide.
    """
    types = {name: stat.S_IFMT(os.stat(name, dir_fd=dir_fd, follow_symlinks=False).st_mode) for name in names}
    if stat.S_IFDIR in types.values():
        return False
    if types.get(MANIFEST) == stat.S_IFREG:
        with syscalls.held(syscalls.open_found(MANIFEST, dir_fd)) as file:
            found = _kind_in(os.read(file, HEAD_BYTES))
        if found is not None:
            return found == kind
    return {array.file for array in FORMATS[kind].arrays} <= names


def _kind_in(head: bytes) -> str | None:
    """The kind that the beginning of a manifest names; None if it names none that we know."""
    return next((kind for kind, form in FORMATS.items() if f'"{form.name}"'.encode() in head), None)
