"""Compressed files: decompress one up to a limit, or piece by piece. Only the wanted bytes are held in memory.

A compressed file is a sequence of frames, which gzip calls members. A member of the family, an entry in `COMPRESSIONS`
of `file_formats.py`, decompresses one frame.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable
from types import ModuleType
from typing import Protocol

from simdocs.corpora.decode import binary_format
from simdocs.errors import MissingExtraError
from simdocs.extras import needs
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name
from simdocs.options.file_formats import COMPRESSIONS, compression_of

PADDING = 64 << 20
"""The most compressed bytes without content, such as zeros after a gzip member. More are not padding: reading through a
hole of terabytes would take hours."""

_COMPRESSED_AT_ONCE = 1 << 14
"""Compressed bytes that are read at once."""

_PIECE = 1 << 18
"""Decompressed bytes that are produced at once. Without this, 16 KiB of input could become 16 MiB."""


class Frame(Protocol):
    """Decompresses one frame."""

    @property
    def eof(self) -> bool:
        """Whether the end of the frame was reached."""

    @property
    def is_hungry(self) -> bool:
        """Whether nothing more comes out before it is given more bytes."""

    @property
    def rest(self) -> bytes:
        """The bytes, at the end of those that it was given, that it has not used and does not hold."""

    def decompress(self, data: bytes, most: int) -> bytes:
        """The next bytes of the content, at most `most`. Raises DocumentSkipped: malformed."""


def misnamed(head: bytes, what: str, suffix: bytes = b"") -> str:
    """The detail of the skip of a file that begins with these bytes, and not as `what`. suffix: of its name."""
    found = binary_format(head, suffix)
    if not found and _is_text(head):
        found = "text: give the file a name that ends as what it is"
    return f"not {what}, but {found}" if found else f"not {what}"


def _is_text(head: bytes) -> bool:
    """Whether a file that begins with these bytes is probably text in UTF-8, which may be cut within a character."""
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        return False
    return bool(text) and all(character.isprintable() or character in "\t\n\r" for character in text)


def library(module: str, what: str) -> ModuleType:
    """Import a module of an optional library to read a file: see `needs`.

    Raises DocumentSkipped (uninstalled): it cannot be imported. A file that a walk found is then skipped. One that was
    named is an error, before any file is read: see `needed_by`.
    """
    try:
        return needs(module, what)
    except MissingExtraError as error:
        raise DocumentSkipped("uninstalled", error.problem) from error


class Compressor(Protocol):
    """Compresses content to one frame, piece by piece."""

    def compress(self, data: bytes) -> bytes:
        """Take the next bytes of the content; return the compressed bytes that are ready."""

    def flush(self) -> bytes:
        """The rest of the compressed bytes, when all content was taken."""


class Compression(Protocol):
    """A compression as a member of the family.

    padding: what may stand between frames, or gives no content, for the message that it is too much.
    """

    padding: str

    def frame(self, *, is_first: bool) -> Frame:
        """The decompressor of a frame. Raises DocumentSkipped: uninstalled."""

    def unpadded(self, data: bytes) -> bytes:
        """Bytes after a frame, without the padding at their beginning."""

    def compressor(self, name: str = "") -> Compressor:
        """A new compressor. The same content becomes the same bytes, however it is cut.

        name: the file that is written, as it is shown. Raises MissingExtraError.
        """


def compression(name: str) -> Compression:
    """The compression with this name in the family."""
    found: Compression = COMPRESSIONS[name].load()
    return found


def decompress(name: str, data: bytes, limit: int) -> bytes:
    """The content of a whole compressed file, with all its frames. name: the compression.

    Raises DocumentSkipped: oversized (more than limit bytes, which are never held in memory); malformed (damaged, cut
    short, not compressed so); uninstalled.
    """
    stream = CompressedStream(name, lambda offset: data[offset : offset + _COMPRESSED_AT_ONCE])
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise DocumentSkipped("oversized", f"more than {limit} bytes decompressed")
    stream.read(1)  # damage is raised only when nothing is left to return before it
    return content


class CompressedStream:
    """Reads the content of a compressed file forwards.

    name: the compression.
    source: returns compressed bytes from an offset on, b"" at the end.
    """

    __slots__ = ("_frame", "_idle", "_kind", "_name", "_offset", "_pending", "_source", "_trouble")

    def __init__(self, name: str, source: Callable[[int], bytes]) -> None:
        self._name, self._kind, self._source = name, compression(name), source
        self._offset = 0
        """The compressed bytes before it were given to the frame, or belong to earlier ones."""
        self._pending = b""
        """Compressed bytes from the offset on that were read already."""
        self._idle = 0
        """Compressed bytes since the last ones that had content."""
        self._frame: Frame | None = None
        """The frame that is being read; None between frames."""
        self._trouble: tuple[str, str] | None = None
        """Reason and detail of the skip that was raised, because the library may find no damage at the next call."""

    def read(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end of the file or before damage.

        Raises DocumentSkipped: malformed, if only damage is left; uninstalled.
        """
        content = io.BytesIO()  # grows in place, and hands over what it holds without a copy
        while (wanted := size - content.tell()) > 0:
            try:
                piece = self.piece(wanted)
            except DocumentSkipped:
                if content.tell():
                    break
                raise
            if not piece:
                break
            content.write(piece)
        return content.getvalue()

    def piece(self, most: int) -> bytes:
        """The next bytes of one frame: at least one and at most `most`; b"" at the end.

        Raises DocumentSkipped: malformed, uninstalled; from then on at every call.
        """
        if self._trouble is None:
            try:
                return self._piece(min(most, _PIECE))
            except DocumentSkipped as skip:
                self._trouble = skip.reason, skip.detail
                raise
        raise DocumentSkipped(*self._trouble)

    def _piece(self, most: int) -> bytes:
        while (frame := self._frame or self._next_frame()) is not None:
            compressed = (self._pending or self._source(self._offset)) if (hungry := frame.is_hungry) else b""
            piece = frame.decompress(compressed, most)
            if hungry and not (piece or compressed or frame.eof):
                raise self._cut_short()
            self._pending = frame.rest
            self._advance(len(compressed) - len(self._pending))
            if frame.eof:
                self._frame = None
            if piece:
                self._idle = 0
                return piece
        return b""

    def _advance(self, size: int) -> None:
        self._offset += size
        self._idle += size
        if self._idle > PADDING:
            raise DocumentSkipped("malformed", f"more than {PADDING >> 20} MiB of {self._kind.padding}")

    def _next_frame(self) -> Frame | None:
        """The decompressor of the next frame; None at the end of the file."""
        is_first = not self._offset
        while compressed := self._pending or self._source(self._offset):
            self._pending = compressed if is_first else self._kind.unpadded(compressed)
            self._advance(len(compressed) - len(self._pending))
            if self._pending:
                self._frame = self._kind.frame(is_first=is_first)
                return self._frame
        if is_first:
            raise self._cut_short()
        return None

    def _cut_short(self) -> DocumentSkipped:
        return DocumentSkipped("malformed", f"a {self._name} file cut short")


class CompressedSink:
    """Takes the content of a file, and passes it on compressed as its name says; as it is, if it says nothing.

    name: of the file. sink: takes the bytes of the file.
    Raises MissingExtraError.
    """

    def __init__(self, name: bytes, sink: Callable[[bytes], object]) -> None:
        known = compression_of(name)
        self._sink, self._compressor = sink, compression(known).compressor(display_name(name)) if known else None

    def write(self, data: bytes) -> None:
        """Take the next bytes of the content."""
        if piece := data if self._compressor is None else self._compressor.compress(data):
            self._sink(piece)

    def end(self) -> None:
        """Pass on the rest, when all content was taken."""
        if self._compressor is not None:
            self._sink(self._compressor.flush())
