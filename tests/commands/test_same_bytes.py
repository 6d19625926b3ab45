"""Answers have the same bytes for any batches, blocks, workers, and order of files."""

from __future__ import annotations

import os
import random
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.model.result import Look, tables_of
from tests.amounts import slow
from tests.asked import ASKED
from tests.commands.deduping import CATCH_ALL, printed, write_texts
from tests.runs import answered
from tests.similar_texts import family

BLOCKS = {
    "commands.searching": ("AT_ONCE",),
    "commands.dedupe": ("AT_ONCE",),
    "kernels.buckets": ("PAIRS_AT_ONCE", "_POSITIONS_AT_ONCE"),
    "kernels.grouping": ("_BUFFERED",),
    "reading.read_tasks": ("_TASK_BYTES", "_TASKS"),
    "engines.engine": ("_MOST_ROWS",),
    "engines.local": ("_ROOM_FOR_ROWS", "_ROOM_OF_WORKER"),
    "matching.candidates": ("_AT_ONCE", "_DOCUMENT", "_MUCH"),
    "matching.corpus": ("_NAME_BYTES", "NAMED_AT_ONCE", "_MANY"),
    "matching.verify": (
        *("_BLOCK_BYTES", "_TILE_BYTES", "_MOST_PAIRS", "_FEWEST_BLOCKS"),
        *("_MOST_BYTES", "_AT_ONCE", "_TOGETHER"),
    ),
    "reading.files": ("_AT_ONCE",),
    "pipeline.again": ("_SLACK", "_CACHE_BYTES", "_ENTRY"),
    "pipeline.copies": ("_MUCH",),
}
"""How much the steps of a dedupe handle at once, by module. It affects only speed and memory."""

SIZES = [f"simdocs.{module}.{name}" for module, names in BLOCKS.items() for name in names]

OPTIONS = {"unit": "word", "k": 2, "threshold": 0.5} | CATCH_ALL


NAMES = ["two", "one"]


def lay(root: Path) -> None:
    """Write a corpus in directories."""
    texts = family(7, 60)
    for part, name in enumerate(("one", "two", "two/below")):
        (root / name).mkdir()
        write_texts(root / name, texts[part * 20 : part * 20 + 20])


@pytest.fixture
def there(tmp_path, monkeypatch) -> list[str]:
    """The names of a corpus in directories, relative to the working directory."""
    lay(tmp_path)
    monkeypatch.chdir(tmp_path)
    return NAMES


def every(names: list[str], **options: object) -> list[bytes]:
    """Return every kind of answer about these documents."""
    what = [printed(names, what, **OPTIONS, **options) for what in ("groups", "pairs", "all_pairs")]
    return [*what, printed(names, cluster="components", keep="newest", **OPTIONS, **options)]


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> list[bytes]:
    """The answers with one worker and the usual batches and blocks."""
    root = tmp_path_factory.mktemp("expected")
    lay(root)
    with chdir(root):
        return every(NAMES)


@pytest.mark.reliability("any number of workers, order of files and size of batches")
@pytest.mark.parametrize("jobs", [2, *slow(3)])
def test_answers_are_the_same_for_any_number_of_workers(there, expected, jobs):
    assert all(len(one.splitlines()) > 10 for one in expected)
    assert every(there, jobs=jobs) == expected


@pytest.mark.reliability("any number of workers, order of files and size of batches")
@pytest.mark.parametrize(("jobs", "most_bytes"), [(1, 5000), (2, 200), *slow((1, 200), (2, 5000))])
def test_answers_are_the_same_for_any_size_of_batches(there, expected, monkeypatch, jobs, most_bytes):
    monkeypatch.setattr("simdocs.model.ragged.batches.__defaults__", (most_bytes,))
    assert every(there, jobs=jobs) == expected


@pytest.mark.parametrize("size", [1, *slow(1 << 30)])
@pytest.mark.parametrize("constant", [*SIZES[::4], *slow(*(name for at, name in enumerate(SIZES) if at % 4))])
def test_answers_are_the_same_for_any_size_of_blocks(there, expected, monkeypatch, constant, size):
    monkeypatch.setattr(constant, size)
    assert every(there) == expected


def test_answers_are_the_same_if_all_blocks_are_small(there, expected, monkeypatch):
    for constant in SIZES:
        monkeypatch.setattr(constant, 3)
    assert every(there) == expected


SMALL = {f"commands.{name}": ("AT_ONCE",) for name in ("dedupe", "repeated", "searching", "shown_tables")} | {
    "matching.containing": ("_HITS_AT_ONCE", "_BYTES_AT_ONCE"),
    "matching.lookup": ("_ASKED_AT_ONCE", "PAIRS_AT_ONCE"),
    "matching.nearest": ("_ROWS_AT_ONCE", "_ASKED_AT_ONCE", "_PAIRS_AT_ONCE"),
    "matching.quoting": ("_HITS_AT_ONCE", "_BYTES_AT_ONCE"),
}

OTHER = {"read_again": None}
"""What may differ: a text is read again for each block of queries."""


def everything(place: Path) -> list[Any]:
    """All kinds of tables about the corpus, with what their summaries count."""
    how: dict[str, Any] = {"unit": "word", "k": 2}
    index = simdocs.index(*NAMES, threshold=0.5, **how)
    results = (
        simdocs.dedupe(*NAMES, threshold=0.5, **how),
        simdocs.dedupe("two", against="x.index", threshold=0.5),
        simdocs.passages("one", min_passage=9, **how),
        *(simdocs.pairs(*NAMES, threshold=0.5, all_copies=every_copy, **how) for every_copy in (False, True)),
        simdocs.query(index, *NAMES, threshold=0.4, top=3, itself=True),
        simdocs.query(index, *NAMES, nearest=1),
        simdocs.query(index, "one", measure="containment", top=3),
        simdocs.query("x.index", "one/0000", "one/0001", "two/0000", passages=True, min_passage=9),
        simdocs.show("x.index", buckets=True),
        simdocs.show("x.index", candidates=True),
        simdocs.show(text="a few words, a few shingles", k=2),
        answered(ASKED["index"](documents=NAMES, output="x.index", dry_run=True, threshold=0.5, **how)),
    )
    listings = ([None, "kept", "duplicates", "groups"],) * 2 + ([None],) * 10 + ([None, "all"],)
    found = list[Any]()
    for result, each in zip(results, listings, strict=True):
        found += [repr(list(result.rows(listing))) for listing in each]
        result.write(place / "answer", format="jsonl")
        found += [(place / "answer").read_bytes(), result.is_found, result.summary() | OTHER]
    passages = ASKED["passages"](documents=("one",), min_passage=9, **how)
    for look in Look(for_people=True), Look():
        found += [repr(list(table)) for table in tables_of(answered(passages, look=look), look)]
    return found


def test_every_table_is_the_same_in_small_blocks(there, tmp_path_factory, monkeypatch):
    place = tmp_path_factory.mktemp("tables")
    simdocs.index("one", output="x.index", threshold=0.5, unit="word", k=2)
    whole = everything(place)
    for module, names in SMALL.items():
        for name in names:
            monkeypatch.setattr(f"simdocs.{module}.{name}", 11 if name == "AT_ONCE" else 2)
    assert everything(place) == whole
    counts = [simdocs.pairs(*NAMES, **OPTIONS).summary()["pairs"]]
    monkeypatch.setattr("simdocs.kernels.buckets.PAIRS_AT_ONCE", 2)
    assert [simdocs.pairs(*NAMES, **OPTIONS).summary()["pairs"]] == counts != [0]


@pytest.mark.reliability("any number of workers, order of files and size of batches")
@pytest.mark.parametrize("seed", [0, *slow(1, 2)])
def test_answers_are_the_same_for_any_order_of_directory_entries(there, expected, monkeypatch, seed):
    dice = random.Random(seed)
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda *path: dice.sample(names := listed(*path), len(names)))
    assert every(there) == expected
