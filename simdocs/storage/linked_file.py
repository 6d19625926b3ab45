"""Let a file share its bytes with a file that has the same: as another name of it, or by sharing blocks on disk."""

from __future__ import annotations

import os

from simdocs.errors import OutputError
from simdocs.model.names import display_name
from simdocs.storage import syscalls
from simdocs.storage.moved_file import CHANGED
from simdocs.storage.step import NotDoneError, Step, Victim, copy_to, digest_at, digest_of
from simdocs.storage.syscalls import signals_deferred

_OTHER_FACTS = ("mode", "owner", "group", "extended attributes")


def hardlink(step: Step, victim: Victim, kept: Victim) -> None:
    """Replace a file by another name of the kept one. NotDoneError: it is where it was.

    The link gets a name of its own first. Then both exchange their names, and only what was compared is removed.
    """
    refuse_other_bytes(step, victim, kept)
    with signals_deferred():
        try:
            # Its bytes may still be in memory alone, and after this they are on the disk only once.
            syscalls.sync(kept.descriptor)
            syscalls.link(kept.base, kept.dir_fd, step.spare, victim.dir_fd)
        except OSError as error:
            raise NotDoneError(error.strerror or str(error)) from None
        try:
            _exchange(step, victim)
        except NotDoneError:
            syscalls.try_unlink(step.spare, victim.dir_fd)
            raise
        if not victim.is_untouched(step.spare, victim.dir_fd) or not kept.is_untouched(victim.base, victim.dir_fd):
            _exchange_back(step, victim)
            raise NotDoneError(CHANGED)
        try:
            syscalls.sync(victim.dir_fd)
            syscalls.unlink(step.spare, victim.dir_fd)
            syscalls.sync(victim.dir_fd)
        except OSError as error:
            text = f"linked, but {error.strerror}: see {display_name(_spare_place(step))}"
            raise OutputError(f"{display_name(step.name)}: {text}") from error


def refuse_other_bytes(step: Step, victim: Victim, kept: Victim) -> None:
    """Raise NotDoneError if the kept file has other bytes, or for a link, which has them too, another mode or owner."""
    try:
        if digest_of(kept.descriptor) != step.sha256:
            raise NotDoneError("it is not byte-identical to the kept document: only a move can act on it")
        if step.action == "hardlink":
            _refuse_other_facts(victim, kept)
    except OSError as error:
        raise NotDoneError(error.strerror or str(error)) from None


def _refuse_other_facts(victim: Victim, kept: Victim) -> None:
    mine, theirs = (syscalls.FileFacts.of(each.descriptor) for each in (victim, kept))
    pairs = zip(
        _OTHER_FACTS,
        (mine.mode, mine.uid, mine.gid, mine.attributes),
        (theirs.mode, theirs.uid, theirs.gid, theirs.attributes),
        strict=True,
    )
    if other := [what for what, first, second in pairs if first != second]:
        raise NotDoneError(f"the kept document has other {' and '.join(other)}")


def _exchange(step: Step, victim: Victim) -> None:
    try:
        syscalls.exchange(step.spare, victim.base, victim.dir_fd)
    except OSError as error:
        raise NotDoneError(error.strerror or str(error)) from None


def _exchange_back(step: Step, victim: Victim) -> None:
    try:
        syscalls.exchange(step.spare, victim.base, victim.dir_fd)
        _remove_link(step, step.spare, victim.dir_fd)
        syscalls.sync(victim.dir_fd)
    except OSError as error:
        where = display_name(_spare_place(step))
        text = f"it changed while it was linked, and cannot get its name back: {error.strerror}: it is {where}"
        raise OutputError(f"{display_name(step.name)}: {text}") from error


def _spare_place(step: Step) -> bytes:
    return os.path.join(os.path.dirname(step.place), step.temporary)


def _remove_link(step: Step, name: str, dir_fd: int) -> None:
    """Remove a name of a file that has others, or whose bytes the file of the step has. NotDoneError: neither. OSError.

    It has no others if the kept file was replaced after the link was made, as editors do when they save.
    """
    status = syscalls.status(name, dir_fd)
    if status is None:
        return
    if status.st_nlink == 1 and not digest_at(name, dir_fd) == digest_at(step.base, dir_fd) == step.sha256:
        where = display_name(os.path.join(os.path.dirname(step.place), os.fsencode(name)))
        raise NotDoneError(f"it has changed since it was linked: it is {where}")
    syscalls.unlink(name, dir_fd)


def unlink_again(step: Step, *, again: bool) -> None:
    """Make a linked file a file of its own again. NotDoneError: that cannot be done.

    It gets back its mode, times, owner and extended attributes. If the file itself is still there, it gets back its
    name. again: an earlier run has begun with it, and may have left an unfinished copy.
    """
    with step.directory() as home, signals_deferred():
        there, aside = syscalls.status(step.base, home), syscalls.status(step.spare, home)
        if step.is_file(aside):
            if there is None:
                syscalls.rename_between(step.spare, home, step.base, home)
            else:
                _refuse_other(step, there)
                syscalls.exchange(step.spare, step.base, home)
                _remove_link(step, step.spare, home)
        elif aside is not None and aside.st_ino == step.kept_inode:
            _remove_link(step, step.spare, home)  # it was not linked yet
        elif aside is not None:
            raise NotDoneError(f"it has changed since: it is {display_name(_spare_place(step))}")
        draft = syscalls.status(step.draft, home) if again else None
        if draft is not None and draft.st_ino == step.kept_inode:
            _remove_link(step, step.draft, home)
        elif draft is not None:
            syscalls.try_unlink(step.draft, home)
        if not _is_itself(step, home):
            _copy_of_link(step, home)
        syscalls.sync(home)


def _is_itself(step: Step, home: int) -> bool:
    """Whether the name belongs to a file of its own with the bytes that it had."""
    there = syscalls.status(step.base, home)
    if there is None:
        raise NotDoneError("it is gone")
    return there.st_ino != step.kept_inode and digest_at(step.base, home) == step.sha256


def _refuse_other(step: Step, there: os.stat_result) -> None:
    if there.st_ino != step.kept_inode:
        raise NotDoneError(f"something else has its name now: it is {display_name(_spare_place(step))}")


def _copy_of_link(step: Step, home: int) -> None:
    """Put a copy of a file in the place of its link."""
    there = syscalls.status(step.base, home)
    if there is None or there.st_ino != step.kept_inode:
        raise NotDoneError("something else has its name now")
    descriptor = syscalls.open_found(step.base, home)
    try:
        copy_to(descriptor, step.draft, home, step)
    except NotDoneError:
        raise NotDoneError("it has changed since it was linked") from None
    finally:
        syscalls.release(descriptor)
    syscalls.exchange(step.draft, step.base, home)
    swapped = syscalls.status(step.draft, home)
    if swapped is None or swapped.st_ino != step.kept_inode:
        syscalls.exchange(step.draft, step.base, home)
        syscalls.try_unlink(step.draft, home)
        raise NotDoneError("something else has its name now")
    syscalls.sync(home)
    _remove_link(step, step.draft, home)


def reflink(step: Step, victim: Victim, kept: Victim) -> None:
    """Let a file share its blocks on disk with the kept one. NotDoneError: they do not.

    The system compares the bytes, and nothing else of the file changes: neither its inode nor its mode or times.
    """
    refuse_other_bytes(step, victim, kept)
    try:
        shared = syscalls.share_blocks(kept.descriptor, victim.descriptor, step.size)
    except OSError as error:
        raise NotDoneError(f"this file system cannot share blocks: {error.strerror}") from None
    if not shared:
        raise NotDoneError(CHANGED)


def leave_shared(step: Step, *, again: bool) -> None:
    """Do nothing: files that share blocks are files of their own, and writing to one does not change the other."""
