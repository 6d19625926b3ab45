"""Reading one text that was named: a file, standard input, or a line of a JSONL file."""

from __future__ import annotations

import os
import stat

from simdocs.corpora.decode import as_utf8, refuse_binary
from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.jsonl import is_jsonl, parse, read_blocks
from simdocs.corpora.long_paths import status_of
from simdocs.corpora.read_file import read, read_stream
from simdocs.errors import InputError, UsageError
from simdocs.model.names import display_name
from simdocs.model.skipped import explanation
from simdocs.recipes import Sequences


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
        raise InputError(f"{display_name(name)}: {error.strerror or error}") from None


def read_single_document(name: bytes, limit: int, sequences: Sequences) -> bytes:
    """The text of the document with this name, as UTF-8: a file, `-`, or a line of a JSONL file, PATH#ID.

    UsageError: the file has one document on each line. InputError: the text is binary, or cannot be read.
    """
    if name != b"-" and not os.path.lexists(name):
        file = _file_of_line(name, sequences)
        if file:
            return _line(name, file, limit, sequences)
    if name != b"-" and is_jsonl(name, sequences):
        shown = display_name(name)
        raise UsageError(f"{shown}: this file has one document on each line: name one of them, as in {shown}#ID")
    data = read_single_text(name, limit)
    try:
        refuse_binary(data)
    except DocumentSkipped as skip:
        raise _unreadable(name, skip) from None
    return as_utf8(data)[0]


def _file_of_line(name: bytes, sequences: Sequences) -> bytes:
    """The JSONL file of which this is the name of a line; empty if there is no such file. An id may hold a # itself."""
    end = name.find(b"#")
    while end >= 0:
        if is_jsonl(name[:end], sequences) and os.path.isfile(name[:end]):
            return name[:end]
        end = name.find(b"#", end + 1)
    return b""


def _line(name: bytes, file: bytes, limit: int, sequences: Sequences) -> bytes:
    """The text of the line with this name, as UTF-8. InputError: the file has no such line, or cannot be read."""
    try:
        for lines in read_blocks(file, limit):
            parsed = parse(lines, sequences)
            if name in parsed.names:
                return as_utf8(parsed.texts[parsed.names.index(name)])[0]
    except DocumentSkipped as skip:
        raise _unreadable(file, skip) from None
    raise InputError(f"{display_name(name)}: {display_name(file)} has no document of this name")


def _unreadable(name: bytes, skip: DocumentSkipped) -> InputError:
    detail = f" ({skip.detail})" if skip.detail else ""
    return InputError(f"{display_name(name)}: {explanation(skip.reason)}{detail}")
