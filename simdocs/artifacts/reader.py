"""Opening artifacts: cheaply, whole generations, and nothing believed that was not looked at."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from simdocs.artifacts.formats import FORMATS, MANIFEST, RUN
from simdocs.artifacts.manifest import Manifest, decoded, refuse_other_unicode
from simdocs.artifacts.npy import damaged, map_file
from simdocs.errors import ArtifactError, InputError
from simdocs.model.documents import Documents
from simdocs.model.names import bytes_of, shown
from simdocs.model.ragged import Ragged
from simdocs.model.sketches import Column
from simdocs.parameters import Recipe
from simdocs.storage.syscalls import open_directory

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


def open_artifact(path: bytes) -> Artifact:
    """The artifact of this name. InputError: there is none, or it may not be read. ArtifactError: it is damaged."""
    name = shown(path)
    for turn in range(TRIES):
        try:
            dir_fd = open_directory(os.fsdecode(path))
        except FileNotFoundError:
            raise InputError(f"{name}: no such artifact") from None
        except OSError as error:
            raise_if_not_its_own(error, name)
            raise ArtifactError(f"{name}: not an artifact: {error.strerror}: name one, or build it again") from None
        try:
            shelf = _opened(dir_fd, name)
            if shelf.run or turn == TRIES - 1 or is_still(path, dir_fd):
                return shelf
        except FileNotFoundError as error:
            # Perhaps it was replaced, and its old files removed, since the directory was opened.
            if turn == TRIES - 1 or is_still(path, dir_fd):
                raise missing(dir_fd, name, str(error.filename)) from None
        except OSError as error:
            where = f"{name}/{error.filename}" if isinstance(error.filename, str) else name
            raise_if_not_its_own(error, where)
            raise ArtifactError(f"{where}: {error.strerror}: build the artifact again") from None
        finally:
            os.close(dir_fd)
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


def is_still(path: bytes, dir_fd: int) -> bool:
    """Whether the name means the directory that was opened by it."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(dir_fd))
    except OSError:
        return False


def _opened(dir_fd: int, name: str) -> Artifact:
    manifest = read_manifest(dir_fd, name)
    form = manifest.format
    arrays = {
        array.name: map_file(dir_fd, name, array, manifest.shapes[array.name], manifest.checksums[array.name])
        for array in form.arrays
    }
    return Artifact(name, form.kind, manifest, arrays, read_run(dir_fd, name))


def read_run(dir_fd: int, name: str) -> dict[str, Any]:
    """What run.json says; nothing if it cannot be read."""
    try:
        run = json.loads(_read(dir_fd, RUN, _LARGEST_RUN, name))
    except (OSError, ValueError, RecursionError, ArtifactError):
        return {}
    return run if isinstance(run, dict) else {}


def missing(dir_fd: int, name: str, file: str) -> ArtifactError:
    """The error about a file that is not there: of an artifact, or of a directory that is none."""
    if file == MANIFEST and not any(form.files & set(os.listdir(dir_fd)) for form in FORMATS.values()):
        return ArtifactError(f"{name}: not an artifact: there is no {MANIFEST} in it: name an artifact")
    return damaged(f"{name}/{file}", "the file is missing")


def read_manifest(dir_fd: int, name: str) -> Manifest:
    """The manifest in a directory. ArtifactError: it is damaged. FileNotFoundError."""
    return decoded(_read(dir_fd, MANIFEST, _LARGEST_MANIFEST, name), name)


def _read(dir_fd: int, file: str, most: int, name: str) -> bytes:
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=dir_fd)
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
