"""Put a file into the trash of its file system, as the freedesktop.org specification of trash directories has it.

First the file that describes it is written, then it is renamed. Nothing is copied: a file goes into the trash of the
home directory if that is on its file system, or else into one at the top of its own.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from urllib.parse import quote

from simdocs.model.names import display_name
from simdocs.storage import syscalls
from simdocs.storage.moved_file import move, move_back
from simdocs.storage.step import NotDoneError, Step, Victim

FILES, INFO, ENDING = "files", "info", ".trashinfo"


def trash_for(place: bytes, device: int) -> str:
    """The trash for a file at this absolute path and on this device. It is made if it does not exist.

    NotDoneError: there is none, and none can be made.
    """
    home = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".local/share")
    wanted = os.path.join(home, "Trash")
    if _device_of(wanted) == device:
        return wanted
    top = _top(os.path.dirname(os.path.realpath(os.fsdecode(place))), device)
    shared = os.path.join(top, ".Trash")
    with contextlib.suppress(OSError):
        found = os.lstat(shared)
        if stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX:
            return os.path.join(shared, str(os.getuid()))
    return os.path.join(top, f".Trash-{os.getuid()}")


def _device_of(path: str) -> int:
    """The device of a directory, or of the one in which it will be made."""
    while True:
        try:
            return os.stat(path).st_dev
        except FileNotFoundError:
            path = os.path.dirname(path)
        except OSError:
            return -1


def _top(directory: str, device: int) -> str:
    """The highest directory on this device that is above a directory."""
    while directory != "/":
        above = os.path.dirname(directory)
        try:
            if os.stat(above).st_dev != device:
                break
        except OSError:
            break
        directory = above
    return directory


def make_trash(trash: str) -> None:
    """Make a trash and its directories, which only their owner can use. NotDoneError: that fails, or it is no trash."""
    try:
        _make(os.path.dirname(trash))
        for path in (trash, os.path.join(trash, FILES), os.path.join(trash, INFO)):
            _make(path)
            found = os.lstat(path)
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
                raise NotDoneError(f"{display_name(os.fsencode(path))} is not a directory of yours")
    except OSError as error:
        raise NotDoneError(f"no trash can be made: {display_name(os.fsencode(trash))}: {error.strerror}") from None


def _make(path: str) -> None:
    if os.path.isdir(path):
        return
    above = os.path.dirname(path)
    _make(above)
    descriptor = syscalls.open_directory(above)
    try:
        with contextlib.suppress(FileExistsError):
            syscalls.create_directory(os.path.basename(path), descriptor)
            syscalls.sync(descriptor)
    finally:
        syscalls.release(descriptor)


def described(step: Step, trash: bytes) -> bytes:
    """The contents of the file that describes a file in a trash: where it was, and when it was put there.

    At the top of a file system, the path is relative to that directory.
    """
    place, top = step.place, os.path.dirname(trash)
    of_top = os.path.basename(trash).startswith(b".Trash-") or os.path.basename(top) == b".Trash"
    if of_top:
        top = os.path.dirname(top) if os.path.basename(top) == b".Trash" else top
        place = os.path.relpath(os.path.realpath(os.path.dirname(place)), top) + b"/" + os.path.basename(place)
    when = time.strftime("%Y-%m-%dT%H:%M:%S")
    return f"[Trash Info]\nPath={quote(place)}\nDeletionDate={when}\n".encode()


def put_into_trash(step: Step, victim: Victim, kept: Victim) -> None:
    """Describe a file in its trash, and rename it there. NotDoneError: it is where it was."""
    trash = os.path.dirname(step.target_root)
    make_trash(os.fsdecode(trash))
    try:
        info_fd = syscalls.open_directory(os.path.join(os.fsdecode(trash), INFO))
    except OSError as error:
        raise NotDoneError(f"{display_name(trash)}: {error.strerror}") from None
    name = os.fsdecode(step.info)
    try:
        _describe(name, info_fd, described(step, trash))
        try:
            move(step, victim, kept)
        except NotDoneError:
            syscalls.try_unlink(name, info_fd)
            raise
    finally:
        syscalls.release(info_fd)


def _describe(name: str, info_fd: int, content: bytes) -> None:
    descriptor = -1
    try:
        descriptor = syscalls.create(name, info_fd)
        syscalls.write(descriptor, content)
        syscalls.sync(descriptor)
        syscalls.sync(info_fd)
    except OSError as error:
        if descriptor >= 0:
            syscalls.try_unlink(name, info_fd)
        raise NotDoneError(f"it cannot be described in the trash: {error.strerror}") from None
    finally:
        syscalls.release(descriptor)


def _names_it(step: Step, info_fd: int) -> bool:
    """Whether what should describe a file in a trash does so, as far as it was written."""
    descriptor = syscalls.open_found(os.fsdecode(step.info), info_fd)
    try:
        wanted = described(step, os.path.dirname(step.target_root)).partition(b"DeletionDate")[0]
        found = os.read(descriptor, 1 << 16)
        return found.startswith(wanted) or wanted.startswith(found)
    finally:
        syscalls.release(descriptor)


def take_from_trash(step: Step, *, again: bool) -> None:
    """Rename a file back from its trash, and remove what describes it. NotDoneError: it cannot be put back."""
    move_back(step, again=again)
    with contextlib.suppress(FileNotFoundError):
        info_fd = syscalls.open_directory(os.path.join(os.fsdecode(os.path.dirname(step.target_root)), INFO))
        try:
            if _names_it(step, info_fd):
                syscalls.unlink(os.fsdecode(step.info), info_fd)
        finally:
            syscalls.release(info_fd)
