"""An answer in parts: files in a directory, or objects below a prefix, which together are the answer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simdocs.storage.atomic_tree import DraftTree, atomic_tree
from simdocs.storage.output_stream import OutputStream
from simdocs.storage.targets import IsArtifact

if TYPE_CHECKING:
    from simdocs.storage.stored_output import StoredTree

PART_BYTES, PART_ROWS = 128 << 20, 1 << 21
"""The size of a part: as many bytes and the rest of the row, or as many rows of a binary format. Neither depends on how
the rows come, so the parts are always the same."""


class PartedStream(OutputStream):
    """Writes an answer to one part after the other. A part ends with a row, and the next begins if there is more.

    suffix: of the names of the parts, with its dot. end_mark: the byte at the end of each row; empty: `next_part` ends
    the parts. quoted: whether it may also be within a row, between quotation marks, of which there is then an odd
    number before it.
    """

    def __init__(
        self,
        tree: DraftTree | StoredTree,
        opened: contextlib.ExitStack,
        name: str,
        suffix: str,
        end_mark: bytes,
        *,
        quoted: bool,
    ) -> None:
        super().__init__(-1, name)
        self._tree, self._opened, self._suffix, self._end_mark, self._quoted = tree, opened, suffix, end_mark, quoted
        self._number, self._written, self._quotes, self._prepared = 0, 0, 0, False
        self._part = self._begin()

    def _begin(self) -> OutputStream:
        return self._opened.enter_context(self._tree.file(f"part-{self._number:05}{self._suffix}"))

    def write(self, data: bytes) -> None:
        """Write bytes to this part, and to the next ones if it is full."""
        at = 0
        while at < len(data):
            if self._end_mark and self._written >= PART_BYTES and self._ends:
                self.next_part()
            end = self._end_of_part(data, at)
            piece = data[at:end] if at or end < len(data) else data
            self._part.write(piece)
            self._written += len(piece)
            self._quotes += piece.count(b'"') if self._quoted else 0
            self._ends = piece.endswith(self._end_mark) and not self._quotes % 2
            at = end

    _ends = False
    """Whether what was written ends with a row."""

    def _end_of_part(self, data: bytes, at: int) -> int:
        """Where the bytes of this part end, of those from `at` on: after a mark, or at the end of the data."""
        if not self._end_mark or self._written + len(data) - at < PART_BYTES:
            return len(data)
        searched, quotes, end = at, self._quotes, max(at, at + PART_BYTES - self._written - 1)
        while (found := data.find(self._end_mark, end)) >= 0:
            end = found + 1
            quotes += data.count(b'"', searched, end) if self._quoted else 0
            searched = end
            if not quotes % 2:
                return end
        return len(data)

    def next_part(self) -> None:
        """End this part, and begin the next one."""
        self._opened.pop_all().close()
        self._number, self._written, self._quotes = self._number + 1, 0, 0
        self._part = self._begin()

    def flush(self) -> None:
        """Write everything that this part holds."""
        if not self._prepared:
            self._part.flush()

    def prepare(self) -> None:
        """End the last part, so that nothing but publishing can fail any more."""
        if not self._prepared:
            self._opened.pop_all().close()
            self._tree.prepare()
            self._prepared = True


@contextlib.contextmanager
def atomic_parts(
    path: str, suffix: str, end_mark: bytes, is_artifact: IsArtifact, *, quoted: bool
) -> Iterator[PartedStream]:
    """Open a stream that becomes parts and `_SUCCESS` in the directory, or below the prefix, `path` at the end.

    For the parameters see `PartedStream`; for what is replaced, and for the errors, `atomic_tree`.
    """
    with atomic_tree(path, None, is_artifact) as tree, contextlib.ExitStack() as opened:
        parts = PartedStream(tree, opened, path, suffix, end_mark, quoted=quoted)
        yield parts
        parts.prepare()
