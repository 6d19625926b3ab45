"""The twin of finding and reading documents, with the standard library, one file after the other.

Options are those of the command line by name, with _ for -.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from errno import ENAMETOOLONG, ENOENT, ENOTDIR
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from tests.twins.decoding import COMPRESSED, decompressed, is_binary, utf8
from tests.twins.tables import rows_of

WIDE = {  # UTF-32 first, since its little-endian mark begins with the other's
    b"\xff\xfe\0\0": (4, "little"),
    b"\0\0\xfe\xff": (4, "big"),
    b"\xff\xfe": (2, "little"),
    b"\xfe\xff": (2, "big"),
}

Options = Mapping[str, Any]


class Document(NamedTuple):
    """A text with a name.

    data: its bytes as read. file, start: its file, and where the text begins in it. line: the line of a JSON Lines
    file that it is. container: the number of bytes of the name that are the name of that file.
    """

    name: bytes
    data: bytes
    mtime_ns: int = 0
    file: tuple[object, ...] = ()
    start: int = 0
    line: bytes | None = None
    container: int = 0

    @property
    def path(self) -> bytes:
        return self.name[: self.container] if self.container else self.name

    @property
    def size(self) -> int:
        return len(self.data)

    @property
    def text(self) -> bytes:
        return utf8(self.data)


class EndedError(Exception):
    """The program ends with this status, and nothing is published."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class UnreadError(Exception):
    """A file, a line or a row is skipped. The argument is the reason."""


class TextlessError(UnreadError):
    """A line or row lacks a text field. If all of a file do, the file is skipped, and not each of them."""


class OneTextError(Exception):
    """A file is no table, so it is read as one text if a walk found it."""


ABSENT = object()
"""The value of a field that is not there."""


class Corpus:
    """The documents that options name, in row order, and the number of files and lines that were skipped, by reason."""

    def __init__(self, options: Options, stdin: bytes = b"") -> None:
        self.options, self.stdin = options, stdin
        self.skipped: Counter[str] = Counter()
        self.documents: list[Document] = []
        self.lines: list[tuple[tuple[object, ...], int, bytes]] = []
        """The lines of JSON Lines files that are not blank, each with its file and where it begins there."""
        self._named: set[tuple[object, ...]] = set()  # files that are arguments themselves
        first: dict[tuple[object, ...], bytes] = {}
        for name, file in self._files():
            self.skipped["again"] += file in first
            first.setdefault(file, name)
        self.names = set(first.values())
        for file, name in first.items():
            before = self.skipped["binary"]
            self._judged(self._documents, name, file)
            if file in self._named and self.skipped["binary"] > before:
                self.skipped["binary"] = before
                self.skipped["named"] += 1

    def _judged(self, what: Any, *arguments: Any) -> Any:
        """Call a function and return its result, or count a skip and return None if something cannot be read."""
        try:
            return what(*arguments)
        except UnreadError as reason:
            self.skipped[str(reason)] += 1
        except OSError:
            self.skipped["unreadable"] += 1
        return None

    def _files(self) -> Iterator[tuple[bytes, tuple[object, ...]]]:
        """Yield every name with the identity of its file: arguments in order, or the entries of a list by name."""
        if self.options["documents"].count(b"-") > 1:
            raise EndedError(2)
        source = self.options["files_from"] or self.options["files0_from"]
        for name in self.options["documents"]:
            for path, file in self._argument(name):
                if name == b"-" or stat.S_ISREG(os.stat(name).st_mode):
                    self._named.add(file)
                yield path, file
        if source:
            end = b"\n" if self.options["files_from"] else b"\0"
            names = self._list(source).split(end)
            names = names if names[-1] else names[:-1]
            good = [name for name in names if name and b"\0" not in name and not name == source == b"-"]
            self.skipped["malformed"] += len(names) - len(good)
            yield from sorted(file for name in good for file in self._argument(name))

    def _list(self, source: bytes) -> bytes:
        if source == b"-":
            return self._input()
        try:
            return contents(source)
        except OSError:
            raise EndedError(2) from None

    def _input(self) -> bytes:
        data, self.stdin = self.stdin, b""
        return data

    def _argument(self, name: bytes) -> Iterator[tuple[bytes, tuple[object, ...]]]:
        if name == b"-":
            yield name, ("standard input",)
            return
        try:
            status = os.stat(name)
        except OSError as error:
            if error.errno in (ENOENT, ENOTDIR, ENAMETOOLONG):
                raise EndedError(2) from None
            self.skipped["unreadable"] += 1
            return
        if stat.S_ISDIR(status.st_mode):
            yield from self._walk(name, name, set())
        elif stat.S_ISREG(status.st_mode):
            yield name, identity(status)
        else:
            raise EndedError(2)

    def _walk(self, root: bytes, place: bytes, seen: set[object]) -> Iterator[tuple[bytes, tuple[object, ...]]]:
        """Yield the files below a directory, bytewise by whole path. Each directory is entered once."""
        entries = self._judged(self._entries, root, place, seen) or []
        for path, status in sorted(entries):  # a directory's path ends in a slash here
            if stat.S_ISDIR(status.st_mode):
                yield from self._walk(root, path[:-1], seen)
            else:
                yield path, identity(status)

    def _entries(self, root: bytes, place: bytes, seen: set[object]) -> list[tuple[bytes, os.stat_result]]:
        names, own = os.listdir(place), identity(os.stat(place))
        if own in seen:
            raise UnreadError("again")
        seen.add(own)
        if place != root and _is_artifact(place):
            raise UnreadError("artifact")
        found = []
        for name in names:
            path = place + name if place.endswith(b"/") else place + b"/" + name
            status = self._judged(self._status, path, name)
            below = path[len(root) :].removeprefix(b"/")
            if status is not None and not self._left_out(below, stat.S_ISDIR(status.st_mode)):
                found.append((path + b"/" if stat.S_ISDIR(status.st_mode) else path, status))
        return found

    def _status(self, path: bytes, name: bytes) -> os.stat_result:
        """Return the status of an entry to visit. UnreadError: the reason why an entry is not visited."""
        if name.startswith(b".simdocs-tmp-"):
            raise UnreadError("artifact")
        if name.startswith(b".") and not self.options["hidden"]:
            raise UnreadError("hidden")
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            if not self.options["follow"]:
                raise UnreadError("link")
            status = os.stat(path)
        if stat.S_ISDIR(status.st_mode) and name.endswith((b".shingles", b".signatures", b".index")):
            raise UnreadError("artifact")
        if not stat.S_ISDIR(status.st_mode) and not stat.S_ISREG(status.st_mode):
            raise UnreadError("special")
        return status

    def _left_out(self, below: bytes, is_directory: bool) -> bool:
        path = os.fsdecode(below)

        def matches(pattern: str) -> bool:
            return fnmatchcase(path if "/" in pattern else PurePosixPath(path).name, pattern.removeprefix("/"))

        if any(matches(pattern.rstrip("/") or "/") for pattern in self.options["exclude"]):
            return True
        include = self.options["include"]
        return bool(include) and not is_directory and not any(map(matches, include))

    def _documents(self, name: bytes, file: tuple[object, ...]) -> None:
        limit, plain = self.options["max_size"], name.removesuffix(b".gz" if name.endswith(b".gz") else b".zst")
        of_lines = plain.endswith((b".jsonl", b".ndjson"))
        many = self.options["jsonl"] if name == b"-" else of_lines and not self.options["plain"]
        form = self.options["input_format"] or ("jsonl" if many else "")
        if name == b"-":
            raw, mtime_ns = self._input(), 0
        else:
            raw, mtime_ns = contents(name), os.stat(name).st_mtime_ns
            if len(raw) > limit and not form:
                raise UnreadError("oversized")
        data, whole = decompressed(raw, name)
        try:
            if form:
                self._table(form, name, data, mtime_ns, file, whole)
                return
        except OneTextError:
            if file in self._named:
                raise UnreadError("malformed") from None
        if len(raw) > limit or len(data) > limit:
            raise UnreadError("oversized")
        if not whole:
            raise UnreadError("malformed")
        if is_binary(data):
            raise UnreadError("binary")
        if plain.endswith(b".json") and not self.options["plain"] and not data.strip(b" \t\r\n"):
            return  # a table without rows
        self.documents.append(Document(name, data, mtime_ns, file))

    def _table(self, form: str, name: bytes, data: bytes, mtime_ns: int, file: tuple[object, ...], whole: bool) -> None:
        """Add a document for each line or row. Of a damaged compressed file, only whole ones are added.

        Data that was compressed twice has none.
        """
        if data.startswith(COMPRESSED):
            raise UnreadError("malformed")
        many = self._lines(data, whole) if form == "jsonl" else self._rows(form, data, whole)
        names, textless, self._has_texts = set(self.names), 0, False
        for start, line, parse in many:
            if line is not None and line.strip():
                self.lines.append((file, start, line))
            try:
                parsed = parse()
            except TextlessError:
                textless += 1
                continue
            except UnreadError as reason:
                self.skipped[str(reason)] += 1
                continue
            if parsed is None:
                continue
            own, text = name + b"#" + parsed[0], parsed[1]
            self.skipped["malformed"] += own in names
            if own not in names:
                names.add(own)
                self.documents.append(Document(own, text, mtime_ns, file, start, line, len(name)))
        self.skipped["malformed"] += textless if self._has_texts else min(textless, 1)
        if not whole:
            raise UnreadError("malformed")

    def _lines(self, data: bytes, whole: bool) -> Iterator[_Parsing]:
        at = 3 * data.startswith(b"\xef\xbb\xbf")
        lines = data[at:].split(b"\n")
        for number, line in enumerate(lines if whole else lines[:-1], 1):
            yield at, line, partial(self._of_line, line, number)
            at += len(line) + 1

    def _of_line(self, line: bytes, number: int) -> tuple[bytes, bytes] | None:
        """Return the id and the text of a line, or None if it is blank."""
        if len(line) > self.options["max_size"]:
            raise UnreadError("oversized")
        if not line.strip():
            return None
        try:
            value = json.loads(line.decode())
        except (ValueError, RecursionError):
            raise UnreadError("malformed") from None
        if not isinstance(value, dict):
            raise UnreadError("malformed")
        return self._id_and_text(value, number, "surrogatepass")

    def _rows(self, form: str, data: bytes, whole: bool) -> Iterator[_Parsing]:
        assert form in ("csv", "tsv"), f"the twin does not read {form}"
        data = data.removeprefix(b"\xef\xbb\xbf")
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise OneTextError
        given = self.options["delimiter"]
        delimiter = "\t" if given == r"\t" else given or ("," if form == "csv" else "\t")
        rows, is_quoted = rows_of(data, delimiter, whole=whole)
        if not rows:
            if whole and is_quoted:
                raise OneTextError
            return
        header = None if self.options["no_header"] else rows[0].cells
        wanted = (*self._text_fields, self.options["id_field"])
        if header and any(header.count(field) > 1 for field in wanted if field or field in self._text_fields):
            raise UnreadError("malformed")
        for number, row in enumerate(rows[1:] if header else rows, 1):
            yield number, None, partial(self._of_row, row.size, row.cells, header, number)
        if whole and is_quoted:
            self.skipped["malformed"] += 1

    def _of_row(self, size: int, cells: list[str], header: list[str] | None, number: int) -> tuple[bytes, bytes]:
        """Return the id and the text of a row."""
        if size > self.options["max_size"]:
            raise UnreadError("oversized")
        if header and len(header) != len(cells):
            raise UnreadError("malformed")
        row: dict[str, Any] = dict(zip(header or map(str, range(1, len(cells) + 1)), cells, strict=True))
        if self.options["id_field"] and row.get(self.options["id_field"]) == "":
            row[self.options["id_field"]] = None
        return self._id_and_text(row, number, "surrogateescape")

    @property
    def _text_fields(self) -> tuple[str, ...]:
        return self.options["text_field"] or ("text",)

    def _id_and_text(self, row: dict[str, Any], number: int, errors: str) -> tuple[bytes, bytes]:
        """Return the id of a row, or else its number, and its text. errors: how lone surrogates are encoded."""
        texts = [value_within(row, name) for name in self._text_fields]
        if any(text is ABSENT for text in texts):
            raise TextlessError("malformed")
        self._has_texts = True
        own = value_within(row, self.options["id_field"]) if self.options["id_field"] else None
        may_differ = self.options["id_field"] == "id" and type(own) not in (str, int)
        own = number if own is None or own is ABSENT or may_differ else own
        if not all(isinstance(text, str) for text in texts):
            raise UnreadError("malformed")
        if not isinstance(own, str | int) or own is True or own is False:
            raise UnreadError("malformed")
        if "\0" in str(own):
            raise UnreadError("malformed")
        return str(own).encode("utf-8", errors), "\n".join(texts).encode("utf-8", errors)


_Parsing = tuple[int, bytes | None, Callable[[], tuple[bytes, bytes] | None]]
"""Where a line or row begins, the line, and what returns its id and text, or None if it is blank."""


def value_within(known: Any, name: str) -> Any:
    """Return the value of a field, which may be a field of a field; ABSENT if there is none."""
    if known is None:
        return None
    if not isinstance(known, dict):
        return ABSENT
    if name in known:
        return known[name]
    outer, dot, inner = name.partition(".")
    return value_within(known[outer], inner) if dot and outer in known else ABSENT


def identity(status: os.stat_result) -> tuple[object, ...]:
    """Return the identity of a file, which is the same for all its names."""
    return status.st_dev, status.st_ino


def contents(path: bytes) -> bytes:
    """Return all bytes of a file."""
    return Path(os.fsdecode(path)).read_bytes()


def _is_artifact(place: bytes) -> bool:
    manifest = os.path.join(place, b"manifest.json")
    if not os.path.isfile(manifest) or os.path.islink(manifest):
        return False
    try:
        return contents(manifest).startswith(b'{\n "format": "simdocs.')
    except OSError:
        return False
