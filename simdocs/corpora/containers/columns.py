"""Texts and ids in columns of Arrow: pack rows into the data of parts, and unpack them without a library.

Packed rows are a line of JSON, the length of each value (int64, column by column; negative: see `_NULL`), and the bytes
of the values, column by column.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.compression import library
from simdocs.corpora.containers.container import Locator, Part, PartDocuments, WithoutTexts
from simdocs.corpora.containers.fields import add_row, is_usual_id, listed, missing_text
from simdocs.corpora.files import too_large
from simdocs.model.ragged import Index, Mask
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.options.texts import Sequences

NOUN = "row"

_NULL = -1
"""The length of a null. A text of n bytes, which is too long to be packed, has the length -2 - n."""

ArrowObject = Any
"""An object of pyarrow, which has no types."""


class ColumnValues(NamedTuple):
    """The values of a column as bytes.

    lengths: of each, (n,); _NULL: it is null.
    between: the bytes of the values from one row to another, end to end.
    """

    lengths: Index
    between: Callable[[int, int], bytes]


class WantedColumns:
    """The columns of a table that hold texts and ids.

    names: the names of all columns, and then of the fields within them, for messages.
    lacking: the text fields that the table does not have.
    paths: for each field that it has, the names that lead to it: text fields first, each once.
    unusable_ids: why the column that usually has the ids is not among them; empty: it is, or there is none.
    without_texts: why no row has a text; empty: rows may have texts.

    Raises WithoutTexts: malformed (a column has a type that cannot be read, or its name is that of another one).
    """

    def __init__(self, schema: ArrowObject, fields: Sequences) -> None:
        types = library("pyarrow", "reading columns").types
        structs = [column for column in schema if types.is_struct(column.type)]
        within = (f"{each.name}.{each.type.field(at).name}" for each in structs for at in range(each.type.num_fields))
        self.names: list[str] = [*schema.names, *within]
        self.paths: dict[str, list[str]] = {}
        self.lacking: list[str] = []
        self.unusable_ids = self.without_texts = ""
        for field in fields.text_field:
            self._add(schema, field, is_text=True)
        if fields.id_field and fields.id_field not in self.paths:
            self._add(schema, fields.id_field, is_text=False, may_be_other=is_usual_id(fields))

    def _add(self, schema: ArrowObject, field: str, *, is_text: bool, may_be_other: bool = False) -> None:
        path = _path(schema, field)
        if path is None:
            self.lacking += [field] if is_text else []
            return
        self.paths[field] = [each.name for each in path]
        kind = _of_values(path[-1].type)
        types = library("pyarrow", "reading columns").types
        if types.is_null(kind) and is_text:
            # pandas writes a column of nothing but nulls, or of no rows, with this type.
            remedy = "name another with --text-field, or leave this file out"
            self.without_texts = f"the column {field!r} has no texts, because its type is null: {remedy}"
        if _is_string(types, kind) or types.is_null(kind) or (not is_text and types.is_integer(kind)):
            return
        wanted = "not strings" if is_text else "neither strings nor integers"
        wrong = f"the column {field!r} has the type {path[-1].type}, {wanted}"
        if may_be_other:
            self.unusable_ids = wrong
            del self.paths[field]
            return
        option = "--text-field" if is_text else "--id-field"
        remedy = f"name another with {option}, or convert it to strings"
        if types.is_struct(kind) and kind.num_fields:
            inner = [kind.field(place) for place in range(kind.num_fields)]
            such = next((each.name for each in inner if _is_string(types, _of_values(each.type))), inner[0].name)
            remedy = f"name another with {option}, such as its field {field}.{such}"
        raise WithoutTexts("malformed", f"{wrong}: {remedy}")

    @property
    def dotted(self) -> list[str]:
        """The paths with dots, as Parquet has them."""
        return [".".join(path) for path in self.paths.values()]

    def values(self, batch: ArrowObject) -> list[ColumnValues]:
        """The values of a batch of rows, for each path. Raises the exceptions of pyarrow if its data is damaged."""
        columns = []
        for path in self.paths.values():
            array = batch.column(path[0])
            for name in path[1:]:
                places = [array.type.field(place).name for place in range(array.type.num_fields)]
                array = array.flatten()[places.index(name)]  # which is null where the outer field is
            columns.append(_values(array))
        return columns

    def packed(self, lengths: NDArray[np.int64], values: Sequence[bytes]) -> bytes:
        """Rows with these lengths, (columns, n), and bytes of values, one for each column."""
        unusable = {"unusable_ids": self.unusable_ids} if self.unusable_ids else {}
        return _packed({"fields": list(self.paths), "names": self.names, **unusable}, lengths, values)

    @property
    def packed_names(self) -> bytes:
        """The data of the only part of a table that lacks text fields."""
        return _packed({"lacking": self.lacking, "names": self.names}, np.empty((0, 0), np.int64), [])


def refused(detail: str) -> bytes:
    """The data of a part whose rows are not read. detail: why."""
    return _packed({"refused": detail}, np.empty((0, 0), np.int64), [])


def _path(schema: ArrowObject, field: str) -> list[ArrowObject] | None:
    """The columns from a column of the table down to this field: see `value_of`. None: the table lacks it."""
    path, columns = list[ArrowObject](), list(schema)
    while True:
        if found := _named(columns, field):
            return [*path, found]
        outer, dot, field = field.partition(".")
        above = _named(columns, outer) if dot else None
        types = library("pyarrow", "reading columns").types
        if above is None or not types.is_struct(above.type):
            return None
        path.append(above)
        columns = [above.type.field(place) for place in range(above.type.num_fields)]


def _named(columns: Sequence[ArrowObject], name: str) -> ArrowObject | None:
    found = [column for column in columns if column.name == name]
    if len(found) > 1:
        raise WithoutTexts("malformed", f"{len(found)} columns have the name {name!r}: rename all but one")
    return found[0] if found else None


def _of_values(kind: ArrowObject) -> ArrowObject:
    """The type of the values of a column, whatever they are wrapped in."""
    types = library("pyarrow", "reading columns").types
    while True:
        if hasattr(kind, "storage_type"):
            kind = kind.storage_type
        elif types.is_dictionary(kind):
            kind = kind.value_type
        else:
            return kind


def _is_string(types: Any, kind: ArrowObject) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _values(array: ArrowObject) -> ColumnValues:
    """The values of an array of strings, integers or nulls, or of a dictionary of these."""
    pyarrow = library("pyarrow", "reading columns")
    types = pyarrow.types
    while hasattr(array, "storage"):
        array = array.storage
    if types.is_dictionary(array.type):
        return _looked_up(array, _values(array.dictionary))
    if types.is_null(array.type) or not len(array):
        return ColumnValues(np.full(len(array), _NULL), lambda _begin, _end: b"")
    nulls = _nulls(array)
    if types.is_integer(array.type):
        return _digits(_integers(array), nulls)
    if types.is_string_view(array.type):
        return _viewed(array, nulls)
    # Whether strings are UTF-8 is found row by row, and not here.
    array = array.view(pyarrow.large_binary() if types.is_large_string(array.type) else pyarrow.binary())
    array.validate(full=True)
    ends = _ends(array)
    if (np.diff(ends)[nulls] > 0).any():
        array = array.fill_null(b"")  # leaves out the bytes under nulls
        ends = _ends(array)
    lengths, data = np.diff(ends), array.buffers()[2]
    lengths[nulls] = _NULL
    content = memoryview(b"" if data is None else data)
    return ColumnValues(lengths, lambda begin, end: bytes(content[ends[begin] : ends[end]]))


def _viewed(array: ArrowObject, nulls: Mask) -> ColumnValues:
    """The values of an array of views. Many of them may view the same bytes, so these are not copied before."""
    pyarrow = library("pyarrow", "reading columns")
    array = array.view(pyarrow.binary_view())
    array.validate(full=True)
    lengths = np.frombuffer(array.buffers()[1], "<i4")[::4][array.offset : array.offset + len(array)].astype(np.int64)
    lengths[nulls] = _NULL

    def between(begin: int, end: int) -> bytes:
        return b"".join(value for value in array.slice(begin, end - begin).to_pylist() if value is not None)

    return ColumnValues(lengths, between)


def longest_shared(array: ArrowObject) -> int:
    """The length of the longest string of an array whose rows may share them: a dictionary, or views. 0 for others."""
    types = library("pyarrow", "reading columns").types
    while hasattr(array, "storage"):
        array = array.storage
    is_shared = types.is_dictionary(array.type) or types.is_string_view(array.type)
    array = array.dictionary if types.is_dictionary(array.type) else array
    if not is_shared or not _is_string(types, array.type):
        return 0
    return int(_values(array).lengths.max(initial=0))


def _integers(array: ArrowObject) -> NDArray[np.integer[Any]]:
    """The values of an array of integers; anything for nulls."""
    array.validate(full=True)
    kind = np.dtype(str(array.type))
    if not len(array):
        return np.empty(0, kind)
    return np.frombuffer(array.buffers()[1], kind, len(array), array.offset * kind.itemsize)


def _digits(values: NDArray[np.integer[Any]], nulls: Mask) -> ColumnValues:
    """Integers in decimal digits."""
    words = [b"" if null else b"%d" % value for value, null in zip(values.tolist(), nulls.tolist(), strict=True)]
    lengths = np.where(nulls, _NULL, np.fromiter(map(len, words), np.int64, len(words)))
    return ColumnValues(lengths, lambda begin, end: b"".join(words[begin:end]))


def _ends(array: ArrowObject) -> Index:
    """Where each value of an array of binary values begins in its data, and where the last ends: int64 (n + 1,)."""
    offsets = array.buffers()[1]
    kind = np.int32 if array.type == library("pyarrow", "reading columns").binary() else np.int64
    return np.frombuffer(offsets, kind)[array.offset : array.offset + len(array) + 1].astype(np.int64)


def _nulls(array: ArrowObject) -> Mask:
    """Which values are null, (n,). pyarrow would import all its functions to say so, which takes 40 MB."""
    if not array.null_count:
        return np.zeros(len(array), bool)
    bits = np.unpackbits(np.frombuffer(array.buffers()[0], np.uint8), bitorder="little")
    nulls: Mask = bits[array.offset : array.offset + len(array)] == 0
    return nulls


def _looked_up(array: ArrowObject, words: ColumnValues) -> ColumnValues:
    """The values of an array of a dictionary. words: the values of the dictionary."""
    there = ~_nulls(array.indices)
    places = np.where(there, _integers(array.indices), 0).astype(np.int64)
    if len(places) and not 0 <= places.min() <= places.max() < max(1, len(words.lengths)):
        raise ValueError("an index beyond its dictionary")
    there &= len(words.lengths) > 0
    lengths = np.full(len(places), _NULL)
    lengths[there] = words.lengths[places[there]]
    has_bytes = lengths > 0

    def between(begin: int, end: int) -> bytes:
        some = places[begin:end][has_bytes[begin:end]].tolist()
        return b"".join(words.between(place, place + 1) for place in some)

    return ColumnValues(lengths, between)


def _packed(head: Mapping[str, Any], lengths: NDArray[np.int64], values: Sequence[bytes]) -> bytes:
    first = json.dumps({**head, "rows": lengths.shape[1]}).encode()
    return b"".join((first, b"\n", lengths.astype("<i8").tobytes(), *values))


def without_long_texts(
    lengths: NDArray[np.int64], values: list[bytes], texts: int, limit: int
) -> tuple[NDArray[np.int64], list[bytes]]:
    """Packed rows without the bytes of texts that are too long: `limit` is the largest size of a document in bytes.

    texts: how many of the columns, the first ones, hold texts.
    """
    held = np.maximum(lengths, 0)
    sizes = held[:texts].sum(axis=0) + texts - 1
    if not (too_long := sizes > limit).any():
        return lengths, values
    kept = list[bytes]()
    for number, (content, each) in enumerate(zip(values, held, strict=True)):
        ends = np.append(0, np.cumsum(each)).tolist()
        left_out = too_long if number < texts else np.zeros_like(too_long)
        rows = np.flatnonzero(~left_out).tolist()
        kept.append(b"".join(content[ends[row] : ends[row + 1]] for row in rows))
    lengths = lengths.copy()
    lengths[:texts, too_long] = _NULL
    lengths[0, too_long] = -2 - sizes[too_long]
    return lengths, kept


def _unpacked(data: bytes) -> tuple[dict[str, Any], Iterator[dict[str, bytes | int | None]]]:
    """The head of packed rows, and their values by field: bytes, None, or the length of a text that is too long."""
    first, _, rest = data.partition(b"\n")
    head = json.loads(first)
    return head, _rows_of(head, memoryview(rest))


def _rows_of(head: Mapping[str, Any], rest: memoryview) -> Iterator[dict[str, bytes | int | None]]:
    fields, rows = head.get("fields", ()), head["rows"]
    lengths = np.frombuffer(rest, "<i8", len(fields) * rows).reshape(len(fields), rows)
    content = rest[lengths.nbytes :]
    before = np.append(0, np.cumsum(np.maximum(lengths, 0).ravel()))[:-1].reshape(lengths.shape)
    for sizes, starts in zip(lengths.T.tolist(), before.T.tolist(), strict=True):
        row: dict[str, bytes | int | None] = {}
        for field, size, start in zip(fields, sizes, starts, strict=True):
            row[field] = bytes(content[start : start + size]) if size >= 0 else None if size == _NULL else -2 - size
        yield row


def documents_of_rows(part: Part, fields: Sequences) -> PartDocuments:
    """The documents of a part with packed rows."""
    found = PartDocuments()
    head, rows = _unpacked(part.data)
    first = part.first if part.wanted is None else min(part.wanted, default=0)
    if not first:
        return found
    if "unusable_ids" in head:
        found.unusable_ids = Skip("malformed", part.name, head["unusable_ids"], noun=NOUN)
    if "refused" in head:
        found.skips.append(Skip("oversized", part.name, head["refused"], part.first, noun=NOUN))
    elif "lacking" in head:
        detail = missing_text(NOUN, head["lacking"][0], listed(head["names"]))
        found.textless.append(Skip("malformed", part.name, detail, first, noun=NOUN))
    for place, row in enumerate(rows):
        number = part.first + place
        if part.wanted is None or number in part.wanted:
            try:
                where = Locator(part.start + place, 1, number)
                add_row(found, _decoded(row, part.limit), where, part.name, NOUN, fields)
            except DocumentSkipped as skip:
                found.skips.append(Skip(skip.reason, part.name, skip.detail, number, noun=NOUN))
    found.fields = listed(head["names"]) if "names" in head else ""  # the names of all columns
    return found


def _decoded(row: Mapping[str, bytes | int | None], limit: int) -> dict[str, str | None]:
    """The values of a row as strings. Raises DocumentSkipped: oversized, malformed."""
    decoded: dict[str, str | None] = {}
    for field, value in row.items():
        if isinstance(value, int):
            raise too_large(value, limit) or DocumentSkipped("oversized")
        try:
            decoded[field] = None if value is None else value.decode()
        except UnicodeDecodeError:
            raise DocumentSkipped("malformed", f"field {field!r} is not UTF-8") from None
    return decoded
