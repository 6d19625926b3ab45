"""Tiny artifacts, each made from a number (its salt), and functions that tell which of them a directory holds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from simdocs.artifacts import formats, npy, reader
from simdocs.artifacts.writer import artifact_writer
from simdocs.kernels.fracminhash import CUT_OFF
from simdocs.model.documents import DOCUMENT, FILE, Documents
from simdocs.options.recipes import Banding, Containing, Ignoring, Recipe, Sketching
from simdocs.storage.atomic_file import atomic_file, draft_name
from tests import strategies as some

PLACES, BANDS = 4, 2
KINDS = tuple(formats.FORMATS)


def arrays_of(kind: str) -> tuple[Any, ...]:
    """Return the declarations of the arrays of an artifact of this kind."""
    return formats.FORMATS[kind].arrays


def files_of(kind: str) -> set[str]:
    """Return the names of the files of an artifact of this kind."""
    return set(formats.FORMATS[kind].files) - {"chunks.npy"}


def checksums_of(data: Any, block: int = formats.BLOCK) -> list[str]:
    """Return the checksum of each block of these bytes."""
    return [npy.checksum(data[at : at + block]) for at in range(0, len(data), block)]


def writing(path: Path | str, kind: str = "signatures", wait: float = 0.0) -> AbstractContextManager[Any]:
    """Return the writer of an artifact, which holds the lock of its target."""
    return artifact_writer(os.fsencode(path), kind, wait)


def publishing(path: Path | str) -> AbstractContextManager[Any]:
    """Return a stream that becomes this file."""
    return atomic_file(str(path))


def draft_of(name: Path | str) -> str:
    """Return the name of the draft of an artifact, or the beginning of that of another output."""
    return draft_name(os.path.basename(name))


def documents_of(names: Sequence[bytes], facts: Mapping[str, Any], files: Mapping[str, Any], **more: Any) -> Any:
    """Return documents with these names, each in its own file. facts, files: some columns; the others are 0."""
    about, places = np.zeros(len(names), DOCUMENT), np.zeros(len(names), FILE)
    places["row"] = np.arange(len(names))
    for array, columns in ((about, facts), (places, files)):
        for name, column in columns.items():
            array[name] = column
    lengths = np.array([len(name) for name in names], np.int64)
    spelt = some.Ragged.from_lengths(np.frombuffer(b"".join(names), np.uint8), lengths)
    return Documents(spelt, about, places, {}, **more)


def documents(rows: int, salt: int) -> Any:
    names = [f"{salt}/{row}".encode() for row in range(rows)]
    facts = {"size": np.arange(rows) + salt + 1, "length": 2, "count": 2}
    return documents_of(names, facts, {"inode": salt})


def recipe(kind: str) -> Recipe:
    groups = {
        "sequences": some.sequences(),
        "shingling": some.shingling(),
        "sketching": Sketching(num_perm=PLACES),
        "ignoring": Ignoring(),
        "banding": Banding(threshold=0.8, recall=0.95, rule="recall", bands=BANDS, rows=2),
        "containing": Containing(),
    }
    form = formats.FORMATS[kind]
    return form.recipe_type(**{name: groups[name] for name in form.parameter_groups})


def arrays(kind: str, salt: int, rows: int = 3) -> dict[str, np.ndarray]:
    """Return all arrays of the artifact of this salt."""
    random = np.random.default_rng(salt)
    about = documents(rows, salt)
    made = {
        "tokens": random.integers(0, 1 << 32, 2 * rows, np.uint32),
        "offsets": 2 * np.arange(rows + 1, dtype=np.int64),
        "signatures": random.integers(0, 1 << 32, (rows, PLACES), np.uint32),
        "band_keys": random.integers(0, 1 << 63, (BANDS, rows), np.uint64),
        "band_rows": random.permuted(np.tile(np.arange(rows, dtype=np.uint32), (BANDS, 1)), axis=1),
        "same_as": np.arange(rows, dtype=np.uint32),
        "ignored": np.empty(0, np.uint32),
        "sketch_tokens": np.sort(random.integers(0, CUT_OFF, rows, np.uint32)),
        "sketch_rows": np.arange(rows, dtype=np.uint32),
        "documents": about.facts,
        "files": about.files,
        "names": about.names.values,
        "name_offsets": about.names.offsets,
    }
    return {array.name: made[array.name] for array in arrays_of(kind)}


def save(path: Path, salt: int, kind: str = "signatures", wait: float = 0.0, rows: int = 3) -> None:
    """Publish the artifact of this salt."""
    with writing(path, kind, wait) as writer:
        for name, array in arrays(kind, salt, rows).items():
            if name not in ("documents", "files", "names", "name_offsets"):
                writer.append(name, array)
        writer.finish(documents(rows, salt), recipe(kind), {"salt": salt})


def found(path: Path, kind: str = "signatures") -> int | None:
    """Return the salt of the artifact at this path, which must be complete; None if there is nothing."""
    if not os.path.lexists(path):
        return None
    assert set(os.listdir(path)) == files_of(kind)
    return read(path, kind)


def read(path: Path, kind: str = "signatures") -> int:
    """Return the salt of the artifact at this path, after comparing all its arrays with what was saved."""
    artifact = reader.usable(reader.open_artifact(os.fsencode(path)), (kind,))
    salt = artifact.run["salt"]
    for name, array in arrays(kind, salt, artifact.n_documents).items():
        assert np.array_equal(artifact[name].all(), array), name
    return int(salt)


def laid(root: Path) -> dict[str, Path]:
    """Write one artifact of each kind into this directory, and return their paths."""
    paths = {kind: root / f"tiny.{kind}" for kind in KINDS}
    for kind, path in paths.items():
        save(path, 1, kind)
    return paths
