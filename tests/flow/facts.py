"""The facts of documents once more, in plain Python, one document after the other, from the definitions."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import struct
from pathlib import Path
from typing import NamedTuple

from simdocs.parameters import Shingling
from tests.twins import shingles, units

UNITS_OF = {"char": units.chars, "word": units.words, "line": units.lines, "stopword": units.words}

WIDE = {
    b"\xff\xfe\0\0": "utf-32-le",
    b"\0\0\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}


class Document(NamedTuple):
    """A document as it is read: its name, its bytes; of a line: where it is in its file, and how long the file's name
    is that its own begins with."""

    name: bytes
    data: bytes
    path: Path
    start: int = 0
    extent: int = 0
    container: int = 0


class Facts(NamedTuple):
    """What an artifact says of a document, but for what its file system does."""

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
    """The documents below a directory, in row order, by names that begin with its own."""
    paths = [path for path in root.rglob("*") if path.is_file()]
    found: list[Document] = []
    for path in sorted(paths, key=lambda path: os.fsencode(path.relative_to(root.parent))):
        name, data = os.fsencode(path.relative_to(root.parent)), path.read_bytes()
        if name.endswith(b".gz"):
            data = gzip.decompress(data)
        if name.endswith((b".jsonl", b".jsonl.gz")):
            found += _lines(name, data, path)
        elif b"\0" not in data[:8192] or any(map(data.startswith, WIDE)):
            found.append(Document(name, data, path))
    return found


def _lines(name: bytes, data: bytes, path: Path) -> list[Document]:
    found, start = [], 3 * data.startswith(b"\xef\xbb\xbf")
    for number, line in enumerate(data[start:].split(b"\n"), 1):
        if line.strip():
            value = json.loads(line)
            own = name + b"#" + str(value.get("id", number)).encode()
            if own not in [document.name for document in found]:
                text = value["text"].encode("utf-8", "surrogatepass")
                found.append(Document(own, text, path, start, len(line), len(name)))
        start += len(line) + 1
    return found


def facts(document: Document, how: Shingling) -> Facts:
    """The facts of one document."""
    data, flags = document.data, 0
    for mark, encoding in WIDE.items():
        if data.startswith(mark):
            data, flags = data[len(mark) :].decode(encoding).encode(), 8
            break
    data = data.removeprefix(b"\xef\xbb\xbf")
    text = shingles.text_of(data, how)
    length = len(UNITS_OF[how.unit](text))
    flags += 1 * (length == 0) + 2 * (0 < length < how.k) + 4 * (not is_utf8(data))
    tokens = shingles.token_set(shingles.tokens(data, how))
    return Facts(
        len(document.data),
        length,
        tokens,
        hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()[:16],
        hashlib.sha256(struct.pack(f"<{len(tokens)}I", *tokens)).digest()[:16],
        flags,
        *document[3:],
    )


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def same_as(all_facts: list[Facts]) -> list[int]:
    """For each document the first of the same normalised text; itself, if it is empty."""
    first: dict[bytes, int] = {}
    return [row if fact.flags & 1 else first.setdefault(fact.digest, row) for row, fact in enumerate(all_facts)]
