"""Recognise artifacts and their kinds."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path

from simdocs.artifacts.formats import FORMATS, KIND_OF_SUFFIX, MANIFEST
from simdocs.errors import InputError
from simdocs.names import is_manifest, is_uri
from simdocs.storage.targets import Replaceable

_HEAD_BYTES = 200
"""Bytes of a manifest that are read to find its format, which is named at the beginning."""


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


def is_artifact(path: str) -> bool:
    """Return whether the directory at this path is an artifact, by its manifest."""
    return _kind_of_directory(path) is not None


def replaceable(kind: str) -> Replaceable:
    """Return which directories a new artifact of this kind may replace: others of its kind, damaged or not."""
    return Replaceable(FORMATS[kind].described, FORMATS[kind].files, partial(_is_of_kind, kind=kind))


def _kind_of_name(path: bytes) -> str | None:
    """The kind of artifact whose suffix this name has; None if it has none."""
    return KIND_OF_SUFFIX.get(os.path.splitext(os.fsdecode(path).rstrip("/"))[1])


def _kind_of_directory(path: str) -> str | None:
    """The kind of the artifact in this directory; None if it is not an artifact or cannot be read."""
    try:
        # O_NONBLOCK: opening a FIFO would wait for a writer.
        file = os.open(Path(path, MANIFEST), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            head = os.read(file, _HEAD_BYTES) if stat.S_ISREG(os.fstat(file).st_mode) else b""
        finally:
            os.close(file)
    except (OSError, ValueError):  # ValueError: the path holds a NUL
        return None
    if not is_manifest(head):
        return None
    return _kind_in(head) or "artifact"


def _is_of_kind(dir_fd: int, names: frozenset[str], *, kind: str) -> bool:
    """Whether a directory with these names is an artifact of this kind, by its manifest.

    If the manifest is damaged or missing, the names of the arrays decide.
    """
    types = {name: stat.S_IFMT(os.stat(name, dir_fd=dir_fd, follow_symlinks=False).st_mode) for name in names}
    if stat.S_IFDIR in types.values():
        return False
    if types.get(MANIFEST) == stat.S_IFREG:
        file = os.open(MANIFEST, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=dir_fd)
        try:
            found = _kind_in(os.read(file, _HEAD_BYTES))
        finally:
            os.close(file)
        if found is not None:
            return found == kind
    return {array.file for array in FORMATS[kind].arrays} <= names


def _kind_in(head: bytes) -> str | None:
    """The kind that the beginning of a manifest names; None if it names none that we know."""
    return next((kind for kind, form in FORMATS.items() if f'"{form.name}"'.encode() in head), None)
