"""Opening artifacts: cheaply, whole generations, and nothing believed that was not looked at."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simdocs.artifacts.formats import FORMATS, KIND_OF_SUFFIX, MANIFEST, RUN
from simdocs.artifacts.manifest import Manifest, decoded, refuse_other_unicode
from simdocs.artifacts.npy import damaged, map_file
from simdocs.errors import ArtifactError, InputError
from simdocs.model.documents import Documents
from simdocs.model.names import bytes_of, is_manifest, shown
from simdocs.model.ragged import Ragged
from simdocs.model.sketches import Column
from simdocs.parameters import Recipe
from simdocs.storage.syscalls import directory

_LARGEST_MANIFEST = 1 << 28
_LARGEST_RUN = 1 << 24

TRIES = 100
"""How often to open again an artifact that is being replaced at this very moment."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact: its arrays by name, checked as they are read if they are on disk. run: what run.json says; empty if
    it cannot be read. held: the bytes of documents, by row, of one in memory."""

    name: str
    kind: str
    manifest: Manifest
    arrays: Mapping[str, Column]
    run: Mapping[str, Any]
    held: Mapping[int, bytes] = field(default_factory=dict)

    @property
    def recipe(self) -> Recipe:
        """What it was made by."""
        return self.manifest.recipe

    @property
    def rows(self) -> int:
        """Documents."""
        return self.manifest.rows

    def __getitem__(self, array: str) -> Column:
        return self.arrays[array]

    @property
    def root(self) -> bytes | None:
        """The directory from which its documents' names are found; None: not known."""
        root = self.run.get("root")
        try:
            return bytes_of(root) if isinstance(root, str) and "\0" not in root else None
        except UnicodeEncodeError:  # no name that was ever read
            return None


def kind_of(path: bytes) -> str | None:
    """Which kind of artifact this argument must be, by the end of its name or its manifest; None: it is none."""
    kind = KIND_OF_SUFFIX.get(os.path.splitext(os.fsdecode(path).rstrip("/"))[1])
    return kind if kind is not None and os.path.lexists(path) else kind_within(os.fsdecode(path))


def kind_within(path: str) -> str | None:
    """Which kind of artifact the directory of this name is, by its manifest; None: none, or not to be seen."""
    try:
        # A FIFO of that name would be waited for.
        file = os.open(Path(path, MANIFEST), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            head = os.read(file, 200) if stat.S_ISREG(os.fstat(file).st_mode) else b""
        finally:
            os.close(file)
    except OSError:
        return None
    if not is_manifest(head):
        return None
    return next((one for one, form in FORMATS.items() if f'"{form.name}"'.encode() in head), "artifact")


def open_artifact(path: bytes) -> Artifact:
    """The artifact of this name. InputError: there is none, or it may not be read. ArtifactError: it is damaged."""
    name = shown(path)
    for turn in range(TRIES):
        try:
            place = directory(os.fsdecode(path))
        except FileNotFoundError:
            raise InputError(f"{name}: no such artifact") from None
        except OSError as error:
            raise_if_not_its_own(error, name)
            raise ArtifactError(f"{name}: not an artifact: {error.strerror}: name one, or build it again") from None
        try:
            shelf = _opened(place, name)
            if shelf.run or turn == TRIES - 1 or is_still(path, place):
                return shelf
        except FileNotFoundError as error:
            # Perhaps it was replaced, and its old files removed, since the directory was opened.
            if turn == TRIES - 1 or is_still(path, place):
                raise missing(place, name, str(error.filename)) from None
        except OSError as error:
            where = f"{name}/{error.filename}" if isinstance(error.filename, str) else name
            raise_if_not_its_own(error, where)
            raise ArtifactError(f"{where}: {error.strerror}: build the artifact again") from None
        finally:
            os.close(place)
    raise AssertionError


def usable(shelf: Artifact, kinds: Collection[str]) -> Artifact:
    """The same artifact. ArtifactError: of none of these kinds, or made with other tables of Unicode than ours."""
    if shelf.kind not in kinds:
        wanted = " or ".join(kinds) or "documents"
        raise ArtifactError(f"{shelf.name}: an artifact of kind {shelf.kind}: this takes {wanted}")
    refuse_other_unicode(shelf.recipe, shelf.name)
    return shelf


def raise_if_not_its_own(error: OSError, where: str) -> None:
    """Raise an error that says nothing about an artifact: no more memory, no more files; InputError: no leave to read
    it."""
    if error.errno in (errno.ENOMEM, errno.EMFILE, errno.ENFILE):
        raise error
    if error.errno in (errno.EACCES, errno.EPERM):
        raise InputError(f"{where}: {error.strerror}: whoever built it must let you read it") from None


def is_still(path: bytes, place: int) -> bool:
    """Whether the name means the directory that was opened by it."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(place))
    except OSError:
        return False


def _opened(place: int, name: str) -> Artifact:
    manifest = read_manifest(place, name)
    form = manifest.format
    arrays = {
        array.name: map_file(place, name, array, manifest.shapes[array.name], manifest.checksums[array.name])
        for array in form.arrays
    }
    return Artifact(name, form.kind, manifest, arrays, read_run(place, name))


def read_run(place: int, name: str) -> dict[str, Any]:
    """What run.json says; nothing if it cannot be read."""
    try:
        run = json.loads(_read(place, RUN, _LARGEST_RUN, name))
    except (OSError, ValueError, RecursionError, ArtifactError):
        return {}
    return run if isinstance(run, dict) else {}


def missing(place: int, name: str, file: str) -> ArtifactError:
    """The error about a file that is not there: of an artifact, or of a directory that is none."""
    if file == MANIFEST and not any(form.files & set(os.listdir(place)) for form in FORMATS.values()):
        return ArtifactError(f"{name}: not an artifact: there is no {MANIFEST} in it: name an artifact")
    return damaged(f"{name}/{file}", "the file is missing")


def read_manifest(place: int, name: str) -> Manifest:
    """The manifest in a directory. ArtifactError: it is damaged. FileNotFoundError."""
    return decoded(_read(place, MANIFEST, _LARGEST_MANIFEST, name), name)


def _read(place: int, file: str, most: int, name: str) -> bytes:
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise damaged(f"{name}/{file}", "not a regular file")
        if status.st_size > most:
            raise damaged(f"{name}/{file}", f"{status.st_size} bytes: too large to be one of ours")
        with os.fdopen(os.dup(descriptor), "rb") as opened:
            return opened.read(status.st_size)  # as much is allocated as is asked for
    finally:
        os.close(descriptor)


def documents_on(shelf: Artifact) -> Documents:
    """All documents of a shelf, memory-mapped."""
    names = Ragged(shelf["names"].all(), shelf["name_offsets"].all())
    return Documents(names, shelf["documents"].all(), dict(shelf.held))
