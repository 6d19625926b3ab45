"""The names that an answer prints. Scripts remove what has such a name, so each leads to its document or nowhere."""

from __future__ import annotations

import os
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.line_names import LineNames
from simdocs.model.ragged import Array, Mask
from simdocs.model.skipped import Skip, Skipped


class Named(Protocol):
    """Documents by row, with their names."""

    def facts(self, rows: Array) -> NDArray[np.void]:
        """Their facts, (n,) FACTS."""

    def names(self, rows: Array) -> list[bytes]:
        """Their names, as recorded."""

    def printed_names(self, rows: Array) -> list[bytes]:
        """Their names, as paths that work in the working directory."""


class PrintedNames:
    """Names to print. A line whose name is also the path of something else is reported, and not printed."""

    def __init__(self, skipped: Skipped) -> None:
        self._skipped = skipped
        self._lines = LineNames()
        self._reported = set[bytes]()

    def of(self, documents: Named, rows: Array, *, kept: bool = False) -> tuple[list[bytes], Mask]:
        """The names of these rows, and which of them can be printed.

        kept: nobody removes these documents. Then standard input can always be printed, although a file may be called
        `-`, too.
        """
        printed = documents.printed_names(rows)
        fit = np.ones(len(printed), bool)
        if places := [place for place, path in enumerate(printed) if b"#" in path or path == b"-"]:
            some = np.asarray(rows)[places]
            containers = documents.facts(some)["container"].tolist()
            for place, name, container in zip(places, documents.names(some), containers, strict=True):
                path = printed[place]
                if container:
                    fit[place] = not self._lines.is_path(path, len(path) - len(name) + container)
                elif path == b"-" and not kept:
                    fit[place] = not os.path.lexists(path)
                if not fit[place]:
                    self._report(path)
        return printed, fit

    def _report(self, path: bytes) -> None:
        if path not in self._reported:
            self._reported.add(path)
            self._skipped.add(Skip("malformed", path, "is also the name of a file, so no answer has it"))
