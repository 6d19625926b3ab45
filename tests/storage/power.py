"""Simulate a disk that loses power: record what syscalls.py does, and list every state that may be left on the disk.

Changes that were not synced may be lost. For a file these are the bytes written after its last sync, which may be cut
anywhere. For a directory they are the names that were added, removed or exchanged after its last sync, in any order,
and its mode.
File systems with a journal guarantee more than this, so code that is safe here is safe there.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from simdocs.storage import syscalls
from tests.amounts import amount


@dataclass(eq=False)
class File:
    """The bytes of a file, and the number of them that were synced (sure)."""

    data: bytes
    sure: int

    def after(self, cut: str) -> bytes:
        """Return what is left of the file: everything, the synced part, or the synced part and half of the rest."""
        return self.data[: {"whole": len(self.data), "lost": self.sure, "torn": (self.sure + len(self.data)) // 2}[cut]]


@dataclass(eq=False)
class Directory:
    """The synced content and mode of a directory, the changes of its names since (new nodes by name, None if removed),
    and its mode now."""

    sure: dict[str, File | Directory]
    sure_mode: int
    mode: int
    pending: list[dict[str, File | Directory | None]] = field(default_factory=list)

    @property
    def now(self) -> dict[str, File | Directory]:
        """The content that a running program sees."""
        return self.after(range(len(self.pending)))

    def after(self, done: range | list[int]) -> dict[str, File | Directory]:
        """Return the content if only these changes reached the disk."""
        names: dict[str, File | Directory | None] = dict(self.sure)
        for number in done:
            names |= self.pending[number]
        return {name: node for name, node in names.items() if node is not None}


def read(path: Path) -> File | Directory:
    """Read a file or directory as a node whose content is synced."""
    if path.is_dir():
        mode = stat.S_IMODE(path.stat().st_mode)
        return Directory({one.name: read(one) for one in path.iterdir()}, mode, mode)
    return File(path.read_bytes(), path.stat().st_size)


class Recorder:
    """Replaces os in syscalls.py. Passes every call on, and calls `looked` after each change."""

    def __init__(self, place: Path, looked: Callable[[Directory], None]) -> None:
        root = read(place)
        assert isinstance(root, Directory)
        self.root, self.looked = root, looked
        self.nodes: dict[int, File | Directory] = {}
        self._meet(place, root)

    def _meet(self, path: Path, node: File | Directory) -> None:
        self.nodes[path.stat().st_ino] = node
        if isinstance(node, Directory):
            for name, one in node.sure.items():
                self._meet(path / name, one)

    def _of(self, descriptor: int) -> Any:
        return self.nodes.get(os.fstat(descriptor).st_ino)

    def _change(self, dir_fd: int, names: dict[str, File | Directory | None]) -> None:
        self._of(dir_fd).pending.append(names)
        self.looked(self.root)

    def open(self, name: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        descriptor = os.open(name, flags, mode, dir_fd=dir_fd)
        if flags & os.O_CREAT and dir_fd is not None:
            self.nodes[os.fstat(descriptor).st_ino] = node = File(b"", 0)
            self._change(dir_fd, {name: node})
        return descriptor

    def mkdir(self, name: str, mode: int, *, dir_fd: int) -> None:
        os.mkdir(name, mode, dir_fd=dir_fd)
        self.nodes[os.stat(name, dir_fd=dir_fd).st_ino] = node = Directory({}, mode, mode)
        self._change(dir_fd, {name: node})

    def write(self, descriptor: int, data: Any) -> int:
        return self.pwrite(descriptor, data, os.lseek(descriptor, 0, os.SEEK_CUR), os.write(descriptor, data))

    def pwrite(self, descriptor: int, data: Any, offset: int, written: int | None = None) -> int:
        done = os.pwrite(descriptor, data, offset) if written is None else written
        node = self._of(descriptor)
        node.sure = min(node.sure, offset)
        node.data = node.data[:offset].ljust(offset, b"\0") + bytes(data[:done]) + node.data[offset + done :]
        self.looked(self.root)
        return done

    def fsync(self, descriptor: int) -> None:
        os.fsync(descriptor)
        node = self._of(descriptor)
        if isinstance(node, Directory):
            node.sure, node.pending, node.sure_mode = node.now, [], node.mode
        else:
            node.sure = len(node.data)
        self.looked(self.root)

    def fchmod(self, descriptor: int, mode: int) -> None:
        os.fchmod(descriptor, mode)
        node = self._of(descriptor)
        if isinstance(node, Directory):
            node.mode = mode
            self.looked(self.root)

    def rename(self, old: str, new: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        node = self._of(src_dir_fd).now[old]
        os.rename(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        self._change(src_dir_fd, {old: None, new: node})

    def exchange(self, old: str, new: str, dir_fd: int, flag: int) -> None:
        self.real_exchange(old, new, dir_fd, flag)
        now = self._of(dir_fd).now
        self._change(dir_fd, {old: now.get(new), new: now[old]})

    def unlink(self, name: str, *, dir_fd: int) -> None:
        os.unlink(name, dir_fd=dir_fd)
        self._change(dir_fd, {name: None})

    def rmdir(self, name: str, *, dir_fd: int) -> None:
        os.rmdir(name, dir_fd=dir_fd)
        self._change(dir_fd, {name: None})

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.real_exchange = syscalls._rename
        ours = {
            name: getattr(self, name)
            for name in ("open", "mkdir", "write", "pwrite", "fsync", "fchmod", "rename", "unlink", "rmdir")
        }
        monkeypatch.setattr(syscalls, "os", SimpleNamespace(**(vars(os) | ours)))
        monkeypatch.setattr(syscalls, "_rename", self.exchange)


Tree = dict[str, Any]
"""Files and directories by name: bytes, or a tree. Its own mode has the name "."."""


def states(root: Directory) -> Iterator[Tree]:
    """Yield the trees that a power cut may leave now.

    Of the changes of names so far, all, the first n, a single one, all but one, or random ones are left, and in each
    directory others. Data may be whole, lost or torn. Modes are as they were synced if data is whole, and as they are
    now if not.
    """
    chance = random.Random(len(list(_pending(root))))
    for cut in ("whole", "lost", "torn"):
        for _ in range(amount(1)):
            yield _found(root, cut, lambda changes: [one for one in range(len(changes)) if chance.random() < 0.5])
        for first in range(max(map(len, _pending(root)), default=0) + 1):
            yield _found(root, cut, lambda changes, first=first: list(range(min(first, len(changes)))))
            yield _found(root, cut, lambda changes, first=first: [first] if first < len(changes) else [])
            yield _found(root, cut, lambda changes, first=first: [one for one in range(len(changes)) if one != first])


def _pending(node: File | Directory) -> Iterator[list[Any]]:
    if isinstance(node, Directory):
        yield node.pending
        for one in [*node.sure.values(), *(new for change in node.pending for new in change.values() if new)]:
            yield from _pending(one)


def _found(node: File | Directory, cut: str, came_through: Callable[[list[Any]], list[int]]) -> Any:
    if isinstance(node, File):
        return node.after(cut)
    names = {name: _found(one, cut, came_through) for name, one in node.after(came_through(node.pending)).items()}
    return {".": node.sure_mode if cut == "whole" else node.mode} | names


def lay(tree: Tree, place: Path) -> None:
    """Write a tree into a new directory."""
    place.mkdir()
    for name, content in tree.items():
        if isinstance(content, bytes):
            (place / name).write_bytes(content)
        elif name != ".":
            lay(content, place / name)
    place.chmod(tree["."])
