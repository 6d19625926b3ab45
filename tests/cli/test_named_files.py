"""A file that was named as an argument and is not compared is always reported: somebody asked about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, lay
from tests.cli.program import simdocs


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Two near-duplicates, a binary file, and an empty one, in a directory."""
    return lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/photo": b"\0\1" * 50, "docs/empty": b""})


def test_a_named_binary_file_is_reported_with_status_3(there: Path) -> None:
    done = simdocs("dedupe", "docs/a", "docs/b", "docs/photo", cwd=there)
    assert (done.status, len(done.rows)) == (3, 1)
    assert done.err == "simdocs: docs/photo: skipped: a binary file (a NUL byte in the first 8 KiB)\n"


def test_a_binary_file_in_a_directory_or_a_list_is_passed_by(there: Path) -> None:
    assert simdocs("dedupe", "docs", cwd=there)[::2] == (0, "")
    listed = simdocs("dedupe", "--files-from", "-", cwd=there, stdin=b"docs/a\ndocs/b\ndocs/photo\n")
    assert (listed.status, listed.err) == (0, "")


def test_a_named_binary_file_is_reported_whatever_reached_it_first(there: Path) -> None:
    for arguments in (["docs", "docs/photo"], ["docs/photo", "docs"]):
        done = simdocs("dedupe", *arguments, cwd=there)
        assert done.status == 3
        assert done.err == "simdocs: docs/photo: skipped: a binary file (a NUL byte in the first 8 KiB)\n"


def test_a_named_empty_file_is_reported_with_status_0(there: Path) -> None:
    done = simdocs("dedupe", "docs/a", "docs/empty", cwd=there)
    assert (done.status, done.err) == (
        0,
        "simdocs: warning: docs/empty: this document is empty, so it matches nothing\n",
    )
    assert simdocs("dedupe", "docs", cwd=there).err == ""
    assert simdocs("dedupe", "docs/a", "docs/empty", "-q", cwd=there).err == ""


def test_other_commands_report_it_too(there: Path) -> None:
    for ask in (("index", "-o", "a.index"), ("query", "a.index")):
        done = simdocs(*ask, "docs/b", "docs/photo", cwd=there)
        assert done.status == 3
        assert "docs/photo: skipped: a binary file" in done.err
