"""The power fails at any moment of act or undo: on any disk that may be left, every text is in a known place, and undo
puts everything back.

What was not synced may be lost: the ends of files, and any of the changes of names in a directory. A rename between two
directories is one change of both, as on every file system with a journal. A file with two names is one file again.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from simdocs.storage import syscalls
from tests.amounts import amount
from tests.cli.corpus import A1, A, B
from tests.storage.acting import ACTIONS, JOURNAL, act, files, known_places, prepare, two_disks, undo
from tests.storage.power import Directory, File, Recorder


class Left(NamedTuple):
    """A file that a power cut leaves: which one it is, its bytes, its inode until then, and its time."""

    node: int
    data: bytes
    inode: int
    mtime_ns: int


class Disk(Recorder):
    """Records the calls that only act and undo need, too, and of each file its inode and its time."""

    def __init__(self, place: Path, looked: Callable[[Directory], None]) -> None:
        self.facts: dict[int, tuple[int, int]] = {}
        super().__init__(place, looked)

    def _meet(self, path: Path, node: File | Directory) -> None:
        self.nodes[path.stat().st_ino] = node
        self.facts[id(node)] = path.stat().st_ino, path.stat().st_mtime_ns
        for name, one in node.sure.items() if isinstance(node, Directory) else ():
            # Two names of one file have one node.
            node.sure[name] = self.nodes.get((path / name).stat().st_ino, one)
            self._meet(path / name, node.sure[name])

    def of_file(self, node: File) -> tuple[int, int]:
        """The inode and the time of a file, which was made just now if they are not known."""
        if id(node) not in self.facts:
            self.facts[id(node)] = next(inode for inode, each in self.nodes.items() if each is node), 0
        return self.facts[id(node)]

    def utime(self, descriptor: int, *, ns: tuple[int, int]) -> None:
        os.utime(descriptor, ns=ns)
        node = self._of(descriptor)
        self.facts[id(node)] = self.of_file(node)[0], ns[1]

    def link(self, old: str, new: str, *, src_dir_fd: int, dst_dir_fd: int, follow_symlinks: bool) -> None:
        os.link(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd, follow_symlinks=follow_symlinks)
        self._change(dst_dir_fd, {new: self._of(src_dir_fd).now[old]})

    def between(self, old: str, old_fd: int, new: str, new_fd: int, flag: int) -> None:
        source, target = self._of(old_fd), self._of(new_fd)
        node = source.now[old]
        self.real(old, old_fd, new, new_fd, flag)
        if flag == syscalls._EXCHANGE:
            self._change(new_fd, {old: target.now[new], new: node})
        elif source is target:
            self._change(new_fd, {old: None, new: node})
        else:
            # Both directories change together, here at once: that it may be lost is the state before it.
            source.sure = {name: one for name, one in source.sure.items() if name != old}
            source.pending = [{name: one for name, one in each.items() if name != old} for each in source.pending]
            target.sure = target.sure | {new: node}
            self.looked(self.root)

    def ftruncate(self, descriptor: int, size: int) -> None:
        os.ftruncate(descriptor, size)
        node = self._of(descriptor)
        node.data, node.sure = node.data[:size], min(node.sure, size)
        self.looked(self.root)

    def write(self, descriptor: int, data: Any) -> int:
        before = os.fstat(descriptor).st_size
        done = os.write(descriptor, data)
        node = self._of(descriptor)
        node.data = node.data[:before] + bytes(data[:done])
        self.looked(self.root)
        return done

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.real = syscalls._rename_between
        super().install(monkeypatch)
        for name in ("link", "ftruncate", "utime"):
            monkeypatch.setattr(syscalls.os, name, getattr(self, name))
        monkeypatch.setattr(syscalls, "_rename", lambda old, new, at, flag: self.between(old, at, new, at, flag))
        monkeypatch.setattr(syscalls, "_rename_between", self.between)


def left(disk: Disk, chance: random.Random) -> dict[str, Any]:
    """What a power cut may leave now."""
    cut, keep = chance.choice(("whole", "lost", "torn")), chance.choice((0.0, 0.5, 1.0))

    def found(node: File | Directory) -> Any:
        if isinstance(node, File):
            return Left(id(node), node.after(cut), *disk.of_file(node))
        changes = [number for number in range(len(node.pending)) if chance.random() < keep]
        return {name: found(one) for name, one in node.after(changes).items()}

    tree: dict[str, Any] = found(disk.root)
    return tree


def lay(tree: dict[str, Any], place: Path, made: dict[int, Path], inodes: dict[int, int]) -> None:
    """Write what was left into a directory. made: the files, by node. inodes: the new inode of each, by the old one."""
    place.mkdir(exist_ok=True)
    for name, content in tree.items():
        path = place / name
        if not isinstance(content, Left):
            lay(content, path, made, inodes)
        elif content.node in made:
            path.hardlink_to(made[content.node])
        else:
            path.write_bytes(content.data)
            made[content.node] = path
            if content.mtime_ns:
                os.utime(path, ns=(content.mtime_ns, content.mtime_ns))
            inodes[content.inode] = path.stat().st_ino


def with_inodes(journal: Path, inodes: dict[int, int]) -> None:
    """Let the journal have the new inodes."""
    lines = []
    for line in journal.read_bytes().splitlines(keepends=True):
        try:
            step = json.loads(line)
        except ValueError:
            lines.append(line)
            continue
        for field in ("inode", "kept_inode"):
            if field in step:
                step[field] = inodes.get(step[field], 0)
        lines.append(json.dumps(step, ensure_ascii=False).encode() + b"\n" * line.endswith(b"\n"))
    journal.write_bytes(b"".join(lines))


@pytest.mark.reliability("a power cut during act or undo")
@pytest.mark.parametrize("undoing", [False, True], ids=["act", "undo"])
@pytest.mark.parametrize("action", ACTIONS)
def test_after_a_power_cut_every_text_is_known_and_undo_puts_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str, undoing: bool
) -> None:
    root = tmp_path / "place"
    root.mkdir()
    before = {name: file.data for name, file in prepare(root, monkeypatch).items()}
    if action == "move to another disk":
        two_disks(monkeypatch)
    if undoing:
        act(action)
    chance, trees = random.Random(7), list[dict[str, Any]]()
    with pytest.MonkeyPatch.context() as patch:
        disk: Disk = Disk(root, lambda _tree: trees.extend(left(disk, chance) for _ in range(3)))
        disk.install(patch)
        undo() if undoing else act(action)
    some = sorted(chance.sample(range(len(trees)), min(len(trees), amount(60))))
    for number in some:
        shutil.rmtree(root)
        inodes: dict[int, int] = {}
        lay(trees[number], root, {}, inodes)
        monkeypatch.chdir(root)
        if (root / JOURNAL).exists():
            with_inodes(root / JOURNAL, inodes)
        assert known_places(root).keys() >= {A, A1, B}, number
        if (root / JOURNAL).exists() and (root / JOURNAL).stat().st_size:
            done = undo()
            assert done.skipped.counts == {}, (number, done.skipped.by_reason)
        now = {name: file.data for name, file in files(root).items()}
        assert now == before, (number, now.keys(), trees[number])


@pytest.mark.reliability("a power cut during act or undo")
def test_a_kept_file_that_was_just_written_is_on_the_disk_before_its_copy_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path, monkeypatch)
    chance, trees = random.Random(7), list[dict[str, Any]]()
    with pytest.MonkeyPatch.context() as patch:
        disk: Disk = Disk(tmp_path, lambda _tree: trees.append(left(disk, chance)))
        disk.root.sure["docs"].sure["a"].sure = 0  # type: ignore[union-attr]
        disk.install(patch)
        act("hardlink")
    for tree in trees:
        shutil.rmtree(tmp_path)
        lay(tree, tmp_path, {}, {})
        assert A in known_places(tmp_path)
