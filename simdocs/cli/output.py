"""Where an answer goes, and in which format."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simdocs.families import FORMATS
from simdocs.model.answers import Answer
from simdocs.views.output_formats import harmless, names_nul_ended
from simdocs.views.table import table

if TYPE_CHECKING:
    from simdocs.storage.atomic_file import Sink


@dataclass(frozen=True, slots=True)
class Output:
    """How the user wants an answer."""

    output: str | None
    form: str | None
    header: bool
    color: str
    nul: bool = False

    def open(self) -> AbstractContextManager[Sink]:
        """The sink, opened before the work: what cannot be written fails now."""
        from simdocs.storage.atomic_file import published, stdout

        return stdout() if self.output is None else published(self.output)

    def draw(self, answer: Answer) -> Iterator[bytes]:
        """The answer's bytes."""
        if self.nul:
            return names_nul_ended(answer)
        name = self.form_name
        if name == "table":
            return table(answer, colored=self.colored)
        drawn: Iterator[bytes] = FORMATS[name].load().draw(answer, self.header)
        if self.output is None and _is_terminal():
            return (harmless(piece, json=name == "jsonl") for piece in drawn)
        return drawn

    @property
    def form_name(self) -> str:
        """The name of the format."""
        if self.form is not None:
            return self.form
        if self.output is not None:
            suffix = os.path.splitext(self.output)[1].removeprefix(".")
            return suffix if suffix in FORMATS else "tsv"
        return "table" if _is_terminal() else "tsv"

    @property
    def colored(self) -> bool:
        """Whether tables are coloured."""
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR"):
            return False
        dumb = os.environ.get("TERM") == "dumb" and not os.environ.get("FORCE_COLOR")
        return self.output is None and _is_terminal() and not dumb


def to_file(path: str | None) -> AbstractContextManager[Sink | None]:
    """A sink that publishes to this path; none where there is no path."""
    from simdocs.storage.atomic_file import published

    return nullcontext() if path is None else published(path)


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()
