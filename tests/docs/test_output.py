"""docs/output.md lists every reason for skipping, with the words of messages and the summary; its lines are short."""

from __future__ import annotations

import pytest

from simdocs.cli.spelling import spelled
from simdocs.model.skipped import JUDGED, UNJUDGED, in_short
from tests.docs.executed import DOCS, long_lines

OUTPUT = DOCS / "output.md"
PAGE = OUTPUT.read_text(encoding="utf-8")


@pytest.mark.parametrize("reason", [*JUDGED, *UNJUDGED])
def test_every_reason_for_skipping_is_listed_with_its_words(reason):
    assert f"\n| `{reason}` | {spelled(in_short(reason))} | " in PAGE


def test_no_line_of_the_output_page_is_too_long():
    assert long_lines(OUTPUT) == []
