"""The rows of JSON arrays: the bytes of each object are those that were read, and each is on lines of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.corpora.containers.byte_rows import ByteBlock, ByteFile
from simdocs.corpora.containers.container import ContainerFile, Part
from simdocs.corpora.containers.json_array import Elements
from simdocs.corpora.containers.jsonl_rows import json_of, record_of, with_flags
from simdocs.corpora.containers.rows import EveryRecord, Flags, RawRows, Record, RowBlock, Sink, converted
from simdocs.model.ragged import Index
from simdocs.parameters.texts import Sequences


class ElementBlock(ByteBlock):
    """The elements of a part, without what is between them."""

    noun = "object"

    def __init__(self, part: Part) -> None:
        elements = [part.data[start:stop] for start, stop in Elements(part.data, 0)]
        super().__init__(part, b"".join(elements), np.cumsum(list(map(len, elements)), dtype=np.int64))

    def records(self, places: Index) -> list[Record | None]:
        """The objects at these places; None for another element. InputError: see `record_of`."""
        return [record_of(self.row(place), self.where(place)) for place in places.tolist()]


class ArrayFile(ByteFile):
    """A file with a JSON array, open."""

    def blocks(self, part: Part) -> Iterator[RowBlock]:
        """Yield the elements of a part."""
        yield ElementBlock(part)


class JsonArrayWriter:
    """Writes a JSON array."""

    def __init__(self, sink: Sink) -> None:
        self._sink, self._before = sink, b"[\n"

    def write(self, block: RowBlock, places: Index, flags: list[Flags] | None) -> None:
        """Write these rows: elements of an array as they are, others as objects."""
        if not isinstance(block, ElementBlock):
            for place, record in converted(block, places, flags):
                self._add(json_of(record, block.where(place)))
            return
        for at, place in enumerate(places.tolist()):
            self._add(block.row(place) if flags is None else with_flags(block, place, flags[at]))

    def _add(self, element: bytes) -> None:
        self._sink(self._before + element)
        self._before = b",\n"

    def end(self) -> None:
        """Write the end of the array."""
        self._sink(b"[]\n" if self._before == b"[\n" else b"\n]\n")


class JsonArrayRows:
    """JSON arrays as a format of rows: see RowFormat."""

    def open(self, file: ContainerFile, _fields: Sequences) -> ArrayFile:
        """Open a file."""
        return ArrayFile(file)

    def held(self, _file: ContainerFile) -> None:
        """Some rows are held at once."""

    def writer(self, source: RawRows, sink: Sink, *, flagged: bool, every: EveryRecord) -> JsonArrayWriter:  # noqa: ARG002
        """A writer of an array."""
        return JsonArrayWriter(sink)


JSON_ARRAY_ROWS = JsonArrayRows()
