"""Publishing an answer in parts: whatever fails, and whenever, all old parts are there or all new ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simdocs.storage.atomic_tree import LIST, atomic_parts
from simdocs.storage.stored_output import SUCCESS
from tests.artifacts.tiny import draft_of
from tests.storage.faults import FAULTS, calls_of, end_of


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simdocs.storage.atomic_tree.PART_BYTES", 8)


def save(path: Path, content: int, rows: int = 3) -> None:
    """Write an answer whose rows have 9 bytes, so that each is a part."""
    with atomic_parts(str(path), ".tsv", b"\n", quoted=False) as stream:
        for _ in range(rows):
            stream.write(b"%08d\n" % content)
        stream.prepare()


def found(path: Path, rows: int) -> int:
    """The content of all rows of an answer, which is the same."""
    files = {file.name: file.read_bytes() for file in path.iterdir()}
    del files[LIST]
    assert files.pop(SUCCESS) == b""
    assert set(files) == {f"part-{number:05}.tsv" for number in range(rows)}
    (content,) = set(files.values())
    return int(content)


@pytest.mark.reliability("a full, broken or read-only disk")
@pytest.mark.parametrize("kind", ["disk-full", "signal-before"])
def test_a_fault_at_any_call_leaves_the_old_or_the_new_parts(place: Path, kind: str) -> None:
    fault, done = FAULTS[kind]
    path = place / "out"
    save(path, 0)
    calls = calls_of(lambda: save(path, 0))
    for at in range(len(calls)):
        old, new = found(path, 3), 2 * at + 2
        ended = end_of(lambda: save(path, new), fault, at, done)  # noqa: B023
        now = found(path, 3)
        assert now == new or (ended is not None and now == old)
        assert {*os.listdir(place)} <= {"out", draft_of("out")}
        save(path, new + 1)
        assert os.listdir(place) == ["out"]


@pytest.mark.parametrize("step", [1, 3, 4, 100])
def test_a_part_may_end_exactly_where_it_is_full(place: Path, step: int) -> None:
    data = b"abc\ndef\nghi\njkl\nmno\n"
    with atomic_parts(str(place / "out"), ".tsv", b"\n", quoted=False) as stream:
        for at in range(0, len(data), step):
            stream.write(data[at : at + step])
    written = [path.read_bytes() for path in sorted((place / "out").glob("part-*"))]
    assert written == [b"abc\ndef\n", b"ghi\njkl\n", b"mno\n"]
