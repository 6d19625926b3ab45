"""Each document more takes at most 1 KB of memory, while documents are read and while they are compared."""

from __future__ import annotations

import gc
import hashlib
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.commands.deduping import sketched

FEW, MANY = 500, 2000


def _text(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


def _lines(count: int) -> str:
    lines = (json.dumps({"id": f"document-{number:06}", "text": _text(number)}) for number in range(count))
    Path("docs.jsonl").write_text("\n".join(lines))
    return "docs.jsonl"


def _files(count: int) -> str:
    Path("docs").mkdir(exist_ok=True)
    for number in range(count):
        Path("docs", f"document-{number:06}").write_text(_text(number))
    return "docs"


def _held(documents: str) -> tuple[int, int]:
    """Return the bytes that are held when the documents were read, and at most while they are compared."""
    tracemalloc.start()
    try:
        with sketched([documents]) as work:
            gc.collect()  # Python keeps up to 2,000 small tuples for later
            read = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            assert work.names("duplicates") == []
            return read, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.reliability("100,000 to 1,000,000 documents")
@pytest.mark.parametrize("write", [_lines, *slow(_files)])
def test_each_document_more_takes_at_most_1_kb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[int], str]
) -> None:
    """These documents are unlike each other. The token sets of similar ones fill a cache that has a fixed size."""
    monkeypatch.chdir(tmp_path)
    _held(write(FEW))  # what is imported for the first time is held, too
    few, many = (_held(write(count)) for count in (FEW, MANY))
    for before, after in zip(few, many, strict=True):
        assert 512 * (MANY - FEW) <= after - before <= 1000 * (MANY - FEW)
