"""One step of an action: a file, what is done to it, and everything that is needed to undo it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from simdocs.errors import OutputError
from simdocs.names import DRAFT_PREFIX, display_name, name_for_json, name_from_json
from simdocs.storage import syscalls
from simdocs.storage.targets import directory_below

WRONG_STEP = (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError)
"""The errors of looking into JSON that is not a step."""

_NAMES = ("name", "root", "path", "target_root", "target")
_NUMBERS = {
    "size": range(1 << 63),
    **dict.fromkeys(("mtime_ns", "atime_ns"), range(-(10**9 << 63), 10**9 << 63)),
    "mode": range(1 << 12),
    **dict.fromkeys(("uid", "gid"), range((1 << 32) - 1)),
    **dict.fromkeys(("inode", "kept_inode"), range(1 << 64)),
}
"""The fields that are whole numbers, and the values that they can have."""

_DIGEST = re.compile("[0-9a-f]{64}")

_PIECE = 1 << 20


MOVE, HARDLINK = "move", "hardlink"
"""The actions: the steps of a journal have these names."""

CHANGED = "it has changed since it was compared"


class NotDoneError(Exception):
    """A step was not done, or not undone, and every file is as it was. The message says why."""


class Step(NamedTuple):
    """A file to act on.

    number: of the step in its journal, from 1.
    action: the name of the action.
    name: the name of the document, for people.
    root, path: the directory below which no link is followed, and the path of the file below it.
    target_root, target: the same of the place to which it goes; empty if it goes nowhere.
    made: the directories below target_root that are made for it, each after the one in which it is.
    size, ..., inode: of the file, before anything is done to it.
    sha256: the digest of its bytes, in hexadecimal.
    """

    number: int
    action: str
    name: bytes
    root: bytes
    path: bytes
    target_root: bytes
    target: bytes
    made: tuple[bytes, ...]
    size: int
    mtime_ns: int
    atime_ns: int
    mode: int
    uid: int
    gid: int
    inode: int
    kept_inode: int
    sha256: str

    def as_json(self) -> dict[str, Any]:
        """The line of a journal that begins this step."""
        line: dict[str, Any] = {"step": self.number, "state": "begin", "action": self.action}
        for name in _NAMES:
            line |= name_for_json(name, getattr(self, name))
        line["made"] = [name_for_json("name", each) for each in self.made]
        line |= {name: getattr(self, name) for name in _NUMBERS}
        return line | {"sha256": self.sha256}

    @classmethod
    def of_json(cls, line: Mapping[str, Any]) -> Step:
        """The step in a line of a journal. Errors of WRONG_STEP: it is not one that we write."""
        numbers = {name: line[name] for name in ("step", *_NUMBERS)}
        if any(type(value) is not int for value in numbers.values()):
            raise TypeError
        values: dict[str, Any] = {name: name_from_json(line, name) for name in _NAMES} | numbers
        values |= {"number": values.pop("step"), "action": str(line["action"]), "sha256": str(line["sha256"])}
        values["made"] = tuple(name_from_json(each, "name") for each in line["made"])
        step = cls(**values)
        if step.as_json() != line or not step._is_possible():
            raise ValueError
        return step

    def _is_possible(self) -> bool:
        """Whether this is a step of act: undo then touches nothing but its two places, and names made from them."""
        goes = bool(self.target)
        roots = (self.root, *((self.target_root,) if goes else ()))
        below = (self.path, *((self.target,) if goes else ()))
        return (
            all(root.startswith(b"/") for root in roots)
            and not any({b"", b".", b".."} & set(path.split(b"/")) for path in below)
            and self.action == (MOVE if goes else HARDLINK)
            and bool(self.target_root) == goes
            and all(self.target.startswith(above + b"/") for above in self.made)
            and all(getattr(self, field) in values for field, values in _NUMBERS.items())
            and bool(_DIGEST.fullmatch(self.sha256))
        )

    @property
    def base(self) -> str:
        """The name of the file in its directory."""
        return os.fsdecode(os.path.basename(self.path))

    @property
    def target_base(self) -> str:
        """Its name in the directory to which it goes."""
        return os.fsdecode(os.path.basename(self.target))

    @property
    def spare(self) -> str:
        """A short name for the file beside its place or its target, while it is neither here nor there."""
        known = hashlib.sha256(os.fsencode(self.base)).hexdigest()[:16]
        return f"{DRAFT_PREFIX}{known}.act.{self.number}"

    @property
    def draft(self) -> str:
        """The name of a copy that `undo` makes. It differs from `spare`, so that it is never taken for the file."""
        return f"{self.spare}.undo"

    @property
    def place(self) -> bytes:
        """The absolute path of the file."""
        return os.path.join(self.root, self.path)

    @property
    def target_place(self) -> bytes:
        """The absolute path of the place to which it goes."""
        return os.path.join(self.target_root, self.target)

    @property
    def spare_place(self) -> bytes:
        """The absolute path of the file that exists meanwhile."""
        return self.beside(self.spare)

    def beside(self, name: str) -> bytes:
        """The absolute path of a file in the directory of the file."""
        return os.path.join(os.path.dirname(self.place), os.fsencode(name))

    def is_file(self, status: os.stat_result | None) -> bool:
        """Whether this is the status of the file itself, unchanged, wherever it is now.

        Another file may have got its inode by now, but hardly with the same size and time.
        """
        if status is None or not stat.S_ISREG(status.st_mode):
            return False
        return (status.st_ino, status.st_size, status.st_mtime_ns) == (self.inode, self.size, self.mtime_ns)

    def directory(self) -> contextlib.AbstractContextManager[int]:
        """Open the directory of the file. NotDoneError: it is not there any more."""
        return _directory(self.root, self.path)

    def target_directory(self) -> contextlib.AbstractContextManager[int]:
        """Open the directory to which the file goes. NotDoneError: it is not there."""
        return _directory(self.target_root, self.target)


@contextlib.contextmanager
def _directory(root: bytes, path: bytes) -> Iterator[int]:
    with contextlib.ExitStack() as stack:
        try:
            top = stack.enter_context(syscalls.held(syscalls.open_directory(os.fsdecode(root))))
            at = stack.enter_context(directory_below(top, os.fsdecode(os.path.dirname(path))))
        except OSError as error:
            shown = display_name(os.path.join(root, os.path.dirname(path)))
            raise NotDoneError(f"its directory {shown} cannot be opened: {error.strerror}") from None
        yield at


@contextlib.contextmanager
def or_not_done(place: bytes = b"") -> Iterator[None]:
    """Raise NotDoneError for an OSError in this block. place: which path it is about, if not the file's."""
    try:
        yield
    except OSError as error:
        shown = f"{display_name(place)}: " if place else ""
        raise NotDoneError(f"{shown}{error.strerror or error}") from None


@contextlib.contextmanager
def or_uncertain(step: Step, problem: str, place: bytes = b"") -> Iterator[None]:
    """Raise OutputError for an OSError in this block: the problem, and the place where the file is, if it is known."""
    try:
        yield
    except OSError as error:
        shown = f": it is {display_name(place)}" if place else ""
        raise OutputError(f"{display_name(step.name)}: {problem}: {error.strerror or error}{shown}") from error


class Victim(NamedTuple):
    """An open file that is to be acted on: its directory, its name there, its descriptor, and its status.

    The status is that of the moment in which its bytes were compared. sha256: their digest, in hexadecimal.
    """

    dir_fd: int
    base: str
    descriptor: int
    status: os.stat_result
    sha256: str = ""

    def is_untouched(self, name: str, dir_fd: int) -> bool:
        """Whether this name belongs to the file, and the file has not changed since it was compared."""
        there, now = syscalls.status(name, dir_fd), os.fstat(self.descriptor)
        if there is None or not os.path.samestat(there, self.status):
            return False
        return (now.st_size, now.st_mtime_ns) == (self.status.st_size, self.status.st_mtime_ns)


def digest_at(name: str, dir_fd: int) -> str:
    """The SHA-256 of a regular file, in hexadecimal; empty if there is none of this name. OSError."""
    try:
        descriptor = syscalls.open_found(name, dir_fd)
    except FileNotFoundError:
        return ""
    with syscalls.held(descriptor):
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        known, at = hashlib.sha256(), 0
        while piece := os.pread(descriptor, _PIECE, at):
            known.update(piece)
            at += len(piece)
        return known.hexdigest()


def copy_to(source: int, name: str, dir_fd: int, step: Step) -> None:
    """Copy an open file to a new one with the facts of the step's file, sync it, and compare the bytes.

    NotDoneError: they are not those of the step, and the copy was removed. OSError: the copy was removed, or the next
    run removes it.
    """
    target = syscalls.create(name, dir_fd)
    try:
        with syscalls.written(target):
            at = 0
            while piece := os.pread(source, _PIECE, at):
                syscalls.write(target, piece)
                at += len(piece)
            syscalls.set_facts(target, source, step.mode, (step.uid, step.gid), (step.atime_ns, step.mtime_ns))
            syscalls.sync(target)
        if digest_at(name, dir_fd) != step.sha256:
            raise NotDoneError("it has changed while it was copied")
        syscalls.sync(dir_fd)
    except BaseException:
        syscalls.try_unlink(name, dir_fd)
        raise


def copy_as_draft(name: str, dir_fd: int, home: int, step: Step, problem: str) -> None:
    """Copy the file of this name to the draft of a step. NotDoneError: it does not have the bytes of the step. OSError.

    problem: the message then.
    """
    with syscalls.held(syscalls.open_found(name, dir_fd)) as descriptor:
        try:
            copy_to(descriptor, step.draft, home, step)
        except NotDoneError:
            raise NotDoneError(problem) from None
