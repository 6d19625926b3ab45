"""The twin of the facts that artifacts record about documents."""

from __future__ import annotations

import gzip
import hashlib
import json
import struct
from pathlib import Path
from typing import NamedTuple

from tests import strategies as some
from tests.twins import shingles
from tests.twins.decoding import WIDE, utf8


class Document(NamedTuple):
    """A text with a name. line: the line of a JSON Lines file that it is, which begins at start, or has no place (-1).
    container: the number of bytes of the name that are the name of that file."""

    name: bytes
    data: bytes
    path: Path
    start: int = -1
    line: bytes | None = None
    container: int = 0


class Facts(NamedTuple):
    """The facts that an artifact records about a document, except those from the file system."""

    size: int
    length: int
    tokens: list[int]
    digest: bytes
    set_digest: bytes
    flags: int
    start: int
    extent: int
    container: int


def documents(root: Path) -> list[Document]:
    """Return the documents below a directory, in row order: texts and lines of JSON Lines files, also in gzip files."""
    found = []
    for path in sorted((path for path in root.rglob("*") if path.is_file()), key=bytes):
        name, data = bytes(path), path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        if path.name.removesuffix(".gz").endswith(".jsonl"):
            found += _lines(path, data)
        elif b"\0" not in data[:8192] or data.startswith(tuple(WIDE)):
            found.append(Document(name, data, path))
    return found


def _lines(path: Path, data: bytes) -> list[Document]:
    """Return the documents of a file, those with an id that an earlier one has left out."""
    found: dict[bytes, Document] = {}
    start = 3 * data.startswith(b"\xef\xbb\xbf")
    has_places = path.suffix != ".gz"
    for number, line in enumerate(data[start:].split(b"\n"), 1):
        if line.strip():
            row = json.loads(line)
            name = bytes(path) + b"#" + str(row.get("id", number)).encode()
            text = row["text"].encode("utf-8", "surrogatepass")
            found.setdefault(name, Document(name, text, path, start if has_places else -1, line, len(bytes(path))))
        start += len(line) + 1
    return list(found.values())


def facts(document: Document, shingling: some.Shingling) -> Facts:
    """Return the facts of a document."""
    data = utf8(document.data)
    text = shingles.text_of(data, shingling)
    length = len(shingles.units_of(text, shingling))
    flags = 1 * (length == 0) + 2 * (0 < length < shingling.k) + 4 * (not is_utf8(data))
    flags += 8 * document.data.startswith(tuple(WIDE))
    flags += 16 * (document.line is not None and type(json.loads(document.line).get("id")) not in (str, int))
    tokens = shingles.token_set(shingles.tokens(data, shingling))
    return Facts(
        len(document.data),
        length,
        tokens,
        hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()[:16],
        hashlib.sha256(struct.pack(f"<{len(tokens)}I", *tokens)).digest()[:16],
        flags,
        max(document.start, 0),
        len(document.line or b"") if document.start >= 0 else 0,
        document.container,
    )


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def same_as(all_facts: list[Facts]) -> list[int]:
    """Return for each document the first one with the same normalised text, or itself if it is empty."""
    first: dict[bytes, int] = {}
    return [row if fact.flags & 1 else first.setdefault(fact.digest, row) for row, fact in enumerate(all_facts)]
