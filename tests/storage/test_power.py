"""After a power cut at any instant, the old or the new output is there, and the next run succeeds."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.amounts import amount, slow
from tests.artifacts.tiny import draft_of, found, publishing, save
from tests.runs import without_sync
from tests.storage.power import Recorder, Tree, lay, states


def after_every_cut(place: Path, work: Callable[[Path], object]) -> list[Tree]:
    """Return every state in which a power cut during this work may leave the directory."""
    seen: dict[str, Tree] = {}

    def look(root):
        seen.update((repr(tree), tree) for tree in states(root))

    with pytest.MonkeyPatch.context() as patch:
        recorder = Recorder(place, look)
        recorder.install(patch)
        work(place)
        assert content(place) == recorded(recorder.root), "the record is what was done"
    return list(seen.values())


def content(path: Path) -> Tree | bytes:
    return {one.name: content(one) for one in path.iterdir()} if path.is_dir() else path.read_bytes()


def recorded(node) -> Tree | bytes:
    return node.data if hasattr(node, "data") else {name: recorded(one) for name, one in node.now.items()}


@pytest.mark.reliability("a power cut")
def test_the_simulated_disk_loses_what_was_not_synced(place, monkeypatch):
    begun = place / "begun"
    begun.mkdir()
    without_sync(monkeypatch)
    trees = after_every_cut(begun, lambda where: write(where / "answer", b"new"))
    assert {tree.get("answer") for tree in trees} == {None, b"", b"n", b"new"}


@pytest.mark.reliability("a power cut")
@pytest.mark.parametrize("kind", ["signatures", *slow("shingles", "index")])
@pytest.mark.parametrize("there", [True, False], ids=["over-an-old-one", "new"])
def test_a_power_cut_at_any_instant_leaves_the_old_or_the_new_artifact(place, there, kind):
    """Others can write to the artifact, so that only a complete one may be removed as the draft of a killed run."""
    os.umask(0o002)
    target, begun = f"a.{kind}", place / "begun"
    begun.mkdir()
    if there:
        save(begun / target, 1, kind)
    trees = after_every_cut(begun, lambda where: save(where / target, 2, kind))
    assert len(trees) > 100
    ended = set()
    for number, tree in enumerate(trees[:: -1 if amount(1) > 1 else -3]):
        where = place / str(number)
        lay(tree, where)
        assert set(os.listdir(where)) <= {target, draft_of(target)}
        ended.add(now := found(where / target, kind))
        assert now != 2 or (where / target).stat().st_mode & 0o777 == 0o775, "the new one has its mode, too"
        save(where / target, 3, kind)
        assert (found(where / target, kind), os.listdir(where)) == (3, [target])
        shutil.rmtree(where)
    assert ended == {1 if there else None, 2}


def write(path: Path, data: bytes) -> None:
    with publishing(path) as stream:
        stream.write(data)


@pytest.mark.reliability("a power cut")
@pytest.mark.parametrize("there", [True, False], ids=["over-an-old-one", "new"])
def test_a_power_cut_at_any_instant_leaves_the_old_or_the_new_file(place, there):
    begun = place / "begun"
    begun.mkdir()
    if there:
        (begun / "answer").write_bytes(b"old")
    ended = set()
    for number, tree in enumerate(after_every_cut(begun, lambda where: write(where / "answer", b"new" * 100))):
        where = place / str(number)
        lay(tree, where)
        ended.add(tree.get("answer"))
        write(where / "answer", b"next")
        assert {one.name: one.read_bytes() for one in where.iterdir()} == {"answer": b"next"}
    assert ended == {b"old" if there else None, b"new" * 100}
