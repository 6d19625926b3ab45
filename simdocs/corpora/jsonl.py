"""Sequences: files of many documents, a JSON object a line; read in blocks of whole lines."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from simdocs.corpora.batches import BATCH_BYTES
from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.gzip_stream import is_compressed
from simdocs.corpora.identity import NO_FILE, Stamp
from simdocs.corpora.read_file import MOST, open_file, too_large
from simdocs.corpora.stable_read import Chunk, chunks
from simdocs.model.skipped import Skip
from simdocs.parameters import Sequences

_SUFFIXES = (b".jsonl", b".jsonl.gz", b".ndjson", b".ndjson.gz")


def is_sequence(name: bytes, how: Sequences) -> bool:
    """Whether a file of this name is read as a sequence of documents."""
    return not how.plain and name.endswith(_SUFFIXES)


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

    @property
    def next(self) -> int:
        """The number of the line after these."""
        return self.first + (1 if self.dropped else self.data.count(b"\n"))


def pieces(name: bytes, limit: int) -> Iterator[Lines]:
    """The lines of a file in blocks of about BATCH_BYTES: one at least, and every line in exactly one.

    A mark of UTF-8 at the beginning is in none; the last line may lack its end. Whatever the file's size, no more is
    held than a few blocks and a line of limit bytes. The file was what it was when it was opened as long as a block was
    read, or had only grown; one that changes before the first is read a second time. Raises DocumentSkipped: vanished,
    unreadable, special; and, after all whole lines that could be read: changed, unreadable, malformed (as gzip).
    """
    descriptor, status = open_file(name)
    stamp, folded = Stamp.of(status), is_compressed(name)
    lines: Lines | None = None
    try:
        for turn in range(2):
            content = chunks(descriptor, stamp, BATCH_BYTES, folded=folded, patient=turn > 0)
            try:
                for data, start, first, dropped in _blocks(content, min(limit, MOST)):
                    lines = Lines(name, data, start, first, stamp, limit, dropped)
                    yield lines
                return
            except DocumentSkipped as skip:
                if skip.reason != "changed":
                    raise
                if lines is not None:
                    raise DocumentSkipped("changed", f"from line {lines.next} on") from None
            stamp = Stamp.of(os.fstat(descriptor))
        raise DocumentSkipped("changed")
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    finally:
        os.close(descriptor)


def _blocks(content: Iterator[Chunk], limit: int) -> Iterator[tuple[bytes, int, int, int]]:
    """Data, start, first and dropped of each of the blocks that Lines are made of."""
    start, first, dropped = 0, 1, 0
    held: list[bytes] = []  # the beginning of a line whose end has not come yet, and how long it is
    size = 0
    for turn, given in enumerate(content):
        if isinstance(given, int) and (dropped or size + given > limit):
            dropped, held, size = (dropped or size) + given, [], 0
            continue
        chunk = bytes(given)
        if not turn and chunk.startswith(codecs.BOM_UTF8):
            start, chunk = len(codecs.BOM_UTF8), chunk[len(codecs.BOM_UTF8) :]
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


def held_pieces(name: bytes, data: bytes, limit: int) -> Iterator[Lines]:
    """The lines of a sequence that is held in memory, in blocks, as `pieces` has those of a file."""
    content = (data[at : at + BATCH_BYTES] for at in range(0, len(data), BATCH_BYTES))
    for part, start, first, dropped in _blocks(content, min(limit, MOST)):
        yield Lines(name, part, start, first, NO_FILE, limit, dropped)


@dataclass(slots=True)
class Parsed:
    """The documents of some lines, one place each in five lists, and the lines that are none.

    container: bytes of PATH, the file's name. numbers: of the lines, from 1. names: PATH#ID, without id PATH#LINE.
    texts: UTF-8, lone surrogates as three bytes. starts, extents: of the line in the unfolded file, without its
    newline. skips: malformed and oversized lines, by PATH#LINE.
    """

    container: int
    numbers: list[int] = field(default_factory=list)
    names: list[bytes] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    extents: list[int] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)


def parse(lines: Lines, how: Sequences) -> Parsed:
    """The documents in some lines, in order. Lines of whitespace are neither documents nor skips. Never fails."""
    parsed = Parsed(len(lines.name))
    if lines.dropped and (skip := too_large(lines.dropped, lines.limit)):
        parsed.skips.append((skip.reason, b"%b#%d" % (lines.name, lines.first), skip.detail))
    each = lines.data.split(b"\n")
    if not each[-1]:
        del each[-1]
    start = lines.start
    for number, line in enumerate(each, lines.first):
        try:
            if skip := too_large(len(line), lines.limit):
                raise skip
            if line.strip():
                text, identity = _document(line, how)
                parsed.numbers.append(number)
                parsed.names.append(b"%b#%b" % (lines.name, b"%d" % number if identity is None else identity))
                parsed.texts.append(text)
                parsed.starts.append(start)
                parsed.extents.append(len(line))
        except DocumentSkipped as skip:
            parsed.skips.append((skip.reason, b"%b#%d" % (lines.name, number), skip.detail))
        start += len(line) + 1
    return parsed


def text_of(line: bytes, how: Sequences) -> bytes | None:
    """The text of a line as parse has it; None if the line is no document."""
    try:
        return _document(line, how)[0]
    except DocumentSkipped:
        return None


def _document(line: bytes, how: Sequences) -> tuple[bytes, bytes | None]:
    """Text and id of a line, as UTF-8. Raises DocumentSkipped: malformed."""
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise DocumentSkipped("malformed", "not UTF-8") from None
    except json.JSONDecodeError as error:
        if line.lstrip().startswith(b"["):
            raise DocumentSkipped("malformed", "the beginning of an array: JSON lines have one object a line") from None
        raise DocumentSkipped("malformed", f"not JSON: {error.msg.rstrip(': ')}, column {error.colno}") from None
    except RecursionError:
        raise DocumentSkipped("malformed", "nested too deeply") from None
    except ValueError:
        raise DocumentSkipped("malformed", "a number of too many digits") from None
    if not isinstance(value, dict):
        raise DocumentSkipped("malformed", "not a JSON object")
    text, identity = value.get(how.text_field), value.get(how.id_field)
    if not isinstance(text, str):
        if how.text_field in value:
            raise DocumentSkipped("malformed", f"field {how.text_field!r} is not a string")
        raise DocumentSkipped("malformed", f"field {how.text_field!r} is missing; the line has {_listed(value)}")
    return text.encode("utf-8", "surrogatepass"), _identity(identity, how)


def _listed(value: dict[str, object]) -> str:
    """The fields of a line, for a message."""
    names = [repr(name[:_SHOWN_CHARACTERS]) for name in list(value)[:_SHOWN_FIELDS]]
    more = ["..."] if len(value) > _SHOWN_FIELDS else []
    return ", ".join(names + more) or "no fields"


_SHOWN_FIELDS, _SHOWN_CHARACTERS = 8, 40
"""How many fields of a line a message names, and how much of each name."""


def _identity(value: object, how: Sequences) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        if "\0" in value:  # -0 ends names by it: a name that holds one would be read as two
            raise DocumentSkipped("malformed", f"field {how.id_field!r} holds a NUL")
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, int) and not isinstance(value, bool):
        return b"%d" % value
    raise DocumentSkipped("malformed", f"field {how.id_field!r} is neither a string nor an integer")
