"""Acting on the duplicates of a saved answer, step by step, with a journal; and putting back what that says."""

from __future__ import annotations

import contextlib
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from simdocs.artifacts.answer_file import read_answer
from simdocs.commands.act import Act, Undo
from simdocs.commands.found_again import look_again
from simdocs.engines.engine import Run
from simdocs.errors import OutputError, UsageError
from simdocs.model.figures import counted, size
from simdocs.model.groups import SavedAnswer, SavedDocument, SavedPair
from simdocs.model.result import NAME, NUMBER, Blocks, Result, Row, table_head
from simdocs.model.skipped import Skip
from simdocs.names import command_line, display_name, from_here
from simdocs.reading.find import either
from simdocs.storage import syscalls
from simdocs.storage.actions import hardlink, move, move_back, refuse_link, unlink_again
from simdocs.storage.atomic_file import manifest_head, open_parent
from simdocs.storage.journal import (
    DONE,
    NOT_DONE,
    SUFFIX,
    UNDOING,
    UNDONE,
    Journal,
    read_journal,
    refuse_unfinished,
    written_journal,
)
from simdocs.storage.step import HARDLINK, MOVE, NotDoneError, Step, Victim
from simdocs.storage.syscalls import signals_deferred

ACTED = table_head(action=NAME, duplicate=NAME, kept=NAME, to=NAME, bytes=NUMBER)

_LONGEST = 255
"""Bytes of the longest name in a directory."""


def acted(options: Act, run: Run) -> Result:
    """What was done, or would be, to each duplicate of a saved answer.

    A row has the action, the name of the duplicate and of the kept document, where it goes (None: nowhere), and the
    bytes that it has on disk. If the rows are drawn, the result does not hold them.
    """
    saved = read_answer(options.answer)
    chosen = _chosen(saved, options.only, options.protect)
    _refuse_many(saved, chosen(), options.max_removed)
    if options.only and saved.duplicates and not next(chosen(), None):
        run.skipped.warnings.append("none of the duplicates matches --only, or all are protected")
    path = options.answer + SUFFIX.encode()
    place_of = None if options.move is None else _places_in(options.move, saved)
    count = freed = 0

    def blocks(journal: Journal | None) -> Blocks:
        """Act on all duplicates that were chosen, and yield a row for each, in a block of its own.

        Without a journal, only find out what would be done.
        """
        nonlocal count, freed
        with _ended(journal, "act") if journal else contextlib.nullcontext():
            for done, pair in enumerate(chosen()):
                run.progress("acting" if journal else "looking", done, saved.duplicates)
                name, number = saved.printed(pair.duplicate), len(journal.steps) + 1 if journal else 1
                try:
                    with ExitStack() as stack:
                        both = look_again(saved, pair, stack, any_length=options.any_length)
                        if place_of is None:
                            refuse_link(*both)
                        step = _step(number, saved, pair, *both, place_of)
                        if journal is not None:
                            _do(journal, step, *both)
                except NotDoneError as error:
                    run.skipped.add(Skip("left", name, str(error)))
                    continue
                count, freed = count + 1, freed + step.size
                to = from_here(step.target_place) if step.target else None
                yield [(step.action, name, saved.printed(pair.kept), to, step.size)]

    if not options.yes:
        if os.path.lexists(path):
            refuse_unfinished(read_journal(path))
        table = run.table(ACTED, blocks(None))
    else:
        with written_journal(path, create=True) as journal:
            refuse_unfinished(journal)
            table = run.table(ACTED, blocks(journal))
    notes = ("nothing was changed: --yes does what is listed",) if count and not options.yes else ()
    facts = {
        "action": HARDLINK if options.move is None else MOVE,
        "is_done": options.yes,
        "acted": count,
        "bytes": freed,
        "skipped": run.skipped.counts,
        "journal": display_name(path) if options.yes else None,
        "seconds": None,
    }
    return Result("act", table, facts=facts, lines=partial(_lines, facts), skipped=run.skipped, notes=notes)


def _lines(facts: Mapping[str, Any], seconds: float, _verbose: bool) -> Iterator[str]:
    """Yield the lines of the summary."""
    left, is_move, what = facts["skipped"].get("left", 0), facts["action"] == MOVE, counted(facts["acted"], "duplicate")
    done = "moved" if is_move else "hard-linked"
    done = f"{done} in {seconds:.2f} s" if facts["is_done"] else f"would be {done}"
    done = f"{what} ({size(facts['bytes'])}) {done}" if is_move else f"{what} {done}, {size(facts['bytes'])} freed"
    yield done + (f"; {left:,} left as {'they are' if left > 1 else 'it is'}" if left else "")
    if facts["journal"] and facts["acted"]:
        yield f"to undo it: {command_line('undo', [facts['journal']])} --yes"


def _chosen(saved: SavedAnswer, only: Sequence[str], protect: Sequence[str]) -> Callable[[], Iterator[SavedPair]]:
    """A function that yields the pairs whose duplicates match `only`, if that has a pattern, and are not protected.

    A file also matches by a directory that it is in, and each by its whole path or its path in the directory that was
    read.
    """
    wanted, unwanted = (either([each.rstrip("/") or "/" for each in patterns]) for patterns in (only, protect))

    def paths(document: SavedDocument) -> Iterator[str]:
        for way in (document.file, saved.below(document), saved.path(document)):
            path = os.path.normpath(way).decode("utf-8", "surrogateescape").lstrip("/")
            while path:
                yield path
                path = path.rpartition("/")[0]

    def chosen() -> Iterator[SavedPair]:
        for pair in saved.pairs():
            every = list(paths(pair.duplicate))
            if (not only or any(map(wanted, every))) and not any(map(unwanted, every)):
                yield pair

    return chosen


def _refuse_many(saved: SavedAnswer, pairs: Iterator[SavedPair], share: float) -> None:
    """Raise UsageError if the duplicates are more than this share of the documents of an argument."""
    counts = Counter(saved.roots[pair.duplicate.root]["argument"] for pair in pairs)
    for number, (name, documents) in enumerate(saved.arguments):
        if counts[number] > share * documents:
            of = f"{counts[number]:,} of the {counted(documents, 'document')} of {display_name(name)}"
            allowed = f"--max-removed {share:g} allows"
            raise UsageError(f"{of} are duplicates, more than {allowed}: look at the answer, then allow more")


_Place = tuple[bytes, bytes, tuple[bytes, ...]]
"""A directory, a path below it, and the directories on that path that this run makes."""


_PlaceOf = Callable[[bytes], _Place]


def _places_in(given: bytes, saved: SavedAnswer) -> _PlaceOf:
    """A function that returns where a file goes in a directory, each time another place.

    The file keeps its path below the directory of the answer, or from the root; with a number if it is taken.
    UsageError: it is inside a directory that was read, or no directory. OutputError: it cannot be made.
    """
    base, taken, made = saved.root.rstrip(b"/") + b"/", set[bytes](), set[bytes]()
    root, name = os.path.realpath(given), display_name(given)
    again = "where the next run would find them again: choose another directory"
    if root == os.path.realpath(saved.root):
        raise UsageError(f"{name}: the files would stay in their directories, {again}")
    for argument, _ in saved.arguments:
        directory = os.path.realpath(os.path.join(saved.root, argument))
        if argument and os.path.isdir(directory) and (root + b"/").startswith(directory.rstrip(b"/") + b"/"):
            raise UsageError(f"{name}: the files would stay in {display_name(argument)}, {again}")
    # The directory itself is made like those below it, when the first file goes there: then undo removes it, too.
    above, inside = os.path.split(root)
    if manifest_head(os.fsdecode(root)):
        raise OutputError(f"{name}: this is an artifact: choose another directory")
    syscalls.release(open_parent(os.fsdecode(above), name))
    if os.path.lexists(root) and not os.path.isdir(root):
        raise UsageError(f"{name}: this is not a directory: name one, or a new one")
    if not os.access(root if os.path.isdir(root) else above, os.W_OK):
        raise OutputError(f"{name}: you may not write there: choose another directory")

    def exists(path: bytes) -> bool:
        return os.path.lexists(os.path.join(above, path))

    def place_of(file: bytes) -> _Place:
        file = os.path.normpath(file)
        directory, base_name = os.path.split(os.path.join(inside, file.removeprefix(base).lstrip(b"/")))
        path, number = os.path.join(directory, base_name), 1
        while path in taken or exists(path):
            number += 1
            more = b".%d" % number
            path = os.path.join(directory, base_name[: _LONGEST - len(more)] + more)
        taken.add(path)
        missing = list[bytes]()
        while directory and (directory in made or not exists(directory)):
            missing.append(directory)
            directory = os.path.dirname(directory)
        made.update(missing)
        return above, path, tuple(reversed(missing))

    return place_of


def _step(
    number: int, saved: SavedAnswer, pair: SavedPair, duplicate: Victim, kept: Victim, place_of: _PlaceOf | None
) -> Step:
    """The step that acts on a duplicate: moves it to its place, if there are places, or else links it."""
    target_root, target, made = place_of(saved.path(pair.duplicate)) if place_of else (b"", b"", ())
    status = os.fstat(duplicate.descriptor)
    return Step(
        number=number,
        action=MOVE if place_of else HARDLINK,
        name=saved.printed(pair.duplicate),
        root=saved.roots[pair.duplicate.root]["path"],
        path=saved.below(pair.duplicate),
        target_root=target_root,
        target=target,
        made=made,
        size=duplicate.status.st_size,
        mode=stat.S_IMODE(status.st_mode),
        **{name: getattr(status, f"st_{name}") for name in ("mtime_ns", "atime_ns", "uid", "gid")},
        inode=duplicate.status.st_ino,
        kept_inode=kept.status.st_ino,
        sha256=duplicate.sha256,
    )


def _do(journal: Journal, step: Step, duplicate: Victim, kept: Victim) -> None:
    """Do a step, between two lines of the journal. NotDoneError: the file is as it was, and the journal says so.

    OutputError: the journal cannot be written, or what was done is uncertain. Then `undo` finds out.
    """
    with signals_deferred():
        journal.is_busy = True
        journal.begin(step)
        try:
            if step.action == MOVE:
                move(step, duplicate)
            else:
                hardlink(step, duplicate, kept)
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
def _ended(journal: Journal, what: str) -> Iterator[None]:
    """Write that a run, act or undo, begins; and that it has ended, whatever ended it, unless a step is half done."""
    journal.start(what)
    try:
        yield
    finally:
        if not journal.is_busy:
            journal.end()


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
            steps = list(read_journal(options.journal).open_steps())
            count = len(steps)
            yield [_row(step) for step, _ in steps]
            made = {os.path.join(step.target_root, path) for step, _ in steps for path in step.made}
            yield [("remove if empty", None, from_here(path)) for path in sorted(made, reverse=True)]
            return
        with written_journal(options.journal, create=False) as journal:
            steps = list(journal.open_steps())
            if steps or not journal.is_finished:
                with _ended(journal, "undo"):
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
