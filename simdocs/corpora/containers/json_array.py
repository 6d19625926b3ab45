"""JSON arrays: files that are one array of objects. One field of an object is the text, and another may be the id.

A file is read whole, because only its end shows that it is an array, and cut into objects from its beginning.
"""

from __future__ import annotations

import codecs
import json
import re
import shlex
from collections.abc import Iterator

from simdocs.corpora.containers.container import ContainerFile, Locator, OneText, Part, PartDocuments
from simdocs.corpora.containers.fields import add_row, fields_of_row, has_text, without_texts
from simdocs.corpora.containers.jsonl import json_object, what_is_wrong
from simdocs.corpora.containers.lines import MOST_RECORDS
from simdocs.corpora.containers.recognise import looks_like_lines
from simdocs.corpora.decode import LOOKED_AT, refuse_binary
from simdocs.corpora.files import close_file, open_file, read, read_at, too_large
from simdocs.corpora.identity import NO_FILE, Stamp
from simdocs.model.ragged import BATCH_BYTES
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.options.file_formats import compression_of
from simdocs.options.texts import Sequences


class JsonArray:
    """JSON arrays as a member of the family: see Container. Positions are those of objects in the decompressed file."""

    noun = "object"

    def parts(self, file: ContainerFile, fields: Sequences) -> Iterator[Part]:
        """Cut a file into parts of whole objects, in memory."""
        if file.held is None:
            _refuse_other_text(_beginning(file), file.name, fields)
            data, stamp = read(file.name, file.limit, follow=file.follow)
        else:
            data, stamp = file.held, NO_FILE
        if skip := too_large(len(data), file.limit):
            raise skip
        _refuse_other_text(data[:LOOKED_AT], file.name, fields)
        text = data.decode(_BY_BYTES)
        del data  # a large file is not held twice
        _refuse_without_texts(text, fields)
        yield from _parts(file, text, stamp)

    def documents(self, part: Part, fields: Sequences) -> PartDocuments:
        """Read the documents of a part. Elements that are no objects are malformed."""
        found = PartDocuments()
        for number, (start, stop) in enumerate(Elements(part.data, 0), part.first):
            if part.wanted is None or number in part.wanted:
                where = Locator(part.start + start, stop - start, number)
                try:
                    add_row(found, json_object(part.data[start:stop]), where, part.name, self.noun, fields)
                except DocumentSkipped as skip:
                    found.skips.append(Skip(skip.reason, part.name, skip.detail, number, noun=self.noun))
        return found


JSON_ARRAY = JsonArray()


def _beginning(file: ContainerFile) -> bytes:
    """The first bytes of a file, which show most files that are no arrays; empty if it is compressed."""
    if compression_of(file.name):
        return b""
    opened_file, _ = open_file(file.name, follow=file.follow)
    try:
        return read_at(opened_file, LOOKED_AT, 0)
    except OSError as error:
        raise DocumentSkipped.of(error) from None
    finally:
        close_file(opened_file)


def _refuse_other_text(head: bytes, name: bytes, fields: Sequences) -> None:
    """Raise OneText if a file does not begin as an array does. DocumentSkipped: binary. head: its first bytes."""
    refuse_binary(head, name)
    begun = head.removeprefix(codecs.BOM_UTF8).lstrip(_SPACE)
    if not begun or begun.startswith(b"["):
        return
    if not begun.startswith(b"{"):
        raise OneText("this is not JSON in UTF-8")
    if looks_like_lines(begun, len(head) < LOOKED_AT):
        lines_of = "give --input-format jsonl to read each line as a document"
        raise OneText("this is not a JSON array, but looks like JSON Lines", lines_of)
    raise OneText("this begins like a JSON object, and not like an array of objects", _way_out(begun, fields))


def _way_out(begun: bytes, fields: Sequences) -> str:
    """What to do with a JSON object that is no array, if it holds one, or is one row; empty if it does not look so.

    begun: the beginning of the object.
    """
    text = begun.decode("utf-8", "replace")
    row: dict[str, object] = {}
    at = _after(text, 1)
    try:
        while text.startswith('"', at):
            name, at = _DECODERS[0].raw_decode(text, at)
            at = _after(text, _after(text, at) + 1)  # the colon
            if text.startswith("[", at) and text.startswith("{", _after(text, at + 1)):
                path = f".{name}" if _PLAIN_NAME.fullmatch(name) else shlex.quote(f".[{json.dumps(name)}]")
                return f"take the array out of its field {name!r} first, as with jq {path}"
            row[name], at = _DECODERS[0].raw_decode(text, at)
            at = _after(text, _after(text, at) + 1)  # the comma, or the end of the object
    except (ValueError, RecursionError):
        return ""  # it is cut off, or no JSON
    if not has_text(row, fields):
        return ""
    if "\n" not in text.strip():
        return "give --input-format jsonl to read the object as a document"
    return "make it an array first, as with jq -s ."


def _after(text: str, at: int) -> int:
    """The position of the next character that is no space."""
    found = _SPACES.match(text, at)
    assert found is not None, "spaces may be none"
    return found.end()


_PLAIN_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
"""A name of a field that jq takes without quotes."""


def _refuse_without_texts(text: str, fields: Sequences) -> None:
    """Raise OneText if no object has the text fields. An empty array has no documents, but is a table."""
    found, there, malformed, wrong = 0, "", "", ""
    each = Elements(text, _start_of(text))
    try:
        for start, stop in each:
            found += 1
            try:
                row = json_object(text[start:stop].encode(_BY_BYTES))
            except DocumentSkipped as skip:
                if text.startswith("{", start):
                    malformed = malformed or f"object {found}: {skip.detail}"
                continue
            if has_text(row, fields):
                return
            there = there or fields_of_row(row)
        each.refuse_rest()
    except DocumentSkipped as skip:
        wrong = skip.detail
    if there:
        raise without_texts(JSON_ARRAY.noun, fields, there)
    if malformed:
        raise OneText(f"this is a JSON array without a valid object ({malformed})")
    if found or wrong:
        raise OneText("this is a JSON array without objects" if found else f"this is not a JSON array ({wrong})")


def _parts(file: ContainerFile, text: str, stamp: Stamp) -> Iterator[Part]:
    """Cut an array into parts."""
    first, at, end, count = 1, 0, 0, 0

    def part() -> Part:
        share = end / len(text) if text else 1.0
        return Part(
            container="json",
            name=file.name,
            data=text[at:end].encode(_BY_BYTES),
            start=at,
            extent=end - at,
            first=first,
            count=count,
            stamp=stamp,
            limit=file.limit,
            read_to=int(share * stamp.size),
        )

    each = Elements(text, _start_of(text))
    try:
        for start, stop in each:
            if count and (stop - at > BATCH_BYTES or count == MOST_RECORDS):
                yield part()
                first, count = first + count, 0
            at, end, count = at if count else start, stop, count + 1
        each.refuse_rest()
    except DocumentSkipped as skip:
        if count:
            yield part()
        raise DocumentSkipped(skip.reason, f"{skip.detail}, from object {first + count} on") from None
    if count or first == 1:
        yield part()


_BY_BYTES = "latin-1"
"""The encoding in which every byte is a character. All that counts outside of strings is ASCII."""

_SPACE = b" \t\n\r"
_SPACES = re.compile("[ \t\n\r]*")

_DECODERS = (json.JSONDecoder(strict=False), json.JSONDecoder(strict=False, parse_int=len))
"""Decoders that find the end of an object, also of one that is no document because of a control character; the second
also for numbers of any length."""


class Elements:
    """The elements of an array, as pairs of positions: where each begins and ends.

    data: holds the array or, if it begins with an element, some whole elements; as text, a character for each byte.
    at: the position of the first element.

    Raises DocumentSkipped (malformed): the array is damaged. What is in an element is only parsed so far that its end
    is certain: it is read as Latin-1, in which every byte is a character, so that positions are those of bytes.
    """

    def __init__(self, data: bytes | str, at: int) -> None:
        self._text, self._at = data if isinstance(data, str) else data.decode(_BY_BYTES), at

    def __iter__(self) -> Iterator[tuple[int, int]]:
        text, at = self._text, self._at
        more = not text.startswith("]", at) and at < len(text)
        while more:
            stop = self._end(at)
            yield at, stop
            self._at = self._next(stop)
            more = text.startswith(",", self._at)
            if more:
                at = self._at = self._next(self._at + 1)

    def refuse_rest(self) -> None:
        """Raise DocumentSkipped unless the array, of which all elements were read, ends as an array does."""
        if "[" not in self._text[: self._at]:
            return  # there is nothing at all
        if self._at == len(self._text):
            raise DocumentSkipped("malformed", _CUT_OFF)
        if not self._text.startswith("]", self._at):
            raise self._not_json("neither a comma nor the end of the array after an object", self._at)
        if self._next(self._at + 1) < len(self._text):
            raise DocumentSkipped("malformed", "the file goes on after the end of the array")

    def _next(self, at: int) -> int:
        """The position of the next character that is no space."""
        return _after(self._text, at)

    def _end(self, at: int) -> int:
        """The end of the element that begins here."""
        for decoder in _DECODERS:
            try:
                return decoder.raw_decode(self._text, at)[1]
            except json.JSONDecodeError as error:
                if self._is_cut_off(error.pos) or error.msg.startswith("Unterminated"):
                    raise DocumentSkipped("malformed", _CUT_OFF) from None
                raise self._not_json(what_is_wrong(error), error.pos) from None
            except RecursionError:
                raise DocumentSkipped("malformed", "nested too deeply") from None
            except ValueError:
                pass  # a number of too many digits
        raise AssertionError

    def _not_json(self, wrong: str, at: int) -> DocumentSkipped:
        """The error that this is wrong at a position, which it gives as a line and a character of it, from 1."""
        before = self._text[:at].encode(_BY_BYTES).decode("utf-8-sig", "replace").split("\n")
        return DocumentSkipped("malformed", f"not JSON: {wrong}, line {len(before)}, column {len(before[-1]) + 1}")

    def _is_cut_off(self, at: int) -> bool:
        """Whether an error at this position is that the text ends, perhaps within a word or an escape."""
        return _WORD.fullmatch(self._text, at) is not None


_WORD = re.compile(r"[-+.\\\w]*")
"""The beginning of a number, a constant or an escape, or nothing."""

_CUT_OFF = "the file ends before the array does"


_START = re.compile(r"(?:\xef\xbb\xbf)?[ \t\n\r]*\[?[ \t\n\r]*")
"""What is before the first element of an array, perhaps with a byte order mark of UTF-8."""


def _start_of(text: str) -> int:
    """The position of the first element of an array, or of what is there instead."""
    found = _START.match(text)
    assert found is not None, "all of it may be missing"
    return found.end()
