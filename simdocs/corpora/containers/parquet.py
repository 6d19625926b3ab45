"""Parquet files: a row is a document. Row groups are read page by page, and only the columns of texts and ids.

To write rows to other files, they are read with all columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simdocs.corpora.compression import library, misnamed
from simdocs.corpora.containers.columns import ArrowObject, WantedColumns
from simdocs.corpora.containers.pages import first_page, largest_page
from simdocs.corpora.containers.rows import FLAGS
from simdocs.corpora.containers.tables import OpenTable, RowsTooLarge, TableFiles
from simdocs.errors import shown_memory
from simdocs.model.skipped import DocumentSkipped
from simdocs.parameters.texts import Sequences

_MAGIC, _ENCRYPTED = b"PAR1", b"PARE"
"""How Parquet files begin and end, and those whose metadata is encrypted."""

_BUFFER = 1 << 16
"""Bytes of a column that are read at once. Without it, pyarrow reads the column of a whole row group at once."""

_BATCH_BYTES, _BATCH_ROWS = 1 << 21, 1 << 13
"""Bytes and rows of a batch, if the rows of the row group are of the same size."""

_WHOLE_BYTES = 1 << 23
"""The same, if all columns are read."""

_UNFOLDED = 1 << 27
"""Bytes of a batch in which every row is the longest text of a dictionary. Any row of it may be as long as all of it,
so batches are short if the dictionary is large."""


def open_table(source: ArrowObject, fields: Sequences, limit: int) -> OpenTable:
    """Open the table in a file. Raises DocumentSkipped: malformed; the exceptions of pyarrow if the file is damaged."""
    return ParquetTable(_opened(source), source, fields, limit)


def _opened(source: ArrowObject) -> Any:
    """The pyarrow.parquet.ParquetFile of a file. Raises as `open_table` does."""
    parquet = library("pyarrow.parquet", "reading Parquet")
    _refuse_others(source)
    # A footer may say anything about the pages, so their checksums are compared where there are any.
    return parquet.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True)


def _refuse_others(source: ArrowObject) -> None:
    """Raise DocumentSkipped (malformed) if a file does not begin and end as Parquet does."""
    head = source.read(8)
    size = source.seek(0, 2)
    source.seek(max(0, size - 4))
    end = source.read(4)
    source.seek(0)
    if head[:4] == _ENCRYPTED or end == _ENCRYPTED:
        raise DocumentSkipped("malformed", "an encrypted Parquet file: decrypt it first")
    if size and head[:4] != _MAGIC:
        raise DocumentSkipped("malformed", misnamed(head, "a Parquet file", b".parquet"))
    if size < 12 or end != _MAGIC:
        why = "its end is missing" if size else "it is empty"
        raise DocumentSkipped("malformed", f"a Parquet file cut short: {why}")


class ParquetTable:
    """The table in a Parquet file: see OpenTable. Its units are row groups."""

    def __init__(self, file: Any, source: ArrowObject, fields: Sequences, limit: int) -> None:
        self._file, self._source, self._limit = file, source, limit
        self._metadata = file.metadata
        self.trouble: DocumentSkipped | None = None
        self.wanted = WantedColumns(file.schema_arrow, fields)
        self.firsts = [0]
        for unit in range(self._metadata.num_row_groups):
            self.firsts.append(self.firsts[-1] + self._metadata.row_group(unit).num_rows)
        paths = [self._metadata.schema.column(place).path for place in range(len(self._metadata.schema))]
        self._places = [place for place, path in enumerate(paths) if path in self.wanted.dotted]

    def batches(self, unit: int) -> Iterator[ArrowObject]:
        """Yield the rows of a row group."""
        rows = self._batch_rows(unit)
        return self._file.iter_batches(rows, [unit], self.wanted.dotted, use_threads=False)  # type: ignore[no-any-return]

    def _batch_rows(self, unit: int) -> int:
        """The number of rows of a batch. Raises RowsTooLarge: a page is too large."""
        group = self._metadata.row_group(unit)
        if not group.num_rows:
            return 1
        columns = [group.column(place) for place in self._places]
        rows: int = _BATCH_BYTES * group.num_rows // max(1, sum(each.total_uncompressed_size for each in columns))
        for column in columns:
            start, size = column.data_page_offset, column.total_compressed_size
            if column.has_dictionary_page:
                start = min(start, column.dictionary_page_offset)
                rows = min(rows, _UNFOLDED // max(1, first_page(self._source, start, size)))
            if column.total_uncompressed_size > self._limit:
                page = largest_page(self._source, start, size)
                if page > self._limit:
                    raise RowsTooLarge(f"a page of this row group takes {shown_memory(page)}")
        return max(1, min(rows, _BATCH_ROWS))


class ParquetSource:
    """A Parquet file with all its columns.

    schema: its schema. codecs: the compression of each column. dictionaries: the columns that are encoded with one.
    unit: what its units are called. total: how many rows it has.
    """

    unit = "row group"

    def __init__(self, source: ArrowObject) -> None:
        self._file = _opened(source)
        self.schema, self.total = self._file.schema_arrow, int(self._file.metadata.num_rows)
        self.codecs, self.dictionaries = dict[str, str](), list[str]()
        if self._file.metadata.num_row_groups:
            group = self._file.metadata.row_group(0)
            for column in map(group.column, range(group.num_columns)):
                codec = column.compression.lower()
                self.codecs[column.path_in_schema] = "none" if codec == "uncompressed" else codec
                if column.has_dictionary_page:
                    self.dictionaries.append(column.path_in_schema)

    def largest(self) -> tuple[int, int]:
        """The number of the largest row group, and its bytes before compression; zeros if there is none."""
        groups = range(self._file.metadata.num_row_groups)
        return max(((self._file.metadata.row_group(each).total_byte_size, each) for each in groups), default=(0, 0))[
            ::-1
        ]

    def batches(self) -> Iterator[tuple[int, ArrowObject]]:
        """Yield all rows as record batches, each with the number of its row group."""
        for unit in range(self._file.metadata.num_row_groups):
            group = self._file.metadata.row_group(unit)
            rows = max(1, min(_WHOLE_BYTES * group.num_rows // max(1, group.total_byte_size), _BATCH_ROWS))
            for batch in self._file.iter_batches(rows, [unit], use_threads=False):
                yield unit, batch


def open_writer(target: Any, schema: ArrowObject, source: Any) -> Any:
    """A writer of pyarrow into a file. source: of the rows. If it is a ParquetSource, its compression is kept."""
    parquet = library("pyarrow.parquet", "writing Parquet")
    if not isinstance(source, ParquetSource):
        return parquet.ParquetWriter(target, schema)
    codecs: Any = source.codecs or "snappy"
    if source.codecs:  # new columns have the compression of the others
        usual = next(iter(source.codecs.values()))
        codecs = {name: usual for name in FLAGS if name in schema.names} | source.codecs
    return parquet.ParquetWriter(target, schema, compression=codecs, use_dictionary=source.dictionaries or False)


PARQUET = TableFiles("parquet", open_table, "a Parquet file")
"""Parquet as a member of the family: see Container."""
