"""Open artifacts: quickly, as one generation, and without trusting anything that was not checked."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import stat
from collections.abc import Collection
from typing import Any

import numpy as np

from simdocs.artifacts.formats import BLOCK, FORMATS, RUN, no_such_artifact
from simdocs.artifacts.manifest import decoded, refuse_other_unicode
from simdocs.artifacts.npy import map_file
from simdocs.errors import ArtifactError, InputError
from simdocs.model.artifact import Artifact, damaged
from simdocs.model.documents import MemoryColumn
from simdocs.names import MANIFEST, command_line, display_name
from simdocs.options.hash_functions import MOST_OWN_BYTES
from simdocs.options.recipes import MOST_STOP_WORDS
from simdocs.storage import syscalls
from simdocs.storage.syscalls import open_directory

_FIELDS_BYTES = (1 << 18) + 6 * MOST_STOP_WORDS + MOST_OWN_BYTES
"""Bytes that the fields of a manifest take at most, without checksums: names of fields, 17 texts of 1,000 characters
that may take 12 bytes each, a list of stop words, in which an escape may take 6 bytes for each byte, and own hash
functions."""

_CHECKSUM_BYTES = 48
"""Bytes that a checksum takes in a manifest, with its indentation."""

MOST_RUN_BYTES = 1 << 24
"""Bytes of run.json that are read. It has no checksum, and its writer leaves out what does not fit."""

_MOST_OPEN, _OTHER_FILES = 1 << 10, 64
"""Artifacts that stay open at most, since systems limit memory maps, too; and files that a run has open besides: those
of the artifact that it reads, of the one before, of the one that it writes, and of the one that this replaces."""

_TRIES = 100
"""The number of attempts to open an artifact that is replaced at the same moment."""


def open_artifact(path: bytes) -> Artifact:
    """Open the artifact at this path. Its columns are memory-mapped and checked when they are read.

    InputError: it does not exist, or may not be read. ArtifactError: it is damaged.
    """
    name = display_name(path)
    for attempt in range(_TRIES):
        try:
            dir_fd = open_directory(os.fsdecode(path))
        except FileNotFoundError:
            raise no_such_artifact(name) from None
        except OSError as error:
            _raise_unless_damage(error, name)
            why = "" if error.errno == errno.ENOTDIR else f" ({error.strerror})"
            message = f"{name}: not an artifact{why}: name an artifact, which is a directory such as docs.index"
            raise ArtifactError(message) from None
        try:
            artifact = _opened(dir_fd, name)
            if artifact.run or attempt == _TRIES - 1 or _is_still(path, dir_fd):
                return artifact
        except FileNotFoundError as error:
            # Perhaps the artifact was replaced after we opened its directory, and the old files were removed.
            if attempt == _TRIES - 1 or _is_still(path, dir_fd):
                raise _missing(dir_fd, name, str(error.filename)) from None
        except OSError as error:
            where = f"{name}/{error.filename}" if isinstance(error.filename, str) else name
            _raise_unless_damage(error, where)
            raise ArtifactError(f"{where}: {error.strerror}", "build the artifact again") from None
        finally:
            os.close(dir_fd)
    raise AssertionError


def usable(artifact: Artifact, kinds: Collection[str], *, or_documents: bool = False) -> Artifact:
    """Return the artifact itself. or_documents: documents can be given instead, for the message.

    ArtifactError: it is of another kind than these, or was made with other Unicode tables than this Python has.
    """
    if artifact.kind not in kinds:
        wanted = ["documents"] * or_documents + [FORMATS[kind].described for kind in kinds]
        listed = " or ".join(filter(None, [", ".join(wanted[:-1]), wanted[-1]]))
        problem = f"{artifact.name}: this is {FORMATS[artifact.kind].described}, not {listed}"
        raise ArtifactError(problem + _how_to_index(artifact, kinds))
    refuse_other_unicode(artifact.recipe, artifact.name)
    return artifact


def _how_to_index(artifact: Artifact, kinds: Collection[str]) -> str:
    """How to make the index that is wanted from an artifact of an earlier stage."""
    if tuple(kinds) != ("index",):
        return ""
    if any(isinstance(column, MemoryColumn) for column in artifact.columns.values()):
        return ": build one with simdocs.index"
    index = f"{artifact.name.removesuffix(FORMATS[artifact.kind].suffix)}.index"
    return f": build one with {command_line('index', [artifact.name], {'output': index})}"


def most_open(kind: str) -> int:
    """Return how many artifacts of this kind can stay open while others are read and one is written; perhaps none."""
    import resource

    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if allowed in (resource.RLIM_INFINITY, -1):
        return _MOST_OPEN
    return max(0, min(_MOST_OPEN, (allowed - _OTHER_FILES) // len(FORMATS[kind].arrays)))


def checked(artifact: Artifact) -> Artifact:
    """Return the artifact after all its blocks were checked. ArtifactError: one is damaged, or contradicts another."""
    for column in artifact.columns.values():
        column.all()
    _ = artifact.documents
    return artifact


def refuse_unreadable(dir_fd: int, name: str) -> None:
    """Raise ArtifactError, or OSError, unless the artifact that was written into this directory can be opened and used.

    The facts of the documents and files are all read, which are some 200 bytes for each document. Of every other array,
    the first and the last block are.
    """
    artifact = _opened(dir_fd, name)
    for column in artifact.columns.values():
        if places := math.prod(column.shape):
            column.at(np.array([0, places - 1]))
    _ = artifact.documents
    if not artifact.run:
        raise damaged(f"{name}/{RUN}", "it cannot be read")


def _raise_unless_damage(error: OSError, where: str) -> None:
    """Raise an error that does not mean that the artifact is damaged.

    OSError: out of memory or open files. InputError: no permission to read it.
    """
    if error.errno in (errno.ENOMEM, errno.EMFILE, errno.ENFILE):
        raise error
    if error.errno in (errno.EACCES, errno.EPERM):
        raise InputError(f"{where}: {error.strerror}: whoever built it must let you read it") from None


def _is_still(path: bytes, dir_fd: int) -> bool:
    """Return whether this path still leads to the directory that was opened as dir_fd."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(dir_fd))
    except OSError:
        return False


def _opened(dir_fd: int, name: str) -> Artifact:
    manifest = decoded(_read(dir_fd, MANIFEST, _largest_manifest(dir_fd), name), name)
    form, lengths = manifest.format, manifest.lengths
    columns = {
        array.name: map_file(dir_fd, name, array, manifest.shapes[array.name], manifest.checksums[array.name], lengths)
        for array in form.arrays
    }
    return form.noun(name, manifest.recipe, manifest.made_from, columns, _read_run(dir_fd, name))


def _read_run(dir_fd: int, name: str) -> dict[str, Any]:
    """Return what run.json says; empty if it cannot be read."""
    try:
        run = json.loads(_read(dir_fd, RUN, MOST_RUN_BYTES, name))
    except (OSError, ValueError, RecursionError, ArtifactError):
        return {}
    return run if isinstance(run, dict) else {}


def _missing(dir_fd: int, name: str, file: str) -> ArtifactError:
    """Return the error about a missing file: the artifact is damaged, or the directory is not an artifact at all."""
    if file == MANIFEST and not any(form.files & set(os.listdir(dir_fd)) for form in FORMATS.values()):
        return ArtifactError(f"{name}: not an artifact, because there is no {MANIFEST} in it: name an artifact")
    return damaged(f"{name}/{file}", "the file is missing")


def _largest_manifest(dir_fd: int) -> int:
    """How many bytes the manifest in this directory has at most: some for its fields, and some for each checksum."""
    blocks = 0
    for file in frozenset(array.file for form in FORMATS.values() for array in form.arrays):
        with contextlib.suppress(OSError):
            blocks += 1 + os.stat(file, dir_fd=dir_fd, follow_symlinks=False).st_size // BLOCK
    return _FIELDS_BYTES + _CHECKSUM_BYTES * blocks


def _read(dir_fd: int, file: str, limit: int, name: str) -> bytes:
    with syscalls.held(syscalls.open_found(file, dir_fd)) as descriptor:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise damaged(f"{name}/{file}", "not a regular file")
        if status.st_size > limit:
            raise damaged(f"{name}/{file}", f"{status.st_size} bytes are too many for this file")
        with os.fdopen(os.dup(descriptor), "rb") as opened:
            return opened.read(status.st_size)  # read() without a size could allocate more
