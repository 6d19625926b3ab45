"""Arrays that grow on disk are read as if they were in memory, wherever the part that is still held begins."""

from __future__ import annotations

import numpy as np
import pytest

from simdocs.errors import OutputError
from simdocs.storage import spilled


@pytest.mark.parametrize("held", [1, 24, 40, 1 << 23])
def test_elements_from_each_position_on_are_those_of_an_array_and_past_the_end_the_last(held, monkeypatch):
    monkeypatch.setattr(spilled, "_HELD", held)
    monkeypatch.setattr(spilled, "_NEAR", 4)
    values = np.arange(100, 123)
    array = spilled.SpilledArray(np.int64)
    for piece in np.split(values, [1, 4, 11, 20]):
        array.add(piece)
    for begin in range(len(values)):
        assert array.read(begin, len(values)).tolist() == values[begin:].tolist()
        assert array.read(0, begin + 1).tolist() == values[: begin + 1].tolist()
    positions = np.array([0, 3, 4, 5, 11, 20, 21, 22])
    expected = values[np.minimum(positions[:, np.newaxis] + np.arange(3), len(values) - 1)]
    assert array.at(positions, 3).tolist() == expected.tolist()
    array.close()


def test_a_temporary_file_that_cannot_be_made_is_reported_with_its_directory(tmp_path, monkeypatch):
    gone = str(tmp_path / "gone")
    monkeypatch.setattr("tempfile.tempdir", gone)
    with pytest.raises(OutputError) as caught:
        spilled.NamelessFile().add(np.arange(3))
    remedy = "more room is needed here, or set TMPDIR to another directory"
    assert str(caught.value) == f"{gone}: No such file or directory: {remedy}"
