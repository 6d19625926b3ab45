"""A buffered stream of bytes to one descriptor: a file, a pipe or the standard output."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simdocs.storage import syscalls
from simdocs.storage.syscalls import as_output_error

if TYPE_CHECKING:
    from simdocs.corpora.compression import CompressedSink

_BUFFER_BYTES = 1 << 20


class OutputStream:
    """Writes bytes to one descriptor: all of them, or it raises an OutputError."""

    def __init__(self, descriptor: int, name: str) -> None:
        self.descriptor, self.name = descriptor, name
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Buffer bytes. They are written when the buffer holds a mebibyte, or by flush."""
        self._pieces.append(data)
        self._size += len(data)
        if self._size >= _BUFFER_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write everything in the buffer. BrokenPipeError: the reader is gone."""
        data = b"".join(self._pieces)
        self._pieces, self._size = [], 0
        with as_output_error(self.name):
            syscalls.write(self.descriptor, data)

    def prepare(self) -> None:
        """Write everything, so that nothing but publishing it can fail any more."""
        self.flush()


class EncodedStream(OutputStream):
    """Writes to another stream what an encoder makes of the bytes. encoder: passes bytes on to the other stream."""

    def __init__(self, stream: OutputStream, encoder: CompressedSink) -> None:
        super().__init__(stream.descriptor, stream.name)
        self._stream, self._encoder, self._ended = stream, encoder, False

    def write(self, data: bytes) -> None:
        """Give bytes to the encoder, which may hold some of them."""
        self._encoder.write(data)

    def flush(self) -> None:
        """Write everything that the encoder has passed on."""
        self._stream.flush()

    def prepare(self) -> None:
        """Write everything, so that nothing but publishing it can fail any more."""
        if not self._ended:
            self._encoder.end()
            self._ended = True
        self._stream.prepare()


@contextlib.contextmanager
def stdout() -> Iterator[OutputStream]:
    """Open the standard output, and flush it at the end unless an exception was raised."""
    stream = OutputStream(1, "standard output")
    yield stream
    stream.flush()
