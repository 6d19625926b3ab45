"""Which files an update reads again since the largest size of a document is another one now."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from tests.reading.test_unchanged import LINES, Case


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.chdir(tmp_path)
    return Case(monkeypatch)


def test_what_is_too_large_now_is_not_taken_over(case: Case) -> None:
    size = len(LINES[0]) - 1
    for limit in (size, size + 1, 16, size):
        case.update(max_size=limit)


@pytest.mark.parametrize("name", ["docs/lines.jsonl", "docs/lines.jsonl.gz"])
def test_lines_are_read_again_if_the_limit_is_lower_because_any_may_be_too_large_now(case: Case, name: str) -> None:
    """A line may be larger than a compressed file."""
    os.remove("docs/lines.jsonl")
    data = b"".join([*LINES, b'{"text": "%b"}\n' % (b"a" * 2000)])
    Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    case.update()
    assert os.stat(name).st_size < 1000 or name == "docs/lines.jsonl"
    assert name in case.update(max_size=1000).files
    assert name in case.update(max_size=1000).files  # one was skipped
    Path(name).write_bytes(gzip.compress(b"".join(LINES)) if name.endswith(".gz") else b"".join(LINES))
    case.update()
    assert case.update(max_size=1000).files == {name}
    assert case.update(max_size=1000).files == set()
