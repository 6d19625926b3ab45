"""Move a file to another directory, and back: by a rename, or as a copy if it is on another file system.

Nothing is ever replaced, and a file is removed only when its copy is on the disk and was compared.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from simdocs.errors import OutputError
from simdocs.model.names import display_name
from simdocs.storage import syscalls
from simdocs.storage.step import NotDoneError, Step, Victim, copy_to, digest_at
from simdocs.storage.syscalls import signals_deferred

CHANGED = "it has changed since it was compared"


def move(step: Step, victim: Victim, _kept: Victim) -> None:
    """Rename a file to its target, whose directories are made. NotDoneError: it is where it was.

    OutputError: it may be at the target. The message says so.
    """
    with make_target_directories(step), step.target_directory() as target, signals_deferred():
        _rename(victim.base, victim.dir_fd, step.target_base, target)
        if not victim.is_untouched(step.target_base, target):
            _rename_back(step, victim, target)
            raise NotDoneError(CHANGED)
        _sync(step, target, victim.dir_fd)


def _rename(old: str, old_fd: int, new: str, new_fd: int) -> None:
    """Rename a file. NotDoneError: it has its old name."""
    try:
        syscalls.rename_between(old, old_fd, new, new_fd)
    except OSError as error:
        raise NotDoneError(error.strerror or str(error)) from None


def _rename_back(step: Step, victim: Victim, target: int) -> None:
    try:
        syscalls.rename_between(step.target_base, target, victim.base, victim.dir_fd)
    except OSError as error:
        where = display_name(step.target_place)
        problem = f"it changed while it was moved, and cannot be moved back: {error.strerror}: it is {where}"
        raise OutputError(f"{display_name(step.name)}: {problem}") from error


def _sync(step: Step, *directories: int) -> None:
    """Sync directories. OutputError: what was done may not survive a power cut."""
    try:
        for descriptor in directories:
            syscalls.sync(descriptor)
    except OSError as error:
        text = f"done, but durability not confirmed: {error.strerror}"
        raise OutputError(f"{display_name(step.name)}: {text}") from error


@contextlib.contextmanager
def make_target_directories(step: Step) -> Iterator[None]:
    """Make the directories to which a file goes, which only their owner can use. NotDoneError: one cannot be made.

    If the step is not done, they are removed again.
    """
    try:
        _make(step)
        yield
    except NotDoneError:
        remove_target_directories(step)
        raise


def _make(step: Step) -> None:
    try:
        top = syscalls.open_directory(os.fsdecode(step.target_root))
    except OSError as error:
        raise NotDoneError(f"{display_name(step.target_root)}: {error.strerror}") from None
    opened = [top]
    try:
        for name in filter(None, os.fsdecode(os.path.dirname(step.target)).split("/")):
            with contextlib.suppress(FileExistsError):
                syscalls.create_directory(name, opened[-1])
                syscalls.sync(opened[-1])
            opened.append(syscalls.open_directory(name, opened[-1]))
    except OSError as error:
        raise NotDoneError(f"{display_name(os.path.dirname(step.target_place))}: {error.strerror}") from None
    finally:
        for descriptor in opened:
            syscalls.release(descriptor)


def remove_target_directories(step: Step) -> None:
    """Remove the directories that were made for a file, as far as they are empty. Ignores failures."""
    for path in reversed(step.made):
        with contextlib.suppress(OSError, NotDoneError), step._replace(target=path).target_directory() as above:
            syscalls.remove_directory(os.fsdecode(os.path.basename(path)), above)


def move_back(step: Step, *, again: bool) -> None:  # noqa: ARG001
    """Rename a file back from its target. NotDoneError: it cannot be put back; the message says where it is."""
    with step.directory() as home:
        there = syscalls.status(step.base, home)
        with contextlib.ExitStack() as stack:
            target = _target_of(step, stack)
            moved = None if target < 0 else syscalls.status(step.target_base, target)
            if moved is None:
                if step.is_file(there):
                    return
                raise NotDoneError(f"neither it nor {display_name(step.target_place)} is there")
            if there is not None:
                raise NotDoneError(f"something else has its name now: it is {display_name(step.target_place)}")
            if not step.is_file(moved) and digest_at(step.target_base, target) != step.sha256:
                raise NotDoneError(f"{display_name(step.target_place)} is another file now")
            with signals_deferred():
                try:
                    syscalls.rename_between(step.target_base, target, step.base, home)
                except OSError as error:
                    raise NotDoneError(f"{error.strerror}: it is {display_name(step.target_place)}") from None
                _sync(step, home, target)
    remove_target_directories(step)


def _target_of(step: Step, stack: contextlib.ExitStack) -> int:
    """The directory to which a file went; -1: it is not there."""
    try:
        return stack.enter_context(step.target_directory())
    except NotDoneError:
        return -1


def copy_away(step: Step, victim: Victim, _kept: Victim) -> None:
    """Copy a file to its target on another file system, and remove it. NotDoneError: it is where it was.

    Only when the copy is on the disk and was compared is the file renamed aside and looked at again, so that a file
    that came in its place is not lost. The copy gets its name after that: so if the file has its own name, nothing that
    has the name of the target is ours.
    """
    with make_target_directories(step), step.target_directory() as target, signals_deferred():
        try:
            copy_to(victim.descriptor, step.spare, target, step)
        except OSError as error:
            raise NotDoneError(error.strerror or str(error)) from None
        try:
            syscalls.rename_between(victim.base, victim.dir_fd, step.spare, victim.dir_fd)
        except OSError as error:
            syscalls.try_unlink(step.spare, target)
            raise NotDoneError(error.strerror or str(error)) from None
        if not victim.is_untouched(step.spare, victim.dir_fd):
            _put_aside_back(step, victim, target)
            raise NotDoneError(CHANGED)
        try:
            syscalls.rename_between(step.spare, target, step.target_base, target)
        except OSError as error:
            _put_aside_back(step, victim, target)
            raise NotDoneError(error.strerror or str(error)) from None
        # The copy must have its name on the disk, and the file must have lost its own, before it is removed.
        _sync(step, target, victim.dir_fd)
        try:
            syscalls.unlink(step.spare, victim.dir_fd)
        except OSError as error:
            where = display_name(os.path.join(os.path.dirname(step.place), step.temporary))
            text = f"copied, but it cannot be removed: {error.strerror}: it is {where}"
            raise OutputError(f"{display_name(step.name)}: {text}") from error
        _sync(step, victim.dir_fd)


def _put_aside_back(step: Step, victim: Victim, target: int) -> None:
    """Give a file its name back, and remove the copy. OutputError: that fails. The message says where the file is."""
    try:
        syscalls.rename_between(step.spare, victim.dir_fd, victim.base, victim.dir_fd)
        syscalls.sync(victim.dir_fd)
    except OSError as error:
        where = display_name(os.path.join(os.path.dirname(step.place), step.temporary))
        text = f"it cannot get its name back: {error.strerror}: it is {where}"
        raise OutputError(f"{display_name(step.name)}: {text}") from error
    syscalls.try_unlink(step.spare, target)


def copy_back(step: Step, *, again: bool) -> None:
    """Put a file that was copied away in its place again, and remove the copy. NotDoneError: that cannot be done.

    again: an earlier run has begun with it, and may have left an unfinished copy.
    """
    where = display_name(step.target_place)
    with step.directory() as home, contextlib.ExitStack() as stack:
        target = _target_of(step, stack)
        there, aside = syscalls.status(step.base, home), syscalls.status(step.spare, home)
        # The copy has its name only after the file has lost its own, and when its draft is gone. The file itself, whose
        # inode a copy may get, is first given back its name.
        is_ours = again or not step.is_file(there)
        is_ours = is_ours and target >= 0 and syscalls.status(step.spare, target) is None
        if aside is not None and not step.is_file(aside):
            changed = os.path.join(os.path.dirname(step.place), step.temporary)
            raise NotDoneError(f"it has changed since: it is {display_name(changed)}")
        if there is None and aside is not None:
            if is_ours and digest_at(step.spare, home) == digest_at(step.target_base, target) == step.sha256:
                syscalls.unlink(step.target_base, target)
                syscalls.sync(target)
            _rename(step.spare, home, step.base, home)
        elif there is None:
            if again:
                syscalls.try_unlink(step.draft, home)
            _bring_back(step, home, target)
        elif digest_at(step.base, home) != step.sha256:
            raise NotDoneError(f"something else has its name now: it is {where}")
        _sync(step, home)
        if target >= 0 and digest_at(step.base, home) == step.sha256:
            syscalls.try_unlink(step.spare, target)
            if is_ours and digest_at(step.target_base, target) == step.sha256:
                syscalls.unlink(step.target_base, target)
    remove_target_directories(step)


def _bring_back(step: Step, home: int, target: int) -> None:
    """Copy a file back from its target. NotDoneError: the copy is not there, or not the same any more."""
    where = display_name(step.target_place)
    if target < 0 or syscalls.status(step.target_base, target) is None:
        raise NotDoneError(f"neither it nor {where} is there")
    descriptor = syscalls.open_found(step.target_base, target)
    try:
        copy_to(descriptor, step.draft, home, step)
    except NotDoneError:
        raise NotDoneError(f"{where} is another file now") from None
    finally:
        syscalls.release(descriptor)
    _rename(step.draft, home, step.base, home)
