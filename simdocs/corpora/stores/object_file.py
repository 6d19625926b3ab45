"""An object of a store as an open file: it is read by ranges, of which a few are held."""

from __future__ import annotations

import os
import stat
from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from simdocs.corpora.stores.store import answered, cut_to_seconds, place_of, status, store_at

_LEAST, _MOST, _HELD = 1 << 16, 4 << 20, 8 << 20
"""Bytes of a range that is read at once, at least and at most, and of all ranges of a file that are held. A range that
follows the last one is twice as long: an object that is read from its beginning to its end takes few requests."""

_GAP = 1 << 17
"""Bytes between two wanted intervals that are read, too, because another request would take longer."""


class Version(NamedTuple):
    """What tells one version of an object from another. etag: empty if the store has none."""

    size: int
    mtime_ns: int
    etag: bytes


class ObjectFile:
    """An object, open at a position. `stamp.py` has the functions that call it.

    at: its position. Raises OSError, with an explanation of one line.
    """

    def __init__(self, name: bytes) -> None:
        self.name, self.at = name, 0
        self._place = place_of(name)
        self._windows = list[tuple[int, bytes]]()
        """Ranges that are held: where each begins, and its bytes. The one that was used last is the last one."""
        self._runs = list[tuple[int, int]]()
        """Where the bytes are that will be read next, as far as it is known, ascending."""
        self._handle, self._version = self._open()
        self._mtime_ns, self._unsure = self._version.mtime_ns, False

    def _open(self) -> tuple[Any, Version]:
        """Open the object as it is now: one request."""
        store, path = store_at(self._place), self._place.path.decode()

        def ask() -> tuple[Any, Version]:
            handle = store.open_input_file(path)
            known = handle.metadata() or {}
            if when := known.get("Last-Modified", b""):
                mtime_ns = int(datetime.fromisoformat(when.decode()).timestamp()) * 1_000_000_000
            else:
                mtime_ns = cut_to_seconds(store.get_file_info(path).mtime_ns)
            return handle, Version(handle.size(), mtime_ns, known.get("ETag", b""))

        return answered(ask)

    def status(self) -> os.stat_result:
        """The status of the object that has the name now, which is read from now on.

        The store is asked only if bytes were fetched since the last time: what was fetched before is of that version.
        Another version always has another time.
        """
        if self._unsure:
            handle, version = self._open()
            if version != self._version:
                later = version.mtime_ns > self._mtime_ns
                self._mtime_ns = version.mtime_ns if later else self._mtime_ns + 1
                self._handle, self._version = handle, version
                self._windows.clear()
            self._unsure = False
        return status(self.name, stat.S_IFREG | 0o444, self._version.size, self._mtime_ns)

    def expect(self, intervals: Iterable[tuple[int, int]]) -> None:
        """Prepare to read these intervals of bytes, which ascend: those that are close together take one request."""
        runs = list[tuple[int, int]]()
        for start, end in intervals:
            if runs and 0 <= start - runs[-1][1] <= _GAP and end - runs[-1][0] <= _MOST:
                runs[-1] = runs[-1][0], end
            else:
                runs.append((start, end))
        self._runs = runs

    def read(self, size: int) -> bytes:
        """At most these many bytes from its position on, which moves."""
        data = self.pread(size, self.at)
        self.at += len(data)
        return data

    def pread(self, size: int, at: int) -> bytes:
        """At most these many bytes from a position on; fewer only at the end."""
        size = min(size, self._version.size - at)
        if size <= 0:
            return b""
        for place in range(len(self._windows) - 1, -1, -1):
            start, data = self._windows[place]
            if start <= at < start + len(data):
                self._windows.append(self._windows.pop(place))
                here = data[at - start : at - start + size]
                return here if len(here) == size else here + self.pread(size - len(here), at + len(here))
        wanted = min(max(size, self._ahead(at)), self._version.size - at)
        data = self._fetch(wanted, at)
        if len(data) <= _MOST:
            self._hold(at, data)
        return data[:size]

    def _ahead(self, at: int) -> int:
        """How many bytes to read at a position."""
        place = bisect_right(self._runs, at, key=lambda run: run[0]) - 1
        if place >= 0 and at < self._runs[place][1]:
            return self._runs[place][1] - at
        for place, (start, data) in enumerate(self._windows):
            if start + len(data) == at:
                del self._windows[place]  # it was read to its end
                return min(2 * len(data), _MOST)
        return _LEAST

    def _hold(self, at: int, data: bytes) -> None:
        self._windows.append((at, data))
        while len(self._windows) > 1 and sum(len(held) for _, held in self._windows) > _HELD:
            del self._windows[0]

    def _fetch(self, size: int, at: int) -> bytes:
        """Read a range: one request. Fewer bytes, perhaps none, if the object was replaced by a shorter one."""
        self._unsure = True
        try:
            return bytes(answered(lambda: self._handle.read_at(size, at)))
        except OSError:
            before = self._version
            self.status()
            if self._version == before:
                raise
            return b""

    def close(self) -> None:
        """Close it."""
        self._windows.clear()
        self._handle.close()
