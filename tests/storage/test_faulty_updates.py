"""Updates that are killed, on a disk that fails, or without power: the old or the new artifact is there."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from simdocs.errors import LockedError
from tests.amounts import amount, slow
from tests.artifacts.tiny import draft_of, writing
from tests.commands.building import built
from tests.storage.faults import FAULTS, calls_of, end_of, killed
from tests.storage.old_artifact import Update
from tests.storage.power import Recorder, Tree, states
from tests.storage.power import lay as lay_tree

KINDS = ["shingles", *slow("signatures", "index")]


@pytest.fixture
def update(place: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Update:
    return Update(place, monkeypatch, request.param)


of_kinds = pytest.mark.parametrize("update", KINDS, indirect=True)


@pytest.mark.reliability("a full, broken or read-only disk")
@of_kinds
@pytest.mark.parametrize("fault", ["disk-full", *slow("broken-disk", "no-permission", "signal-before", "signal-after")])
def test_a_fault_at_any_call_of_an_update_leaves_the_old_or_the_new_artifact(update: Update, fault: str) -> None:
    error, done = FAULTS[fault]
    calls = calls_of(update.run)
    assert update.state() == "new"
    ended = set()
    for at in range(0, len(calls), 1 if amount(1) > 1 else 19):
        update.reset()
        failed = end_of(update.run, error, at, done) is not None
        state = update.state()
        assert state == "new" or (failed and state == "old"), (at, calls[at])
        assert update.beside() <= {draft_of(update.target)}
        ended.add(state)
        update.run()
        assert (update.state(), update.beside()) == ("new", set()), (at, calls[at])
    assert "old" in ended


@pytest.mark.reliability("kill -9 at any call that writes")
@of_kinds
def test_an_update_killed_at_any_call_leaves_the_old_or_the_new_artifact(update: Update) -> None:
    calls = calls_of(update.run)
    found = []
    for at in range(0, len(calls), 1 if amount(1) > 1 else 23):
        update.reset()
        assert killed(update.run, at) == -signal.SIGKILL
        found.append(update.state())
        assert update.beside() <= {draft_of(update.target)}
        update.run()
        assert (update.state(), update.beside()) == ("new", set()), (at, calls[at])
    assert found == sorted(found, reverse=True), "first the old one, then the new one"
    assert found[0] == "old"


@pytest.mark.reliability("a power cut")
@of_kinds
def test_a_power_cut_at_any_instant_of_an_update_leaves_the_old_or_the_new_artifact(update: Update) -> None:
    where = Path("disk")
    where.mkdir()
    shutil.copytree("kept", where / update.target)
    seen: dict[str, Tree] = {}
    with pytest.MonkeyPatch.context() as patch:
        Recorder(where.absolute(), lambda root: seen.update((repr(tree), tree) for tree in states(root))).install(patch)
        update.run(where / update.target)
    trees = list(seen.values())
    assert len(trees) > 100
    ended = set()
    for tree in trees[:: -1 if amount(1) > 1 else -(len(trees) // 6)]:
        lay_tree(tree, Path("cut"))
        target = Path("cut") / update.target
        ended.add(update.state(target))
        update.run(target)
        assert (update.state(target), os.listdir("cut")) == ("new", [str(update.target)])
        shutil.rmtree("cut")
    assert ended == {"old", "new"}


@pytest.mark.reliability("two writers of one artifact")
@pytest.mark.parametrize("update", ["index"], indirect=True)
def test_an_update_leaves_an_artifact_alone_that_another_run_is_writing(update: Update) -> None:
    with writing(update.target, "index"):
        with pytest.raises(LockedError, match=f"process {os.getpid()}"):
            built(update.target, ["docs"], lock_wait=0)
        assert update.state() == "old"
    update.run()
    assert update.state() == "new"
