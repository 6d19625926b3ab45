"""Parquet and Arrow files, which pyarrow reads: a row is a document. Only the columns of texts and ids are read."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from simdocs.model.ragged import BATCH_BYTES, Index
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.recipes import Sequences
from simdocs.reading.batches import FileRow, FileRows, rows_of
from simdocs.reading.compression import library, misnamed
from simdocs.reading.decode import NoTable, binary_format
from simdocs.reading.files import Source

_WHAT = {"parquet": "a Parquet file", "arrow": "an Arrow file"}

_BUFFER = 1 << 16
"""Bytes of a column that are read at once. Without it, pyarrow reads the column of a whole row group at once."""

_MOST_ROWS = 1 << 8
"""The most rows that are read at once. In some tables all rows share one long text."""

_NO_MEMORY = re.compile("alloc of size [0-9]+ failed|bad_alloc|not enough memory")
"""What errors say if memory has run out."""


@contextmanager
def damage_named(source: Source, form: str) -> Iterator[None]:
    """Turn the exceptions of pyarrow into DocumentSkipped: changed, unreadable, malformed.

    Raises MemoryError if memory has run out, also where pyarrow reports that as an error of another kind.
    """
    try:
        yield
    except (ValueError, IndexError, KeyError, TypeError, NotImplementedError, OSError) as error:
        if getattr(error, "errno", None) == errno.ENOMEM or _NO_MEMORY.search(str(error)):
            raise MemoryError(str(error)) from None
        if source.has_changed():
            raise DocumentSkipped("changed") from None
        if isinstance(error, OSError) and error.errno:
            raise DocumentSkipped.of(error) from None
        said = (str(error).strip() or type(error).__name__).splitlines()[0][:200].rstrip(". ")
        raise DocumentSkipped("malformed", f"{_WHAT[form]} that is damaged, or cannot be read: {said}") from None


def open_table(source: Source, form: str) -> tuple[Any, Any]:
    """A file with a table, open in pyarrow: a ParquetFile, or a reader of a file or a stream of Arrow; and the file.

    Raises DocumentSkipped: malformed, uninstalled; and what pyarrow raises.
    """
    head, file = source.interval(0, 8), source.for_pyarrow()
    if not head:
        raise DocumentSkipped("malformed", f"{_WHAT[form]} cut short: it is empty")
    if form == "parquet":
        parquet = library("pyarrow.parquet", "reading Parquet")
        if head[:4] not in (b"PAR1", b"PARE"):
            raise DocumentSkipped("malformed", misnamed(head, _WHAT[form], b".parquet"))
        return parquet.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True), file
    ipc = library("pyarrow.ipc", "reading Arrow")
    is_file, is_stream = head[:6] == b"ARROW1", head[:4] == b"\xff\xff\xff\xff"
    # Streams of Arrow 0.14 and earlier begin with the length of the schema, which is far below 16 MB, unlike any text.
    is_old = 8 <= int.from_bytes(head[:4], "little") < 1 << 24 and not binary_format(head)
    if not (is_file or is_stream or is_old):
        raise DocumentSkipped("malformed", misnamed(head, _WHAT[form], b".arrow"))
    return (ipc.open_file if is_file else ipc.open_stream)(file, options=ipc.IpcReadOptions(use_threads=False)), file


def _with_columns(table: Any, file: Any, columns: list[str]) -> Any:
    """The same table, of which these columns alone are read from its beginning on. Parquet gets them later."""
    if hasattr(table, "num_row_groups"):
        return table
    ipc, places = library("pyarrow.ipc", "reading Arrow"), [table.schema.names.index(name) for name in columns]
    file.seek(0)
    opener = ipc.open_file if hasattr(table, "num_record_batches") else ipc.open_stream
    return opener(file, options=ipc.IpcReadOptions(use_threads=False, included_fields=sorted(places)))


def numbered_batches(
    table: Any, file: Any, columns: list[str] | None = None, wanted: Index | None = None
) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a table as record batches, each with the number of its row group or record batch.

    table, file: see `open_table`. columns: those that are read of Parquet; None: all. wanted: the numbers of the
    rows that are wanted, ascending; of a row group without any, only the number of rows is yielded. None: all are
    wanted. DocumentSkipped: malformed (a stream of Arrow has ended, and the file goes on).
    """
    if not hasattr(table, "num_row_groups"):
        numbers = range(table.num_record_batches) if hasattr(table, "num_record_batches") else None
        for number, batch in enumerate(table if numbers is None else map(table.get_batch, numbers)):
            # A batch of nulls may have 500 bytes and say that it has any number of rows.
            yield from ((number, batch.slice(at, _MOST_ROWS)) for at in range(0, batch.num_rows, _MOST_ROWS))
        if numbers is None and file.read(1):
            raise DocumentSkipped("malformed", "bytes after the end of the stream")
        return
    first = 1
    for number in range(table.num_row_groups):
        group = table.metadata.row_group(number)
        if wanted is not None and not np.diff(np.searchsorted(wanted, (first, first + group.num_rows))):
            yield number, group.num_rows
        elif group.num_rows:
            each = [group.column(place) for place in range(group.num_columns)]
            size = sum(
                one.total_uncompressed_size
                for one in each
                if columns is None or one.path_in_schema.partition(".")[0] in columns
            )
            rows = max(1, min(_MOST_ROWS, 2 * BATCH_BYTES * group.num_rows // max(size, 1)))
            for batch in table.iter_batches(rows, [number], columns, use_threads=False):
                yield number, batch
        first += group.num_rows


def read_table(source: Source, form: str, fields: Sequences, wanted: Index | None = None) -> Iterator[FileRows]:
    """Yield the rows of a file, or those with the wanted numbers."""
    return rows_of(source, form, _rows(source, form, fields, wanted), wanted)


def _rows(source: Source, form: str, fields: Sequences, wanted: Index | None) -> Iterator[FileRow]:
    with damage_named(source, form):
        table, file = open_table(source, form)
        schema = schema_of(table)
        of_texts = [_column(schema, name) for name in fields.text_field]
        columns = list(dict.fromkeys(filter(None, (*of_texts, _column(schema, fields.id_field)))))
        if twice := next((name for name in columns if schema.names.count(name) > 1), ""):
            count = schema.names.count(twice)
            raise NoTable(f"{count} columns have the name {twice!r}", "rename all but one", or_text=False)
        of_numbers = next((name for name in of_texts if name and not _may_hold_texts(schema.field(name).type)), "")
        shape = {each.name: _inner(each.type) for each in schema} if not all(of_texts) else {}
        for _, batch in numbered_batches(_with_columns(table, file, columns), file, columns, wanted):
            source.at = file.tell()
            if isinstance(batch, int):
                yield batch, 0
            elif of_numbers:
                kind = f"the column {of_numbers!r} has the type {schema.field(of_numbers).type}, not strings"
                raise NoTable(kind, "name another with --text-field", or_text=False)
            elif shape:
                yield from [(shape, 0)] * batch.num_rows
            else:
                size = batch.nbytes // batch.num_rows
                for row in zip(*(_values(batch.column(name)) for name in columns), strict=True):
                    yield dict(zip(columns, row, strict=True)), size


def schema_of(table: Any) -> Any:
    """The schema of a table: see `open_table`."""
    return table.schema_arrow if hasattr(table, "num_row_groups") else table.schema


def _column(schema: Any, field: str) -> str:
    """The column of a table that has a field, or fields that lead to it: see `value_of`; empty if there is none."""
    while field and field not in schema.names:
        field = field.rpartition(".")[0]
    return field


def _inner(kind: Any) -> dict[str, None] | None:
    """The fields within a column of this type, if it has any."""
    return (
        {kind.field(place).name: None for place in range(kind.num_fields)} if str(kind).startswith("struct") else None
    )


def _may_hold_texts(kind: Any) -> bool:
    """Whether values of this type may be strings, or hold some."""
    types = library("pyarrow", "reading tables").types
    return not (types.is_primitive(kind) or types.is_null(kind) or types.is_binary(kind) or types.is_large_binary(kind))


def _values(column: Any) -> list[Any]:
    """The values of a column; bytes in place of a text that is not UTF-8."""
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except UnicodeDecodeError:
        return [_value(each) for each in column]


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return b""
