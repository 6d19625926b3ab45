"""Duplicates to act on, where every byte of every document is, and how a run of act or undo is brought about."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import simdocs
from simdocs.storage import syscalls
from tests.cli.corpus import A1, A, B, lay

DOCUMENTS = {"docs/a": A, "docs/deep/b": A1, "docs/deep/copy": A, "docs/z": B}
"""Documents: one is nearly the same as the first, and one is a copy of it."""

JOURNAL = "x.answer.journal.jsonl"

ACTIONS: Mapping[str, Mapping[str, object]] = {
    "move": {"move": "away"},
    "move to another disk": {"move": "away"},
    "hardlink": {"hardlink": True},
}
"""Keywords that ask for each action. Another disk needs `two_disks`."""


class File(NamedTuple):
    """What must come back of a file."""

    data: bytes
    mode: int
    mtime_ns: int
    inode: int


def prepare(root: Path, monkeypatch) -> dict[str, File]:
    """Lay the documents out, save the answer about them, and return what there is."""
    lay(root, DOCUMENTS)
    for number, name in enumerate(sorted(DOCUMENTS)):
        (root / name).chmod(0o640)
        os.utime(root / name, ns=(10**18 + number, 10**18 + 2 * number))
    monkeypatch.chdir(root)
    answered("docs")
    return files(root)


def answered(*documents: str, threshold: float = 0.5, **options: Any) -> None:
    """Save the answer about these documents."""
    simdocs.write_answer(simdocs.dedupe(*documents, threshold=threshold, **options), "x.answer")


def files(root: Path) -> dict[str, File]:
    """The documents that have their places."""
    found = {}
    for path in sorted((root / "docs").rglob("*")):
        if path.is_file():
            status = path.stat()
            name = str(path.relative_to(root))
            found[name] = File(path.read_bytes(), stat.S_IMODE(status.st_mode), status.st_mtime_ns, status.st_ino)
    return found


def without_inodes(found: Mapping[str, File]) -> dict[str, File]:
    """The same but for inodes, which a copy has of its own."""
    return {name: file._replace(inode=0) for name, file in found.items()}


def act(action: str, **more: object) -> simdocs.Acted:
    """Act on all duplicates."""
    return simdocs.act("x.answer", yes=True, max_removed=1.0, **ACTIONS[action], **more)


def undo() -> simdocs.PutBack:
    """Undo everything."""
    return simdocs.undo(JOURNAL, yes=True)


def two_disks(monkeypatch) -> None:
    """Make it look as if the directory `away` were on another file system than the documents."""
    rename = syscalls._rename_between

    def refused(old: str, old_fd: int, new: str, new_fd: int, flag: int) -> None:
        if _is_away(old_fd) != _is_away(new_fd):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        rename(old, old_fd, new, new_fd, flag)

    monkeypatch.setattr(syscalls, "_rename_between", refused)


def _is_away(directory: int) -> bool:
    """Whether a directory that is open is `away`, or is below it."""
    return "away" in os.readlink(f"/proc/self/fd/{directory}").split("/")


def known_places(root: Path) -> dict[bytes, set[bytes]]:
    """The contents of documents in the places that people or the journal know, by these contents.

    These are their own places, and those that the journal names: the target of each step, and the name that a file has
    meanwhile, beside the file or its target.
    """
    from simdocs.storage.journal import read_journal

    places = {os.path.join(bytes(root), name.encode()) for name in DOCUMENTS}
    if (root / JOURNAL).exists():
        for step, _ in read_journal(bytes(root / JOURNAL)).steps.values():
            places.add(step.place)
            places.add(step.spare_place)
            if step.target:
                places.add(step.target_place)
    found: dict[bytes, set[bytes]] = {}
    for place in places:
        if os.path.isfile(place) and not os.path.islink(place):
            found.setdefault(Path(os.fsdecode(place)).read_bytes(), set()).add(place)
    return found
