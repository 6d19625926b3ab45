"""Tables of answers as Arrow: the type of each column, and rows as columns with these types."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simdocs.extras import needs
from simdocs.model.result import NAME, NUMBER, SIMILARITY, VALUE, Cell, Row, Table, TableHead, plain
from simdocs.names import text_to_name

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
        self._arrow, self._head = arrow, head
        types, fields = _types(arrow), list[Any]()
        self._has_encoded = [
            kind in _IN_WORDS and self._as_text([row[at] for row in rows], kind) is None
            for at, (_, kind) in enumerate(head.columns)
        ]
        for (name, kind), has_encoded in zip(head.columns, self._has_encoded, strict=True):
            fields.append(arrow.field(name, types[kind]))
            if has_encoded:
                fields.append(arrow.field(name + _ENCODED, arrow.string()))
        self.schema = arrow.schema(fields)

    def batch(self, rows: Sequence[Row]) -> Any:
        """These rows as a pyarrow.RecordBatch. UnicodeError: a name is not UTF-8, and there is no column for it."""
        arrays, types = list[Any](), _types(self._arrow)
        for at, ((name, kind), has_encoded) in enumerate(zip(self._head.columns, self._has_encoded, strict=True)):
            cells = [row[at] for row in rows]
            if kind not in _IN_WORDS:
                arrays.append(self._arrow.array(list(map(_as_value, cells)), types[kind]))
            elif has_encoded:
                arrays += self._with_encoded(cells, kind)
            elif (texts := self._as_text(cells, kind)) is not None:
                arrays.append(texts)
            else:
                raise UnicodeError(f"{name} has a name that is not UTF-8")
        return self._arrow.record_batch(arrays, schema=self.schema)

    def _as_text(self, cells: Sequence[Cell], kind: str) -> Any:
        """Names as an array of strings; None: not all of them are UTF-8."""
        return self._strings([_IN_WORDS[kind](cell) for cell in cells])

    def _strings(self, names: Sequence[bytes | None]) -> Any:
        try:
            return self._arrow.array(names, self._arrow.binary()).cast(self._arrow.string())
        except self._arrow.ArrowInvalid:
            return None

    def _with_encoded(self, cells: Sequence[Cell], kind: str) -> list[Any]:
        """Names that are UTF-8, and the others in base64."""
        names = [_IN_WORDS[kind](cell) for cell in cells]
        texts = [name if name is not None and _is_utf8(name) else None for name in names]
        encoded = [
            None if name is None or text is not None else b64encode(name).decode()
            for name, text in zip(names, texts, strict=True)
        ]
        return [self._strings(texts), self._arrow.array(encoded, self._arrow.string())]


def _types(arrow: Any) -> dict[str, Any]:
    """The type of each kind of column."""
    text, number = arrow.string(), arrow.float64()
    return {NAME: text, VALUE: text, SIMILARITY: number, NUMBER: arrow.int64()}


def _name(cell: Any) -> bytes | None:
    """A name. Those of texts in memory may be of any type."""
    return cell if cell is None or isinstance(cell, bytes) else text_to_name(str(cell))


def _any_value(cell: Any) -> bytes | None:
    """A value of any kind in words; None: there is none."""
    if isinstance(cell, int | float):
        return plain(cell) or None
    return _name(cell)


_IN_WORDS: Mapping[str, Callable[[Any], bytes | None]] = {NAME: _name, VALUE: _any_value}
"""The kinds of column that have strings, and how a cell becomes one."""


def _as_value(cell: Any) -> Any:
    """A number, or None for NaN."""
    return None if isinstance(cell, float) and math.isnan(cell) else cell


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True
