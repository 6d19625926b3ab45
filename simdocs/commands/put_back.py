"""Putting back what the journal of act says, the last step first."""

from __future__ import annotations

import os
from collections.abc import Callable

from simdocs.commands.acted import ended
from simdocs.commands.undo import Undo
from simdocs.engines.run import Run
from simdocs.errors import ArtifactError
from simdocs.model.acted import PUT_BACK, PutBack
from simdocs.model.answers import Row
from simdocs.model.skipped import Skip
from simdocs.names import display_name, from_here
from simdocs.storage.journal import UNDOING, UNDONE, Journal, read_journal, written_journal
from simdocs.storage.linked_file import unlink_again
from simdocs.storage.moved_file import move_back
from simdocs.storage.step import HARDLINK, MOVE, NotDoneError, Step
from simdocs.storage.syscalls import signals_deferred


def put_back(options: Undo, run: Run) -> PutBack:
    """What was put back, or would be."""
    rows = list[Row]()
    tell = run.delivery.taker(PUT_BACK, rows)
    if options.yes:
        with written_journal(options.journal, create=False) as journal:
            steps, count = _steps(journal), 0
            if steps or not journal.is_finished:
                with ended(journal, "undo"):
                    count = sum(_undo(journal, step, state, run, tell) for step, state in steps)
    else:
        steps = _steps(read_journal(options.journal))
        for step, _ in steps:
            tell(_row(step))
        made = {os.path.join(step.target_root, path) for step, _ in steps for path in step.made}
        for path in sorted(made, reverse=True):
            tell(("remove if empty", None, from_here(path)))
        count = len(steps)
    return PutBack(is_done=options.yes, count=count, skipped=run.skipped, rows=tuple(rows))


def _steps(journal: Journal) -> list[tuple[Step, str]]:
    """The steps to undo, the last first."""
    steps = list(journal.open_steps())
    for step, _ in steps:
        if step.action not in (MOVE, HARDLINK):
            action = display_name(step.action.encode("utf-8", "replace"))
            unknown = f"{journal.name}: has the action {action}, which this simdocs does not know"
            raise ArtifactError(f"{unknown}: undo it with the version that wrote it")
    return steps


def _undo(journal: Journal, step: Step, state: str, run: Run, tell: Callable[[Row], None]) -> int:
    """Undo a step; return 1, or 0 if it cannot be undone."""
    undo = move_back if step.action == MOVE else unlink_again
    try:
        with signals_deferred():
            journal.is_busy = True
            journal.mark(step, UNDOING)
            undo(step, again=state == UNDOING)
            journal.mark(step, UNDONE)
            journal.is_busy = False
    except (NotDoneError, OSError) as error:
        journal.is_busy = False
        reason = str(error)
        if isinstance(error, OSError):
            place = display_name(step.target_place if step.target else os.path.dirname(step.place))
            reason = f"{error.strerror or error}: look in {place}"
        run.skipped.add(Skip("left", from_here(step.place), reason))
        return 0
    tell(_row(step))
    return 1


def _row(step: Step) -> Row:
    """What undoing a step does, the place of its file, and the place from which it comes back, if there is one."""
    return f"undo {step.action}", from_here(step.place), from_here(step.target_place) if step.target else None
