"""Tables of answers as Arrow: the type of each column, and rows as columns with these types."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from simdocs.extras import needs
from simdocs.model.result import NAME, NUMBER, SIMILARITY, VALUE, Row, Table, TableHead, plain

_ENCODED = "_b64"
"""What follows the name of the column for names that are not UTF-8, as in JSON Lines."""


def arrow_table(table: Table) -> Any:
    """A table as a pyarrow.Table. MissingExtraError: there is no pyarrow."""
    arrow = needs("pyarrow", "to_arrow()")
    rows = list(table)
    columns = ArrowColumns(arrow, table.head, rows)
    return arrow.Table.from_batches([columns.batch(rows)], columns.schema)


class ArrowColumns:
    """The columns of a table with Arrow types: string, double and int64.

    A cell without a value is null. If a name is not UTF-8, it is null in its column, and in base64 in a further one.
    """

    def __init__(self, arrow: Any, head: TableHead, rows: Sequence[Row]) -> None:
        """arrow: the module pyarrow. rows: the first ones, in which a column has names that are not UTF-8 or not."""
        self._arrow, self._head, self._with_encoded = arrow, head, set[str]()
        text, number = arrow.string(), arrow.float64()
        self._types = {NAME: text, VALUE: text, SIMILARITY: number, NUMBER: arrow.int64()}
        fields = list[Any]()
        for at, (name, kind) in enumerate(head.columns):
            fields.append(arrow.field(name, self._types[kind]))
            if kind in (NAME, VALUE) and any(_texts([row[at] for row in rows])[1]):
                self._with_encoded.add(name)
                fields.append(arrow.field(name + _ENCODED, text))
        self.schema = arrow.schema(fields)

    def batch(self, rows: Sequence[Row]) -> Any:
        """These rows as a pyarrow.RecordBatch. UnicodeError: a name is not UTF-8, and there is no column for it."""
        arrays = list[Any]()
        for at, (name, kind) in enumerate(self._head.columns):
            cells = [row[at] for row in rows]
            if kind not in (NAME, VALUE):
                values = [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells]
                arrays.append(self._arrow.array(values, self._types[kind]))
                continue
            texts, encoded = _texts(cells)
            arrays.append(self._arrow.array(texts, self._arrow.string()))
            if name in self._with_encoded:
                arrays.append(self._arrow.array(encoded, self._arrow.string()))
            elif any(encoded):
                raise UnicodeError(f"{name} has a name that is not UTF-8")
        return self._arrow.record_batch(arrays, schema=self.schema)


def _texts(cells: Sequence[Any]) -> tuple[list[str | None], list[str | None]]:
    """Names and numbers as text, and those names that are not UTF-8 in base64. Names in memory may be of any type."""
    texts, encoded = list[str | None](), list[str | None]()
    for cell in cells:
        name = plain(cell if isinstance(cell, bytes | int | float | None) else str(cell))
        try:
            texts.append(name.decode() if name or isinstance(cell, bytes | str) else None)
            encoded.append(None)
        except UnicodeDecodeError:
            texts.append(None)
            encoded.append(b64encode(name).decode())
    return texts, encoded
