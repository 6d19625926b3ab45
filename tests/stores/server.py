"""A small server that speaks as much of S3 as simdocs needs, for tests: lists, heads, ranges, uploads, and errors."""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR
from threading import Lock, Thread
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape as escaped


def escape(text: str) -> str:
    """The text in XML. A carriage return would become a line feed, so it is a number."""
    return escaped(text, {"\r": "&#13;"})


LONG_AGO = 1_600_000_000
"""When objects were written, unless a test says otherwise: a time that is not recent."""


class Stored(NamedTuple):
    """An object: its bytes, and when it was written, in seconds."""

    data: bytes
    mtime: float = LONG_AGO

    @property
    def etag(self) -> str:
        return f'"{hashlib.md5(self.data, usedforsecurity=False).hexdigest()}"'


class Asked(NamedTuple):
    """A request, the bucket, the key or prefix, and how many bytes were sent, in either direction.

    what: LIST, HEAD or GET; PUT of a whole object; BEGIN, PIECE, COMPLETE or ABORT of an upload in pieces; DELETE.
    """

    what: str
    bucket: str
    key: str
    sent: int


class Refused(Exception):  # noqa: N818  (what the server answers)
    """The server answers with this status and code of S3. seconds: how long it waits before."""

    def __init__(self, status: int, code: str, seconds: float = 0.0) -> None:
        super().__init__(status, code)
        self.status, self.code, self.seconds = status, code, seconds


class LostError(Exception):
    """The server closes the connection, and answers nothing."""


class ObjectStore:
    """Buckets of objects.

    buckets: the objects by bucket and key. page: the most keys of one answer to a list.
    asked: all requests. before: is called with what, bucket and key before an answer is made; it may change objects,
    wait, or raise Refused or LostError. uploads: the pieces of incomplete uploads, by bucket, key and number.
    """

    def __init__(self, *, page: int = 1000) -> None:
        self.buckets: dict[str, dict[str, Stored]] = {}
        self.page = page
        self.asked: list[Asked] = []
        self.before: Callable[[str, str, str], None] = lambda *_: None
        self.uploads: dict[tuple[str, str, str], dict[int, bytes]] = {}
        self.endpoint = ""
        self._begun = 0
        self._lock = Lock()

    def put(self, bucket: str, key: str, data: bytes, mtime: float = LONG_AGO) -> None:
        self.buckets.setdefault(bucket, {})[key] = Stored(data, mtime)

    def begin(self, bucket: str, key: str) -> str:
        """Begin an upload, and return its number."""
        with self._lock:
            self._begun += 1
            self.uploads[bucket, key, str(self._begun)] = {}
            return str(self._begun)

    def counts(self) -> Counter[str]:
        """How many requests of each kind there were."""
        return Counter(each.what for each in self.asked)

    def note(self, *asked: object) -> None:
        with self._lock:
            self.asked.append(Asked(*asked))  # type: ignore[arg-type]

    def clear(self) -> None:
        self.asked.clear()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # otherwise each answer waits for the client to acknowledge its head
    store: ObjectStore

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""

    def handle_expect_100(self) -> bool:
        """Say at once that the body may come: the client would wait a second for it."""
        going_on = super().handle_expect_100()
        self.wfile.flush()
        return going_on

    def do_HEAD(self) -> None:
        self._answer(head=True)

    def do_GET(self) -> None:
        self._answer(head=False)

    def _asked(self) -> tuple[str, str, dict[str, str]]:
        """The bucket, the key and the parameters of a request."""
        split = urlsplit(self.path)
        bucket, _, key = unquote(split.path).lstrip("/").partition("/")
        return bucket, key, {name: values[-1] for name, values in parse_qs(split.query, keep_blank_values=True).items()}

    def _change(self) -> None:
        """Answer a request that changes objects."""
        bucket, key, query = self._asked()
        of_upload = "uploadId" in query
        what = {
            "PUT": "PIECE" if of_upload else "PUT",
            "POST": "COMPLETE" if of_upload else "BEGIN",
            "DELETE": "ABORT" if of_upload else "DELETE",
        }[self.command]
        data = self._body()
        with self._refusing(what, bucket, key):
            self.store.note(what, bucket, key, len(data))
            self._changed(what, bucket, key, query, data)

    do_PUT = do_POST = do_DELETE = _change  # noqa: N815

    @contextmanager
    def _refusing(self, what: str, bucket: str, key: str) -> Iterator[None]:
        """While a request is answered: if there is no such bucket, or the test wants it, it is refused or lost."""
        try:
            self.store.before(what, bucket, key)
            if bucket not in self.store.buckets:
                raise Refused(404, "NoSuchBucket")
            yield
        except LostError:
            self.store.note(what, bucket, key, 0)
            self.close_connection = True
            self.connection.shutdown(SHUT_RDWR)
        except Refused as refused:
            time.sleep(refused.seconds)
            self.store.note(what, bucket, key, 0)
            error = f"<Error><Code>{refused.code}</Code><Message>{refused.code} for KEY</Message></Error>"
            self._send(refused.status, error.encode(), {"Content-Type": "application/xml"}, head=what == "HEAD")

    def _changed(self, what: str, bucket: str, key: str, query: dict[str, str], data: bytes) -> None:
        objects, xml = self.store.buckets[bucket], {"Content-Type": "application/xml"}
        number = query.get("uploadId", "")
        upload = bucket, key, number
        if number and upload not in self.store.uploads:
            raise Refused(404, "NoSuchUpload")
        if what == "BEGIN":
            number = self.store.begin(bucket, key)
            named = f"<Bucket>{bucket}</Bucket><Key>{escape(key)}</Key><UploadId>{number}</UploadId>"
            self._send(200, f"<InitiateMultipartUploadResult>{named}</InitiateMultipartUploadResult>".encode(), xml)
        elif what == "PIECE":
            self.store.uploads[upload][int(query["partNumber"])] = data
            self._send(200, b"", {"ETag": Stored(data).etag})
        elif what == "COMPLETE":
            pieces = self.store.uploads.pop(upload)
            objects[key] = Stored(b"".join(piece for _, piece in sorted(pieces.items())))
            named = f"<Bucket>{bucket}</Bucket><Key>{escape(key)}</Key><ETag>{escape(objects[key].etag)}</ETag>"
            self._send(200, f"<CompleteMultipartUploadResult>{named}</CompleteMultipartUploadResult>".encode(), xml)
        elif what == "PUT":
            objects[key] = Stored(data)
            self._send(200, b"", {"ETag": objects[key].etag})
        else:
            if number:
                del self.store.uploads[upload]
            objects.pop("" if number else key, None)
            self._send(204, b"", {})

    def _body(self) -> bytes:
        """The body of a request. The client may send it in chunks, with a signature after each."""
        if self.headers.get("Transfer-Encoding", "") == "chunked":
            data = b"".join(iter(self._chunk, b""))
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return data
        found, at = b"", 0
        while size := int(data[at : data.index(b"\r\n", at)].partition(b";")[0], 16):
            start = data.index(b"\r\n", at) + 2
            found, at = found + data[start : start + size], start + size + 2
        return found

    def _chunk(self) -> bytes:
        data = self.rfile.read(int(self.rfile.readline().partition(b";")[0], 16))
        self.rfile.readline()
        return data

    def _answer(self, *, head: bool) -> None:
        bucket, key, query = self._asked()
        listing = not key and not head
        what = "LIST" if listing else "HEAD" if head else "GET"
        subject = query.get("prefix", "") if listing else key
        with self._refusing(what, bucket, subject):
            if listing:
                body = self._list(self.store.buckets[bucket], bucket, query)
                self.store.note("LIST", bucket, subject, len(body))
                self._send(200, body, {"Content-Type": "application/xml"})
            elif not key:
                self.store.note("HEAD", bucket, "", 0)
                self._send(200, b"", {})
            else:
                self._object(what, bucket, key, head=head)

    def _object(self, what: str, bucket: str, key: str, *, head: bool) -> None:
        stored = self.store.buckets[bucket].get(key)
        if stored is None:
            raise Refused(404, "NoSuchKey")
        data, status = stored.data, 200
        headers = {"ETag": stored.etag, "Last-Modified": formatdate(stored.mtime, usegmt=True)}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted:
            first, last = int(wanted[1]), int(wanted[2] or len(data) - 1)
            if first >= len(data):
                raise Refused(416, "InvalidRange")
            headers["Content-Range"] = f"bytes {first}-{min(last, len(data) - 1)}/{len(data)}"
            data, status = data[first : last + 1], 206
        self.store.note(what, bucket, key, 0 if head else len(data))
        self._send(status, data, headers, head=head)

    def _list(self, objects: dict[str, Stored], bucket: str, query: dict[str, str]) -> bytes:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        most = min(int(query.get("max-keys", "1000")), self.store.page)
        after = query.get("continuation-token", "") or query.get("start-after", "")
        coded = quote if query.get("encoding-type") == "url" else escape
        found, prefixes, last, more = list[str](), list[str](), "", False
        for key in sorted(objects, key=str.encode):
            if not key.startswith(prefix) or key.encode() <= after.encode():
                continue
            common = ""
            if delimiter and delimiter in key[len(prefix) :]:
                common = key[: key.index(delimiter, len(prefix)) + len(delimiter)]
                if common in prefixes or after.startswith(common):
                    continue
            if len(found) + len(prefixes) == most:
                more = True
                break
            if common:
                prefixes.append(common)
                last = common + "\U0010ffff"
                continue
            stored, last = objects[key], key
            when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(stored.mtime))
            millis = int(stored.mtime % 1 * 1000)
            found.append(
                f"<Contents><Key>{coded(key)}</Key><LastModified>{when}.{millis:03}Z</LastModified>"
                f"<ETag>{escape(stored.etag)}</ETag><Size>{len(stored.data)}</Size></Contents>"
            )
        token = f"<NextContinuationToken>{escape(last)}</NextContinuationToken>" if more else ""
        commons = "".join(f"<CommonPrefixes><Prefix>{coded(each)}</Prefix></CommonPrefixes>" for each in prefixes)
        return (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{bucket}</Name><Prefix>{coded(prefix)}</Prefix><KeyCount>{len(found) + len(prefixes)}</KeyCount>"
            f"<MaxKeys>{most}</MaxKeys><IsTruncated>{str(more).lower()}</IsTruncated>{token}"
            f"{''.join(found)}{commons}</ListBucketResult>"
        ).encode()

    def _send(self, status: int, body: bytes, headers: dict[str, str], *, head: bool = False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not head and self.command != "HEAD":
            self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Clients may go away."""


@contextmanager
def serving(store: ObjectStore) -> Iterator[str]:
    """Serve a store on the loopback for as long as the context lasts. Yields its URL."""
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"store": store}))
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    store.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield store.endpoint
    finally:
        server.shutdown()
        server.server_close()
