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
    from simdocs.storage.output_stream import OutputStream


@dataclass(frozen=True, slots=True)
class Output:
    """How the user wants an answer."""

    output: str | None
    form: str | None
    header: bool
    color: str
    nul: bool = False

    def open(self) -> AbstractContextManager[OutputStream]:
        """The stream to write to, opened before the work: what cannot be written fails now."""
        from simdocs.storage.output_stream import stdout

        return stdout() if self.output is None else _file(self.output)

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


def to_file(path: str | None) -> AbstractContextManager[OutputStream | None]:
    """A stream that publishes to this path; None if there is no path."""
    return nullcontext() if path is None else _file(path)


def _file(path: str) -> AbstractContextManager[OutputStream]:
    from simdocs.artifacts.recognise import is_artifact
    from simdocs.storage.atomic_file import atomic_file

    return atomic_file(path, is_artifact)


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()
