"""Each phase of a run is a step of its own, so that no bar stands at its end while something else is done."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.asked import ASKED
from tests.cli.corpus import A1, A, B, lay
from tests.runs import answered


@pytest.fixture
def docs(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return lay(tmp_path, {f"docs/{at}": text + b" %d" % (at // 3) for at, text in enumerate([A, A1, B] * 20)})


def steps_of(request) -> list[tuple[str, int, int]]:
    """What is reported while a request is answered: step, done, total."""
    told = list[tuple[str, int, int]]()
    answered(request, progress=lambda *report: told.append(report))
    return told


def names_of(told: list[tuple[str, int, int]]) -> list[str]:
    """The steps in the order in which they began."""
    return list(dict.fromkeys(step for step, _, _ in told))


@pytest.mark.parametrize(
    ("question", "kind", "steps"),
    [
        ("shingle", "shingles", ["shingling", "writing"]),
        ("signature", "signatures", ["reading", "writing"]),
        ("index", "index", ["reading", "making buckets", "writing"]),
    ],
)
def test_a_build_says_that_it_makes_buckets_and_writes(docs, question, kind, steps):
    told = steps_of(ASKED[question](documents=("docs",), output=f"x.{kind}"))
    assert [step for step in names_of(told) if step != "signing"] == steps


def test_a_grouping_begins_when_the_buckets_are_made_and_ends_with_the_last_text(docs):
    told = steps_of(ASKED["dedupe"](documents=("docs",), bands=5, rows=4))
    assert [step for step in names_of(told) if step != "signing"] == ["reading", "making buckets", "grouping"]
    assert [report for report in told if report[0] == "making buckets"] == [
        ("making buckets", band, 5) for band in range(5)
    ]
    decided = [done for step, done, _ in told if step == "grouping"]
    totals = Counter(total for step, _, total in told if step == "grouping")
    assert len(totals) == 1
    assert decided == sorted(decided)
    assert (decided[0], decided[-1]) == (0, next(iter(totals)))
