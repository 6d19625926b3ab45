"""Every case of docs/reliability.md has a test, and every mark of a test names a case."""

from __future__ import annotations

import sys

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
