"""The code on docs/method.md runs, and its lines are short."""

from __future__ import annotations

from tests.docs.executed import DOCS, execute, long_lines

METHOD = DOCS / "method.md"


def test_the_code_on_the_method_page_runs() -> None:
    execute(METHOD)


def test_no_line_of_the_method_page_is_too_long() -> None:
    assert long_lines(METHOD) == []
