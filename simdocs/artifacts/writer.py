"""Saving an artifact: its arrays as they come, then its manifest, then the one step in which it appears."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS, MANIFEST, RUN
from simdocs.artifacts.manifest import Manifest
from simdocs.artifacts.npy import Writer
from simdocs.model.documents import Documents
from simdocs.model.ragged import Array
from simdocs.parameters import Recipe
from simdocs.storage import syscalls
from simdocs.storage.atomic_directory import Draft, drafted


class Saving:
    """An artifact under way: arrays by name, in pieces or whole; at last its documents."""

    def __init__(self, draft: Draft, kind: str) -> None:
        self._draft, self._format = draft, FORMATS[kind]
        self._arrays = {array.name: array for array in self._format.arrays}
        self._writers: dict[str, Writer] = {}
        self.finished = False

    def append(self, name: str, piece: Array) -> None:
        """Write rows of an array, after those that it has."""
        with syscalls.failing(self._draft.name):
            if name not in self._writers:
                self._writers[name] = Writer(self._draft.descriptor, self._arrays[name], piece.shape[1:])
            self._writers[name].append(piece)

    def finish(self, documents: Documents, recipe: Recipe, run: Mapping[str, Any]) -> None:
        """Write what is still to be written. run: what differs between two equal runs; of JSON's kinds."""
        self.append("documents", documents.facts)
        self.append("names", documents.names.values)
        self.append("name_offsets", documents.names.offsets)
        with syscalls.failing(self._draft.name):
            for writer in self._writers.values():
                writer.finish()
            manifest = Manifest(
                self._format,
                recipe,
                made_from(documents, recipe),
                {name: writer.shape for name, writer in self._writers.items()},
                {name: writer.checksums for name, writer in self._writers.items()},
            )
            self._write(MANIFEST, manifest.encoded())
            self._write(RUN, (json.dumps(run, indent=1) + "\n").encode())
        self.finished = True

    def _write(self, name: str, data: bytes) -> None:
        file = syscalls.create(name, self._draft.descriptor)
        try:
            syscalls.write(file, data)
            syscalls.open_to_all(file, None, 0o666)
            syscalls.sync(file)
        finally:
            syscalls.close(file)

    def close(self) -> None:
        """Let go of all files."""
        with syscalls.failing(self._draft.name), contextlib.ExitStack() as stack:
            for writer in self._writers.values():
                stack.callback(writer.close)


class _Dropped(Exception):  # noqa: N818  (a way out, not an error)
    """Nothing was finished: nothing is published."""


@contextlib.contextmanager
def saving(path: str, kind: str, wait: float = 0.0) -> Iterator[Saving]:
    """An artifact that appears, whole, when it was finished and all went well: see `drafted` for the errors."""
    with contextlib.suppress(_Dropped), drafted(path, kind, wait) as draft:
        under_way = Saving(draft, kind)
        try:
            yield under_way
        finally:
            under_way.close()
        if not under_way.finished:
            raise _Dropped


def made_from(documents: Documents, recipe: Recipe) -> str:
    """By what artifacts of the same documents and shingling are known: a hash of their names and token sets, and of
    the parameters of shingling, in hexadecimal."""
    known = hashlib.sha256(json.dumps([asdict(recipe.shingling), recipe.unicode]).encode())
    for array in (documents.names.offsets, documents.names.values, documents.facts["set_digest"]):
        known.update(np.ascontiguousarray(array).view(np.uint8).data)
    return known.hexdigest()[:32]
