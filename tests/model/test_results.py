"""Every result says its own tables, summary and views, and its tables have the rows that Python callers get."""

from __future__ import annotations

import json
import math
from importlib import import_module

import pytest

import simdocs
from simdocs import names
from simdocs.model import answers
from tests.cli.corpus import A1, A, B

TEXTS = [A, A1, B, A]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("built") / "x.index"
    simdocs.index(texts=TEXTS, output=path)
    return path


ASKED = {
    "dedupe": lambda _: simdocs.dedupe(texts=TEXTS),
    "pairs": lambda _: simdocs.pairs(texts=TEXTS, measure="containment"),
    "query": lambda index: simdocs.query(index, texts=TEXTS, nearest=2, verify="exact"),
    "compare": lambda _: simdocs.compare(texts=TEXTS[:2]),
    "matrix": lambda _: simdocs.compare(texts=TEXTS),
    "trace": lambda _: simdocs.compare(texts=TEXTS[:2], trace=True, scheme="permutation", num_perm=4),
    "tune": lambda _: simdocs.tune(texts=TEXTS),
    "audit": lambda _: simdocs.audit(texts=TEXTS),
    "dry run": lambda index: simdocs.index(texts=TEXTS, output=index, dry_run=True),
    "info": simdocs.info,
    "check": simdocs.check,
}

LOOKS = (
    answers.Look(),
    answers.Look(nested=False),
    answers.Look(for_people=True, nested=False, explained=True),
    answers.Look(for_people=True, verbose=True, listing="curve"),
)


def as_drawn(cell: object) -> object:
    """A cell as formats draw it: names as bytes, and nothing for NaN."""
    if isinstance(cell, float) and math.isnan(cell):
        return None
    return (names.text_to_name(cell) or None) if isinstance(cell, str) else cell


@pytest.mark.parametrize("question", ASKED)
def test_a_result_has_the_length_of_its_rows_and_yields_them(index, question):
    result = ASKED[question](index)
    assert list(map(repr, result)) == list(map(repr, result.rows()))
    assert len(result) == len(list(result))
    assert bool(result) == (len(result) > 0)


def test_results_without_rows_are_empty(index):
    found = simdocs.dedupe(texts=["one thing", "and another"])
    assert (len(found), list(found), bool(found)) == (0, [], False)
    assert len(simdocs.query(index, texts=["nothing of the kind"])) == 0
    assert not simdocs.check(index)


@pytest.mark.parametrize("question", ["dedupe", "pairs", "query", "compare", "tune", "audit", "info"])
def test_the_first_table_has_the_rows_of_the_result(index, question):
    result = ASKED[question](index)
    first, *_ = result.blocks(answers.Look())
    assert [list(map(as_drawn, row)) for row in first.rows] == [list(map(as_drawn, row)) for row in result.rows()]
    assert first.rows


@pytest.mark.parametrize("question", ASKED)
def test_each_row_has_a_cell_for_each_column(index, question):
    result: answers.Answer = ASKED[question](index)
    for look in LOOKS:
        for block in result.blocks(look):
            assert {len(row) for row in block.rows} <= {len(block.head.columns)}


@pytest.mark.parametrize("question", ASKED)
def test_the_view_that_a_result_names_exists(index, question):
    result: answers.Answer = ASKED[question](index)
    named = filter(None, map(result.view, LOOKS))
    assert all(callable(getattr(import_module(each.partition(":")[0]), each.partition(":")[2])) for each in named)


@pytest.mark.parametrize("question", ASKED)
def test_a_summary_is_lines_of_text_and_can_be_written_as_json(index, question):
    result: answers.Answer = ASKED[question](index)
    assert all("\n" not in line for line in result.lines(0.5, verbose=True))
    facts = json.loads(json.dumps(result.summary(0.5)))
    assert facts.get("seconds", 0.5) == 0.5
