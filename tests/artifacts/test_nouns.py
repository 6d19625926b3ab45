"""An artifact is the same noun in memory and on disk: the same class, columns and properties."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simdocs
from simdocs.artifacts import formats, npy, reader
from simdocs.artifacts.writer import MemoryWriter
from simdocs.errors import ArtifactError
from simdocs.model.skipped import Skipped
from tests.artifacts.tiny import arrays, checksums_of, documents, recipe, save

NOUNS = {"shingles": simdocs.Shingles, "signatures": simdocs.Signatures, "index": simdocs.BandIndex}


def in_memory(kind: str, salt: int) -> Any:
    """The artifact of this salt, built in memory."""
    writer = MemoryWriter(kind)
    for name, array in arrays(kind, salt).items():
        if name not in ("documents", "names", "name_offsets"):
            writer.append(name, array[:1])
            writer.append(name, array[1:])
    writer.finish(documents(3, salt), recipe(kind), {"root": "/x", "salt": salt})
    return writer.artifact(Skipped())


def on_disk(kind: str, salt: int, place: Path) -> Any:
    """The artifact of this salt, written and opened."""
    save(place / f"tiny.{kind}", salt, kind)
    return reader.open_artifact(os.fsencode(place / f"tiny.{kind}"))


@pytest.mark.parametrize("kind", formats.FORMATS)
def test_opening_and_building_give_the_same_noun(place, kind):
    for artifact in (in_memory(kind, 1), on_disk(kind, 1, place)):
        assert type(artifact) is NOUNS[kind]
        assert (artifact.kind, artifact.n_documents, artifact.recipe) == (kind, 3, recipe(kind))
        assert artifact.columns.keys() == {array.name for array in formats.FORMATS[kind].arrays}
        for name, array in arrays(kind, 1).items():
            assert artifact[name].all().dtype == array.dtype
            assert np.array_equal(artifact[name].all(), array)
        assert artifact.documents.name(2) == "1/2"
    assert in_memory(kind, 1).made_from == on_disk(kind, 1, place).made_from != in_memory(kind, 2).made_from


def test_a_value_that_lies_across_two_blocks_is_read_only_if_both_are_whole():
    values = np.zeros(formats.BLOCK // 3, "u4,u4,u4")
    data = values.view(np.uint8)
    sums = checksums_of(data.data)
    assert len(sums) == 4
    across = formats.BLOCK // 12
    rules = npy.Rules(formats.ArrayFormat("x", values.dtype, ("N",), ""), {}, len(sums))
    assert formats.BLOCK % 12
    for wrong in range(2):
        forged = [*sums]
        forged[wrong] = "0" * 32
        for read in (
            lambda column: column.rows(np.array([across])),
            lambda column: column.at(np.array([across])),
            lambda column: column.cut(across, across + 1),
        ):
            read(npy.MappedColumn("x", values, sums, rules))
            with pytest.raises(ArtifactError, match=f"block {wrong} does not match"):
                read(npy.MappedColumn("x", values, forged, rules))


def test_an_artifact_that_is_replaced_while_it_is_opened_is_opened_again(place, monkeypatch):
    """The directory that was opened first is empty by then."""
    path = place / "a.signatures"
    save(path, 1)
    real, times = reader._opened, iter([2, 3])

    def replaced(dir_fd, name):
        of_the_reader = reader._is_still(os.fsencode(path), dir_fd)  # the writer opens its draft, too
        if of_the_reader and (salt := next(times, None)):
            save(path, salt)
        return real(dir_fd, name)

    monkeypatch.setattr(reader, "_opened", replaced)
    artifact = reader.open_artifact(os.fsencode(path))
    assert artifact.run["salt"] == 3
    assert (np.asarray(artifact["signatures"].all()) == arrays("signatures", 3)["signatures"]).all()
