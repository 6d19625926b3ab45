"""What workers of a cluster make of rows, without a cluster."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow")

from simdocs.options.recipes import Bands, SignatureRecipe  # noqa: E402
from simdocs.spark import tasks, workers  # noqa: E402
from simdocs.spark.workers import Plan, settled  # noqa: E402
from tests import strategies as some_of  # noqa: E402
from tests.cli.corpus import lay  # noqa: E402
from tests.reading.finding import found_by  # noqa: E402
from tests.reading.small_chunks import cut_small  # noqa: E402
from tests.twins.similarity import jaccard  # noqa: E402

PLAN = Plan(SignatureRecipe.__new__(SignatureRecipe), 0, Bands(1, 1))


def batches(rows: Sequence[tuple[int | None, ...]], names: str, most: int) -> Iterator[Any]:
    """Rows as record batches of at most so many."""
    for at in range(0, len(rows), most):
        columns = list(zip(*rows[at : at + most], strict=True))
        yield pa.RecordBatch.from_arrays([pa.array(each, pa.int64()) for each in columns], names.split())


def rows(made: Iterator[Any]) -> list[tuple[Any, ...]]:
    return [row for batch in made for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)]


chains = st.integers(2, 30).map(lambda size: {(at, at + 1) for at in range(size)})
crowds = st.tuples(st.integers(0, 9), st.integers(2, 9)).map(lambda m: set(combinations(range(m[0], sum(m)), 2)))
some = st.sets(st.integers(0, 30))
anything = st.sets(st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(lambda pair: pair[0] < pair[1]))


@given(
    st.lists(st.one_of(chains, crowds, anything), max_size=3), st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30))
)
def test_rounds_decide_as_one_document_after_the_other(parts, alone, waiting):
    edges = {edge for part in parts for edge in part}
    given_rows = [*edges, *((each, None) for each in alone), *((None, each) for each in waiting)]
    found = rows(settled(PLAN, batches(given_rows, "left right", 7)))
    earlier: dict[int, list[int]] = {document: [] for edge in edges for document in edge} | {each: [] for each in alone}
    for left, right in edges:
        earlier.setdefault(right, []).append(left)
    fate: dict[int, bool] = {}
    for document in sorted(earlier):
        if any(fate.get(other) for other in earlier[document]):
            fate[document] = False
        elif document not in waiting and all(other in fate for other in earlier[document]):
            fate[document] = True
    assert {document: kept for document, kept in found if document in earlier} == fate


def plan_of(monkeypatch: pytest.MonkeyPatch, **given: Any) -> Plan:
    """A plan with short shingles. What is read or compared together is small."""
    recipe = some_of.index_recipe(some_of.banding(), 64).but(shingling=some_of.shingling(k=2))
    cut_small(monkeypatch, 80)
    monkeypatch.setattr(tasks, "BLOCK", 80)
    monkeypatch.setattr(workers, "_TOGETHER", 600)
    return Plan(recipe, 100, Bands(4, 2), directory=os.getcwdb(), **given)


def as_batch(schema: str, given_rows: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    return iter([workers._rows(schema, given_rows)])


@pytest.mark.parametrize(("partitions", "keep"), [(1, "longest"), (40, "shortest")])
def test_documents_of_tasks_are_read_again_by_their_ids_and_compared(partitions, keep, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = plan_of(monkeypatch, keep=keep, threshold=0.5)
    every = [f"{'abcdefg'[number % 7] * 2}{'xyz' * (number % 4)}{number % 3}" for number in range(30)]
    lines = [*(json.dumps({"text": text}) for text in every[:15]), "{", json.dumps({"text": ""}), ""]
    lines += [json.dumps({"text": text}) for text in every[15:]]
    lay(tmp_path, {"a.jsonl": "\n".join(lines).encode(), "b": b"one", "c": b"", "d": b"two", "e": b"x" * 101})
    payloads = [
        pickle.dumps(task)
        for task in tasks.tasks_of(found_by("b", "a.jsonl", *"cde"), plan.recipe.sequences, partitions)
    ]
    assert len(payloads) > 3
    given_tasks = as_batch("task long, file long, payload binary", [(at, 0, each) for at, each in enumerate(payloads)])
    made = rows(workers.in_worker(plan, workers.signed)(given_tasks))
    said = [(row[3] >> tasks.PLACES, json.loads(row[5])) for row in made if row[5] is not None]
    totals = [each for _, each in said if "documents" in each]
    assert [sum(each[name] for each in totals) for name in ("documents", "empty", "lines")] == [34, 2, 33]
    before = [0, *accumulate(each["lines"] for each in totals)]
    skips = {(each["name"], each["line"] + bool(each["line"]) * before[at]) for at, each in said if "reason" in each}
    assert skips == {("a.jsonl", 16), ("e", 0)}

    # All documents are read again, and compared with each that comes before.
    documents = {row[3]: row[2] for row in made if row[5] is None}
    assert list(documents) == sorted(documents)
    texts = dict(zip(documents, ("one", *every, "two"), strict=True))
    assert list(documents.values()) == [(1 if keep == "shortest" else -1) * len(each) for each in texts.values()]
    pairs = list(combinations(texts, 2))
    wanted = {
        (side, left, side != left and texts[side] == texts[left]) for left, right in pairs for side in (left, right)
    }
    heads = [(at, -1, each, before[at], None, None) for at, each in enumerate(payloads)]
    asked = [(each >> tasks.PLACES, each, None, None, left, is_copy) for each, left, is_copy in sorted(wanted)]
    schema = "task long, id long, payload binary, before long, left long, is_copy boolean"
    read = rows(workers.texts(plan, as_batch(schema, sorted(heads + asked, key=lambda row: row[:2]))))
    names = [b"b", *(b"a.jsonl#%d" % at for at in range(1, 34) if at not in (16, 17, 18)), b"d"]
    assert {(row[0] if row[1] < 0 else row[1], row[4]) for row in read} == set(zip(texts, names, strict=True))
    edges = rows(workers.compared(plan, as_batch(workers.TEXT, sorted(read, key=lambda row: row[:2]))))
    sets = {each: {text[at : at + 2] for at in range(len(text) - 1)} for each, text in texts.items()}
    scores = {(a, b): jaccard(sets[a], sets[b]) for a, b in pairs}
    assert {(row[0], row[3]): row[6] for row in edges} == {pair: each for pair, each in scores.items() if each >= 0.5}
    assert {(row[0], row[3]) for row in edges if row[8]} == {(a, b) for a, b in pairs if texts[a] == texts[b]}
