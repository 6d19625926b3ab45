"""Putting back what the journal of act says, the last step first."""

from __future__ import annotations

import os
from collections.abc import Iterator

from simdocs.commands.acted import ended
from simdocs.commands.undo import Undo
from simdocs.engines.run import Run
from simdocs.errors import ArtifactError
from simdocs.model.figures import counted
from simdocs.model.result import NAME, Blocks, Result, Row, table_head
from simdocs.model.skipped import Skip
from simdocs.names import display_name, from_here
from simdocs.storage.journal import UNDOING, UNDONE, Journal, read_journal, written_journal
from simdocs.storage.linked_file import unlink_again
from simdocs.storage.moved_file import move_back
from simdocs.storage.step import HARDLINK, MOVE, NotDoneError, Step
from simdocs.storage.syscalls import signals_deferred

PUT_BACK = table_head(action=NAME, duplicate=NAME, place=NAME)


def put_back(options: Undo, run: Run) -> Result:
    """What was put back, or would be.

    A row has what is done, such as "undo move", the name of the file, and the place from which it comes back (None: no
    other). If it is only shown, there are also rows about what would be removed: no name, and its path as the place.
    """
    count = 0

    def blocks() -> Blocks:
        nonlocal count
        if not options.yes:
            steps = _steps(read_journal(options.journal))
            count = len(steps)
            yield [_row(step) for step, _ in steps]
            made = {os.path.join(step.target_root, path) for step, _ in steps for path in step.made}
            yield [("remove if empty", None, from_here(path)) for path in sorted(made, reverse=True)]
            return
        with written_journal(options.journal, create=False) as journal:
            steps = _steps(journal)
            if steps or not journal.is_finished:
                with ended(journal, "undo"):
                    for step, state in steps:
                        if _undo(journal, step, state, run):
                            count += 1
                            yield [_row(step)]

    table, skipped = run.table(PUT_BACK, blocks()), run.skipped
    left = skipped.counts.get("left", 0)

    def lines(seconds: float, _verbose: bool) -> Iterator[str]:
        done = f"put back in {seconds:.2f} s" if options.yes else "would be put back"
        yield f"{counted(count, 'file')} {done}" + (f"; {left:,} not" if left else "")

    facts = {"is_done": options.yes, "put_back": count, "skipped": skipped.counts, "seconds": None}
    notes = list[str]()
    if not count and not skipped.counts:
        notes.append("nothing is left to put back")
    elif count and not options.yes:
        notes.append("nothing was changed: --yes does what is listed")
    return Result("undo", table, facts=facts, lines=lines, skipped=skipped, notes=notes)


def _steps(journal: Journal) -> list[tuple[Step, str]]:
    """The steps to undo, the last first."""
    steps = list(journal.open_steps())
    for step, _ in steps:
        if step.action not in (MOVE, HARDLINK):
            action = display_name(step.action.encode("utf-8", "replace"))
            unknown = f"{journal.name}: has the action {action}, which this simdocs does not know"
            raise ArtifactError(f"{unknown}: undo it with the version that wrote it")
    return steps


def _undo(journal: Journal, step: Step, state: str, run: Run) -> bool:
    """Undo a step; return whether it could be undone."""
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
        return False
    return True


def _row(step: Step) -> Row:
    """What undoing a step does, the place of its file, and the place from which it comes back, if there is one."""
    return f"undo {step.action}", from_here(step.place), from_here(step.target_place) if step.target else None
