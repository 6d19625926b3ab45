"""Questions that change documents: act, from a saved answer, and undo."""

from collections.abc import Iterator
from typing import Any, ClassVar

from simdocs.errors import Problem, UsageError, mention
from simdocs.parameters.answers import Summarising
from simdocs.parameters.texts import Acting
from simdocs.parameters.values import PathName
from simdocs.requests.request import Request, RequestRules, not_together, only


class ActRequest(Request):
    """Do something with the duplicates of a saved answer. answer: its path."""

    question = "act"

    answer: Any = b""
    acting: Acting
    summarising: Summarising

    def _check(self) -> Iterator[Problem]:
        yield from self._checked_argument("answer", PathName())

    def _one_action(self) -> Iterator[Problem]:
        if self.has("move") and self.has("hardlink"):
            yield not_together("move", "hardlink", why="choose one action")

    rules: ClassVar[RequestRules] = (_one_action,)

    @property
    def action(self) -> str:
        """The name of the action. UsageError: none was given."""
        for name in ("move", "hardlink"):
            if self.has(name):
                return name
        text = f"say what to do with the duplicates: {mention('move')} or {mention('hardlink')}"
        raise UsageError(Problem(text, "move", "hardlink"))


class UndoRequest(Request):
    """Put back what the runs of `act` have done that wrote a journal. journal: its path."""

    question = "undo"

    journal: Any = b""
    acting: Acting = only("yes")
    summarising: Summarising

    def _check(self) -> Iterator[Problem]:
        yield from self._checked_argument("journal", PathName())
