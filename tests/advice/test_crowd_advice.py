"""A crowd is reported as soon as there are many candidates, and few of them are similar."""

from __future__ import annotations

import pytest

from simdocs.advice.template_advice import CrowdWatch
from simdocs.errors import spelled
from tests.runs import running


def advised(documents: int, *counts: tuple[int, int], joinable: bool = True) -> list[str]:
    """Return the advice about so many documents, as candidates and similar pairs are counted."""
    told: list[str] = []
    with running(explain=told.append) as run:
        watch = CrowdWatch(documents, run, joinable=joinable)
        for run.tally.candidates, run.tally.similar in counts:
            assert run.tally.watch is not None
            run.tally.watch(run.tally)
        assert watch.advice == tuple(told)
    return [spelled(line) for line in told]


def test_many_candidates_of_which_few_are_similar_are_reported_once_and_at_once():
    assert advised(100, (2_000, 0), (2_001, 100), (9_000, 100)) == [
        "there are more than 20 candidates for each document, and less than 5% of them are similar: if the documents"
        " share a template, leave it out with template FILE or ignore_common F (simdocs.tune('DOCS') looks for F);"
        " or try exact, which may compare far fewer pairs"
    ]


def test_an_exact_join_is_not_advised_where_there_is_none_or_one_already():
    (line,) = advised(100, (2_001, 0), joinable=False)
    assert line.endswith(
        ": if the documents share a template, leave it out with template FILE or ignore_common F"
        " (simdocs.tune('DOCS') looks for F)"
    )


@pytest.mark.parametrize(("documents", "candidates", "similar"), [(99, 50_000, 0), (100, 2_000, 0), (100, 9_000, 450)])
def test_few_documents_few_candidates_and_similar_ones_are_no_crowd(documents, candidates, similar):
    assert advised(documents, (candidates, similar)) == []
