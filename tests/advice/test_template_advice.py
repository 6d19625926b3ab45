"""Advice about templates is given if most pairs are in large groups, or if one group has many of the documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import simdocs
from simdocs.advice import LARGE_GROUP, LEAVING_OUT, Threshold, template_advice, watch_for_a_crowd
from simdocs.engines.engine import Run
from simdocs.engines.local import Local
from simdocs.kernels.grouping import PairGraph


class NamesOnly:
    """A corpus that has nothing but names: d0, d1, ..."""

    def printed_names(self, rows: Iterable[int]) -> list[bytes]:
        return [b"d%d" % row for row in rows]


def family(first: int, documents: int, score: float = 0.9) -> list[tuple[int, int, float]]:
    """Return every pair of this number of documents, from this row on."""
    rows = range(first, first + documents)
    return [(left, right, score) for left in rows for right in rows if left < right]


def advised(size: int, pairs: list[tuple[int, int, float]], unit: str = "char") -> list[str]:
    columns = np.array(pairs, float).reshape(-1, 3).T
    graph = PairGraph(size)
    graph.add(columns[0].astype(np.int64), columns[1].astype(np.int64), columns[2] < 1)
    corpus: Any = NamesOnly()
    return list(template_advice(graph, corpus, unit))


def test_most_pairs_in_one_group_of_few_documents_suggest_a_template():
    [line] = advised(1_000, [*family(5, 20), *((row, row + 1, 0.95) for row in range(100, 300, 2))])
    assert line == (
        "190 of 290 pairs of different texts are in chains of 20 or more documents, the largest of 20 documents (2% of"
        " all), such as d5: if they share only a template, leave it out with --template FILE or"
        " --ignore-common F (simdocs tune DOCS looks for F), or try --unit line"
    )


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        family(0, LARGE_GROUP - 1),
        [pair for first in range(0, 900, 10) for pair in family(first, 10)],
        [*family(0, LARGE_GROUP), *((row, row + 1, 0.9) for row in range(100, 480, 2))],
    ],
    ids=["no pairs", "no large group", "many families", "half of the pairs"],
)
def test_other_pairs_suggest_no_template(pairs):
    assert advised(1_000, pairs) == []


@pytest.mark.parametrize(("size", "first"), [(99, None), (100, "190 of 190 pairs"), (200, "190 of 190 pairs")])
def test_a_hundred_documents_are_so_many_that_advice_is_given(size, first):
    assert [line[:16] for line in advised(size, family(0, 20))] == ([first] if first else [])


def test_a_group_with_more_than_a_tenth_of_all_documents_is_named_also_if_it_is_of_copies():
    for size, pairs, linked in (
        (109, family(0, 11, 1.0), "are copies of one text"),
        (109, family(0, 11), f"are linked by chains of similar pairs: if they share only a template, {LEAVING_OUT}"),
    ):
        (line,) = advised(size, pairs, unit="line")
        assert line == f"11 documents (10% of all), such as d0, {linked}"
        assert advised(110, pairs) == []


def test_a_crowd_is_reported_once_there_are_many_candidates_of_which_few_are_similar():
    for documents, candidates, similar, is_crowd in (
        *((100, 2001, 100, True), (100, 2001, 101, False), (100, 2000, 0, False), (99, 9999, 0, False)),
        (100, 4000, 199, True),
        (100, 4000, 200, False),
    ):
        run, said = Run(Local(1)), list[str]()
        run.explain = lambda line, said=said: said.append(line)
        advice = watch_for_a_crowd(documents, run, joinable=documents == 100)
        run.tally.candidates, run.tally.similar = candidates, similar
        for _ in range(2):
            assert run.tally.watch is not None
            run.tally.watch(run.tally)
        assert advice == said
        assert len(said) == is_crowd
        assert all(line.endswith("or try --exact, which may compare far fewer pairs") for line in said)


def test_a_threshold_in_a_gap_cuts_through_nothing():
    found = [Threshold(0.5, *counts) for counts in ((2, 3), (2, 4), (100, 10), (8, 4))]
    assert [each.is_clear for each in found] == [True, False, True, False]
    assert [each.is_on_slope for each in found] == [False, True, False, False]


def test_what_a_template_and_the_times_of_files_cannot_decide_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"form": "another text altogether", "in.jsonl": '{"text": "a"}\n', "file": "a"}.items():
        (tmp_path / name).write_text(text)
    for given in (simdocs.shingle("file"), simdocs.shingle("in.jsonl")):
        (said,) = simdocs.signature(given, template="form").skipped.every_warning
        assert said == "--template leaves out nothing: no document has any of its tokens"
    for keep in ("newest", "oldest"):
        (said,) = simdocs.dedupe("in.jsonl", keep=keep).warnings
        assert said.startswith(f"--keep {keep} compares the times of files, and no document has a file of its own: of")
        assert simdocs.dedupe("in.jsonl", "file", keep=keep).warnings == ()
    assert simdocs.dedupe("in.jsonl", keep="longest").warnings == ()
