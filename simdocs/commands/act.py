"""act and undo: move duplicates away, or link them to the kept documents; and put them back, the last one first."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.options.answers import Drawn
from simdocs.options.declaration import option, switch
from simdocs.options.values import FRACTION, PATTERNS, path_name

if TYPE_CHECKING:
    from simdocs.engines.engine import Run
    from simdocs.model.result import Result


_EACH_PATH = "Compared with its path, or only with its name if GLOB has no slash. May be repeated."


class Act(Drawn):
    """Move duplicates away, or link them to what is kept.

    NAME.answer was written by simdocs dedupe -o NAME.answer. By default, nothing is changed: each action is only
    printed, with the bytes that it would move or free. Right before each action, both files are read again: they must
    have the contents of the answer, and still be similar. Otherwise the file is left as it is, and named. Each step is
    written to a journal first, NAME.answer.journal.jsonl, with which simdocs undo puts everything back.
    """

    command = "act"
    takes = MappingProxyType({"answer": ("NAME.answer", 1, False)})
    examples = (
        "simdocs act x.answer --move duplicates",
        "simdocs act x.answer --move duplicates --yes",
        "simdocs act x.answer --move duplicates --protect 'docs/final' --yes",
        "simdocs act x.answer --hardlink --yes",
    )
    usual = ("move", "hardlink", "yes", "protect", "only", "max_removed")

    answer: Any = b""

    move: bytes | None = option(
        path_name(directory=True), help="Move the duplicates to DIR. They keep their paths below it.", metavar="DIR"
    )
    hardlink: bool = switch("Replace byte-identical duplicates by hard links to the kept files.")
    yes: bool = switch("Do it. Without this, only print what would be done.")
    protect: tuple[str, ...] = option(
        PATTERNS, default=(), help=f"Leave files and directories alone that match GLOB. {_EACH_PATH}", metavar="GLOB"
    )
    only: tuple[str, ...] = option(
        PATTERNS, default=(), help=f"Act only on files and directories that match GLOB. {_EACH_PATH}", metavar="GLOB"
    )
    max_removed: float = option(
        FRACTION,
        default=0.5,
        help="Refuse to act if more than this fraction of the documents of an argument are duplicates.",
        metavar="SHARE",
    )
    any_length: bool = switch(
        "Also act on duplicates that repeat shingles, so that they are more than 1/threshold times as long as the"
        " kept document, or as short."
    )

    def _check(self) -> Iterator[str]:
        missing = "nothing to act on: name an answer, as in simdocs act NAME.answer"
        yield from self.checked_argument("answer", path_name(), missing)
        if self.move is not None and self.hardlink:
            yield "--move and --hardlink cannot be combined: choose one action"
        if self.move is None and not self.hardlink:
            yield "say what to do with the duplicates: --move or --hardlink"


def answer(options: Act, run: Run) -> Result:
    """What was done, or would be, to each duplicate of a saved answer.

    ArtifactError: the answer or the journal is damaged. UsageError: too many documents of an argument would be acted
    on. OutputError: the journal or the target cannot be written, an earlier run was interrupted, or this one cannot go
    on. LockedError: another run writes the journal.
    """
    from simdocs.commands.acted import acted

    return acted(options, run)


class Undo(Drawn):
    """Put back what simdocs act has done.

    JOURNAL is the file that simdocs act has written, NAME.answer.journal.jsonl. By default, nothing is changed: what
    would be put back is only printed. Nothing is ever overwritten. A file that cannot be put back is named with the
    place where it is. After a run of act or undo that was interrupted, undo puts back what that has done.
    """

    command = "undo"
    takes = MappingProxyType({"journal": ("JOURNAL", 1, False)})
    examples = ("simdocs undo x.answer.journal.jsonl", "simdocs undo x.answer.journal.jsonl --yes")
    usual = ("yes", "quiet", "verbose", "output")

    journal: Any = b""

    yes: bool = Act.options["yes"].but()

    def _check(self) -> Iterator[str]:
        missing = "nothing to undo: name a journal, as in simdocs undo NAME.answer.journal.jsonl"
        yield from self.checked_argument("journal", path_name(), missing)


def undo(options: Undo, run: Run) -> Result:
    """What was put back, or would be.

    InputError: the journal cannot be read. ArtifactError: it is damaged. OutputError: it
    cannot be written. LockedError: another run writes it.
    """
    from simdocs.commands.acted import put_back

    return put_back(options, run)
