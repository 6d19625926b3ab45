"""Parquet files: a row is a document. Row groups are read page by page, and only the columns of texts and ids.

To write rows to other files, they are read with all columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from simdocs.corpora.compression import library, misnamed
from simdocs.corpora.containers.columns import ArrowObject, WantedColumns, longest_shared
from simdocs.corpora.containers.pages import largest_page
from simdocs.corpora.containers.tables import OpenTable, RowsTooLarge, TableFiles
from simdocs.errors import shown_memory
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.texts import Sequences

_MAGIC, _ENCRYPTED = b"PAR1", b"PARE"
"""How Parquet files begin and end, and those whose metadata is encrypted."""

_BUFFER = 1 << 16
"""Bytes of a column that are read at once. Without it, pyarrow reads the column of a whole row group at once."""

_BATCH_BYTES, _BATCH_ROWS = 1 << 19, 1 << 13
"""Bytes and rows of a batch, if the rows of the row group are of the same size."""

_WHOLE_BYTES = 1 << 22
"""The same, if all columns are read."""

_UNFOLDED = 8
"""How many times as large a batch may be in which every row has the longest values of the dictionaries. A small file
may have many rows that share a long value."""


_OTHERS = 1 << 20
"""Bytes of values outside of the dictionary with which a column may be read as one."""


def open_table(source: ArrowObject, fields: Sequences, limit: int) -> OpenTable:
    """Open the table in a file. Raises DocumentSkipped: malformed; the exceptions of pyarrow if the file is damaged."""
    return ParquetTable(_opened(source), source, fields, limit)


def _opened(source: ArrowObject, **options: Any) -> Any:
    """The pyarrow.parquet.ParquetFile of a file. Raises as `open_table` does."""
    parquet = library("pyarrow.parquet", "reading Parquet")
    _refuse_others(source)
    # A footer may say anything about the pages, so their checksums are compared where there are any.
    fixed = {"buffer_size": _BUFFER, "pre_buffer": False, "page_checksum_verification": True}
    return parquet.ParquetFile(source, **fixed, **options)


def _refuse_others(source: ArrowObject) -> None:
    """Raise DocumentSkipped (malformed) if a file does not begin and end as Parquet does."""
    source.seek(0)
    head = source.read(8)
    size = source.seek(0, 2)
    source.seek(max(0, size - 4))
    end = source.read(4)
    if head[:4] == _ENCRYPTED or end == _ENCRYPTED:
        raise DocumentSkipped("malformed", "an encrypted Parquet file: decrypt it first")
    if size and head[:4] != _MAGIC:
        raise DocumentSkipped("malformed", misnamed(head, "a Parquet file", b".parquet"))
    if size < 12 or end != _MAGIC:
        why = "its end is missing" if size else "it is empty"
        raise DocumentSkipped("malformed", f"a Parquet file cut short: {why}")


def _firsts(metadata: Any) -> list[int]:
    """The row with which each row group begins, and the number of all rows."""
    counts = (metadata.row_group(unit).num_rows for unit in range(metadata.num_row_groups))
    return list(accumulate(counts, initial=0))


class _Shared(NamedTuple):
    """A column whose rows may share the values of a dictionary.

    path: its path. longest: the bytes of a row in which every value is the longest one, or more if that is unknown.
    stays: whether it can be read as a dictionary. pyarrow would keep all values that are not in it until the row group
        ends, so there may be few of them.
    """

    path: str
    longest: int
    stays: bool


def _shared(file: Any, source: ArrowObject, unit: int, places: list[int]) -> Iterator[_Shared]:
    """Yield those of these columns of a row group that have a dictionary of strings."""
    group = file.metadata.row_group(unit)
    for column in map(group.column, places if group.num_rows else ()):
        if column.has_dictionary_page and column.physical_type == "BYTE_ARRAY":
            path, size = column.path_in_schema, column.total_uncompressed_size
            array = _first_rows(file, source, unit, path)
            if array is None:
                yield _Shared(path, size, stays=False)
            else:
                longest = longest_shared(array) * -(-column.num_values // group.num_rows)
                yield _Shared(path, longest, stays=size <= array.dictionary.nbytes + 4 * column.num_values + _OTHERS)


def _first_rows(file: Any, source: ArrowObject, unit: int, path: str) -> ArrowObject | None:
    """The values of some rows as an array of a dictionary; None if there are none, or pyarrow does not read them so."""
    folded = _opened(source, metadata=file.metadata, read_dictionary=[path])
    for rows in 1, 1 << 10:  # of a column of lists, the first rows may have no values
        batch = next(folded.iter_batches(rows, [unit], [path], use_threads=False), None)
        array = None if batch is None else batch.column(0)
        while array is not None and not hasattr(array, "dictionary"):
            array = array.values if hasattr(array, "values") else array.field(0) if array.type.num_fields else None
        if array is not None and len(array.dictionary):
            return array
    return None


def _rows_at_once(group: Any, places: list[int], shared: list[_Shared], usual: int) -> int:
    """The number of rows of a batch of these columns of a row group. shared: those that are not read as dictionaries.

    usual: the bytes of a batch whose rows are of one size.
    """
    rows: int = usual * group.num_rows // max(1, sum(group.column(place).total_uncompressed_size for place in places))
    return max(1, min(rows, _UNFOLDED * usual // max(1, sum(each.longest for each in shared)), _BATCH_ROWS))


class ParquetTable:
    """The table in a Parquet file: see OpenTable. Its units are row groups."""

    def __init__(self, file: Any, source: ArrowObject, fields: Sequences, limit: int) -> None:
        self._file, self._source, self._limit = file, source, limit
        self._metadata = file.metadata
        self.trouble: DocumentSkipped | None = None
        self.wanted = WantedColumns(file.schema_arrow, fields)
        self.firsts = _firsts(self._metadata)
        paths = [self._metadata.schema.column(place).path for place in range(len(self._metadata.schema))]
        self._places = [place for place, path in enumerate(paths) if path in self.wanted.dotted]

    def batches(self, unit: int) -> Iterator[ArrowObject]:
        """Yield the rows of a row group."""
        group = self._metadata.row_group(unit)
        for column in map(group.column, self._places):
            if column.total_uncompressed_size > self._limit:
                start = column.data_page_offset
                if column.has_dictionary_page:
                    start = min(start, column.dictionary_page_offset)
                page = largest_page(self._source, start, column.total_compressed_size)
                if page > self._limit:
                    raise RowsTooLarge(f"a page of this row group takes {shown_memory(page)}")
        shared = list(_shared(self._file, self._source, unit, self._places))
        folded = [each.path for each in shared if each.stays]
        rows = _rows_at_once(group, self._places, [each for each in shared if not each.stays], _BATCH_BYTES)
        file = _opened(self._source, metadata=self._metadata, read_dictionary=folded) if folded else self._file
        return file.iter_batches(rows, [unit], self.wanted.dotted, use_threads=False)  # type: ignore[no-any-return]


class ParquetSource:
    """A Parquet file with all its columns.

    schema: its schema. codec: the compression of its first column.
    firsts: the row with which each row group begins, and the number of all rows. trouble: see OpenTable.
    """

    trouble: DocumentSkipped | None = None

    def __init__(self, source: ArrowObject) -> None:
        self._source, self._file = source, _opened(source)
        self.schema, self.firsts = self._file.schema_arrow, _firsts(self._file.metadata)
        metadata, self.codec = self._file.metadata, "snappy"
        if metadata.num_row_groups and metadata.num_columns:
            self.codec = metadata.row_group(0).column(0).compression.lower()

    def batches(self, unit: int) -> Iterator[ArrowObject]:
        """Yield the rows of a row group as record batches."""
        places = list(range(len(self._file.metadata.schema)))
        shared = list(_shared(self._file, self._source, unit, places))
        rows = _rows_at_once(self._file.metadata.row_group(unit), places, shared, _WHOLE_BYTES)
        return self._file.iter_batches(rows, [unit], use_threads=False)  # type: ignore[no-any-return]


def open_writer(target: Any, schema: ArrowObject, source: Any) -> Any:
    """A writer of pyarrow into a file. source: of the rows. If it is a ParquetSource, its compression is kept."""
    codec = source.codec.replace("uncompressed", "none") if isinstance(source, ParquetSource) else "snappy"
    return library("pyarrow.parquet", "writing Parquet").ParquetWriter(target, schema, compression=codec)


PARQUET = TableFiles("parquet", open_table, "a Parquet file")
"""Parquet as a member of the family: see Container."""
