"""An artifact is the same noun in memory and on disk: the same class, columns and properties."""

from __future__ import annotations

import os

import numpy as np
import pytest

from simdocs.artifacts import formats, npy, reader
from simdocs.errors import ArtifactError
from tests.artifacts.tiny import arrays, checksums_of, save


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
