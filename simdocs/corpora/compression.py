"""Compressed files: decompress one up to a limit, or read it at any position. Only the wanted bytes are held in memory.

A compressed file is a sequence of frames, which gzip calls members. A member of the family, an entry in `COMPRESSIONS`
of `file_formats.py`, decompresses one frame.
"""

from __future__ import annotations

import codecs
import io
from bisect import bisect_right
from collections.abc import Callable
from types import ModuleType
from typing import Protocol

from simdocs.corpora.decode import binary_format
from simdocs.corpora.files import OpenFile, read_at
from simdocs.errors import MissingExtraError
from simdocs.extras import needs
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name
from simdocs.options.file_formats import COMPRESSIONS, compression_of

PADDING = 64 << 20
"""The most compressed bytes without content, such as zeros after a gzip member. More are not padding: reading through a
hole of terabytes would take hours."""

_COMPRESSED_AT_ONCE = 1 << 14
"""Compressed bytes that are read at once. A checkpoint holds at most this many."""

_PIECE = 1 << 18
"""Decompressed bytes that are produced at once. Without this, 16 KiB of input could become 16 MiB."""

_SPACING = 4 << 20
"""Decompressed bytes between checkpoints. Decompressing them takes some 15 ms."""

_CHECKPOINTS = 64
"""The most checkpoints of a file. A checkpoint of gzip takes 40 KiB, most of it the window of zlib."""


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

    def copy(self) -> Frame | None:
        """Another one in the same state; None if the library cannot copy it."""


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

    __slots__ = ("_begin", "_frame", "_idle", "_kind", "_name", "_offset", "_pending", "_source", "_trouble", "at")

    def __init__(self, name: str, source: Callable[[int], bytes]) -> None:
        self.at = 0
        """The position in the decompressed content."""
        self._name, self._kind, self._source = name, compression(name), source
        self._offset = 0
        """The compressed bytes before it were given to the frame, or belong to earlier ones."""
        self._pending = b""
        """Compressed bytes from the offset on that were read already."""
        self._idle = 0
        """Compressed bytes since the last ones that had content."""
        self._frame: Frame | None = None
        """The frame that is being read; None between frames."""
        self._begin = 0, 0
        """Where the frame begins, in the content and in the file."""
        self._trouble: tuple[str, str] | None = None
        """Reason and detail of the skip that was raised, because the library may find no damage at the next call."""

    def mark(self) -> CompressedStream:
        """Another stream at the same position, or at the beginning of this frame if the library cannot copy frames.

        Reading one stream does not move the other.
        """
        other = CompressedStream(self._name, self._source)
        frame = None if self._frame is None else self._frame.copy()
        if frame is None and self._frame is not None:
            other.at, other._offset = self._begin
        else:
            other.at, other._offset, other._frame = self.at, self._offset, frame
            other._begin = self._begin
        return other

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
                self.at += len(piece)
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
                self._begin = self.at, self._offset
                self._frame = self._kind.frame(is_first=is_first)
                return self._frame
        if is_first:
            raise self._cut_short()
        return None

    def _cut_short(self) -> DocumentSkipped:
        return DocumentSkipped("malformed", f"a {self._name} file cut short")


class SeekableStream:
    """Reads any part of the content of an open compressed file. Its position does not move.

    Reading continues from the current position, or from the last checkpoint before the part. Checkpoints are made on
    the way. They are further apart in a larger file, so that there are never many.

    So parts in ascending order cost one pass over the file, and a part before the last one costs what lies between it
    and the checkpoint. A checkpoint of gzip is the state of zlib, at any position. The state of zstd cannot be copied,
    so its checkpoints are beginnings of frames. If the file is a single frame, as `zstd` writes it, going back means to
    decompress it from its beginning, which takes 3 s for each GB of content. `pzstd` writes many frames.

    In memory: the checkpoints, and the window of one decompressor: 32 KiB for gzip, and for zstd as large as the file
    states, usually at most 8 MiB, but not more than 128 MiB.

    Raises DocumentSkipped: uninstalled.
    """

    def __init__(self, name: str, file: OpenFile, spacing: int = _SPACING) -> None:
        compression(name).frame(is_first=True)  # fails now if it ever does
        self._stream = CompressedStream(name, lambda offset: read_at(file, _COMPRESSED_AT_ONCE, offset))
        self._checkpoints = [self._stream.mark()]
        self._spacing = spacing

    def read(self, start: int, length: int) -> bytes:
        """Bytes start to start + length of the content; fewer only at the end.

        Raises DocumentSkipped: malformed, in these bytes or before them; OSError.
        """
        nearest = self._checkpoints[bisect_right(self._checkpoints, start, key=lambda stream: stream.at) - 1]
        if start < self._stream.at or nearest.at > self._stream.at:
            self._stream = nearest.mark()
        while self._stream.at < start:
            if not self._step(start - self._stream.at):
                return b""
        content = io.BytesIO()
        while (wanted := length - content.tell()) > 0 and (piece := self._step(wanted)):
            content.write(piece)
        return content.getvalue()

    def _step(self, most: int) -> bytes:
        piece = self._stream.piece(most)
        enough = self._checkpoints[-1].at + self._spacing
        if self._stream.at >= enough and (mark := self._stream.mark()).at >= enough:
            self._checkpoints.append(mark)
            if len(self._checkpoints) > _CHECKPOINTS:
                self._checkpoints = self._checkpoints[::2]
                self._spacing *= 2
        return piece


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
