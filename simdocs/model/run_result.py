"""The common part of the results of all runs that read documents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from simdocs.errors import UsageError
from simdocs.model.answers import Answer
from simdocs.model.documents import EMPTY, IGNORED, ONE_TEXT, WITHOUT_TOKENS, Documents
from simdocs.model.figures import counted
from simdocs.model.skipped import WITHOUT_ROWS, Skipped, in_short
from simdocs.names import display_name

LooksLike = tuple[tuple[str, int], ...]
"""The kinds of container that documents look like, although each was read as one text; and the number of documents."""


class RunResult(Answer):
    """The result of a run that read documents, and may have skipped some."""

    __slots__ = ()

    if TYPE_CHECKING:  # or else the fields of dataclasses would have these as their defaults

        @property
        def documents(self) -> Documents | None:
            """The documents that were read, if any."""

        @property
        def skipped(self) -> Skipped:
            """The documents that were not compared."""

        @property
        def looks_like(self) -> LooksLike:
            """The kinds of container that documents look like, and the number of documents for each."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the answer, such as that many pairs at this threshold are missed."""
        return tuple(self.skipped.every_warning)

    def _refuse_to_replace(self, path: str) -> None:
        if self.documents is None or not os.path.isfile(path):
            return
        status, files = os.stat(path), self.documents.sources.files
        met = {"inode": status.st_ino, "file_size": status.st_size, "mtime_ns": status.st_mtime_ns}
        if np.all([files[name] == value for name, value in met.items()], axis=0).any():
            problem = "this file was read for the answer and would be overwritten: choose another output file"
            raise UsageError(f"{display_name(os.fsencode(path))}: {problem}")

    def _read(self) -> str:
        """The numbers of documents that were read and skipped, in words."""
        assert self.documents is not None
        empty, one_text, skipped = self.documents.flagged(EMPTY), self._read_as_one_text, self.skipped.counts
        rows_are_kept = self.skipped.keeps_rows
        alike = (f", {count:,} {'looks' if count == 1 else 'look'} like {name}" for name, count in self.looks_like)
        return (
            f"{counted(len(self.documents), 'document')}, {counted(self._bytes, 'byte')}"
            + (f", {empty:,} empty" if empty else "")
            + (f", {one_text:,} read as one text each (no rows with the text field)" if one_text else "")
            + "".join(alike)
            + "".join(
                f", {count:,} {'not compared' if rows_are_kept and name not in WITHOUT_ROWS else 'skipped'}"
                f": {in_short(name)}"
                for name, count in skipped.items()
            )
        )

    @property
    def _bytes(self) -> int:
        assert self.documents is not None
        return int(self.documents.facts["size"].sum())

    @property
    def _read_as_one_text(self) -> int:
        assert self.documents is not None
        return self.documents.flagged(ONE_TEXT)

    def _facts_of_documents(self) -> dict[str, Any]:
        """The number of documents that were read, as values that JSON has."""
        assert self.documents is not None
        return {
            "documents": len(self.documents),
            "bytes": self._bytes,
            "empty": self.documents.flagged(EMPTY),
            "read_as_one_text": self._read_as_one_text,
        }

    def _why_so_few(self, needed: int) -> str:
        """Why fewer documents than are needed can be compared; empty if there are enough."""
        assert self.documents is not None
        flags = self.documents.facts["flags"]
        compared = int(((flags & WITHOUT_TOKENS) == 0).sum())
        if compared >= needed:
            return ""
        if compared:
            same = "again" in self.skipped.counts
            return "there is only one document" + ", and the other names are of the same file" * same
        without = "all tokens of all documents are left out" if (flags & IGNORED).any() else "all documents are empty"
        return without if len(self.documents) else "there is no document"

    def _no_pair(self, lacking: str) -> str:
        """A sentence that there are no two texts to compare. lacking: what is not known for that reason."""
        why = self._why_so_few(2) or "no two different texts can be read"
        return f"nothing was compared: {why}, so there is no {lacking}"


def left_out_in_words(documents: Documents, ignored: int) -> list[str]:
    """A line with the number of tokens that are left out; no line if no token is."""
    if not ignored:
        return []
    tokens = f"{ignored:,} {'token is' if ignored == 1 else 'tokens are'}"
    return [f"{tokens} left out of all documents: {documents.share_left_out:.1%} of their tokens"]


def facts_left_out(documents: Documents, ignored: int) -> dict[str, Any]:
    """The number of tokens that are left out, and their fraction, as values that JSON has."""
    return {"ignored_tokens": ignored, "ignored_share": round(documents.share_left_out, 6)}
