"""Batches of documents, which formats yield, how a document is taken from a row, and what it is called.

A row is a mapping of the names of its fields to their values, which may hold fields in turn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simdocs.model.ragged import BATCH_BYTES, Index, Rows
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.names import display_name
from simdocs.options.families import noun_of
from simdocs.options.recipes import Sequences
from simdocs.reading.decode import transcoded
from simdocs.reading.files import Source, too_large

_Row = Mapping[str, Any]

ABSENT: Any = object()
"""The value of a field that a row lacks."""


class Batch:
    """Some documents of one file, in order.

    name: the path of the file. noun: what messages call a row. limit: the largest size of a document in bytes.
    count: how many rows it covers, blank and malformed ones included, from the first one after those before it.
    numbers, ids, texts: of each document the number of its row, from 1 in its file or block; its id, or None; its text.
    places: of each document where its row is in the file, and how long, if it is one of lines; else 0, 0.
    skips: rows that are malformed or too long, or lack the text field.
    lacking: for a message about the file, that no row has the text field, if the first one lacks it; else empty.
    unusable_id: the first row that is named by its number although it has the usual field of ids.
    fields: the fields of the first row without an id, for a message.
    """

    def __init__(self, name: bytes, form: str, limit: int, count: int = 0) -> None:
        self.name, self.noun, self.limit, self.count = name, noun_of(form), limit, count
        self.numbers, self.ids, self.texts = list[int](), list[bytes | None](), list[bytes]()
        self.places, self.skips = list[tuple[int, int]](), list[Skip]()
        self.lacking = ""
        self.unusable_id: Skip | None = None
        self.fields = ""

    def batch(self, _fields: Sequences) -> Batch:
        """Itself."""
        return self

    def add(self, number: int, text: bytes, its_id: bytes | None = None, place: tuple[int, int] = (0, 0)) -> None:
        """Add a document."""
        self.numbers.append(number)
        self.ids.append(its_id)
        self.texts.append(text)
        self.places.append(place)

    def skip(self, number: int, skip: DocumentSkipped) -> None:
        """Skip a row."""
        detail = sys.intern(skip.detail)  # most are alike
        self.skips.append(Skip(skip.reason, self.name, detail, number, noun=self.noun))

    def add_row(
        self,
        number: int,
        row: _Row,
        fields: Sequences,
        place: tuple[int, int] = (0, 0),
        errors: str = "surrogatepass",
    ) -> None:
        """Add the document in a row, or skip the row. errors: what becomes of characters that have no UTF-8."""
        try:
            text = _text_of(self, row, fields, errors)
            if errors == "surrogateescape":  # or else it was decoded
                text = transcoded(text, fields.encoding)
            refuse_large(len(text), self.limit)
            its_id = _id_of(row, fields, errors)
        except DocumentSkipped as skip:
            self.skip(number, skip)
            return
        if its_id is None and fields.id_field:
            self.fields = self.fields or fields_of(row)
            there = value_of(row, fields.id_field)
            if self.unusable_id is None and there is not ABSENT and there is not None:
                self.unusable_id = Skip("malformed", self.name, _no_id_in(fields), number, noun=self.noun)
        self.add(number, text, its_id, place)


FileRow = tuple[_Row | DocumentSkipped | int, int]
"""A row of a file, or why it cannot be read, and about how large it is; or how many rows follow that are not wanted."""

MOST_ROWS = 1 << 14
"""The most rows of a batch, since the facts of each take memory."""


@dataclass(slots=True)
class FileRows:
    """Some rows of a file, of which a worker takes the documents.

    name, limit: see Source. form: the format of the file. errors: what becomes of characters that have no UTF-8.
    count: how many rows it covers. numbers, rows: those that are wanted, and their numbers, from 1.
    """

    name: bytes
    form: str
    limit: int
    errors: str
    count: int = 0
    numbers: list[int] = field(default_factory=list)
    rows: list[_Row | DocumentSkipped] = field(default_factory=list)

    def batch(self, fields: Sequences) -> Batch:
        """The documents."""
        batch = Batch(self.name, self.form, self.limit, self.count)
        for number, row in zip(self.numbers, self.rows, strict=True):
            if isinstance(row, DocumentSkipped):
                batch.skip(number, row)
            else:
                batch.add_row(number, row, fields, errors=self.errors)
        return batch


def rows_of(
    source: Source,
    form: str,
    rows: Iterable[FileRow],
    wanted: Index | None,
    errors: str = "surrogatepass",
) -> Iterator[FileRows]:
    """Yield the rows of a file, some at a time. wanted: see `read_lines`. errors: see FileRows.

    DocumentSkipped, after all rows before it: there are no more because of this.
    """
    chosen = None if wanted is None else frozenset(wanted.tolist())
    some, number, size, is_first = FileRows(source.name, form, source.limit, errors), 0, 0, True
    try:
        for row, row_size in rows:
            if isinstance(row, int):
                some.count, number = some.count + row, number + row
                continue
            some.count, number = some.count + 1, number + 1
            if chosen is None or number in chosen:
                some.numbers.append(number)
                some.rows.append(row)
                size += row_size
            if size >= BATCH_BYTES or some.count >= MOST_ROWS:
                yield some
                some, size, is_first = FileRows(source.name, form, source.limit, errors), 0, False
            if wanted is not None and number == wanted[-1]:
                break
    except DocumentSkipped:
        if some.count:
            yield some
        raise
    if some.count or is_first:
        yield some


def refuse_large(size: int, limit: int) -> None:
    """Raise DocumentSkipped (oversized, unreadable) if limit or memory does not allow a document of this size."""
    if skip := too_large(size, limit):
        raise skip


def value_of(row: _Row, name: str) -> Any:
    """The value of a field; ABSENT if the row lacks it.

    A name with dots that is not itself the name of a field leads into fields: `meta.body` is the field `body` of the
    field `meta`, and null if `meta` is. If `meta` is a list, it is the list of these fields of its elements.
    """
    while name not in row:
        outer, dot, name = name.partition(".")
        if not dot or outer not in row:
            return ABSENT
        row = row[outer]
        if row is None:
            return None
        if isinstance(row, list):
            inner = [value_of(each, name) for each in row if isinstance(each, Mapping)]
            return [each for each in inner if each is not ABSENT] or ABSENT
        if not isinstance(row, Mapping):
            return ABSENT
    return row[name]


def has_text(row: _Row, fields: Sequences) -> bool:
    """Whether a row has all text fields, whatever is in them."""
    return all(value_of(row, name) is not ABSENT for name in fields.text_field)


def _text_of(batch: Batch, row: _Row, fields: Sequences, errors: str) -> bytes:
    """The values of the text fields, and the elements of one that is a list, joined by line feeds.

    DocumentSkipped: malformed (one is missing, or no string).
    """
    texts = list[str]()
    for name in fields.text_field:
        value = value_of(row, name)
        if value is ABSENT:
            there = fields_of(row)
            if not (batch.lacking or batch.texts):
                batch.lacking = ": ".join(no_text(batch.noun, fields, there))
            raise DocumentSkipped(
                "malformed", f"field {name!r} (--text-field) is missing; the {batch.noun} has {there}"
            )
        some = [each for each in value if each is not None] if isinstance(value, list) else [value]
        for each in some:
            if not isinstance(each, str):
                what = "null" if each is None else "not UTF-8" if isinstance(each, bytes) else "not a string"
                raise DocumentSkipped("malformed", f"field {name!r} is {what}")
        texts += some
    return "\n".join(texts).encode("utf-8", errors)


def _id_of(row: _Row, fields: Sequences, errors: str) -> bytes | None:
    """The id of a row; None if it has none, or if what may be an id by its name is of another type.

    DocumentSkipped: malformed.
    """
    value = value_of(row, fields.id_field) if fields.id_field else None
    if value is ABSENT or value is None:
        return None
    if isinstance(value, str):
        if "\0" in value:  # -0 ends each name with one, so the name would be read as two
            raise DocumentSkipped("malformed", f"field {fields.id_field!r} holds a NUL")
        return value.encode("utf-8", errors)
    if isinstance(value, int) and not isinstance(value, bool):
        return b"%d" % value
    if fields.id_field == Sequences().id_field:
        return None
    raise DocumentSkipped("malformed", _no_id_in(fields))


def _no_id_in(fields: Sequences) -> str:
    return f"field {fields.id_field!r} is neither a string nor an integer"


def no_text(noun: str, fields: Sequences, there: str, remedy: str = "") -> tuple[str, str]:
    """That no row of a file has the text fields, and what to do. there: the fields of the first row."""
    names = ", ".join(map(repr, fields.text_field))
    wanted = f"all of the fields {names}" if len(fields.text_field) > 1 else f"the field {names}"
    return f"no {noun} has {wanted}; the first has {there}", remedy or "name one of them with --text-field"


def no_id(noun: str, fields: Sequences, there: str) -> str:
    """The message that no document has an id. there: the fields of one of them."""
    field = f"{fields.id_field!r} (--id-field)"
    return f"no {noun} has an id in the field {field}; the first has {there}: name one of them, or leave the option out"


def named_by_numbers(first: Skip) -> str:
    """The warning that the usual field of ids has other values. first: see Batch.unusable_id."""
    remedy = "name another field with --id-field, or none with --id-field ''"
    why = f"{first.noun} {first.line}: {first.detail}, so it is no id: rows without an id are named by their numbers"
    return f"{display_name(first.name)}: {why} ({remedy})"


_SHOWN_FIELDS, _SHOWN_CHARACTERS = 8, 40
"""The most fields of a row that a message names, and the most characters of each name."""


def fields_of(row: _Row) -> str:
    """The names of the fields of a row, and of the fields within them, for a message."""
    inner = [f"{name}.{each}" for name, value in row.items() for each in _inner(value)]
    return listed([*row, *inner])


def _inner(value: Any) -> Sequence[str]:
    """The names of the fields within a value, or within the first element of a list."""
    first = value[0] if isinstance(value, list) and value else value
    return list(first) if isinstance(first, Mapping) else []


def listed(names: Sequence[str]) -> str:
    """Names of fields, for a message."""
    shown = [repr(name[:_SHOWN_CHARACTERS]) for name in names[:_SHOWN_FIELDS]]
    return ", ".join(shown + ["..."] * (len(names) > _SHOWN_FIELDS)) or "no fields"


def named(path: bytes, ids: Sequence[bytes | None], numbers: Sequence[int]) -> list[bytes]:
    """The names of documents in the file at this path. A document without an id is named by its number."""
    each = zip(ids, numbers, strict=True)
    return [b"%b#%b" % (path, b"%d" % number if its_id is None else its_id) for its_id, number in each]


_LAST_MARK = (1 << 24) - 1
"""The last bits of a hash, as a mask. The marks take 16 MiB, of which the system gives only the used pages."""

_Run = tuple[Index, Rows]
"""Hashes of names, ascending, and the row of each."""


class SeenNames:
    """Names that were seen, by hash and row: 16 bytes each. The names themselves are looked up by row.

    name_of: returns the name of a row that was added.
    """

    def __init__(self, name_of: Callable[[int], bytes]) -> None:
        self._name_of = name_of
        self._runs: list[_Run] = []
        self._marks = np.zeros(_LAST_MARK + 1, bool)
        """Whether the last bits of a hash were seen. Most new names are known to be new without a search."""

    def repeated(self, names: Sequence[bytes]) -> set[int]:
        """The places of the names that were seen before, or that occur earlier among these."""
        hashes = _hashes(names)
        ordered = np.sort(hashes)
        suspects = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
        perhaps = hashes[self._marks[hashes & _LAST_MARK]]
        for seen, _ in self._runs if len(perhaps) else ():
            places = np.minimum(np.searchsorted(seen, perhaps), len(seen) - 1)
            suspects.update(perhaps[seen[places] == perhaps].tolist())
        if not suspects:
            return set()
        found, here = set[int](), set[bytes]()
        for place, (name, number) in enumerate(zip(names, hashes.tolist(), strict=True)):
            if number in suspects:
                if name in here or self.row_of(name) is not None:
                    found.add(place)
                here.add(name)
        return found

    def add(self, names: Sequence[bytes], rows: Rows) -> None:
        """Add names, each with its row."""
        if not len(names):
            return
        hashes = _hashes(names)
        self._marks[hashes & _LAST_MARK] = True
        self._runs.append(_sorted(hashes, rows))
        # Runs of about the same size are merged, so there are few of them, and each name is merged a few times.
        while len(self._runs) > 1 and len(self._runs[-2][0]) < 2 * len(self._runs[-1][0]):
            (hashes, first), (more, others) = self._runs[-2:]
            self._runs[-2:] = [_sorted(np.concatenate((hashes, more)), np.concatenate((first, others)))]

    def forget(self) -> None:
        """Forget all names. If they were few, this is faster than a new object."""
        for hashes, _ in self._runs:
            self._marks[hashes & _LAST_MARK] = False
        self._runs.clear()

    def row_of(self, name: bytes) -> int | None:
        """The row of this name; None if it was not added."""
        number = hash(name)
        for hashes, rows in self._runs:
            begin, end = np.searchsorted(hashes, number), np.searchsorted(hashes, number, side="right")
            for row in rows[begin:end].tolist():
                if self._name_of(row) == name:
                    return int(row)
        return None


def _hashes(names: Sequence[bytes]) -> Index:
    return np.fromiter(map(hash, names), np.int64, len(names))


def _sorted(hashes: Index, rows: Rows) -> _Run:
    order = np.argsort(hashes, kind="stable")
    return hashes[order], rows[order]
