"""act: move duplicates away, or link them to the kept documents."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.options.answers import Summarising
from simdocs.options.declaration import Options
from simdocs.options.output import Drawn
from simdocs.options.texts import Acting
from simdocs.options.values import Values, path_name, without_secret

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.acted import Acted


def one_action(options: Act) -> str:
    """One thing is done to a duplicate."""
    if options.move is not None and options.hardlink:
        return "--move and --hardlink cannot be combined: choose one action"
    if options.move is None and not options.hardlink:
        return "say what to do with the duplicates: --move or --hardlink"
    return ""


class Act(Acting, Summarising, Drawn):
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
    rules = (one_action,)

    answer: Any = b""

    def _check(self) -> Iterator[str]:
        yield from checked_path(self, "answer", "nothing to act on: name an answer, as in simdocs act NAME.answer")


A_PATH = path_name()


def checked_path(options: Options, name: str, missing: str, values: Values = A_PATH) -> Iterator[str]:
    """Put an argument that is a path into bytes. Yield what is wrong with it. missing: what is, if it is not there."""
    try:
        options.__dict__[name] = values.check(getattr(options, name))
    except ValueError as wanted:
        yield f"{name} must be {wanted}, not {without_secret(getattr(options, name))!r}"
        return
    if not getattr(options, name):
        yield missing


def answer(options: Act, run: Run) -> Acted:
    """What was done, or would be, to each duplicate of a saved answer.

    ArtifactError: the answer or the journal is damaged. UsageError: too many documents of an argument would be acted
    on. OutputError: the journal or the target cannot be written, an earlier run was interrupted, or this one cannot go
    on. LockedError: another run writes the journal.
    """
    from simdocs.commands.acted import acted

    return acted(options, run)
