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


@pytest.mark.parametrize("held", [8, 64, 1 << 23])
@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_records_come_by_partition_and_those_of_one_key_together_in_their_order(held, at_once, monkeypatch):
    """Some keys differ in their first byte, some in the second, and some in the last one only."""
    monkeypatch.setattr(spilled, "_HELD", held)
    monkeypatch.setattr(spilled, "_SORTED_AT_ONCE", at_once)
    keys = np.array([7, 1 << 63, 7, 5, (1 << 63) + (1 << 55), 7, 1 << 63, 6, 7], np.uint64)
    rows, parts = np.stack((keys, np.arange(9, dtype=np.uint64)), axis=1), spilled.key_parts(keys)
    records = spilled.SpilledRecords(spilled.KEY_PARTS, 2)
    for piece in (slice(0, 2), slice(2, 3), slice(3, 7), slice(7, 9)):
        records.add(rows[piece], parts[piece])
    assert [records.all_of(part).tolist() for part in (0, 128)] == [rows[parts == part].tolist() for part in (0, 128)]
    found = [(alike, np.concatenate(list(blocks()))) for alike, blocks in spilled.classes(records)]
    assert np.concatenate([some for _, some in found]).tolist() == sorted(rows.tolist())
    assert [len(set(some[:, 0].tolist())) for alike, some in found if alike] == [1] * sum(alike for alike, _ in found)
    assert any(alike for alike, _ in found) == (at_once < 4)
    records.close()
