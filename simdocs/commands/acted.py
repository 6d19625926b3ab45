"""Acting on the duplicates of a saved answer, step by step, with a journal."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from simdocs.artifacts.answer_file import read_answer
from simdocs.commands.act import Act
from simdocs.commands.act_targets import Destinations, Selection
from simdocs.commands.found_again import FoundAgain, PairAgain
from simdocs.corpora.identity import file_id
from simdocs.engines.run import Run
from simdocs.errors import OutputError, UsageError
from simdocs.model.figures import counted, size
from simdocs.model.result import NAME, NUMBER, Blocks, Result, Row, table_head
from simdocs.model.saved_answer import SavedAnswer, SavedPair
from simdocs.model.skipped import Skip
from simdocs.names import command_line, display_name, from_here
from simdocs.storage.journal import DONE, NOT_DONE, SUFFIX, Journal, read_journal, refuse_unfinished, written_journal
from simdocs.storage.linked_file import hardlink, refuse_link
from simdocs.storage.moved_file import move
from simdocs.storage.step import HARDLINK, MOVE, NotDoneError, Step, or_not_done, spare_name
from simdocs.storage.syscalls import FileFacts, signals_deferred

ACTED = table_head(action=NAME, duplicate=NAME, kept=NAME, to=NAME, bytes=NUMBER)


def acted(options: Act, run: Run) -> Result:
    """What was done, or would be, to each duplicate of a saved answer.

    A row has the action, the name of the duplicate and of the kept document, where it goes (None: nowhere), and the
    bytes that it has on disk. If the rows are drawn, the result does not hold them.
    """
    saved = read_answer(options.answer)
    selection = Selection(saved, options.only, options.protect)
    chosen = _chosen(saved, selection, options.max_removed)
    if options.only and not chosen and next(saved.pairs(), None):
        run.skipped.warnings.append("none of the duplicates matches --only, or all are protected")
    path = options.answer + SUFFIX.encode()
    acting = _Acting(options, saved, selection, run)
    if not options.yes:
        if os.path.lexists(path):
            refuse_unfinished(read_journal(path))
        table = run.table(ACTED, acting.act(None))
    else:
        with written_journal(path, create=True) as journal:
            refuse_unfinished(journal)
            table = run.table(ACTED, acting.act(journal))
    facts = {
        "action": acting.action,
        "is_done": options.yes,
        "acted": acting.count,
        "bytes": acting.size,
        "skipped": run.skipped.counts,
        "journal": display_name(path) if options.yes else None,
        "seconds": None,
    }
    notes = ("nothing was changed: --yes does what is listed",) if acting.count and not options.yes else ()
    lines = partial(_lines, facts)
    return Result("act", table, facts=facts, lines=lines, skipped=run.skipped, notes=notes)


def _lines(facts: Mapping[str, Any], seconds: float, _verbose: bool) -> Iterator[str]:
    """Yield the lines of the summary."""
    left, is_move, what = facts["skipped"].get("left", 0), facts["action"] == MOVE, counted(facts["acted"], "duplicate")
    done = "moved" if is_move else "hard-linked"
    done = f"{done} in {seconds:.2f} s" if facts["is_done"] else f"would be {done}"
    done = f"{what} ({size(facts['bytes'])}) {done}" if is_move else f"{what} {done}, {size(facts['bytes'])} freed"
    yield done + (f"; {left:,} left as {'they are' if left > 1 else 'it is'}" if left else "")
    if facts["journal"] and facts["acted"]:
        yield f"to undo it: {command_line('undo', [facts['journal']])} --yes"


def _chosen(saved: SavedAnswer, selection: Selection, share: float) -> int:
    """The number of duplicates that were chosen.

    UsageError: they are more than this share of the documents of an argument.
    """
    counts = Counter(saved.roots[pair.duplicate.root].argument for pair in selection.pairs())
    for number, (name, documents) in enumerate(saved.arguments):
        if counts[number] > share * documents:
            of = f"{counts[number]:,} of the {counted(documents, 'document')} of {display_name(name)}"
            allowed = f"--max-removed {share:g} allows"
            raise UsageError(f"{of} are duplicates, more than {allowed}: look at the answer, then allow more")
    return counts.total()


class _Acting:
    """Acts on one duplicate after the other."""

    def __init__(self, options: Act, saved: SavedAnswer, selection: Selection, run: Run) -> None:
        self._options, self._saved, self._selection, self._run = options, saved, selection, run
        self._again = FoundAgain(saved, any_length=options.any_length)
        self._destinations = None if options.move is None else Destinations(options.move, saved)
        self.action = HARDLINK if options.move is None else MOVE
        self.count = self.size = 0

    def act(self, journal: Journal | None) -> Blocks:
        """Act on all duplicates that were chosen, and yield a row for each, in a block of its own.

        Without a journal, only find out what would be done.
        """
        with ended(journal, "act") if journal else contextlib.nullcontext():
            for done, pair in enumerate(self._selection.pairs()):
                self._run.progress("acting" if journal else "looking", done, self._saved.duplicates)
                name = self._saved.printed(pair.duplicate)
                try:
                    with ExitStack() as stack:
                        row = self._one(pair, name, journal, stack)
                except NotDoneError as error:
                    self._run.skipped.add(Skip("left", name, str(error)))
                else:
                    yield [row]

    def _one(self, pair: SavedPair, name: bytes, journal: Journal | None, stack: ExitStack) -> Row:
        """Act on one duplicate; return its row. NotDoneError: it is as it was."""
        again = self._again.look(pair, stack)
        self._selection.refuse_protected(again.duplicate)
        if self._destinations is None:
            refuse_link(again.duplicate, again.kept, are_identical=again.are_identical)
        step = self._step(len(journal.steps) + 1 if journal else 1, pair, again)
        status = again.duplicate.status
        if journal is not None:
            _do(journal, step, again)
        self._again.acted_on.add(file_id(status))
        self.count += 1
        self.size += status.st_size
        to = from_here(step.target_place) if step.target else None
        return step.action, name, self._saved.printed(pair.kept), to, status.st_size

    def _step(self, number: int, pair: SavedPair, again: PairAgain) -> Step:
        """The step that acts on a duplicate. NotDoneError: what a copy of it must have cannot be found out."""
        saved, status = self._saved, again.duplicate.status
        root = saved.roots[pair.duplicate.root]
        place = saved.path(pair.duplicate)
        target_root, target, made = self._destinations.of(place) if self._destinations else (b"", b"", ())
        with or_not_done():
            facts = FileFacts.of(again.duplicate.descriptor)
        return Step(
            number=number,
            action=self.action,
            name=saved.printed(pair.duplicate),
            root=root.path,
            path=place[len(root.path) :],
            target_root=target_root,
            target=target,
            temporary=spare_name(again.duplicate.base, number),
            kept=saved.path(pair.kept),
            made=made,
            size=status.st_size,
            device=status.st_dev,
            inode=status.st_ino,
            kept_inode=again.kept.status.st_ino,
            sha256=again.sha256,
            **facts._asdict() | {"attributes": tuple((each, value.hex()) for each, value in facts.attributes)},
        )


def _do(journal: Journal, step: Step, again: PairAgain) -> None:
    """Do a step, between two lines of the journal. NotDoneError: the file is as it was, and the journal says so.

    OutputError: the journal cannot be written, or what was done is uncertain. Then `undo` finds out.
    """
    perform = move if step.action == MOVE else hardlink
    with signals_deferred():
        journal.is_busy = True
        journal.begin(step)
        try:
            perform(step, again.duplicate, again.kept)
        except NotDoneError:
            journal.mark(step, NOT_DONE)
            journal.is_busy = False
            raise
        except OSError as error:
            text = f"{error.strerror or error}: see what was done with simdocs undo"
            raise OutputError(f"{display_name(step.name)}: {text}") from error
        journal.mark(step, DONE)
        journal.is_busy = False


@contextlib.contextmanager
def ended(journal: Journal, what: str) -> Iterator[None]:
    """Write that a run, act or undo, begins; and that it has ended, whatever ended it, unless a step is half done."""
    journal.start(what)
    try:
        yield
    finally:
        if not journal.is_busy:
            journal.end()
