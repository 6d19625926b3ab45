"""Write an artifact: its arrays piece by piece, then its manifest. It is published in one step."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS, KIND_OF_SUFFIX, RUN, replaceable
from simdocs.artifacts.manifest import Manifest, made_from
from simdocs.artifacts.npy import ArrayWriter
from simdocs.artifacts.reader import MOST_RUN_BYTES, refuse_unreadable
from simdocs.errors import ArtifactError, OutputError, UsageError
from simdocs.model.artifact import Artifact
from simdocs.model.documents import Column, Documents, MemoryColumn
from simdocs.model.ragged import Array
from simdocs.model.skipped import Skipped
from simdocs.names import MANIFEST, display_name
from simdocs.options.recipes import Recipe
from simdocs.storage import syscalls
from simdocs.storage.atomic_directory import DraftDirectory, atomic_directory, check_directory


def _arrays_of(documents: Documents) -> dict[str, Array]:
    """The arrays that every artifact has of its documents, by name."""
    return {
        "documents": documents.facts,
        "files": documents.files,
        "names": documents.names.values,
        "name_offsets": documents.names.offsets,
    }


class ArtifactWriter:
    """Writes an artifact into a draft directory: arrays by name, in pieces or whole, and at the end its documents."""

    def __init__(self, draft: DraftDirectory, kind: str) -> None:
        self._draft, self._format = draft, FORMATS[kind]
        self._arrays = {array.name: array for array in self._format.arrays}
        self._writers: dict[str, ArrayWriter] = {}
        self.finished = False

    def append(self, name: str, piece: Array) -> None:
        """Append rows to an array."""
        with syscalls.as_output_error(self._draft.name):
            if name not in self._writers:
                self._writers[name] = ArrayWriter(self._draft.dir_fd, self._arrays[name], piece.shape[1:])
            self._writers[name].append(piece)

    def finish(self, documents: Documents, recipe: Recipe, run: Mapping[str, Any]) -> None:
        """Write the documents, the manifest and run.json. run: the facts that differ between two equal runs."""
        # Each file is closed before the next is opened, since few open files may be allowed.
        for name in self._writers:
            self._finish_array(name)
        for name, array in _arrays_of(documents).items():
            self.append(name, array)
            self._finish_array(name)
        with syscalls.as_output_error(self._draft.name):
            manifest = Manifest(
                self._format,
                recipe,
                made_from(documents, recipe),
                {name: writer.shape for name, writer in self._writers.items()},
                {name: writer.checksums for name, writer in self._writers.items()},
            )
            self._write(MANIFEST, manifest.encoded())
            self._write(RUN, _encoded(run))
            self._read_again()
        self.finished = True

    def _read_again(self) -> None:
        """Raise OutputError if the artifact cannot be opened. Then it is not published."""
        try:
            refuse_unreadable(self._draft.dir_fd, self._draft.name)
        except ArtifactError as error:
            found = f"{error.problem}: this was found when it was read again, so it was not published"
            raise OutputError(f"{found}: try another disk, and report it if that does not help") from error

    def _finish_array(self, name: str) -> None:
        with syscalls.as_output_error(self._draft.name):
            self._writers[name].finish()

    def _write(self, name: str, data: bytes) -> None:
        with syscalls.written(syscalls.create(name, self._draft.dir_fd)) as file:
            syscalls.write(file, data)
            syscalls.set_mode(file, None, 0o666)
            syscalls.sync(file)

    def close(self) -> None:
        """Close all files that are open, which will not be published."""
        for writer in self._writers.values():
            syscalls.release(writer.file)


def _encoded(run: Mapping[str, Any]) -> bytes:
    """The bytes of run.json. Of more facts than a reader reads, the longest are left out."""
    facts = dict(run)
    while len(data := (json.dumps(facts, indent=1) + "\n").encode()) > MOST_RUN_BYTES:
        del facts[max(facts, key=lambda name: len(json.dumps(facts[name])))]
    return data


class _NotFinished(Exception):  # noqa: N818  (control flow, not an error)
    """The artifact was not finished, so it is not published."""


@contextlib.contextmanager
def artifact_writer(path: bytes | None, kind: str, wait: float) -> Iterator[ArtifactWriter | MemoryWriter]:
    """Open a writer of the artifact `path`, which is published at the end if it was finished; None: one in memory.

    UsageError: the path does not end with a name that has the suffix of this kind. For other errors, see
    `atomic_directory`.
    """
    if path is None:
        yield MemoryWriter(kind)
        return
    target = os.fsdecode(path)
    _check_name(target, kind)
    with contextlib.suppress(_NotFinished), atomic_directory(target, replaceable(kind), wait) as draft:
        writer = ArtifactWriter(draft, kind)
        try:
            yield writer
        finally:
            writer.close()
        if not writer.finished:
            raise _NotFinished


def check_target(path: str, kind: str) -> None:
    """Raise the UsageError or OutputError that `artifact_writer` raises about this path before it writes anything."""
    _check_name(path, kind)
    check_directory(path, replaceable(kind))


def _check_name(path: str, kind: str) -> None:
    """Raise UsageError unless the name of an artifact, and that of what it links to, can be one of this kind."""
    name, form, real = display_name(os.fsencode(path)), FORMATS[kind], os.path.basename(os.path.realpath(path))
    given = path.rstrip("/")
    given = real if os.path.basename(given) in ("", ".", "..") else given
    if not real:
        raise UsageError(f"{name}: this is not the name of an artifact: choose a name such as NAME{form.suffix}")
    for base in (os.path.basename(given), real):
        stem, suffix = os.path.splitext(base)
        if KIND_OF_SUFFIX.get(suffix, kind) != kind:
            better = f"choose a name such as {display_name(os.fsencode(stem + form.suffix))}"
            raise UsageError(f"{name}: the name of {form.described} cannot end in {suffix}: {better}")
    stem, suffix = os.path.splitext(given)
    if suffix != form.suffix:
        # An abbreviation is replaced; what is no abbreviation belongs to the name.
        short = suffix == ".idx" or (len(suffix) > len(".xx") and form.suffix.startswith(suffix))
        better = f"-o {display_name(os.fsencode((stem if short else given) + form.suffix))}"
        raise UsageError(f"{name}: the name of {form.described} must end in {form.suffix}: use {better}")


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
        arrays = _arrays_of(documents) | {name: np.concatenate(pieces) for name, pieces in self._pieces.items()}
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
            held=documents.held,
            given_names=documents.given_names,
        )

    def artifact(self, skipped: Skipped) -> Artifact:
        """Return the finished artifact."""
        assert self._artifact is not None, "not finished"
        return self._artifact.but(skipped=skipped)
