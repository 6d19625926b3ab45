"""Decode documents, UTF-16 and UTF-32 by their byte order mark, and refuse binary ones with the name of the format."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from simdocs.model.skipped import DocumentSkipped
from simdocs.options.file_formats import compression_of, without_compression

LOOKED_AT = 8 << 10
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
    return data.find(b"\0", 0, LOOKED_AT) >= 0 and wide_encoding(data) is None


def refuse_binary(data: bytes, name: bytes) -> None:
    """Raise DocumentSkipped (binary) if data is not text. The detail names the format, if it is known.

    name: the name of the file. Its suffix tells one kind of archive from another.
    """
    if what := binary_format(data, name):
        raise DocumentSkipped("binary", what)
    if is_binary(data):
        raise DocumentSkipped("binary", binary_format_named(name))


_MOSTLY, _LEAST = 0.75, 4
"""The share of Latin letters, digits, spaces and the like in UTF-16 that is recognised without a mark, and how many
characters it has at least."""


def wide_encoding(data: bytes) -> tuple[bytes, str] | None:
    """The byte order mark, and the encoding, if a text that begins with these bytes is UTF-16 or UTF-32; else None.

    UTF-16 without a mark has an empty one. It is recognised by its letters.
    """
    if data.startswith(_WIDE):
        return next(known for known in _MARKS if data.startswith(known[0]))
    if data.find(b"\0", 0, LOOKED_AT) < 0:
        return None
    for encoding in ("utf-16-le", "utf-16-be"):
        text = data[: min(len(data), LOOKED_AT) // 2 * 2].decode(encoding, "replace")
        plain = sum(character < "\u0100" and (character.isprintable() or character in "\t\n\f\r") for character in text)
        if len(text) >= _LEAST and plain >= _MOSTLY * len(text) and "\0" not in text and not len(data[:LOOKED_AT]) % 2:
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


def binary_format_named(name: bytes) -> str:
    """The probable format of a binary file with this name, and what to do with it; empty if it is unknown.

    Files with the suffix of a compression have been decompressed, so the suffix before that counts.
    """
    name = without_compression(name.lower())
    return next((some.advice(name) for some in BINARY if _ends(name, some)), "")


def _ends(name: bytes, some: BinaryFormat) -> bool:
    return name.lower().endswith(some.suffix)
