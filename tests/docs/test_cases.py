"""Every case of docs/reliability.md has a test, and every mark of a test names a case."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.docs.executed import DOCS

CASES = 208
"""The minimum number of cases, so that none is lost by accident."""


@pytest.fixture
def cases(monkeypatch):
    """The module that finds the tests of the cases."""
    monkeypatch.syspath_prepend(DOCS)
    import cases

    yield cases
    del sys.modules["cases"]


def test_every_case_has_a_test(cases):
    assert len(cases.tests_of_cases()) >= CASES


@pytest.mark.parametrize(
    ("page", "marks", "said"),
    [
        ("## A\n- **One**: works.\n- **one**: works.", ["one"], "One: stands on the page twice"),
        ("## A\n- **One**, **two\n  words**: work.", ["one"], "two words: no test has this mark"),
        ("**One** is a rule.\n## A\n- **Two**: works.", ["one", "two"], "one: marks t::test_a, but is not on the page"),
    ],
)
def test_marks_that_do_not_fit_the_page_are_errors(cases, monkeypatch, tmp_path: Path, page, marks, said):
    (tmp_path / "page.md").write_text(f"# Page\n\n{page}\n")
    monkeypatch.setattr(cases, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(cases, "marks", lambda: [(case, "t::test_a") for case in marks])
    with pytest.raises(ValueError, match=said):
        cases.tests_of_cases()
