"""The encoding of a document: binary, UTF-8, or UTF-16 or UTF-32 by its byte order mark."""

from __future__ import annotations

import codecs

from simdocs.corpora.containers import binary_format, binary_format_named
from simdocs.corpora.document_skipped import DocumentSkipped

LOOKED_AT = 8 << 10
"""Bytes at the beginning of a document that decide whether it is binary."""

_MARKS = (  # UTF-32 first: the little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Replace each byte of an invalid code unit by a surrogate, as the error handler surrogateescape does."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    invalid = error.object[error.start : error.end]
    return "".join(chr(byte if byte < 0x80 else 0xDC00 + byte) for byte in invalid), error.end


codecs.register_error("simdocs.escape", _escape)


def as_bytes(text: str | bytes) -> bytes:
    """A text in memory as a file would hold it. Lone surrogates stay what they are."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def is_binary(data: bytes) -> bool:
    """Whether there is a NUL in the first 8 KiB, and no byte order mark of UTF-16 or UTF-32."""
    return b"\0" in data[:LOOKED_AT] and not data.startswith(tuple(mark for mark, _ in _MARKS))


def refuse_binary(data: bytes, name: bytes) -> None:
    """Raise DocumentSkipped (binary) if `is_binary`, or if it is in a format that is not text, which the detail names.

    name: that of the file, whose suffix tells one kind of archive from another.
    """
    if what := binary_format(data, name):
        raise DocumentSkipped("binary", what)
    if is_binary(data):
        raise DocumentSkipped("binary", binary_format_named(name))


def as_utf8(data: bytes) -> tuple[bytes, bool]:
    """The text as UTF-8 bytes without a byte order mark, and whether it was UTF-16 or UTF-32.

    UTF-8 is not checked. Bytes that are not valid in UTF-16 or UTF-32 are kept as they are. Never fails.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "simdocs.escape")
            return text.encode("utf-8", "surrogateescape"), True
    return data.removeprefix(codecs.BOM_UTF8), False
