"""The documents that were skipped, which means not compared, and why. Nothing is dropped in silence."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from simdocs.model.figures import counted
from simdocs.names import display_name, name_to_text, path_from

JUDGED: Mapping[str, str] = MappingProxyType(
    {
        "binary": "a binary file (a NUL byte in the first 8 KiB)",
        "hidden": "a hidden name (--hidden includes them)",
        "link": "a symbolic link (--follow follows them)",
        "special": "a FIFO, socket or device",
        "vanished": "gone since the walk",
        "again": "a file that was already read",
        "known": "already in the index",
        "ignored": "all its tokens are left out",
        "artifact": "a simdocs artifact, or a temporary file of one",
        "described": "a file without rows of a saved data set (such as state.json)",
        "uninstalled": "needs a library that is not installed (pip install 'simdocs[datasets]')",
    }
)
"""Reasons that leave nothing open: skipped documents are counted, and named if the user asks for it."""

WITHOUT_ROWS = frozenset(("hidden", "link", "special", "again", "artifact", "described"))
"""Reasons why a walk leaves out files. If rows are written, those of such a file are not among them."""

UNJUDGED: Mapping[str, str] = MappingProxyType(
    {
        "unreadable": "cannot be read",
        "named": "named, but not compared",
        "oversized": "larger than --max-size",
        "changed": "changed while it was read",
        "malformed": "malformed",
        "unverified": "its text cannot be read again, or has changed",
        "left": "left as it is",
        "capped": "kept, but not compared with all documents kept before it (--max-candidates)",
    }
)
"""Reasons that leave open what a document is similar to: the documents are always named, and the exit status is 3."""


GONE, ALTERED, WITHOUT_FILE = "gone", "changed", "it came from no file"
"""The details of unverified documents: the file no longer exists; the text is no longer the one that was read; the text
was one in memory, or from standard input."""

OF_UNVERIFIED: Mapping[str, str] = MappingProxyType(
    {GONE: "its file is gone", ALTERED: "its text has changed since it was read"}
)
"""These details in words. Any other says why the text cannot be read again."""


def explanation(reason: str) -> str:
    """The reason in words."""
    return UNJUDGED.get(reason) or JUDGED[reason]


def in_short(reason: str) -> str:
    """The beginning of the explanation, which docs/output.md lists with the reason."""
    return explanation(reason).partition(" (")[0]


class Skip(NamedTuple):
    """A skipped document.

    reason: a key of JUDGED or UNJUDGED.
    name: the name of the document or directory; if a document in a file was skipped, that of the file.
    detail: what exactly is wrong, or empty.
    line: the number of the document in the file; 0 if the whole file was skipped.
    root: the directory from which a name in an artifact is found; empty for the working directory.
    noun: what messages call a document in the file.
    """

    reason: str
    name: bytes
    detail: str = ""
    line: int = 0
    root: bytes = b""
    noun: str = "line"

    @property
    def shown_name(self) -> bytes:
        """The name as a path that works in the working directory, and its number in the file, if it has one."""
        name = path_from(self.root, self.name)
        return b"%b, %b %d" % (name, self.noun.encode(), self.line) if self.line else name

    def of_argument(self) -> Skip:
        """The skip of a file that was named as an argument: it is reported in any case."""
        passed_by = self.reason in ("binary", "special", "vanished")
        return self._replace(reason="named", detail=self.detail or explanation(self.reason)) if passed_by else self

    def of_walk(self) -> Skip:
        """The skip that `of_argument` has changed, or this one."""
        reasons = {JUDGED["special"]: "special", JUDGED["vanished"]: "vanished"}
        return self._replace(reason=reasons.get(self.detail, "binary")) if self.reason == "named" else self


FIRST = 10
"""The number of skips of each reason that are named unless the user asks for all of them."""


def _order(skip: Skip) -> tuple[bytes, int, str, Skip]:
    return skip.name, skip.line, skip.detail, skip


@dataclass(slots=True)
class Skipped:
    """The skipped documents of a run, counted by reason; and warnings.

    warnings: lines about other things that the user should know.
    most: the number of skips of each reason that are kept, the first by name and line, so that millions of malformed
        lines take no memory; 0: all are kept. Files that need a library are all kept: an update has to know them.
    explained: reasons that a warning explains, so that the documents need not be named.
    unlisted: the paths of directories that could not be listed, and of what could not be looked at.
    tell: is called with every skip when it is added.
    keeps_rows: whether rows of files are written, also those that could not be compared.
    """

    warnings: list[str] = field(default_factory=list)
    most: int = 0
    explained: set[str] = field(default_factory=set, repr=False, compare=False)
    unlisted: set[bytes] = field(default_factory=set, repr=False, compare=False)
    tell: Callable[[Skip], None] | None = field(default=None, repr=False, compare=False)
    keeps_rows: bool = field(default=False, repr=False, compare=False)
    _counts: dict[str, int] = field(default_factory=dict)
    _kept: dict[str, list[Skip]] = field(default_factory=dict)

    def add(self, skip: Skip) -> None:
        """Add a skipped document."""
        self._counts[skip.reason] = self._counts.get(skip.reason, 0) + 1
        if self.tell is not None:
            self.tell(skip)
        kept = self._kept.setdefault(skip.reason, [])
        if not self.most or skip.reason == "uninstalled":
            kept.append(skip)
        else:
            insort(kept, skip, key=_order)
            del kept[self.most :]

    def count(self, reason: str, more: int) -> None:
        """Count this many more documents, which are not named."""
        self._counts[reason] = self._counts.get(reason, 0) + more

    def extend(self, skips: Iterable[Skip]) -> None:
        """Add these skipped documents."""
        for skip in skips:
            self.add(skip)

    @property
    def by_reason(self) -> dict[str, list[tuple[str, str]]]:
        """The skipped documents by reason: the name of each, and what is wrong.

        A name keeps every byte, like `Documents.name`. The text about a document in a file begins with its number.
        """

        def said(skip: Skip) -> str:
            return f"{skip.noun} {skip.line}: {skip.detail}" if skip.line else skip.detail

        return {reason: [(name_to_text(skip.name), said(skip)) for skip in self.kept(reason)] for reason in self.counts}

    @property
    def counts(self) -> dict[str, int]:
        """The number of skipped documents by reason, in the order of the tables of reasons."""
        return {reason: self._counts[reason] for reason in (*JUDGED, *UNJUDGED) if reason in self._counts}

    def kept(self, reason: str) -> list[Skip]:
        """The documents skipped for this reason, by name and line; or the first of them: see `most`."""
        return sorted(self._kept.get(reason, ()), key=_order)

    @property
    def every_warning(self) -> list[str]:
        """All warnings. The first one counts the files that need a library which is not installed, if there are any."""
        unread = self.kept("uninstalled")
        if not unread:
            return list(self.warnings)
        return [
            f"{display_name(unread[0].shown_name)}{and_more(len(unread))} skipped: {unread[0].detail}",
            *self.warnings,
        ]

    @property
    def unjudged_counts(self) -> dict[str, int]:
        """The number of documents that could not be judged, by reason."""
        return {reason: count for reason, count in self.counts.items() if reason in UNJUDGED}

    @property
    def unjudged_in_words(self) -> str:
        """These counts with their reasons in words."""
        return "; ".join(f"{count:,}: {in_short(reason)}" for reason, count in self.unjudged_counts.items())

    @property
    def unjudged(self) -> int:
        """The number of documents that could not be judged."""
        return sum(self.unjudged_counts.values())


def and_more(files: int) -> str:
    """The words after the name of the first of some files: how many more there are."""
    return f" and {counted(files - 1, 'more file', 'more files')}" if files > 1 else ""


REPLACED = "replaced after it was found"
"""The detail of the reason `changed` if another file, or a link, now has the name of the file that a walk found."""


class DocumentSkipped(Exception):  # noqa: N818  (the run goes on without the document)
    """A document is skipped.

    reason: a key of JUDGED or UNJUDGED.
    detail: what exactly is wrong, or empty.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail

    @classmethod
    def of(cls, error: OSError) -> DocumentSkipped:
        """The exception for an error in opening or reading a file. The reason is vanished or unreadable."""
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return cls("vanished")
        return cls("unreadable", error.strerror or str(error))
