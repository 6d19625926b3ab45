"""Publish an object of a store, or a prefix of objects whose last one is `_SUCCESS`. Nobody sees an incomplete object.

pyarrow uploads an object in pieces of 10 MB, and the object appears when its stream is closed. But pyarrow also closes
a stream that Python forgets, and cannot abort an upload. So an upload that must not be completed is held until the
process ends: the store then has pieces that nobody sees, which a rule of the bucket removes (docs/stores.md).
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import Any

from simdocs.errors import UsageError
from simdocs.names import SUCCESS, display_name
from simdocs.reading.stores import answered, objects_below, place_of, store_at
from simdocs.storage.atomic_file import OutputStream, unpublished
from simdocs.storage.syscalls import as_output_error, signals_deferred


class Upload(OutputStream):
    """The stream of an object that appears when `complete` is called, and never otherwise."""

    def __init__(self, path: str) -> None:
        """Begin an upload. OutputError: the store does not allow it, or does not answer. InputError: see `place_of`."""
        super().__init__(-1, display_name(os.fsencode(path)))
        with as_output_error(self.name):
            self._handle = _begun(path)

    def flush(self) -> None:
        """Send what is complete of the next piece."""
        data = b"".join(self._pieces)
        self._pieces, self._size = [], 0
        if data:
            with as_output_error(self.name):
                answered(lambda: self._handle.write(data))

    def complete(self) -> None:
        """Let the object appear, with all that was written. OutputError: it did not; or the answer was lost."""
        self.flush()
        with as_output_error(self.name):
            answered(self._handle.close)
        _count(self._handle, -1)


def _begun(path: str) -> Any:
    """The stream of pyarrow of a new upload, which will not be forgotten."""
    place = place_of(os.fsencode(path))
    if path.endswith("/") or place.path in (place.authority, b""):
        raise OSError(errno.EISDIR, "this is a prefix: name an object")
    try:
        key = place.path.decode()
    except UnicodeDecodeError:
        raise OSError(errno.EILSEQ, "the name of an object must be UTF-8") from None
    store = store_at(place, "writing to")

    def begin() -> Any:
        handle = store.open_output_stream(key, compression=None)  # by the suffix of the name, if not said
        # Here, in the thread that waits for the store, because a signal may end the one that waits for this thread.
        _count(handle, 1)
        return handle

    return answered(begin)


def _count(handle: Any, more: int) -> None:
    """Let Python count one reference more, so that it never forgets the object, or one less."""
    import ctypes

    change = ctypes.pythonapi.Py_IncRef if more > 0 else ctypes.pythonapi.Py_DecRef
    change(ctypes.py_object(handle))


@contextlib.contextmanager
def stored_file(path: str, before: str = "") -> Iterator[OutputStream]:
    """Open a stream that becomes the object `path` at the end. After an exception, the old object is still there.

    before: as for `atomic_file`. OutputError: see `Upload`.
    """
    upload = Upload(path)
    yield upload
    upload.prepare()
    with unpublished(upload.name, before), signals_deferred():
        upload.complete()


class StoredTree:
    """A prefix of objects to fill, one after the other. Begins the upload of its `_SUCCESS`, which will be the last.

    So an error about permissions is raised before any work.
    """

    def __init__(self, path: str) -> None:
        self._path, self._made, self.is_complete = path.rstrip("/"), list[str](), False
        self._success = Upload(f"{self._path}/{SUCCESS}")

    @contextlib.contextmanager
    def file(self, path: str) -> Iterator[OutputStream]:
        """Open a stream to an object below the prefix, which is there when the stream is left. OutputError."""
        whole = f"{self._path}/{path}"
        upload = Upload(whole)
        yield upload
        upload.prepare()
        self._made.append(whole)
        with signals_deferred():  # or the object might appear after it was removed
            upload.complete()

    def prepare(self) -> None:
        """All objects are there already."""

    def complete(self) -> None:
        """Write `_SUCCESS`."""
        with signals_deferred():
            self._success.complete()
            self.is_complete = True

    def remove(self) -> None:
        """Remove all objects that were written, as far as the store allows it, and `_SUCCESS` first.

        An answer that was lost leaves open whether that was written.
        """
        with contextlib.suppress(OSError):
            for path in (f"{self._path}/{SUCCESS}", *self._made) if self._made else ():
                place = place_of(os.fsencode(path))
                store, key = store_at(place), place.path.decode()
                with contextlib.suppress(FileNotFoundError):
                    answered(lambda store=store, key=key: store.delete_file(key))  # type: ignore[misc]


@contextlib.contextmanager
def stored_tree(path: str) -> Iterator[StoredTree]:
    """Open a prefix that is complete when `_SUCCESS` is there. After an exception, the objects are removed again.

    UsageError: there are objects below it. OutputError: see `Upload`.
    """
    check_prefix(path)
    tree = StoredTree(path)
    try:
        yield tree
        tree.complete()
    except BaseException:
        if not tree.is_complete:
            tree.remove()
        raise


def check_prefix(path: str) -> None:
    """Raise UsageError if there are objects below this prefix. OutputError: the store does not say."""
    name = display_name(os.fsencode(path))
    with as_output_error(name):
        occupied = objects_below(os.fsencode(path), even_none=True)
    if occupied:
        raise UsageError(
            f"{name}: there are objects below this prefix, and simdocs replaces none: choose another prefix, or remove"
            " them"
        )
