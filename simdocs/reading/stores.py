"""Objects in stores, which pyarrow reaches: open one, ask for its status, list what is below a prefix.

Credentials come from the environment alone, as the library of the store reads it. An error is what the library says, in
one line and without them.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from threading import Lock, Thread, current_thread, main_thread
from typing import Any, NamedTuple, TypeVar

from simdocs.errors import InputError
from simdocs.extras import needs
from simdocs.names import is_uri

CONNECT_SECONDS, SILENT_SECONDS, ATTEMPTS = 5, 20, 3
"""How long to wait for a connection, and for the next byte; and how often to ask before giving up. Only what may be
different the next time is asked for again: no connection, or an answer of 500 or more."""

_BUCKET = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._-]*")
"""The names of buckets."""

_SECOND = 1_000_000_000
"""Nanoseconds. Times are cut to seconds, because a store may say them more exactly in lists than elsewhere."""


_KINDS = {b"s3a": b"s3", b"gcs": b"gs"}
"""Other names of kinds of stores."""


class Place(NamedTuple):
    """Where an object, or a prefix of objects, is.

    scheme, authority: what is before and after `://` in its name: the kind of store, and the bucket or host.
    path: its path, as pyarrow calls it, without a slash at the end.
    """

    scheme: bytes
    authority: bytes
    path: bytes


def place_of(name: bytes) -> Place:
    """The place that a name says.

    Raises InputError, which does not repeat the name: it may hold a key or a password. OSError: pyarrow cannot reach
    an object of this name.
    """
    scheme, _, rest = name.partition(b"://")
    authority, slash, key = rest.partition(b"/")
    is_hdfs = scheme in (b"hdfs", b"viewfs")
    if b"@" in authority or (not is_hdfs and b":" in authority):
        shown = scheme.decode()
        raise InputError(
            f"a name that begins with {shown}:// has a user name, a key or a port before the first slash: leave it out,"
            " and give credentials and the address of the server in the environment, such as AWS_ACCESS_KEY_ID and"
            " AWS_ENDPOINT_URL"
        )
    if not is_hdfs and not _BUCKET.fullmatch(authority):
        raise OSError(errno.EINVAL, "this has no name of a bucket after ://")
    key = key.removesuffix(b"/")
    if (why := unreachable(key)) and key:
        raise OSError(errno.EINVAL, why)
    if is_hdfs:
        return Place(scheme, authority, slash + key)
    return Place(scheme, authority, authority + b"/" + key if key else authority)


def unreachable(key: bytes) -> str:
    """Why pyarrow cannot reach an object with this key; empty if it can."""
    parts = key.split(b"/")
    if b"" in parts:
        return "pyarrow cannot read an object with // in its name"
    if b"." in parts or b".." in parts:
        return "pyarrow cannot read an object with /./ or /../ in its name"
    return ""


_OPEN: dict[tuple[object, ...], Any] = {}
"""The stores that this process has opened, and the kinds that it has tried to. Each store has its own connections and
threads, so there is one for each bucket and environment."""

_OPENING = Lock()


def has_threads() -> bool:
    """Whether a store was opened in this process. Its library then has threads, and a forked process would hang."""
    return bool(_OPEN)


def _library(place: Place, what: str = "reading") -> Any:
    return needs("pyarrow.fs", f"{what} {place.scheme.decode()}://")


def store_at(place: Place, what: str = "reading") -> Any:
    """The pyarrow.fs.FileSystem of a place. what: what is done there, for the error that pyarrow is missing.

    Raises MissingExtraError; InputError: pyarrow was built without support for this kind of store; OSError.
    """
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or None
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or None
    kind = _KINDS.get(place.scheme, place.scheme)
    key = kind, place.authority, endpoint, region
    with _OPENING:
        if key not in _OPEN:
            fs = _library(place, what)
            _OPEN[(kind,)] = None  # the library may have threads even if the next line fails
            try:
                _OPEN[key] = answered(lambda: _opened(fs, kind, place.authority, endpoint, region))
            except (ImportError, AttributeError):
                raise InputError(f"this pyarrow was built without support for {place.scheme.decode()}://") from None
        return _OPEN[key]


def _opened(fs: Any, kind: bytes, authority: bytes, endpoint: str | None, region: str | None) -> Any:
    if kind == b"gs":
        from datetime import timedelta

        return fs.GcsFileSystem(retry_time_limit=timedelta(seconds=ATTEMPTS * SILENT_SECONDS))
    if kind != b"s3":
        return fs.FileSystem.from_uri(f"{kind.decode()}://{authority.decode()}/")[0]
    if endpoint is None and region is None:
        try:
            region = fs.resolve_s3_region(authority.decode())
        except (OSError, ValueError):  # the first request will say what is wrong
            region = None
    return fs.S3FileSystem(
        endpoint_override=endpoint,
        region=region,
        tls_ca_file_path=os.environ.get("AWS_CA_BUNDLE") or None,
        connect_timeout=CONNECT_SECONDS,
        request_timeout=SILENT_SECONDS,
        background_writes=False,  # or pieces of an upload would wait in memory, as many as there are
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
    )


_MISSING = re.compile("NO_SUCH_(BUCKET|KEY)|RESOURCE_NOT_FOUND")
"""What the library says of what is not there."""

_SECRETS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


_Answer = TypeVar("_Answer")


def answered(ask: Callable[[], _Answer]) -> _Answer:
    """What a call of pyarrow returns. Its errors become OSErrors with one line that has no credentials.

    A signal cannot interrupt pyarrow, which may wait for a minute. So the main thread lets another one wait for it.
    """
    answer = Future[_Answer]()

    def wait() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:
            answer.set_exception(error)

    if current_thread() is main_thread():
        Thread(target=wait, daemon=True).start()
    else:
        wait()
    try:
        return answer.result()
    except (OSError, ValueError, NotImplementedError) as error:
        said = " ".join(str(getattr(error, "strerror", None) or error).split())
        for secret in filter(None, map(os.environ.get, _SECRETS)):
            said = said.replace(secret, "...")
        is_missing = isinstance(error, FileNotFoundError) or _MISSING.search(said)
        raise OSError(errno.ENOENT if is_missing else errno.EIO, said) from None


_NOT_FOUND = "there is no object of this name, and none below it"


def status_of_object(name: bytes) -> os.stat_result:
    """The status of an object, as of a file, or of a prefix of objects, as of a directory.

    A name that ends with a slash, or only says a bucket, is a prefix, for which nothing is asked. Raises OSError.
    """
    place = place_of(name)
    if name.endswith(b"/") or place.path == place.authority:
        return _status(name)
    fs, store = _library(place), store_at(place)
    info = answered(lambda: store.get_file_info(place.path.decode()))
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(errno.ENOENT, _NOT_FOUND)
    return _status(name, None if info.type == fs.FileType.Directory else info)


def _status(name: bytes, info: Any = None) -> os.stat_result:
    """The status of an object; info: what pyarrow says of it, or None: it is a prefix.

    In place of device and inode it has a digest of the name, so that each object is a file of its own.
    """
    device, inode = digest_of(name)
    mode, size, seconds = stat.S_IFDIR | 0o555, 0, 0
    if info is not None:
        mode, size, seconds = stat.S_IFREG | 0o444, info.size, (info.mtime_ns or 0) // _SECOND
    times = dict.fromkeys(("st_atime_ns", "st_mtime_ns", "st_ctime_ns"), seconds * _SECOND)
    return os.stat_result((mode, inode, device, 1, 0, 0, size, seconds, seconds, seconds), times)


def digest_of(name: bytes) -> tuple[int, int]:
    """Two numbers that stand for the name of an object. `s3a` and `s3` are the same store."""
    scheme, _, rest = name.partition(b"://")
    digest = sha256(_KINDS.get(scheme, scheme) + b"://" + rest).digest()
    # Inodes are kept as signed numbers in some places, and 0 means none.
    return int.from_bytes(digest[:8], "little") >> 1, int.from_bytes(digest[8:16], "little") >> 1 | 1


def objects_below(name: bytes, *, even_none: bool = False) -> dict[bytes, Any]:
    """All objects below a prefix, by their paths there, in no order: what pyarrow says of them.

    One request for each 1,000 objects. Objects without bytes whose names end with a slash, by which some programs mark
    directories, are no objects. Raises OSError, also if there are none, unless that is fine.
    """
    place = place_of(name)
    fs, store = _library(place), store_at(place)
    below = fs.FileSelector(place.path.decode() or "/", recursive=True, allow_not_found=even_none)
    infos, cut = answered(lambda: store.get_file_info(below)), len(place.path.rstrip(b"/")) + 1
    return {info.path.encode()[cut:]: info for info in infos if info.type == fs.FileType.File}


class StoredEntry:
    """An object below a prefix, or a prefix below it, with what a walk asks of the entries of a directory.

    info: what pyarrow says of an object; None: it is a prefix.
    """

    __slots__ = ("_directory", "_info", "name")

    def __init__(self, directory: bytes, name: bytes, info: Any) -> None:
        self._directory, self.name, self._info = directory, name, info

    @property
    def path(self) -> bytes:
        """Its whole name."""
        return self._directory.removesuffix(b"/") + b"/" + self.name

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - there are no links
        """Whether it is a prefix."""
        return self._info is None

    def is_symlink(self) -> bool:
        """Whether it is a link: no."""
        return False

    def stat(self) -> os.stat_result:
        """Its status. OSError: pyarrow cannot reach it."""
        if self._info is not None and (why := unreachable(self.name)):
            raise OSError(errno.EINVAL, why)
        return _status(self.path, self._info)


def tree_below(prefix: bytes) -> dict[bytes, list[StoredEntry]]:
    """The entries of a prefix, and of each prefix below it, as if they were directories. Raises OSError."""
    tree = {prefix: list[StoredEntry]()}
    for below, info in objects_below(prefix).items():
        at, parts = prefix, [below] if unreachable(below) else below.split(b"/")
        for part in parts[:-1]:
            entry = StoredEntry(at, part, None)
            if entry.path not in tree:
                tree[entry.path] = []
                tree[at].append(entry)
            at = entry.path
        tree[at].append(StoredEntry(at, parts[-1], info))
    return tree


def first_bytes_of_object(name: bytes, most: int) -> bytes | None:
    """The first bytes of an object, so many at most; None if it cannot be read."""
    try:
        return ObjectFile(name).pread(most, 0)
    except OSError:
        return None


_LEAST, _MOST = 1 << 16, 4 << 20
"""Bytes that are fetched at once, at least, and held. What follows them is fetched with twice as many, up to the most.
"""


class ObjectFile:
    """An open object. `files.py` has the functions that call it.

    That it is replaced while it is read is not noticed. handle: the same in pyarrow.
    Raises OSError, with one line.
    """

    def __init__(self, name: bytes) -> None:
        self._status = status_of_object(name)
        if not stat.S_ISREG(self._status.st_mode):
            raise FileNotFoundError(errno.ENOENT, _NOT_FOUND)
        place = place_of(name)
        self.handle = answered(lambda: store_at(place).open_input_file(place.path.decode()))
        self._begin, self._held = 0, b""

    def status(self) -> os.stat_result:
        """The status of the object when it was opened."""
        return self._status

    def pread(self, size: int, at: int) -> bytes:
        """At most these many bytes from a position on; fewer only at the end."""
        size = min(size, self._status.st_size - at)
        if size <= 0:
            return b""
        if not self._begin <= at <= at + size <= self._begin + len(self._held):
            follows = at == self._begin + len(self._held)
            ahead = min(2 * len(self._held), _MOST) if follows else _LEAST
            self._held = bytes(answered(lambda: self.handle.read_at(max(size, ahead), at)))
            self._begin = at
        return self._held[at - self._begin : at - self._begin + size]

    def close(self) -> None:
        """Close it."""
        self.handle.close()


_AT_A_TIME = 16
"""Objects that are asked for at a time by each process. Stores allow thousands of requests a second."""


def each_in_threads(names: Sequence[bytes], ask: Callable[[int], _Answer]) -> Iterator[Callable[[], _Answer]]:
    """Yield what `each_ahead` does, where some names are those of objects."""
    pool, waiting = ThreadPoolExecutor(_AT_A_TIME), deque[Callable[[], _Answer]]()
    try:
        for place, name in enumerate(names):
            waiting.append(pool.submit(ask, place).result if is_uri(name) else partial(ask, place))
            if len(waiting) == _AT_A_TIME:
                yield waiting.popleft()
        yield from waiting
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
