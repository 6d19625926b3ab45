"""JSONL files: many documents, one JSON object a line. They are read in blocks of whole lines."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from simdocs.corpora.decode import binary_format
from simdocs.corpora.gzip_stream import is_compressed
from simdocs.corpora.read_file import MOST, too_large
from simdocs.corpora.stable_read import Chunk, chunks, cut_lines
from simdocs.corpora.stamp import NO_FILE, Stamp, settled
from simdocs.corpora.walked_files import ANY, Met, open_file
from simdocs.errors import mention
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.model.texts import BATCH_BYTES
from simdocs.recipes import Sequences

_SUFFIXES = (b".jsonl", b".jsonl.gz", b".ndjson", b".ndjson.gz")

_ARRAY = "an array: JSON Lines have one object on each line"


def is_jsonl(name: bytes, sequences: Sequences) -> bool:
    """Whether a file with this name is read as one document a line."""
    return not sequences.plain and name.endswith(_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of one file; or none, for one line that is too long to be held: then dropped is its length."""

    name: bytes
    data: bytes
    start: int
    """Where data begins in the content of the file, after decompression."""
    first: int
    """The number of the first line, from 1."""
    stamp: Stamp
    """Of the file when it was opened."""
    limit: int
    """Most bytes of a line."""
    read_to: int
    """How far the file itself was read by then, in bytes: of the compressed file, if it is gzip."""
    dropped: int = 0
    wanted: frozenset[int] | None = None
    """The numbers of the lines that are documents to read; None: all are."""

    @property
    def next(self) -> int:
        """The number of the line after these."""
        return self.first + (1 if self.dropped else self.data.count(b"\n"))


def read_blocks(name: bytes, limit: int, met: Met = ANY) -> Iterator[Lines]:
    """Yield the lines of a file in blocks, with every line in exactly one: the chunks of `cut_lines`, at least one.

    A byte order mark of UTF-8 at the beginning is left out. The last line may lack its end. At most a few blocks and a
    line of limit bytes are held in memory, however large the file is. While a block was read, the file did not change
    or only grew. A file that changes before the first block is read a second time. met: how the file was met. Raises
    DocumentSkipped: vanished, unreadable, special, changed (it is not the file that was met); and after all whole lines
    that could be read: changed, unreadable, malformed (as gzip).
    """
    descriptor, status = open_file(name, met)
    stamp, compressed = Stamp.of(status), is_compressed(name)
    lines: Lines | None = None
    try:
        for turn in range(2):
            content = chunks(descriptor, stamp, BATCH_BYTES, compressed=compressed, patient=turn > 0)
            try:
                for data, start, first, dropped in _blocks(content, min(limit, MOST)):
                    lines = Lines(name, data, start, first, stamp, limit, os.lseek(descriptor, 0, os.SEEK_CUR), dropped)
                    yield lines
                return
            except DocumentSkipped as skip:
                if lines is not None:
                    where = f"from line {lines.next} on"
                    raise DocumentSkipped(skip.reason, f"{skip.detail}, {where}" if skip.detail else where) from None
                if skip.reason != "changed":
                    raise
            stamp = Stamp.of(settled(descriptor, os.fstat(descriptor)))
        raise DocumentSkipped("changed")
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    finally:
        os.close(descriptor)


_Block = tuple[bytes, int, int, int]
"""Data, start, first and dropped of a block: see Lines."""


def _blocks(content: Iterator[Chunk], limit: int) -> Iterator[_Block]:
    """Yield the blocks of lines of at most `limit` bytes in some content."""
    cutter = _Cutter(limit)
    try:
        for turn, given in enumerate(content):
            if isinstance(given, int) and cutter.skips(given):
                continue
            piece = bytes(given)
            if not turn and (what := binary_format(piece)):
                raise DocumentSkipped("malformed", what)
            if not turn and piece.startswith(codecs.BOM_UTF8):
                cutter.start, piece = len(codecs.BOM_UTF8), piece[len(codecs.BOM_UTF8) :]
            yield from cutter.take(piece)
    except DocumentSkipped:
        yield from cutter.cut(to_end=True)
        raise
    yield from cutter.rest()


class _Cutter:
    """Cuts content into blocks as it comes in. start, first: where the next block begins, and its first line."""

    def __init__(self, limit: int) -> None:
        self.start, self.first = 0, 1
        self._limit = limit
        self._lines = b""
        """Whole lines that are not yielded yet, because their chunk may go on."""
        self._held: list[bytes] = []
        """The beginning of a line whose end was not read yet."""
        self._size = 0
        """Its length."""
        self._dropped = 0
        """Its length if it is too long, and so not held."""

    def skips(self, hole: int) -> bool:
        """Whether a hole of this length makes a line too long. Then it is counted, and need not be read."""
        if not self._dropped and self._size + hole <= self._limit:
            return False
        self._dropped, self._held, self._size = (self._dropped or self._size) + hole, [], 0
        return True

    def take(self, piece: bytes) -> Iterator[_Block]:
        """Add the next bytes, and yield the blocks that are complete."""
        if self._dropped:
            yield from self.cut(to_end=True)
            past, end, piece = piece.partition(b"\n")
            self._dropped += len(past)
            if not end:
                return
            yield b"", self.start, self.first, self._dropped
            self.start, self.first, self._dropped = self.start + self._dropped + 1, self.first + 1, 0
        cut = piece.rfind(b"\n") + 1
        if cut:
            self._lines = b"".join((self._lines, *self._held, piece[:cut]))
            self._held, self._size = [], 0
            yield from self.cut(to_end=False)
        self._held.append(piece[cut:])
        self._size += len(piece) - cut
        if self._size > self._limit:
            self._dropped, self._held, self._size = self._size, [], 0

    def rest(self) -> Iterator[_Block]:
        """Yield what is left at the end: at least one block in all."""
        nothing = self.first == 1 and not (self._lines or any(self._held))
        if not self._dropped:
            self._lines = b"".join((self._lines, *self._held))
        yield from self.cut(to_end=True)
        if self._dropped or nothing:
            yield b"", self.start, self.first, self._dropped

    def cut(self, *, to_end: bool) -> Iterator[_Block]:
        """Yield the chunks in the whole lines that were read. to_end: the last one is complete, too."""
        at = 0
        for stop, count in cut_lines(self._lines, to_end=to_end):
            yield self._lines[at:stop], self.start, self.first, 0
            self.start, self.first, at = self.start + stop - at, self.first + count, stop
        self._lines = self._lines[at:]


def blocks_in_memory(name: bytes, data: bytes, limit: int) -> Iterator[Lines]:
    """Yield the lines of data in memory in blocks, as `read_blocks` yields those of a file."""
    content = (data[at : at + BATCH_BYTES] for at in range(0, len(data), BATCH_BYTES))
    for part, start, first, dropped in _blocks(content, min(limit, MOST)):
        yield Lines(name, part, start, first, NO_FILE, limit, start + len(part) + dropped, dropped)


@dataclass(slots=True)
class Parsed:
    """The documents in some lines, as five lists with an entry for each, and the lines that are skipped.

    container: length of PATH, the name of the file. numbers: of the lines, from 1. names: PATH#ID, or PATH#LINE without
    an id. texts: UTF-8, with lone surrogates as three bytes. starts, extents: of the line in the content of the file,
    without its line feed. numbered: whether it has no id, and is named by its number. skips: malformed and oversized
    lines, by PATH#LINE.
    """

    container: int
    numbers: list[int] = field(default_factory=list)
    names: list[bytes] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    extents: list[int] = field(default_factory=list)
    numbered: list[bool] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)


def parse(lines: Lines, sequences: Sequences) -> Parsed:
    """The documents in some lines, in order. Lines of white space are neither documents nor skips. Never fails."""
    parsed = Parsed(len(lines.name))
    if (
        lines.dropped
        and (lines.wanted is None or lines.first in lines.wanted)
        and (skip := too_large(lines.dropped, lines.limit))
    ):
        parsed.skips.append(Skip(skip.reason, lines.name, skip.detail, lines.first))
    each = lines.data.split(b"\n")
    if not each[-1]:
        del each[-1]
    start = lines.start
    for number, line in enumerate(each, lines.first):
        if lines.wanted is not None and number not in lines.wanted:
            start += len(line) + 1
            continue
        try:
            if skip := too_large(len(line), lines.limit):
                raise skip
            if line.strip():
                text, document_id = _document(line, sequences)
                parsed.numbers.append(number)
                parsed.names.append(b"%b#%b" % (lines.name, b"%d" % number if document_id is None else document_id))
                parsed.texts.append(text)
                parsed.starts.append(start)
                parsed.extents.append(len(line))
                parsed.numbered.append(document_id is None)
        except DocumentSkipped as skip:
            parsed.skips.append(Skip(skip.reason, lines.name, skip.detail, number))
        start += len(line) + 1
    return parsed


def text_of(line: bytes, sequences: Sequences) -> bytes | None:
    """The text of a line, as parse returns it; None if the line is not a document."""
    try:
        return _document(line, sequences)[0]
    except DocumentSkipped:
        return None


def _document(line: bytes, sequences: Sequences) -> tuple[bytes, bytes | None]:
    """Text and id of a line, as UTF-8. Raises DocumentSkipped: malformed."""
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise DocumentSkipped("malformed", "not UTF-8") from None
    except json.JSONDecodeError as error:
        if line.lstrip().startswith(b"["):
            raise DocumentSkipped("malformed", f"the beginning of {_ARRAY}") from None
        raise DocumentSkipped("malformed", f"not JSON: {error.msg.rstrip(': ')}, column {error.colno}") from None
    except RecursionError:
        raise DocumentSkipped("malformed", "nested too deeply") from None
    except ValueError:
        raise DocumentSkipped("malformed", "a number of too many digits") from None
    if isinstance(value, list):
        raise DocumentSkipped("malformed", _ARRAY)
    if not isinstance(value, dict):
        raise DocumentSkipped("malformed", "not a JSON object")
    text, document_id = value.get(sequences.text_field), value.get(sequences.id_field)
    if not isinstance(text, str):
        if sequences.text_field in value:
            raise DocumentSkipped("malformed", f"field {sequences.text_field!r} is not a string")
        raise DocumentSkipped("malformed", f"{_without_text(sequences)}{_listed(value)}")
    return text.encode("utf-8", "surrogatepass"), _id_of(document_id, sequences)


def without_id(line: bytes, sequences: Sequences) -> str:
    """The message that no line has an id, with the fields of one of them."""
    field = f"{sequences.id_field!r} ({mention('id_field')})"
    fields = _listed(json.loads(line))
    return f"no line has an id in the field {field}; the first has {fields}: name one of them, or leave the option out"


def _without_text(sequences: Sequences) -> str:
    """The beginning of the detail of a line without a text. The fields that it has follow."""
    return f"field {sequences.text_field!r} ({mention('text_field')}) is missing; the line has "


def is_without_text(skip: Skip, sequences: Sequences) -> bool:
    """Whether a line was skipped because it does not have the field of the text."""
    return skip.reason == "malformed" and skip.detail.startswith(_without_text(sequences))


def no_text(first: Skip, sequences: Sequences) -> str:
    """The message that no line of a file has the field of the text. first: the skip of its first line."""
    fields = first.detail.removeprefix(_without_text(sequences))
    remedy = f"name one of them with {mention('text_field')}"
    return f"no line has the field {sequences.text_field!r}; the first has {fields}: {remedy}"


def _listed(value: dict[str, object]) -> str:
    """The fields of a line, for a message."""
    names = [repr(name[:_SHOWN_CHARACTERS]) for name in list(value)[:_SHOWN_FIELDS]]
    more = ["..."] if len(value) > _SHOWN_FIELDS else []
    return ", ".join(names + more) or "no fields"


_SHOWN_FIELDS, _SHOWN_CHARACTERS = 8, 40
"""How many fields of a line a message names, and how much of each name."""


def _id_of(value: object, sequences: Sequences) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        if "\0" in value:  # -0 ends each name with one, so the name would be read as two
            raise DocumentSkipped("malformed", f"field {sequences.id_field!r} holds a NUL")
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, int) and not isinstance(value, bool):
        return b"%d" % value
    raise DocumentSkipped("malformed", f"field {sequences.id_field!r} is neither a string nor an integer")
