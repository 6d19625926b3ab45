"""The trace of MinHash as tables: the rows, the signatures, and how similar they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simdocs.model.answers import NAME, NUMBER, SIMILARITY, Row, TableColumn, TableHead
from simdocs.model.names import text_to_name
from simdocs.model.slot_trace import Slots, SlotTrace

PAIRS = TableHead(
    (
        *(TableColumn(name, NAME) for name in ("a", "b")),
        TableColumn("agree", NUMBER),
        *(TableColumn(name, SIMILARITY) for name in ("estimate", "jaccard")),
    )
)

_CHANGED, _INFINITY = "*", "∞"


def tables_of(trace: SlotTrace, *, marked: bool) -> list[tuple[TableHead, Iterable[Row]]]:
    """The tables of a trace: its rows, the signatures, and each two documents.

    marked: for people: slots that changed are marked, infinity has its sign, and nothing is repeated.
    """
    functions = tuple(TableColumn(f"h{number + 1}", NUMBER) for number in range(trace.hashes.shape[1]))
    of_row = (TableColumn("row", NUMBER), TableColumn("shingle", NAME), TableColumn("document", NAME))
    rows = TableHead((*of_row, TableColumn("has", NUMBER), *functions))
    signatures = TableHead((TableColumn("signature", NAME), *functions))
    names = [text_to_name(name) for name in trace.names]
    return [
        (rows, _marked_rows(trace, names) if marked else _rows(trace, names)),
        (signatures, [(name, *slots) for name, slots in zip(names, trace.signatures.tolist(), strict=True)]),
        (PAIRS, [(text_to_name(a), text_to_name(b), *figures) for a, b, *figures in trace.pairs()]),
    ]


def _rows(trace: SlotTrace, names: list[bytes]) -> Iterator[Row]:
    """Yield for each shingle the values of the hash functions, and then the slots of each document."""
    for number, (shingle, hashes, after) in enumerate(trace.rows(), 1):
        spelled = text_to_name(shingle)
        yield number, spelled, None, None, *hashes
        for name, (has, slots) in zip(names, after, strict=True):
            yield number, spelled, name, int(has), *slots


def _marked_rows(trace: SlotTrace, names: list[bytes]) -> Iterator[Row]:
    """Yield the same for people."""
    before: list[Slots] = [(None,) * trace.hashes.shape[1]] * len(names)
    for number, (shingle, hashes, after) in enumerate(trace.rows(), 1):
        yield number, text_to_name(shingle), None, None, *hashes
        for at, (name, (has, slots)) in enumerate(zip(names, after, strict=True)):
            shown = (_shown(slot, slot != was) for slot, was in zip(slots, before[at], strict=True))
            yield None, None, name, int(has), *shown
            before[at] = slots


def _shown(slot: int | None, changed: bool) -> bytes:
    return f"{_CHANGED if changed else ''}{_INFINITY if slot is None else slot}".encode()
