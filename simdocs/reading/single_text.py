"""Read one text by its name: a file, standard input, or a document of a container. Refuse to replace it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from itertools import product

from simdocs.errors import InputError, MissingExtraError, UsageError
from simdocs.model.skipped import DocumentSkipped, explanation
from simdocs.names import display_name
from simdocs.options.families import noun_of
from simdocs.options.recipes import Sequences
from simdocs.reading.decode import as_utf8, refuse_binary
from simdocs.reading.file_list import format_of
from simdocs.reading.files import LOOKED_AT, FileId, Source, file_id, read, read_stream, status_of
from simdocs.reading.find import not_found


def read_single_text(name: bytes, limit: int) -> bytes:
    """The bytes of the text with this name; `-` is standard input. InputError: it cannot be read."""
    try:
        if name == b"-":
            return read_stream(0, limit)
        status = status_of(name)
        if stat.S_ISREG(status.st_mode):
            return read(name, limit)[0]
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{display_name(name)}: this is a directory: name one text")
        if not stat.S_ISFIFO(status.st_mode):
            raise InputError(f"{display_name(name)}: this is a device or socket: name one text")
        with os.fdopen(os.open(name, os.O_RDONLY | os.O_CLOEXEC), "rb") as stream:
            return read_stream(stream.fileno(), limit)
    except DocumentSkipped as skip:
        raise _unreadable(name, skip) from None
    except OSError as error:
        raise not_found(name, error) from None


def read_single_document(name: bytes, limit: int, fields: Sequences) -> bytes:
    """The text of the document with this name, as UTF-8: a file, `-`, or a document of a container, PATH#ID.

    A file that is named like a container, but is no table with the text field, is one text. UsageError: the file is a
    container. InputError: the text is binary, or cannot be read.
    """
    if name != b"-" and not os.path.lexists(name):
        file = _container_of(name, fields)
        if file:
            return _document(name, file, limit, fields)
    if name != b"-" and (known := format_of(name, fields)):
        _refuse_table(name, known, limit, fields)
    data = read_single_text(name, limit)
    try:
        refuse_binary(data, name)
    except DocumentSkipped as skip:
        raise _unreadable(name, skip) from None
    return as_utf8(data, fields.encoding)[0]


def _refuse_table(name: bytes, form: str, limit: int, fields: Sequences) -> None:
    """Raise UsageError if a file named like one of this format is one. InputError: it cannot be read."""
    from simdocs.reading.decode import NoTable
    from simdocs.reading.formats import refuse_other

    try:
        with Source(name, limit) as source:
            refuse_other(form, next(source.pieces(LOOKED_AT), b""), fields)
    except NoTable:
        return
    except DocumentSkipped as skip:
        raise _unreadable(name, skip) from None
    shown = display_name(name)
    raise UsageError(f"{shown}: each {noun_of(form)} of this file is a document: name one of them, as in {shown}#ID")


def _container_of(name: bytes, fields: Sequences) -> bytes:
    """The path of the container of a document with this name; empty if no such file exists. An id may have a #, too."""
    for mark in re.finditer(b"#", name):
        file = name[: mark.start()]
        if format_of(file, fields) and os.path.isfile(file):
            return file
    return b""


def _document(name: bytes, file: bytes, limit: int, fields: Sequences) -> bytes:
    """The text of the document with this name, as UTF-8. InputError: it is not there, or the file cannot be read."""
    from simdocs.reading.batches import named, no_id
    from simdocs.reading.formats import reader_of

    form, has_ids = format_of(file, fields), fields.id_field in ("", Sequences().id_field)
    there = ""
    try:
        with Source(file, limit) as source:
            for rows in reader_of(form)(source, form, fields, None):
                batch = rows.batch(fields)
                there, has_ids = there or batch.fields, has_ids or any(each is not None for each in batch.ids)
                names = named(file, batch.ids, batch.numbers)
                if has_ids and name in names:
                    return batch.texts[names.index(name)]
    except DocumentSkipped as skip:
        raise _unreadable(file, skip) from None
    if there and not has_ids:
        raise UsageError(f"{display_name(file)}: {no_id(noun_of(form), fields, there)}")
    raise InputError(f"{display_name(name)}: {display_name(file)} has no document of this name")


def refuse_to_replace(outputs: Iterable[str | None], texts: Iterable[object]) -> None:
    """Raise UsageError if an output is the file of one of these texts."""
    for output, text in product(filter(os.path.isfile, filter(None, outputs)), texts):
        with suppress(OSError):
            if isinstance(text, bytes) and os.path.samefile(output, 0 if text == b"-" else text):
                raise UsageError("-o names a text that is read, and would replace it: name another file")


def refuse_fifo_twice(names: Iterable[object]) -> None:
    """Raise InputError if two of these paths, or `-`, are the same FIFO, which can be read only once."""
    met = set[FileId]()
    for name in names:
        if not isinstance(name, bytes):
            continue
        try:
            status = os.fstat(0) if name == b"-" else status_of(name)
        except OSError:
            continue
        if stat.S_ISFIFO(status.st_mode):
            if file_id(status) in met:
                raise InputError(f"{display_name(name)}: this is a FIFO, which can be read only once: name it once")
            met.add(file_id(status))


def _unreadable(name: bytes, skip: DocumentSkipped) -> InputError | MissingExtraError:
    missing = skip.__cause__
    if isinstance(missing, MissingExtraError):
        return MissingExtraError(missing.what, missing.package, missing.trouble, display_name(name))
    if skip.reason == "binary" and skip.detail:
        return InputError(f"{display_name(name)}: {skip.detail}")
    detail = f" ({skip.detail})" if skip.detail else ""
    return InputError(f"{display_name(name)}: {explanation(skip.reason)}{detail}")
