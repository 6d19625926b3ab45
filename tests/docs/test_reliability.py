"""docs/reliability.md has a row for each case that a test is marked with, and says which cases have no test."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
CASES = 160
"""The minimum number of rows, so that none is lost by accident."""


@pytest.fixture
def reliability(monkeypatch):
    """The module that writes the page."""
    monkeypatch.syspath_prepend(DOCS)
    import reliability

    yield reliability
    del sys.modules["reliability"]


def test_the_page_on_reliability_is_what_the_marks_on_tests_say(reliability):
    assert (DOCS / "reliability.md").read_text(encoding="utf-8") == reliability.page()


def test_every_case_has_a_test_or_says_that_it_has_none(reliability):
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in reliability.page().splitlines() if line.startswith("| ")]
    cases = [row for row in rows if len(row) == 3 and row[0] != " case "]
    assert all(len(row) in (2, 3) for row in rows)
    assert len(cases) >= CASES
    assert [row[0] for row in cases if not re.search(r"\]\(\.\./tests/[\w/]+\.py \"|not tested", row[2])] == []


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{one}\n{one}\n", "one: stands in the template more than once"),
        ("{one}\n{two}\n", "two: no test has this mark"),
        ("", "one: not in the template"),
    ],
)
def test_a_mark_that_does_not_fit_the_template_is_an_error(reliability, monkeypatch, tmp_path, template, said):
    (tmp_path / "template.md").write_text(template)
    monkeypatch.setattr(reliability, "TEMPLATE", tmp_path / "template.md")
    monkeypatch.setattr(reliability, "marks", lambda: [reliability.Mark("t", "test_a", ("one", "a", "b"))])
    with pytest.raises(ValueError, match=said):
        reliability.page()


@pytest.mark.parametrize("arguments", [[("one",)], [("one", "a", "b")] * 2, [("one", "a", "b"), ("one", "a")]])
def test_a_case_is_described_by_one_test(reliability, monkeypatch, tmp_path, arguments):
    (tmp_path / "template.md").write_text("{one}\n")
    monkeypatch.setattr(reliability, "TEMPLATE", tmp_path / "template.md")
    monkeypatch.setattr(reliability, "marks", lambda: [reliability.Mark("t", "test_a", each) for each in arguments])
    with pytest.raises(ValueError, match="one must say the case and the outcome"):
        reliability.page()
