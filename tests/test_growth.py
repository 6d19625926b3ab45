"""How work grows with the number of documents, in operations: which are counted, since seconds would tell of others.

A family of documents costs at most MOST times as much a document when there are twice as many, or as much for each
candidate or similar pair where the number of these is the cost. The largest growth that was measured is 1.104 with
kernels in C. In NumPy it is 1.14, because some kernels work otherwise on larger batches.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import simdocs
from simdocs.kernels.native import kernels_in_use
from simdocs.matching.candidates import GroupingState
from simdocs.model.ragged import Ragged
from tests.amounts import slow
from tests.reading.small_chunks import cut_small

PROGRAM = os.path.dirname(simdocs.__file__) + os.sep
VERIFIER = os.path.join(PROGRAM, "matching", "verify.py")


class Operations:
    """Operations in this thread.

    calls: of functions, in Python and in C.
    made: bytes, and elements of arrays, that functions of the program return anew. A kernel returns all that it makes.
    candidates, compared: pairs that are looked at, and those that are compared exactly.
    opened: files.
    """

    def __init__(self) -> None:
        self.calls = self.made = self.candidates = self.compared = self.opened = 0

    def count(self, frame: FrameType, event: str, value: Any) -> None:
        """Count an event of the interpreter: see sys.setprofile."""
        if event == "c_call":
            self.calls += 1
            self.opened += value is os.open
        elif event == "call":
            self.calls += 1
            if frame.f_code.co_filename == VERIFIER:
                self.candidates += pairs_given(frame, "similar")
                self.compared += pairs_given(frame, "exact_jaccard")
        elif event == "return" and frame.f_code.co_filename.startswith(PROGRAM):
            self.made += elements(value)
            if frame.f_code.co_name == "read_small" and value is not None:
                self.opened += sum(text is not None for text in value[0])


def pairs_given(frame: FrameType, function: str) -> int:
    """How many pairs a function of this name is called with; 0 for another one."""
    return len(frame.f_locals["left"]) if frame.f_code.co_name == function else 0


def elements(value: Any) -> int:
    """The elements of an array that is no view, of bytes, and of those in a tuple or a Ragged."""
    if isinstance(value, np.ndarray):
        return value.size if value.flags.owndata else 0
    if isinstance(value, bytes | bytearray):
        return len(value)
    if isinstance(value, tuple):
        return sum(map(elements, value))
    return elements(value.values) + elements(value.offsets) if isinstance(value, Ragged) else 0


@contextmanager
def counted() -> Iterator[Operations]:
    """Count the operations within."""
    operations, before = Operations(), sys.getprofile()
    sys.setprofile(operations.count)
    try:
        yield operations
    finally:
        sys.setprofile(before)


WORDS = 60
"""In most texts."""


def words(dice: random.Random, number: int) -> list[str]:
    return [f"w{dice.randrange(50_000)}" for _ in range(number)]


def unrelated(number: int) -> list[str]:
    dice = random.Random(1)
    return [" ".join(words(dice, WORDS)) for _ in range(number)]


def chain(number: int) -> list[str]:
    """Each is similar to the one before it and the one after it, and to no other."""
    every = words(random.Random(2), WORDS + 5 * number)
    return [" ".join(every[5 * at : 5 * at + WORDS]) for at in range(number)]


def near_copies(number: int) -> list[str]:
    """Any two are similar: each is the same text with another word in it."""
    dice = random.Random(5)
    text, at = words(dice, WORDS), [dice.randrange(WORDS) for _ in range(number)]
    return [" ".join((*text[:place], f"own{own}", *text[place + 1 :])) for own, place in enumerate(at)]


def identical(number: int) -> list[str]:
    return unrelated(1) * number


def five_sentences(number: int) -> list[str]:
    return unrelated(5) * (number // 5)


def tiny(number: int) -> list[str]:
    """Of one character and more, many of them less than a shingle."""
    dice = random.Random(6)
    return ["".join(dice.choices("abcdefghij", k=dice.randint(1, 12))) for _ in range(number)]


Family = Callable[[int], list[str]]
Question = Callable[..., object]


Lay = Callable[[Path, list[str]], Path]


def one_file(row: Callable[[str], str], suffix: str = ".jsonl", head: str = "") -> Lay:
    """Lays texts out as the rows of one file."""

    def lay(where: Path, texts: list[str]) -> Path:
        path = where / f"{len(texts)}{suffix}"
        path.write_text(head + "".join(map(row, texts)))
        return path

    return lay


lines = one_file(lambda text: f"{json.dumps({'text': text})}\n")
with_last_field = one_file(lambda text: f"{json.dumps({'text': text, 'language': 'en'})}\n")
with_blank_lines = one_file(lambda text: json.dumps({"text": text}) + 10 * "\n")
table = one_file(lambda text: f'"{text}\n",en\n', ".csv", "text,language\n")


def files(where: Path, texts: list[str]) -> Path:
    """All in one directory."""
    path = where / str(len(texts))
    path.mkdir()
    for at, text in enumerate(texts):
        (path / str(at)).write_text(text)
    return path


def queried(docs: Path, **options: Any) -> object:
    """Build an index, and look up two of its documents."""
    two = docs.with_suffix(".two.jsonl")
    two.write_text("".join(docs.read_text().splitlines(keepends=True)[:2]))
    return simdocs.query(simdocs.index(docs, **options), two, **options)


@pytest.fixture(autouse=True, scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Import what only the first run imports."""
    where = tmp_path_factory.mktemp("warm")
    for family in (near_copies, chain):
        queried(lines(where, family(200)), jobs=1)


def added(
    where: Path, family: Family, number: int, ask: Question = simdocs.dedupe, lay: Lay = lines, **options: Any
) -> list[SimpleNamespace]:
    """What this number of documents costs that are added to as many, and twice as many that are added to those.

    Each has the numbers of operations, and that of the documents.

    The first ones bear what any run costs.
    """
    runs = []
    for count in (number, 2 * number, 4 * number):
        docs = lay(where, family(count))
        with counted() as operations:
            ask(docs, jobs=1, **options)
        runs.append(vars(operations) | {"documents": count})
    return [SimpleNamespace(**{name: more[name] - less[name] for name in more}) for less, more in pairwise(runs)]


MOST = {"native": 1.11, "numpy": 1.15}[kernels_in_use()]
"""How much more a document may cost."""


def growth(first: Any, second: Any, name: str, of: str = "documents") -> float:
    """By which factor these operations for a unit grow; 1 if there are none."""
    (less, more), (units, all_units) = ((getattr(first, one), getattr(second, one)) for one in (name, of))
    return (more / all_units) / (less / units) if less else 1.0 + (more > 0)


def assert_no_growth(costs: list[SimpleNamespace], *names: str, of: str = "documents", most: float = MOST) -> None:
    assert {name: growth(*costs, name, of) for name in names if growth(*costs, name, of) > most} == {}, costs


SIZES = [150, *slow(1000)]


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize(
    ("ask", "family"),
    [
        *((simdocs.dedupe, family) for family in (unrelated, chain, near_copies, identical, tiny)),
        *((queried, family) for family in (near_copies, identical)),
    ],
)
def test_a_document_costs_no_more_among_more_documents(tmp_path, family, ask, number):
    assert_no_growth(added(tmp_path, family, number, ask), "calls", "made", "candidates", "compared")


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("lay", [lines, with_last_field, with_blank_lines, table])
def test_a_row_costs_no_more_among_more_rows_however_alike_they_are(tmp_path, monkeypatch, lay, number):
    cut_small(monkeypatch, 1 << 12)
    assert_no_growth(added(tmp_path, five_sentences, number, simdocs.signature, lay), "calls", "made")


def one_letter(number: int) -> list[str]:
    """Two texts of one letter, with so many windows that each document of another family would have some."""
    return ["a" * (100 * number), "a" * (100 * number) + "b"]


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("family", [near_copies, *slow(unrelated, chain, identical, one_letter)])
def test_a_document_costs_no_more_for_passages_among_more_documents(tmp_path, family, number):
    """Records that are too many for memory are copied into bytes and back, which is a step of 29%.

    A chain meets it at this size, where 300 documents make 12 MB and 600 make 36 MB; 1,200 make 69 MB.
    """
    simdocs.passages(lines(tmp_path, family(number + 1)), jobs=1)
    costs = added(tmp_path, family, 2 * number, simdocs.passages)
    assert_no_growth(costs, "calls", "made", most=1.5 if family is chain else 1.4)


@pytest.mark.parametrize("number", [150, *slow(500)])
def test_a_similar_pair_costs_no_more_among_more_pairs(tmp_path, number):
    """Of 600 and of 2,000 documents. When each block of pairs looked its documents up again, the latter made 1.21 times
    as much for each pair as 1,000 documents."""
    first, second = costs = added(tmp_path, near_copies, number, simdocs.pairs)
    assert second.compared > 3.5 * first.compared
    assert_no_growth(costs, "calls", "made", of="compared")


@pytest.mark.reliability("100,000 files in one directory")
@pytest.mark.parametrize("number", [200, *slow(25_000)])
@pytest.mark.parametrize("ask", [simdocs.dedupe, simdocs.index], ids=["dedupe", "index"])
@pytest.mark.parametrize("later", [-3600 * 10**9, 3600 * 10**9], ids=["recent", "still"])
def test_a_file_is_opened_once_and_costs_no_more_among_more_files(tmp_path, monkeypatch, later, ask, number):
    monkeypatch.setattr("simdocs.reading.files.now", lambda: time.time_ns() + later)
    costs = added(tmp_path, tiny, number, ask, files)
    assert_no_growth(costs, "calls", "made")
    for part in costs:
        assert part.documents <= part.opened <= 1.001 * part.documents + 2  # the directory, too, now and then


def test_a_change_that_makes_work_quadratic_is_seen(tmp_path, monkeypatch):
    """If no near-copy were removed, each would be compared with all before it."""
    monkeypatch.setattr(GroupingState, "remove", lambda _self, pairs: pairs.right[:0])
    costs = added(tmp_path, near_copies, 50)
    assert all(growth(*costs, name) > 1.8 for name in ("made", "candidates", "compared"))
