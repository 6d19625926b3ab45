"""The twin of the facts that artifacts record about documents."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from pathlib import Path
from typing import NamedTuple

from tests import strategies as some
from tests.twins import shingles
from tests.twins.corpus import Corpus, Document
from tests.twins.decoding import WIDE


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
    """Return the documents below a directory, in row order."""
    lists = {"files_from": None, "files0_from": None}
    return Corpus(
        {"documents": [os.fsencode(root)]}
        | lists
        | some.walking().fields()
        | some.sequences().fields()
        | {"jsonl": False}
    ).documents


def facts(document: Document, shingling: some.Shingling) -> Facts:
    """Return the facts of a document."""
    text = shingles.text_of(document.text, shingling)
    length = len(shingles.units_of(text, shingling))
    flags = 1 * (length == 0) + 2 * (0 < length < shingling.k) + 4 * (not is_utf8(document.text))
    flags += 8 * document.data.startswith(tuple(WIDE))
    flags += 16 * (document.line is not None and type(json.loads(document.line).get("id")) not in (str, int))
    tokens = shingles.token_set(shingles.tokens(document.text, shingling))
    return Facts(
        len(document.data),
        length,
        tokens,
        hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()[:16],
        hashlib.sha256(struct.pack(f"<{len(tokens)}I", *tokens)).digest()[:16],
        flags,
        document.start,
        0 if document.line is None else len(document.line),
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
