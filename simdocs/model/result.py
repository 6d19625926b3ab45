"""The answer to a question: a table, the lines of its summary, and the same as values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from simdocs.errors import UsageError
from simdocs.extras import needs
from simdocs.model.table import Look, Table, TableHead
from simdocs.names import display_name
from simdocs.options.declaration import loaded

if TYPE_CHECKING:
    from simdocs.model.documents import Documents
    from simdocs.model.skipped import Skipped
    from simdocs.options.values import Path

Lines: TypeAlias = Callable[[float, bool], Iterable[str]]
"""The lines of a summary: given the seconds that the answer took, and whether every figure is wanted."""

NO_TABLE = Table.of(TableHead(()), ())
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Result:
    """The answer to a question. It has the length of its table, and yields its rows.

    documents: the documents that were read; None if none were.
    skipped: the documents that were not compared; None if none were read.
    is_found: whether what was looked for is there, which an exit status can say.
    notes: notes about the answer, which the command always prints.
    advice: lines about what may suit the documents better.
    """

    def __init__(
        self,
        command: str,
        table: Table = NO_TABLE,
        *,
        lists: Mapping[str, Table] = _NOTHING,
        drawn: Callable[[Look], Iterable[Table]] | None = None,
        facts: Mapping[str, Any] = _NOTHING,
        lines: Lines = lambda _seconds, _verbose: (),
        documents: Documents | None = None,
        skipped: Skipped | None = None,
        is_found: bool = False,
        notes: Iterable[str] = (),
        advice: Iterable[str] = (),
    ) -> None:
        """The answer to the question of this command.

        table: the answer itself. lists: what can be listed instead, by the names of `--list`.
        drawn: returns the tables that are drawn, unless the answer itself is. facts, lines: the summary.
        """
        self._command, self._table, self._lists, self._drawn = command, table, lists, drawn
        self._facts, self._lines = facts, lines
        self.documents, self.skipped, self.is_found = documents, skipped, is_found
        self.notes, self.advice = tuple(notes), tuple(advice)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the answer, such as that many pairs at this threshold are missed."""
        return () if self.skipped is None else tuple(self.skipped.every_warning)

    def rows(self, listing: str | None = None) -> Iterator[Any]:
        """Yield the rows. listing: what is listed instead, as with `--list`. UsageError: there is no such list."""
        return iter(self._listed(listing))

    def __iter__(self) -> Iterator[Any]:
        return self.rows()

    def __len__(self) -> int:
        return sum(map(len, self._table.blocks()))

    def __bool__(self) -> bool:
        return next(self.rows(), None) is not None

    def to_arrow(self, listing: str | None = None) -> Any:
        """The answer as a pyarrow.Table, with the columns of its JSON Lines: string, double and int64.

        Cells without a value are null, and similarities are not rounded. Names that are not UTF-8 are in a further
        column, in base64. listing: what is listed instead, as with `--list`.

        MissingExtraError: pyarrow is not installed. UsageError: the answer has no such list.
        """
        from simdocs.model.arrow_tables import arrow_table

        return arrow_table(self._listed(listing))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The answer by the Arrow PyCapsule interface: see `to_arrow`."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self, listing: str | None = None) -> Any:
        """The answer as a pandas.DataFrame: see `to_arrow`. MissingExtraError: pyarrow or pandas is not installed."""
        needs("pandas", "to_pandas()")
        return self.to_arrow(listing).to_pandas()

    def write(
        self,
        path: Path,
        listing: str | None = None,
        *,
        format: str | None = None,  # noqa: A002  (as the option)
        header: bool = False,
    ) -> None:
        """Write the answer to a file as its command does with -o: in the format of the suffix, all or nothing.

        Names are those of `rows`. Of several tables, it is the first, unless the format has room for all.

        listing: what is listed instead, as with `--list`.
        format: the format, whatever the suffix.
        header: begin TSV with the names of the columns.

        UsageError: the answer has no such list, or cannot be written in this format; or a document would be replaced
        that was read for it. OutputError: the file cannot be
        written. MissingExtraError: the format needs a library that is not installed.
        """
        self._listed(listing)
        from simdocs.options.answers import Written

        given: dict[str, Any] = {"output": path, "format": format, "header": header}
        drawn = Written(asked=self._command, list=listing, **given)
        if drawn.path is None:
            raise UsageError("the path must be a file, not -: use /dev/stdout for standard output")
        if self.documents is not None:
            _refuse_to_replace(drawn.path, self.documents)
        loaded("simdocs.views.output:write")(self, drawn)

    def summary(self, seconds: float | None = None) -> dict[str, Any]:
        """The summary as values that JSON has. seconds: how long the answer took; None: that is not known."""
        return {**self._facts, "seconds": seconds} if "seconds" in self._facts else {}

    def _listed(self, listing: str | None) -> Table:
        if listing is None:
            return self._table
        if listing not in self._lists:
            offered = f"one of {', '.join(self._lists)}" if self._lists else "None"
            raise UsageError(f"listing must be {offered}, not {listing!r}")
        return self._lists[listing]

    def __repr__(self) -> str:
        documents = "" if self.documents is None else f"documents={len(self.documents)}, "
        return f"<{type(self).__name__} of {self._command}: {documents}rows={len(self)}>"


def tables_of(result: Result, look: Look, listing: str | None = None) -> Iterable[Table]:
    """The tables of a result that are drawn with this look. listing: what is listed instead, as with `--list`."""
    if listing is None and result._drawn is not None:
        return result._drawn(look)
    return (result._listed(listing),)


def lines_of(result: Result, seconds: float, *, verbose: bool = False) -> Iterable[str]:
    """The lines of the summary of a result. verbose: with every figure."""
    return result._lines(seconds, verbose)


def _refuse_to_replace(path: str, documents: Documents) -> None:
    """Raise UsageError if this is the path of a file that was read for the answer."""
    if not os.path.isfile(path):
        return
    import numpy as np

    status, files = os.stat(path), documents.sources.files
    met = {"inode": status.st_ino, "file_size": status.st_size, "mtime_ns": status.st_mtime_ns}
    if np.all([files[name] == value for name, value in met.items()], axis=0).any():
        problem = "this file was read for the answer and would be overwritten: choose another output file"
        raise UsageError(f"{display_name(os.fsencode(path))}: {problem}")
