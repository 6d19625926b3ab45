"""The results of act and undo: what was done to files, or would be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from simdocs.model.answers import NAME, NUMBER, Answer, Block, Look, Row, TableHead, table_head
from simdocs.model.figures import counted, size
from simdocs.model.skipped import Skipped
from simdocs.names import command_line, display_name

ACTED = table_head(action=NAME, duplicate=NAME, kept=NAME, to=NAME, bytes=NUMBER)
PUT_BACK = table_head(action=NAME, duplicate=NAME, place=NAME)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Steps(Answer):
    """What act and undo return: a row for each step."""

    HEAD: ClassVar[TableHead]

    is_done: bool
    count: int
    skipped: Skipped
    rows: tuple[Row, ...] = ()

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def blocks(self, look: Look) -> Iterator[Block]:  # noqa: ARG002
        """Yield the rows."""
        yield Block(self.HEAD, list(self.rows))

    @property
    def notes(self) -> tuple[str, ...]:
        """A note if nothing was done."""
        is_note = self.count and not self.is_done
        return ("nothing was changed: --yes does what is listed",) if is_note else ()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Acted(_Steps):
    """What act has done to duplicates, or would do.

    action: its name.
    is_done: whether it was done, and not only shown.
    count: the number of duplicates to which it was done.
    size: the bytes that they have on disk.
    journal: the path of the journal.
    skipped: what was left as it is, and why.
    rows: each of them: the action, its name, the name of the kept document, where it goes (None: nowhere), and the
        bytes that it has on disk; empty if they were handed over in blocks.
    """

    HEAD = ACTED

    action: str
    size: int
    journal: bytes

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
        """The summary as values that JSON has."""
        return {
            "action": self.action,
            "is_done": self.is_done,
            "acted": self.count,
            "bytes": self.size,
            "skipped": self.skipped.counts,
            "journal": display_name(self.journal) if self.is_done else None,
            "seconds": seconds,
        }

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Yield the lines of the summary."""
        left = self.skipped.counts.get("left", 0)
        is_move, what = self.action == "move", counted(self.count, "duplicate")
        done = "moved" if is_move else "hard-linked"
        done = f"{done} in {seconds:.2f} s" if self.is_done else f"would be {done}"
        done = f"{what} ({size(self.size)}) {done}" if is_move else f"{what} {done}, {size(self.size)} freed"
        yield done + (f"; {left:,} left as {'they are' if left > 1 else 'it is'}" if left else "")
        if self.is_done and self.count:
            yield f"to undo it: {command_line('undo', [display_name(self.journal)])} --yes"

    def __repr__(self) -> str:
        return f"<Acted: action={self.action}, is_done={self.is_done}, count={self.count}>"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PutBack(_Steps):
    """What undo has put back, or would.

    is_done: whether it was done, and not only shown.
    count: the number of files.
    skipped: what could not be put back, and why.
    rows: each of them: what is done, such as "undo move", its name, and the place from which it comes back (None: no
        other). If it is only shown, also what would be removed: no name, and its path as the place.
    """

    HEAD = PUT_BACK

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
        """The summary as values that JSON has."""
        facts: dict[str, Any] = {"is_done": self.is_done, "put_back": self.count}
        return facts | {"skipped": self.skipped.counts, "seconds": seconds}

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Yield the line of the summary."""
        left = self.skipped.counts.get("left", 0)
        done = f"put back in {seconds:.2f} s" if self.is_done else "would be put back"
        yield f"{counted(self.count, 'file')} {done}" + (f"; {left:,} not" if left else "")

    @property
    def notes(self) -> tuple[str, ...]:
        """A note if nothing was done."""
        if not self.count and not self.skipped.counts:
            return ("nothing is left to put back",)
        return super().notes

    def __repr__(self) -> str:
        return f"<PutBack: is_done={self.is_done}, count={self.count}>"
