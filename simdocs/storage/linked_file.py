"""Make a file another name of a file that has the same bytes, and a file of its own again."""

from __future__ import annotations

from simdocs.names import display_name
from simdocs.storage import syscalls
from simdocs.storage.step import (
    CHANGED,
    NotDoneError,
    Step,
    Victim,
    copy_as_draft,
    digest_at,
    or_not_done,
    or_uncertain,
)

_FACTS = {"mode": "mode", "uid": "owner", "gid": "group", "attributes": "extended attributes"}


def refuse_link(victim: Victim, kept: Victim, *, are_identical: bool) -> None:
    """Raise NotDoneError if a file cannot become another name of the kept one, or if that would free nothing."""
    if victim.status.st_dev != kept.status.st_dev:
        raise NotDoneError("its kept document is on another file system")
    if victim.status.st_nlink > 1:
        raise NotDoneError("it has other names (hard links), so nothing would be freed")
    if not are_identical:
        raise NotDoneError("it is not byte-identical to the kept document: only a move can act on it")
    with or_not_done():
        mine, theirs = (syscalls.FileFacts.of(each.descriptor) for each in (victim, kept))
    if other := [what for fact, what in _FACTS.items() if getattr(mine, fact) != getattr(theirs, fact)]:
        raise NotDoneError(f"the kept document has other {' and '.join(other)}")


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
