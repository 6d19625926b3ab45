"""The actions of act: move a file to another directory, by a rename or as a copy, or make it a link; and undo both.

Nothing is ever replaced, and a file is removed only when its copy is on the disk and was compared, or when another name
has its bytes.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator

from simdocs.names import display_name
from simdocs.storage import syscalls
from simdocs.storage.step import (
    CHANGED,
    NotDoneError,
    Step,
    Victim,
    copy_as_draft,
    copy_to,
    digest_at,
    or_not_done,
    or_uncertain,
)


def move(step: Step, victim: Victim) -> None:
    """Move a file to its target, whose directories are made. NotDoneError: it is where it was.

    OutputError: it may be elsewhere. The message says where.
    """
    with _target_directory(step) as target:
        try:
            syscalls.rename_between(victim.base, victim.dir_fd, step.target_base, target)
        except OSError as error:
            if error.errno == errno.EXDEV:
                _copy_away(step, victim, target)
                return
            raise NotDoneError(error.strerror or str(error)) from None
        if not victim.is_untouched(step.target_base, target):
            with or_uncertain(step, "it changed while it was moved, and cannot be moved back", step.target_place):
                syscalls.rename_between(step.target_base, target, victim.base, victim.dir_fd)
            raise NotDoneError(CHANGED)
        _sync(step, target, victim.dir_fd)


def _sync(step: Step, *directories: int) -> None:
    """Sync directories. OutputError: what was done may not survive a power cut."""
    with or_uncertain(step, "done, but durability not confirmed"):
        for descriptor in directories:
            syscalls.sync(descriptor)


@contextlib.contextmanager
def _target_directory(step: Step) -> Iterator[int]:
    """Make the directories to which a file goes, which only their owner can use, and open the last one.

    NotDoneError: one cannot be made. If the step is not done, they are removed again.
    """
    try:
        with or_not_done(os.path.dirname(step.target_place)), contextlib.ExitStack() as stack:
            at = stack.enter_context(syscalls.held(syscalls.open_directory(os.fsdecode(step.target_root))))
            for name in filter(None, os.fsdecode(os.path.dirname(step.target)).split("/")):
                with contextlib.suppress(FileExistsError):
                    syscalls.create_directory(name, at)
                    syscalls.sync(at)
                at = stack.enter_context(syscalls.held(syscalls.open_directory(name, at)))
        with step.target_directory() as descriptor:
            yield descriptor
    except NotDoneError:
        _remove_target_directories(step)
        raise


def _remove_target_directories(step: Step) -> None:
    """Remove the directories that were made for a file, as far as they are empty. Ignores failures."""
    for path in reversed(step.made):
        with contextlib.suppress(OSError, NotDoneError), step._replace(target=path).target_directory() as above:
            syscalls.remove_directory(os.fsdecode(os.path.basename(path)), above)


def _copy_away(step: Step, victim: Victim, target: int) -> None:
    """Copy a file to its target on another file system, and remove it. NotDoneError: it is where it was.

    Only when the copy is on the disk and was compared is the file renamed aside and looked at again, so that a file
    that came in its place is not lost. The copy gets its name after that: so if the file has its own name, nothing that
    has the name of the target is ours.
    """
    with or_not_done():
        copy_to(victim.descriptor, step.spare, target, step)
    try:
        with or_not_done():
            syscalls.rename_between(victim.base, victim.dir_fd, step.spare, victim.dir_fd)
    except NotDoneError:
        syscalls.try_unlink(step.spare, target)
        raise
    try:
        if not victim.is_untouched(step.spare, victim.dir_fd):
            raise NotDoneError(CHANGED)
        with or_not_done():
            syscalls.rename_between(step.spare, target, step.target_base, target)
    except NotDoneError:
        with or_uncertain(step, "it cannot get its name back", step.spare_place):
            syscalls.rename_between(step.spare, victim.dir_fd, victim.base, victim.dir_fd)
            syscalls.sync(victim.dir_fd)
        syscalls.try_unlink(step.spare, target)
        raise
    # The copy must have its name on the disk, and the file must have lost its own, before it is removed.
    _sync(step, target, victim.dir_fd)
    with or_uncertain(step, "copied, but it cannot be removed", step.spare_place):
        syscalls.unlink(step.spare, victim.dir_fd)
    _sync(step, victim.dir_fd)


def move_back(step: Step, *, again: bool) -> None:
    """Put a file in its place again. NotDoneError: that cannot be done; the message says where it is.

    again: an earlier run has begun with it, and may have left an unfinished copy.
    """
    with step.directory() as home, contextlib.ExitStack() as stack:
        try:
            target = stack.enter_context(step.target_directory())
        except NotDoneError:
            target = -1
        there, aside = syscalls.status(step.base, home), syscalls.status(step.spare, home)
        moved = None if target < 0 else syscalls.status(step.target_base, target)
        # A copy has its name only after the file has lost its own, and when its draft is gone. The file itself, whose
        # inode a copy may get, is first given back its name.
        is_ours = moved is not None and (again or there is None) and syscalls.status(step.spare, target) is None
        if aside is not None and not step.is_file(aside):
            raise NotDoneError(f"it has changed since: it is {display_name(step.spare_place)}")
        if there is not None and aside is not None:
            raise NotDoneError(f"something else has its name now: it is {display_name(step.spare_place)}")
        if there is not None:
            _refuse_other(step, home, moved, is_file=again or step.is_file(there))
        elif aside is not None:
            if is_ours and digest_at(step.spare, home) == digest_at(step.target_base, target) == step.sha256:
                syscalls.unlink(step.target_base, target)
                syscalls.sync(target)
            with or_not_done():
                syscalls.rename_between(step.spare, home, step.base, home)
        elif moved is None:
            raise NotDoneError(f"neither it nor {display_name(step.target_place)} is there")
        else:
            if again:
                syscalls.try_unlink(step.draft, home)
            _bring_back(step, home, target, moved)
        _sync(step, home, *([target] if target >= 0 else []))
        if target >= 0:
            _remove_copy(step, home, target, is_ours=is_ours)
    _remove_target_directories(step)


def _refuse_other(step: Step, home: int, moved: os.stat_result | None, *, is_file: bool) -> None:
    """Raise NotDoneError if what has the name of a file is not this file."""
    where = display_name(step.target_place)
    if moved is None and digest_at(step.base, home) != step.sha256:
        raise NotDoneError(f"neither it nor {where} is there")
    if moved is not None and (not is_file or digest_at(step.base, home) != step.sha256):
        raise NotDoneError(f"something else has its name now: it is {where}")


def _bring_back(step: Step, home: int, target: int, moved: os.stat_result) -> None:
    """Rename a file back from its target, or copy it. NotDoneError: it is not the same any more, or that fails."""
    where = display_name(step.target_place)
    if not step.is_file(moved) and digest_at(step.target_base, target) != step.sha256:
        raise NotDoneError(f"{where} is another file now")
    try:
        syscalls.rename_between(step.target_base, target, step.base, home)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise NotDoneError(f"{error.strerror}: it is {where}") from None
    else:
        return
    copy_as_draft(step.target_base, target, home, step, f"{where} is another file now")
    with or_not_done():
        syscalls.rename_between(step.draft, home, step.base, home)


def _remove_copy(step: Step, home: int, target: int, *, is_ours: bool) -> None:
    """Remove what is left at the target of a file that has its place again, and has the bytes that it had."""
    left = [name for name in (step.spare, step.target_base) if syscalls.status(name, target) is not None]
    if left and digest_at(step.base, home) == step.sha256:
        syscalls.try_unlink(step.spare, target)
        if is_ours and digest_at(step.target_base, target) == step.sha256:
            syscalls.unlink(step.target_base, target)


def refuse_link(victim: Victim, kept: Victim) -> None:
    """Raise NotDoneError if a file cannot become another name of the kept one, or if that would free nothing."""
    if victim.status.st_dev != kept.status.st_dev:
        raise NotDoneError("its kept document is on another file system")
    if victim.status.st_nlink > 1:
        raise NotDoneError("it has other names (hard links), so nothing would be freed")
    if victim.sha256 != kept.sha256:
        raise NotDoneError("it is not byte-identical to the kept document: only a move can act on it")
    with or_not_done():
        mine, theirs = (
            (each.status.st_mode, each.status.st_uid, each.status.st_gid, syscalls.attributes_of(each.descriptor))
            for each in (victim, kept)
        )
    if mine != theirs:
        raise NotDoneError("the kept document has another mode, owner or group, or other extended attributes")


def hardlink(step: Step, victim: Victim, kept: Victim) -> None:
    """Replace a file by another name of the kept one, which has the same bytes. NotDoneError: it is where it was.

    The link gets a name of its own first. Then both exchange their names, and only what was compared is removed.
    """
    with or_not_done():
        # Its bytes may still be in memory alone, and after this they are on the disk only once.
        syscalls.sync(kept.descriptor)
        syscalls.link(kept.base, kept.dir_fd, step.spare, victim.dir_fd)
    try:
        with or_not_done():
            syscalls.exchange(step.spare, victim.base, victim.dir_fd)
    except NotDoneError:
        syscalls.try_unlink(step.spare, victim.dir_fd)
        raise
    if not victim.is_untouched(step.spare, victim.dir_fd) or not kept.is_untouched(victim.base, victim.dir_fd):
        with or_uncertain(step, "it changed while it was linked, and cannot get its name back", step.spare_place):
            syscalls.exchange(step.spare, victim.base, victim.dir_fd)
            _remove_link(step, step.spare, victim.dir_fd)
            syscalls.sync(victim.dir_fd)
        raise NotDoneError(CHANGED)
    with or_uncertain(step, "linked, but it cannot be removed", step.spare_place):
        syscalls.sync(victim.dir_fd)
        syscalls.unlink(step.spare, victim.dir_fd)
        syscalls.sync(victim.dir_fd)


def _remove_link(step: Step, name: str, dir_fd: int) -> None:
    """Remove a name of a file that has others, or whose bytes the file of the step has. NotDoneError: neither. OSError.

    It has no others if the kept file was replaced after the link was made, as editors do when they save.
    """
    status = syscalls.status(name, dir_fd)
    if status is None:
        return
    if status.st_nlink == 1 and not digest_at(name, dir_fd) == digest_at(step.base, dir_fd) == step.sha256:
        raise NotDoneError(f"it has changed since it was linked: it is {display_name(step.beside(name))}")
    syscalls.unlink(name, dir_fd)


def unlink_again(step: Step, *, again: bool) -> None:
    """Make a linked file a file of its own again. NotDoneError: that cannot be done.

    It gets back its mode, times, owner and extended attributes. If the file itself is still there, it gets back its
    name. again: an earlier run has begun with it, and may have left an unfinished copy.
    """
    with step.directory() as home:
        there, aside = syscalls.status(step.base, home), syscalls.status(step.spare, home)
        if step.is_file(aside):
            if there is None:
                syscalls.rename_between(step.spare, home, step.base, home)
            elif there.st_ino != step.kept_inode:
                raise NotDoneError(f"something else has its name now: it is {display_name(step.spare_place)}")
            else:
                syscalls.exchange(step.spare, step.base, home)
                _remove_link(step, step.spare, home)
        elif aside is not None and aside.st_ino == step.kept_inode:
            _remove_link(step, step.spare, home)  # it was not linked yet
        elif aside is not None:
            raise NotDoneError(f"it has changed since: it is {display_name(step.spare_place)}")
        draft = syscalls.status(step.draft, home) if again else None
        if draft is not None and draft.st_ino == step.kept_inode:
            _remove_link(step, step.draft, home)
        elif draft is not None:
            syscalls.try_unlink(step.draft, home)
        there = syscalls.status(step.base, home)
        if there is None:
            raise NotDoneError("it is gone")
        if there.st_ino == step.kept_inode:
            _copy_of_link(step, home)
        elif digest_at(step.base, home) != step.sha256:
            raise NotDoneError("something else has its name now")
        syscalls.sync(home)


def _copy_of_link(step: Step, home: int) -> None:
    """Put a copy of a file in the place of its link."""
    copy_as_draft(step.base, home, home, step, "it has changed since it was linked")
    syscalls.exchange(step.draft, step.base, home)
    swapped = syscalls.status(step.draft, home)
    if swapped is None or swapped.st_ino != step.kept_inode:
        syscalls.exchange(step.draft, step.base, home)
        syscalls.try_unlink(step.draft, home)
        raise NotDoneError("something else has its name now")
    syscalls.sync(home)
    _remove_link(step, step.draft, home)
