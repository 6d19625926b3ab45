"""The text and the id of a document in a container: fields of a row, and what messages say about them.

A row is a mapping of the names of its fields to their values, which may hold fields in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from simdocs.corpora.containers.container import Locator, NoTextField, PartDocuments
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.names import display_name
from simdocs.options.texts import Sequences

_Row = Mapping[str, Any]

ABSENT: Any = object()
"""The value of a field that a row lacks."""


def value_of(row: _Row, name: str) -> Any:
    """The value of a field; ABSENT if the row lacks it.

    A name with dots that is not itself the name of a field leads into fields: `meta.body` is the field `body` of the
    field `meta`. It is null if `meta` is.
    """
    while name not in row:
        outer, dot, name = name.partition(".")
        if not dot or outer not in row:
            return ABSENT
        row = row[outer]
        if row is None:
            return None
        if not isinstance(row, Mapping):
            return ABSENT
    return row[name]


def add_row(
    found: PartDocuments,
    row: _Row,
    where: Locator,
    file: bytes,
    noun: str,
    fields: Sequences,
    errors: str = "surrogatepass",
) -> None:
    """Add the document in a row of a file, or its skip if it lacks a text field. DocumentSkipped: malformed.

    noun: what messages call a row.
    errors: see text_of_row.
    """
    values = [value_of(row, name) for name in fields.text_field]
    for name, value in zip(fields.text_field, values, strict=True):
        if value is ABSENT:
            there = fields_of_row(row)
            found.fields = found.fields or there
            found.textless.append(Skip("malformed", file, missing_text(noun, name, there), where.number, noun=noun))
            return
    found.has_text_field = True
    text, document_id = _joined(values, fields, errors), id_of_row(row, fields, errors)
    if document_id is None and fields.id_field and not found.fields:
        found.fields = fields_of_row(row)
    if document_id is None and fields.id_field and not found.unusable_ids:
        there = value_of(row, fields.id_field)
        if there is not ABSENT and there is not None:
            found.unusable_ids = Skip("malformed", file, _no_id_in(fields), where.number, noun=noun)
    found.locators.append(where)
    found.ids.append(document_id)
    found.texts.append(text)


def has_text(row: _Row, fields: Sequences) -> bool:
    """Whether a row has all text fields, whatever is in them."""
    return all(value_of(row, name) is not ABSENT for name in fields.text_field)


def _joined(values: list[Any], fields: Sequences, errors: str) -> bytes:
    """The values of the text fields, joined by line feeds. DocumentSkipped: one is no string."""
    if len(values) == 1 and isinstance(values[0], str):
        return values[0].encode("utf-8", errors)
    for name, value in zip(fields.text_field, values, strict=True):
        if not isinstance(value, str):
            raise DocumentSkipped("malformed", f"field {name!r} is {'null' if value is None else 'not a string'}")
    return "\n".join(values).encode("utf-8", errors)


def id_of_row(row: _Row, fields: Sequences, errors: str = "surrogatepass") -> bytes | None:
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
    if is_usual_id(fields):
        return None
    raise DocumentSkipped("malformed", _no_id_in(fields))


def is_usual_id(fields: Sequences) -> bool:
    """Whether the field with the ids is the one that is used if none is named. It may hold something else."""
    return fields.id_field == Sequences().id_field


def _no_id_in(fields: Sequences) -> str:
    return f"field {fields.id_field!r} is neither a string nor an integer"


def missing_text(noun: str, name: str, there: str) -> str:
    """The detail of the skip of a document without a text field. there: the fields that it has."""
    return f"field {name!r} (--text-field) is missing; the {noun} has {there}"


def no_text(noun: str, fields: Sequences, there: str, remedy: str = "") -> str:
    """The message that no document of a file has the text fields.

    there: the fields of the first one. remedy: what to do; empty: name another field.
    """
    return f"{_lacking(noun, fields, there)}: {remedy or _remedy()}"


def without_texts(noun: str, fields: Sequences, there: str, remedy: str = "") -> NoTextField:
    """The exception for a file that may be one text, because no row has the text fields.

    there, remedy: as for `no_text`.
    """
    return NoTextField(_lacking(noun, fields, there), remedy or _remedy())


def _lacking(noun: str, fields: Sequences, there: str) -> str:
    names = ", ".join(map(repr, fields.text_field))
    wanted = f"all of the fields {names}" if len(fields.text_field) > 1 else f"the field {names}"
    return f"no {noun} has {wanted}; the first has {there}"


def _remedy() -> str:
    return "name one of them with --text-field"


def named_by_numbers(first: Skip) -> str:
    """The warning that the usual field of ids has other values. first: see PartDocuments."""
    why = f"{first.noun} {first.line}: {first.detail}" if first.line else first.detail
    field = "--id-field"
    remedy = f"name another field with {field}, or none with {field} ''"
    said = f"{why}, so it is no id: rows without an id are named by their numbers ({remedy})"
    return f"{display_name(first.name)}: {said}"


def no_id(noun: str, fields: Sequences, there: str) -> str:
    """The message that no document has an id. there: the fields of one of them."""
    field = f"{fields.id_field!r} (--id-field)"
    return f"no {noun} has an id in the field {field}; the first has {there}: name one of them, or leave the option out"


def fields_of_row(row: _Row) -> str:
    """The names of the fields of a row, and of the fields within them, for a message."""
    inner = (f"{name}.{each}" for name, value in row.items() if isinstance(value, Mapping) for each in value)
    return listed([*row, *islice(inner, _SHOWN_FIELDS + 1)])


_SHOWN_FIELDS, _SHOWN_CHARACTERS = 8, 40
"""The most fields of a document that a message names, and the most characters of each name."""


def listed(names: Sequence[str]) -> str:
    """Names of fields, for a message."""
    shown = [repr(name[:_SHOWN_CHARACTERS]) for name in names[:_SHOWN_FIELDS]]
    more = ["..."] if len(names) > _SHOWN_FIELDS else []
    return ", ".join(shown + more) or "no fields"
