"""Sequences: files of many documents, a JSON object a line; read in blocks of whole lines."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from simdocs.corpora.batches import BATCH_BYTES
from simdocs.corpora.reading import Stamp, Unread, open_file
from simdocs.corpora.unfolding import Unfolding, is_folded
from simdocs.model.skipped import Skip
from simdocs.parameters import Sequences


def is_sequence(name: bytes, how: Sequences) -> bool:
    """Whether a file of this name is read as a sequence of documents."""
    return not how.plain and name.endswith((b".jsonl", b".jsonl.gz"))


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of one file, or in their stead one line that is too long to be held: then dropped is its length."""

    name: bytes
    data: bytes
    start: int
    """Where data begins in the file, unfolded."""
    first: int
    """The number of the first line, from 1."""
    stamp: Stamp
    """Of the file as it was opened: of its folded bytes, if it is gzip."""
    limit: int
    """On the bytes of a line."""
    dropped: int = 0


def pieces(name: bytes, limit: int) -> Iterator[Lines]:
    """The lines of a file in blocks of about BATCH_BYTES: one at least, and every line in exactly one.

    A mark of UTF-8 at the beginning is in none; the last line may lack its end. Whatever the file's size, no more is
    held than a few blocks and a line of limit bytes. Raises Unread: vanished, unreadable, special; and, after all whole
    lines that could be read: changed, unreadable, malformed (as gzip).
    """
    descriptor, status = open_file(name)
    stamp = Stamp.of(status)
    trouble = None
    try:
        try:
            for data, start, first, dropped in _blocks(_reader(descriptor, is_folded(name)), limit):
                yield Lines(name, data, start, first, stamp, limit, dropped)
        except Unread as unread:
            trouble = unread
        if Stamp.of(os.fstat(descriptor)) != stamp:
            trouble = Unread("changed")  # which explains any damage, too
        if trouble is not None:
            raise trouble
    except OSError as error:
        raise Unread.of(error) from None
    finally:
        os.close(descriptor)


def _reader(descriptor: int, folded: bool) -> Callable[[], bytes]:
    """What reads on by BATCH_BYTES, b"" at the end."""
    if not folded:
        return lambda: os.read(descriptor, BATCH_BYTES)
    unfolding = Unfolding(lambda offset: os.pread(descriptor, 1 << 16, offset))
    return lambda: unfolding.read(BATCH_BYTES)


def _blocks(read: Callable[[], bytes], limit: int) -> Iterator[tuple[bytes, int, int, int]]:
    """Data, start, first and dropped of each of the blocks that Lines are made of."""
    head = b""
    while len(head) < len(codecs.BOM_UTF8) and (chunk := read()):
        head += chunk
    start = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
    first, dropped = 1, 0
    held: list[bytes] = []  # the beginning of a line whose end has not come yet, and how long it is
    size = 0
    for chunk in chain((head[start:],), iter(read, b"")):
        if dropped:
            past, end, rest = chunk.partition(b"\n")
            dropped += len(past)
            if not end:
                continue
            yield b"", start, first, dropped
            start, first, dropped = start + dropped + 1, first + 1, 0
        else:
            rest = chunk
        cut = rest.rfind(b"\n") + 1
        if cut:
            data = b"".join((*held, rest[:cut]))
            yield data, start, first, 0
            start, first = start + len(data), first + data.count(b"\n")
            held, size = [], 0
        held.append(rest[cut:])
        size += len(rest) - cut
        if size > limit:
            dropped, held, size = size, [], 0
    last = b"".join(held)
    if last or dropped or first == 1:
        yield last, start, first, dropped


@dataclass(slots=True)
class Parsed:
    """The documents of some lines, one place each in four lists, and the lines that are none.

    container: bytes of PATH, the file's name. names: PATH#ID, without id PATH#LINE. texts: UTF-8, lone surrogates as
    three bytes. starts, extents: of the line in the unfolded file, without its newline. skips: malformed and oversized
    lines, by PATH#LINE.
    """

    container: int
    names: list[bytes] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    extents: list[int] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)


def parse(lines: Lines, how: Sequences) -> Parsed:
    """The documents in some lines, in order. Lines of whitespace are neither documents nor skips. Never fails."""
    parsed = Parsed(len(lines.name))
    if lines.dropped:
        parsed.skips.append(("oversized", b"%b#%d" % (lines.name, lines.first), f"{lines.dropped} bytes"))
    each = lines.data.split(b"\n")
    if not each[-1]:
        del each[-1]
    start = lines.start
    for number, line in enumerate(each, lines.first):
        try:
            if len(line) > lines.limit:
                raise Unread("oversized", f"{len(line)} bytes")
            if line.strip():
                text, identity = _document(line, how)
                parsed.names.append(b"%b#%b" % (lines.name, b"%d" % number if identity is None else identity))
                parsed.texts.append(text)
                parsed.starts.append(start)
                parsed.extents.append(len(line))
        except Unread as unread:
            parsed.skips.append((unread.reason, b"%b#%d" % (lines.name, number), unread.detail))
        start += len(line) + 1
    return parsed


def text_of(line: bytes, how: Sequences) -> bytes | None:
    """The text of a line as parse has it; None if the line is no document."""
    try:
        return _document(line, how)[0]
    except Unread:
        return None


def _document(line: bytes, how: Sequences) -> tuple[bytes, bytes | None]:
    """Text and id of a line, as UTF-8. Raises Unread: malformed."""
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise Unread("malformed", "not UTF-8") from None
    except json.JSONDecodeError as error:
        raise Unread("malformed", f"not JSON: {error.msg.rstrip(': ')}, column {error.colno}") from None
    except RecursionError:
        raise Unread("malformed", "nested too deeply") from None
    except ValueError:
        raise Unread("malformed", "a number of too many digits") from None
    if not isinstance(value, dict):
        raise Unread("malformed", "not a JSON object")
    text, identity = value.get(how.text_field), value.get(how.id_field)
    if not isinstance(text, str):
        what = "is not a string" if how.text_field in value else "is missing"
        raise Unread("malformed", f"field {how.text_field!r} {what}")
    return text.encode("utf-8", "surrogatepass"), _identity(identity, how)


def _identity(value: object, how: Sequences) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        if "\0" in value:  # -0 ends names by it: a name that holds one would be read as two
            raise Unread("malformed", f"field {how.id_field!r} holds a NUL")
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, int) and not isinstance(value, bool):
        return b"%d" % value
    raise Unread("malformed", f"field {how.id_field!r} is neither a string nor an integer")
