"""JSON Lines as tests read them: parts of a file, the documents in them, and lines read again."""

from __future__ import annotations

from collections.abc import Iterator

from simdocs.corpora.containers import container, jsonl, names
from simdocs.corpora.identity import NO_FILE
from tests import strategies as some

FIELDS = some.sequences()


def parts(name: bytes, limit: int = 1 << 20) -> Iterator[container.Part]:
    return jsonl.JSON_LINES.parts(container.ContainerFile(name, limit), FIELDS)


def part_of(name: bytes, data: bytes, start: int = 0, first: int = 1) -> container.Part:
    return container.Part(
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


def rows(part: container.Part, fields: some.Sequences = FIELDS) -> container.PartDocuments:
    return jsonl.JSON_LINES.documents(part, fields)


def names_in(part: container.Part, fields: some.Sequences = FIELDS) -> list[bytes]:
    found = rows(part, fields)
    return names.named(part.name, found.ids, [where.number for where in found.locators])
