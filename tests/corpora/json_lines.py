"""JSON Lines as tests read them: parts of a file, the documents in them, and lines read again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simdocs.corpora.containers.container import ContainerFile, Locator, Part, PartDocuments
from simdocs.corpora.containers.jsonl import JSON_LINES
from simdocs.corpora.containers.names import named
from simdocs.corpora.stamp import NO_FILE, Stamp
from simdocs.model.skipped import DocumentSkipped
from tests import strategies as some

FIELDS = some.sequences()


def parts(name: bytes, limit: int = 1 << 20) -> Iterator[Part]:
    return JSON_LINES.parts(ContainerFile(name, limit), FIELDS)


def part_of(name: bytes, data: bytes, start: int = 0, first: int = 1) -> Part:
    return Part(
        container="jsonl",
        name=name,
        data=data,
        start=start,
        extent=len(data),
        first=first,
        count=data.count(b"\n"),
        stamp=NO_FILE,
        limit=1 << 20,
        read_to=0,
    )


def rows(part: Part, fields: some.Sequences = FIELDS) -> PartDocuments:
    return JSON_LINES.documents(part, fields)


def names_in(part: Part, fields: some.Sequences = FIELDS) -> list[bytes]:
    found = rows(part, fields)
    return named(part.name, found.ids, [where.number for where in found.locators])


def reread(files: Any, name: bytes, start: int, extent: int) -> tuple[bytes, Stamp]:
    (found,) = files.read(name, [Locator(start, extent, 0)], FIELDS)
    if isinstance(found, DocumentSkipped):
        raise found
    return found
