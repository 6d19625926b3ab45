"""undo: put back what the journal of act says, the last step first."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.commands.act import Act, checked_path
from simdocs.options.answers import Drawn

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.result import Result


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
        yield from checked_path(self, "journal", missing)


def answer(options: Undo, run: Run) -> Result:
    """What was put back, or would be.

    InputError: the journal cannot be read. ArtifactError: it is damaged. OutputError: it
    cannot be written. LockedError: another run writes it.
    """
    from simdocs.commands.acted import put_back

    return put_back(options, run)
