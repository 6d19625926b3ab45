"""An artifact is the same noun in memory and on disk: the same class, columns and properties."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, get_type_hints

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


def test_every_format_has_a_noun_and_its_recipe():
    assert {kind: form.noun for kind, form in formats.FORMATS.items()} == NOUNS
    for form in formats.FORMATS.values():
        assert get_type_hints(form.noun)["recipe"] is form.recipe_type


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


@pytest.mark.parametrize("kind", formats.FORMATS)
def test_properties_are_plain_arrays(place, kind):
    expected = arrays(kind, 1)
    for artifact in (in_memory(kind, 1), on_disk(kind, 1, place)):
        found = {"documents": artifact.documents.facts, "names": artifact.documents.names.values}
        if isinstance(artifact, simdocs.Shingles):
            found |= {"tokens": artifact.tokens.values, "offsets": artifact.tokens.offsets}
        if isinstance(artifact, simdocs.Signatures | simdocs.BandIndex):
            found |= {"signatures": artifact.signatures}
        if isinstance(artifact, simdocs.BandIndex):
            tables = artifact.tables
            found |= {"band_keys": tables.keys, "band_rows": tables.rows, "same_as": tables.same_as}
        for name, array in found.items():
            assert type(array) is np.ndarray
            assert np.array_equal(array, expected[name])


@pytest.mark.parametrize("run", [{}, {"root": 3}, {"root": "a\0b"}, {"root": "\ud800"}])
def test_a_root_that_is_not_known_is_empty(run):
    writer = MemoryWriter("signatures")
    writer.append("signatures", arrays("signatures", 1)["signatures"])
    writer.append("ignored", arrays("signatures", 1)["ignored"])
    writer.finish(documents(3, 1), recipe("signatures"), run)
    assert writer.artifact(Skipped()).root == b""
    assert in_memory("signatures", 1).root == b"/x"


def test_all_blocks_are_checked_on_request(place):
    artifact = on_disk("signatures", 1, place)
    assert reader.checked(artifact) is artifact
    file = place / "tiny.signatures" / "signatures.npy"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    damaged = reader.open_artifact(os.fsencode(place / "tiny.signatures"))
    with pytest.raises(ArtifactError, match=r"signatures\.npy: damaged: block 0 does not match its checksum"):
        reader.checked(damaged)


def test_the_repr_is_one_short_line(place):
    assert repr(in_memory("shingles", 1)) == "<Shingles: documents=3, unit='char', k=9>"
    assert repr(on_disk("index", 1, place)) == (
        "<BandIndex: documents=3, unit='char', k=9, num_perm=4, threshold=0.8, bands=2, rows=2>"
    )
    words = simdocs.index(texts=["a b", "c"], unit="word", k=2, nfkc=True, num_perm=16, bands=4, rows=4, seed=7)
    assert repr(words) == (
        "<BandIndex: documents=2, unit='word', k=2, seed=7, nfkc=True, num_perm=16, threshold=0.8, bands=4, rows=4>"
    )


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
