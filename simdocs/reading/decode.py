"""Decode documents; recognise what is binary, and which format it has; and texts whose rows may be documents."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from simdocs.model.documents import LIKE_ARRAY, LIKE_CSV, LIKE_LINES, LIKE_SEMICOLONS, LIKE_TSV, Documents
from simdocs.model.skipped import DocumentSkipped, and_more
from simdocs.names import display_name
from simdocs.options.families import compression_of, without_compression

DECIDING = 8 << 10
"""Bytes at the beginning of a document that decide whether it is binary."""

_MARKS = (  # UTF-32 first: the little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_WIDE = tuple(mark for mark, _ in _MARKS)
"""The byte order marks of UTF-16 and UTF-32. Every text that is read is compared with them once."""


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Replace each byte of an invalid code unit by a surrogate, as the error handler surrogateescape does."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    invalid = error.object[error.start : error.end]
    return "".join(chr(byte if byte < 0x80 else 0xDC00 + byte) for byte in invalid), error.end


codecs.register_error("simdocs.escape", _escape)


def as_bytes(text: str | bytes) -> bytes:
    """A text in memory as the bytes of a file. Lone surrogates are kept."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def is_binary(data: bytes) -> bool:
    """Whether there is a NUL in the first 8 KiB of what is not UTF-16 or UTF-32."""
    return data.find(b"\0", 0, DECIDING) >= 0 and wide_encoding(data) is None


def refuse_binary(data: bytes, name: bytes) -> None:
    """Raise DocumentSkipped (binary) if data is not text. The detail names the format, if it is known.

    name: the name of the file. Its suffix tells one kind of archive from another.
    """
    if what := binary_format(data, name):
        raise DocumentSkipped("binary", what)
    if is_binary(data):
        # Files with the suffix of a compression have been decompressed, so the suffix before that counts.
        named = without_compression(name.lower())
        raise DocumentSkipped("binary", next((some.advice(named) for some in BINARY if _ends(named, some)), ""))


_MOSTLY, _LEAST = 0.75, 4
"""The share of Latin letters, digits, spaces and the like in UTF-16 that is recognised without a mark, and how many
characters it has at least."""


def wide_encoding(data: bytes) -> tuple[bytes, str] | None:
    """The byte order mark, and the encoding, if a text that begins with these bytes is UTF-16 or UTF-32; else None.

    UTF-16 without a mark has an empty one. It is recognised by its letters.
    """
    if data.startswith(_WIDE):
        return next(known for known in _MARKS if data.startswith(known[0]))
    if data.find(b"\0", 0, DECIDING) < 0:
        return None
    for encoding in ("utf-16-le", "utf-16-be"):
        text = data[: min(len(data), DECIDING) // 2 * 2].decode(encoding, "replace")
        plain = sum(character < "\u0100" and (character.isprintable() or character in "\t\n\f\r") for character in text)
        if len(text) >= _LEAST and plain >= _MOSTLY * len(text) and "\0" not in text and not len(data[:DECIDING]) % 2:
            return b"", encoding
    return None


def as_utf8(data: bytes, encoding: str | None = None) -> tuple[bytes, bool]:
    """The text as UTF-8 bytes without a byte order mark, and whether it was UTF-16 or UTF-32.

    encoding: of other texts, unless they are UTF-8; None: their bytes are not changed. Never fails.
    """
    if (known := wide_encoding(data)) is not None:
        return _transcoded(data[len(known[0]) :], known[1]), True
    return transcoded(data.removeprefix(codecs.BOM_UTF8), encoding), False


def transcoded(data: bytes, encoding: str | None) -> bytes:
    """A text as UTF-8. encoding: that of the text, unless it is UTF-8; None: it stays as it is."""
    if encoding is None:
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return _transcoded(data, encoding)
    return data


def _transcoded(data: bytes, encoding: str) -> bytes:
    return data.decode(encoding, "simdocs.escape").encode("utf-8", "surrogateescape")


def utf8_pieces(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a text as UTF-8 without a byte order mark, piece by piece. The first has at least 8 KiB, or all of it."""
    first = next(pieces, b"")
    known = wide_encoding(first)
    if known is None:
        yield first.removeprefix(codecs.BOM_UTF8)
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(known[1])("simdocs.escape")
    for piece in chain([first[len(known[0]) :]], pieces):
        yield decoder.decode(piece).encode("utf-8", "surrogateescape")
    yield decoder.decode(b"", True).encode("utf-8", "surrogateescape")


class BinaryFormat(NamedTuple):
    """A format of files that are not text.

    suffix: how the names of its files end.
    magic: the bytes with which they begin.
    described: what such a file is, and what to do with it.
    shared: whether other formats begin with the same bytes, so that the suffix decides.
    read_as: the name of the container that reads such files; empty if none does.
    is_unpacked: whether a text in such a file is read if the name of the file ends with the suffix.
    """

    suffix: bytes
    magic: bytes
    described: str
    shared: bool = False
    read_as: str = ""
    is_unpacked: bool = False

    def advice(self, name: bytes) -> str:
        """What a file with this name is, and what to do with it."""
        if self.is_unpacked and not any(_ends(name, some) for some in BINARY if some.read_as):
            return f"{self.described}, or give the file a name that ends in {self.suffix.decode()}"
        if not self.read_as:
            return self.described
        if _ends(name, self):
            return f"{self.described}: leave --input-format text out"
        if compression_of(name):
            return f"{self.described} that was compressed once more: decompress it"
        named = f"give the file a name that ends in .{self.read_as}"
        if name == b"-":
            named = f"save it as a file whose name ends in .{self.read_as}"
        return f"{self.described}: {named}, or give --input-format {self.read_as}"


_ZIP = b"PK\x03\x04"

_AS_CSV = "save its rows as CSV"

_STREAM = b"\xff\xff\xff\xff"
"""The beginning of an Arrow stream, before the length of its schema."""


BINARY = (
    BinaryFormat(b".gz", b"\x1f\x8b", "gzip data: pipe it through zcat", is_unpacked=True),
    BinaryFormat(b".zst", b"\x28\xb5\x2f\xfd", "zstd data: pipe it through zstdcat", is_unpacked=True),
    BinaryFormat(b".xz", b"\xfd7zXZ\0", "xz data: pipe it through xzcat"),
    BinaryFormat(b".bz2", b"BZh", "bzip2 data: pipe it through bzcat"),
    BinaryFormat(b".parquet", b"PAR1", "a Parquet file", read_as="parquet"),
    BinaryFormat(b".arrow", b"ARROW1", "an Arrow file", read_as="arrow"),
    BinaryFormat(b".arrow", _STREAM, "an Arrow stream", read_as="arrow"),
    BinaryFormat(b".orc", b"ORC", "an ORC file: convert it to Parquet, for example with pyarrow", shared=True),
    BinaryFormat(b".avro", b"Obj\x01", "an Avro file: convert it to Parquet, for example with DuckDB"),
    BinaryFormat(b".feather", b"FEA1", "a Feather file of version 1: convert it to Parquet, for example with pandas"),
    BinaryFormat(b".pdf", b"%PDF-", "a PDF document: convert it with pdftotext"),
    BinaryFormat(b".docx", _ZIP, "a Word document: save it as text", shared=True),
    BinaryFormat(b".xlsx", _ZIP, f"an Excel workbook: {_AS_CSV}", shared=True),
    BinaryFormat(b".pptx", _ZIP, "a PowerPoint presentation: save it as text", shared=True),
    BinaryFormat(b".odt", _ZIP, "an OpenDocument text: save it as text", shared=True),
    BinaryFormat(b".epub", _ZIP, "an EPUB book: save it as text", shared=True),
    BinaryFormat(b".zip", _ZIP, "a ZIP archive: unpack it"),
    BinaryFormat(b".doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document: save it as text"),
    BinaryFormat(b".7z", b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it"),
    BinaryFormat(b".sqlite", b"SQLite format 3\0", f"an SQLite database: {_AS_CSV}"),
)
"""Formats that are named where a file is skipped. The first that fits counts."""

_MAGIC = tuple({some.magic for some in BINARY})
"""The bytes with which these files begin. Every file that is read is compared with them once."""

_BZIP2_BLOCK = (b"1AY&SY", b"\x17rE8P\x90")
"""The beginning of the first block of bzip2 data, or of the end of empty data. `BZh` alone could begin a text."""


def binary_format(data: bytes, name: bytes = b"") -> str:
    """The format of a file that begins with these bytes, and what to do with it; empty if it is unknown."""
    if not data.startswith(_MAGIC) or (data.startswith(b"BZh") and data[4:10] not in _BZIP2_BLOCK):
        return ""
    if data.startswith(_STREAM) and data[7:8] != b"\0":  # a schema has less than 16 MiB
        return ""
    named = (some for some in BINARY if data.startswith(some.magic) and (not some.shared or _ends(name, some)))
    return next((some.advice(name) for some in named), "")


def _ends(name: bytes, some: BinaryFormat) -> bool:
    return name.lower().endswith(some.suffix)


_LOOKED_AT = 1 << 14
"""Bytes at the beginning of a text that decide what it looks like."""

_LEAST_RECORDS, _LEAST_PAIRS = 3, 5
"""The least records that make a table, and the least if it has two columns, which may also be a list of towns and
countries."""

_USUAL_FIELDS = frozenset(("id", "text", "title", "body", "content", "name", "url", "label", "date", "message"))
"""With one of these in the first row, two rows are a table."""

_SHARE_SPACED = 0.25
"""A comma in prose has a space after it; in a table at most this share of the delimiters has."""


class Lookalike(NamedTuple):
    """A text whose rows may be documents.

    name: what messages call it. flag: the flag of documents whose text looks like it. container: the format that reads
    it. delimiter: the character between its fields, if it is a table.
    """

    name: str
    flag: int
    container: str
    delimiter: str = ""

    @property
    def options(self) -> str:
        """The options that read it, for a message."""
        more = " and --delimiter ';'" if self.delimiter == ";" else ""
        return f"--input-format {self.container}{more}"

    def warning(self, name: bytes, count: int = 1) -> str:
        """The warning that such texts are read as one document each, and what to do. name: of the first."""
        looks, each = ("this looks", "") if count == 1 else ("these look", "each ")
        wrong = f"{display_name(name)}{and_more(count)}: {looks} like {self.name}, but {each}is read as one text"
        return f"{wrong}: to read its rows as documents, give {self.options}; if it is one text, --input-format text"


_LINES, _ARRAY = Lookalike("JSON Lines", LIKE_LINES, "jsonl"), Lookalike("a JSON array", LIKE_ARRAY, "json")

_TABLES = (
    Lookalike("TSV", LIKE_TSV, "tsv", "\t"),
    Lookalike("CSV with semicolons", LIKE_SEMICOLONS, "csv", ";"),
    Lookalike("CSV", LIKE_CSV, "csv", ","),
)

LOOKALIKES = (_LINES, _ARRAY, *_TABLES)


class NoTable(DocumentSkipped):
    """A file is named like one with many documents, but is no table with the text field.

    If a walk found it, it is read as one text, unless its name ends in .jsonl.
    why: what is wrong with it. remedy: what to do, beside reading it as one text; may be empty.
    lacks_text: whether it is a table, but without the text field. or_text: whether it may be one text.
    """

    def __init__(self, why: str, remedy: str = "", *, lacks_text: bool = False, or_text: bool = True) -> None:
        self.lacks_text = lacks_text
        remedies = [remedy] * (remedy != "") + ["give --input-format text to read it as one text"] * or_text
        super().__init__("malformed", f"{why}: {', or '.join(remedies)}")


def refuse_no_lines(head: bytes) -> None:
    """Raise NoTable if a file that begins so looks like another table, and no line begins as an object does."""
    if head.lstrip().startswith((b"{", b"[")) or any(line.lstrip().startswith(b"{") for line in head.split(b"\n")):
        return
    if (alike := lookalike_of(flag_of(head))) is not None:
        raise NoTable(f"no line is a JSON object; this looks like {alike.name}", f"give {alike.options}")


def flag_of(text: bytes) -> int:
    """The flag of the table that a text in UTF-8 looks like, or 0. It does not depend on the name of the file."""
    end = text.find(b"\n", 0, _LOOKED_AT)
    begun = text[:1] if text[:1] > b" " else text[:_LOOKED_AT].lstrip()[:1]
    if begun == b"{":
        return LIKE_LINES if looks_like_lines(text) else 0
    if begun == b"[":
        return LIKE_ARRAY if _looks_like_array(text) else 0
    if end < 0:
        return 0
    after = text.find(b"\n", end + 1, _LOOKED_AT)
    quoted = text.find(b'"', 0, after) >= 0
    for table in _TABLES:
        mark = table.delimiter.encode()
        count = text.count(mark, 0, end)
        if (quoted or (count and text.count(mark, end, after if after > 0 else None) == count)) and _is_table(
            text, table.delimiter
        ):
            return table.flag
    return 0


def looks_like_lines(text: bytes) -> bool:
    """Whether the first two lines of a text are JSON objects."""
    lines = text.split(b"\n", 2)
    return len(lines) > 1 and all(map(is_object, lines[:2]))


def is_object(line: bytes) -> bool:
    """Whether a line is a JSON object."""
    try:
        return line.lstrip().startswith(b"{") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


_ARRAY_BEGINS = re.compile(rb'\s*\[\s*\{\s*"')


def _looks_like_array(text: bytes) -> bool:
    """Whether a text is a JSON array of objects, or begins so."""
    if _ARRAY_BEGINS.match(text, 0, _LOOKED_AT) is None:
        return False
    try:
        return len(text) > _LOOKED_AT or bool(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _is_table(text: bytes, delimiter: str) -> bool:
    """Whether the first rows of a text have the same number of fields, of which few begin with a space.

    Lines that all end with the delimiter are code, and those that all begin with it are indented.
    """
    lines = io.StringIO(text[:_LOOKED_AT].decode("utf-8", "replace").rstrip("\r\n"), newline="")
    try:
        records = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return False
    if len(text) > _LOOKED_AT:
        records.pop()  # it may be cut off
    width = len(records[0]) if records else 0
    least = _LEAST_RECORDS if width > 2 else _LEAST_PAIRS
    if records and not _USUAL_FIELDS.isdisjoint(map(str.lower, records[0])):
        least = 2
    if width < 2 or len(records) < least or any(len(row) != width for row in records):
        return False
    later = [field for row in records for field in row[1:]]
    if sum(field.startswith(" ") for field in later) > _SHARE_SPACED * len(later):
        return False
    if not any(row[0].strip() for row in records) or not any(row[-1].strip() for row in records):
        return False
    return width > 2 or any(letter.isalpha() for row in records for field in row for letter in field)


def lookalike_of(flags: int) -> Lookalike | None:
    """The table that a document with these flags looks like, if any."""
    return next((lookalike for lookalike in LOOKALIKES if flags & lookalike.flag), None)


def looking_like(documents: Documents) -> Iterator[tuple[str, int]]:
    """Yield the name of each table that documents look like, and how many of them do."""
    for lookalike in LOOKALIKES:
        if count := documents.flagged(lookalike.flag):
            yield lookalike.name, count
