"""The journal of what was done to files: one line before each step and one after it, each on the disk before the next.

Only whole lines count. A line that a kill or a power cut has left unfinished can only be the last one, and what it was
about had not begun: it is cut off when the journal is opened for writing.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from simdocs.errors import ArtifactError, InputError, LockedError, OutputError, UsageError
from simdocs.names import command_line, display_name
from simdocs.storage import syscalls
from simdocs.storage.step import WRONG_STEP, Step
from simdocs.storage.syscalls import as_output_error

FORMAT, VERSION = "simdocs.journal", 3

SUFFIX = ".journal.jsonl"
"""What is added to the name of an answer."""

BEGIN, DONE, NOT_DONE, UNDOING, UNDONE = "begin", "done", "not done", "undoing", "undone"
"""The states of a step, in lines of their own. A line that begins a step has all about it."""

_ENDS = "end"

_LONGEST = 1 << 24
"""Bytes of the longest line that is read. A step has a few paths."""

_BEGINNING = f'{{"format": "{FORMAT}", '.encode()
"""How every journal begins, although a power cut may have left less of it."""


class Journal:
    """The lines of a journal, as far as they matter now.

    name: its path, for messages.
    steps: all steps that were begun, by number, with the last state of each.
    is_finished: whether the last run that wrote into it came to its end.
    descriptor: of the file, open for writing; -1: it is only read.
    is_busy: whether a step is being done or undone.
    """

    def __init__(self, name: str) -> None:
        self.name, self.descriptor, self.is_finished, self.is_busy = name, -1, True, False
        self.steps: dict[int, tuple[Step, str]] = {}
        self.runs = 0

    def read(self, file: BinaryIO) -> int:
        """Take in the lines of a journal; return the number of bytes of those that are whole.

        ArtifactError: a line that is not the last one is damaged, or this is no journal, or one of another version.
        """
        # Before anything is cut off, and before more is read, it must be certain that this is a journal.
        head = file.read(len(_BEGINNING))
        if not _BEGINNING.startswith(head):
            raise ArtifactError(f"{self.name}: this is not a journal of simdocs act: name one")
        size = number = file.seek(0)
        while line := file.readline(_LONGEST):
            try:
                if not line.endswith(b"\n"):
                    raise ValueError
                self._take(json.loads(line))
            except WRONG_STEP:
                if not file.read(1):
                    break
                wrong = f"line {number + 1} is not one that simdocs writes"
                raise ArtifactError(f"{self.name}: damaged: {wrong}: nothing was changed") from None
            size, number = size + len(line), number + 1
        return size

    def _take(self, line: Mapping[str, Any]) -> None:
        if "run" in line:
            if type(line["run"]) is not int:
                raise TypeError
            if line["state"] == _ENDS:
                self.is_finished = True
                return
            if line["format"] != FORMAT:
                raise ValueError
            if line["version"] != VERSION:
                problem = f"{self.name}: has format version {str(line['version'])[:20]}"
                raise ArtifactError(
                    f"{problem}, but this simdocs reads version {VERSION}: undo it with the version that wrote it"
                )
            self.runs, self.is_finished = line["run"], False
        elif line["state"] == BEGIN:
            step = Step.of_json(line)
            if step.number != len(self.steps) + 1:
                raise ValueError
            self.steps[step.number] = step, BEGIN
        else:
            if line["state"] not in (DONE, NOT_DONE, UNDOING, UNDONE):
                raise ValueError
            self.steps[line["step"]] = self.steps[line["step"]][0], line["state"]

    def open_steps(self) -> Iterator[tuple[Step, str]]:
        """Yield the steps that changed something, or may have, the last first, each with its state."""
        for step, state in reversed(self.steps.values()):
            if state not in (NOT_DONE, UNDONE):
                yield step, state

    def start(self, what: str) -> None:
        """Write that a run begins. what: `act` or `undo`. OutputError."""
        self.runs += 1
        self._append({"format": FORMAT, "version": VERSION, "run": self.runs, "state": what})
        self.is_finished = False

    def begin(self, step: Step) -> None:
        """Write all about a step that is to be done. OutputError: it must not be done then."""
        self._append(step.as_json())
        self.steps[step.number] = step, BEGIN

    def mark(self, step: Step, state: str) -> None:
        """Write the new state of a step. OutputError."""
        self._append({"step": step.number, "state": state})
        self.steps[step.number] = step, state

    def end(self) -> None:
        """Write that the run came to its end. OutputError."""
        self._append({"run": self.runs, "state": _ENDS})
        self.is_finished = True

    def _append(self, line: Mapping[str, Any]) -> None:
        with as_output_error(self.name):
            syscalls.write(self.descriptor, json.dumps(line, ensure_ascii=False).encode() + b"\n")
            syscalls.sync(self.descriptor)


def _taken_in(journal: Journal, descriptor: int) -> int:
    """Read a journal that was opened, as far as its lines are whole; return the number of their bytes.

    UsageError: it is not a file, or it belongs to another user, who may have written anything into it.
    """
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{journal.name}: this is not a file: name the journal of simdocs act")
    if status.st_uid != os.geteuid():
        raise UsageError(f"{journal.name}: belongs to another user, so nothing was done: remove it or run as that user")
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return journal.read(file)


@contextlib.contextmanager
def _no_link(name: str) -> Iterator[None]:
    """Raise UsageError if what is opened in this block is a link."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UsageError(f"{name}: this is a link, which is not followed: name the journal itself") from None
        raise


def read_journal(path: bytes) -> Journal:
    """The journal at this path, to look at. InputError: it cannot be read. ArtifactError: it is damaged.

    UsageError: it is not a file of this user.
    """
    journal = Journal(display_name(path))
    try:
        with _no_link(journal.name):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with syscalls.held(descriptor):
            _taken_in(journal, descriptor)
    except OSError as error:
        raise InputError(f"{journal.name}: {error.strerror}") from None
    return journal


@contextlib.contextmanager
def written_journal(path: bytes, *, create: bool) -> Iterator[Journal]:
    """Open a journal for writing and lock it. An unfinished last line is cut off.

    create: make it if it does not exist. LockedError: another run writes it. ArtifactError: it is damaged. OutputError:
    it cannot be written. InputError: it does not exist. UsageError: it is not a file of this user.
    """
    name = display_name(path)
    directory, base = os.path.split(os.fsdecode(os.path.abspath(path)))
    journal, dir_fd = Journal(name), -1
    try:
        with as_output_error(name), _no_link(name):
            dir_fd = syscalls.open_directory(directory)
            try:
                journal.descriptor = syscalls.open_log(base, dir_fd, create=create)
            except FileNotFoundError as error:
                raise InputError(f"{name}: {error.strerror}") from None
            if not syscalls.try_lock(journal.descriptor):
                raise LockedError(f"{name}: another run is writing this journal: try again later")
            size = _taken_in(journal, journal.descriptor)
            if size < os.fstat(journal.descriptor).st_size:
                syscalls.truncate(journal.descriptor, size)
            syscalls.sync(journal.descriptor)
            syscalls.sync(dir_fd)
        yield journal
    finally:
        syscalls.release(journal.descriptor)
        syscalls.release(dir_fd)


def refuse_unfinished(journal: Journal) -> None:
    """Raise OutputError if the last run that wrote into a journal was interrupted."""
    if not journal.is_finished:
        remedy = f"{command_line('undo', [journal.name])} --yes"
        raise OutputError(f"{journal.name}: an earlier run was interrupted: undo it with {remedy}, then run again")
