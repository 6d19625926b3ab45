"""Files that change, cannot be read, or hold many documents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import simdocs
from tests.cli.corpus import A1, A, B, lay


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """a, b, which is nearly the same, and c, which is not."""
    monkeypatch.chdir(tmp_path)
    return lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/c": B}) / "docs"


def test_skipped_documents_are_in_the_result(docs):
    lay(docs, {"binary": b"\0", ".hidden": A, "large": A * 20})
    (docs / "link").symlink_to("a")
    found = simdocs.dedupe("docs", max_size=1000)
    assert {reason: [name for name, _ in each] for reason, each in found.skipped.by_reason.items()} == {
        "hidden": ["docs/.hidden"],
        "link": ["docs/link"],
        "binary": ["docs/binary"],
        "oversized": ["docs/large"],
    }
    assert found.skipped.counts["oversized"] == found.skipped.unjudged == 1
    index = simdocs.index("docs", max_size=1000, output="docs.index")
    assert index.skipped == simdocs.index("docs", max_size=1000).skipped == found.skipped
    # Nothing is skipped where nothing is walked.
    assert simdocs.open("docs.index").skipped.counts == simdocs.dedupe("docs.index").skipped.counts == {}
    named = simdocs.query("docs.index", "docs/binary", "docs/a").skipped
    assert named.by_reason == {"named": [("docs/binary", "a binary file (a NUL byte in the first 8 KiB)")]}


def test_a_failed_build_leaves_the_old_artifact(docs):
    simdocs.index("docs", output="docs.index")
    before = sorted(os.listdir("docs.index")), Path("docs.index/manifest.json").read_bytes()
    for wrong in ("nowhere", "docs.index"):
        with pytest.raises(simdocs.SimdocsError):
            simdocs.index("docs", wrong, output="docs.index")
    Path("link.shingles").symlink_to("new.index")
    with pytest.raises(simdocs.UsageError, match=r"^link\.shingles: the name .* cannot end in \.index: choose"):
        simdocs.shingle("docs", output="link.shingles")
    with pytest.raises(simdocs.UsageError, match=r"cannot end in \.index: choose"):
        simdocs.shingle("docs", output="docs.index")
    assert (sorted(os.listdir("docs.index")), Path("docs.index/manifest.json").read_bytes()) == before
    assert sorted(os.listdir()) == ["docs", "docs.index", "link.shingles"]
