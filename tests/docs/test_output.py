"""docs/output.md lists every reason for skipping, with the words of messages and the summary."""

from __future__ import annotations

import pytest

from simdocs.cli.spelling import spelled
from simdocs.model.skipped import JUDGED, UNJUDGED, in_short
from tests.docs.executed import ROOT

PAGE = (ROOT / "docs/output.md").read_text()


@pytest.mark.parametrize("reason", [*JUDGED, *UNJUDGED])
def test_every_reason_for_skipping_is_listed_with_its_words(reason):
    assert f"\n| `{reason}` | {spelled(in_short(reason))} | " in PAGE
