"""Files that change, cannot be read, or hold many documents."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import simdocs
from tests.api.asking import by_row
from tests.cli.corpus import A1, A2, A, B, lay


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """a, b, which is nearly the same, and c, which is not."""
    monkeypatch.chdir(tmp_path)
    return lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/c": B}) / "docs"


def names(found: simdocs.Deduplication, rows: list[int]) -> list[str]:
    return [found.documents.name(row) for row in rows]


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
    assert names(found, [0, 1, 2]) == ["docs/a", "docs/b", "docs/c"]
    index = simdocs.index("docs", max_size=1000, output="docs.index")
    assert index.skipped == simdocs.index("docs", max_size=1000).skipped == found.skipped
    # Nothing is skipped where nothing is walked.
    assert simdocs.open("docs.index").skipped.counts == simdocs.dedupe("docs.index").skipped.counts == {}
    named = simdocs.query("docs.index", "docs/binary", "docs/a").skipped
    assert named.by_reason == {"named": [("docs/binary", "a binary file (a NUL byte in the first 8 KiB)")]}


@pytest.mark.parametrize("jobs", [1, 2])
def test_files_changed_between_two_calls_are_noticed(docs, jobs):
    index = simdocs.index("docs")
    assert by_row(simdocs.dedupe(index, jobs=jobs)) == [(0, 1)]
    assert by_row(simdocs.query(index, texts=[A2], jobs=jobs)) == [(0, 0), (0, 1)]
    assert by_row(simdocs.dedupe("docs", jobs=jobs)) == [(0, 1)]
    (docs / "b").write_bytes(B)
    for found in (simdocs.dedupe(index, jobs=jobs), simdocs.query(index, texts=[A2], jobs=jobs)):
        assert found.skipped.by_reason == {"unverified": [("docs/b", "changed")]}
        assert (0, 1) not in by_row(found)
    assert by_row(simdocs.dedupe("docs", jobs=jobs)) == [(1, 2)]
    (docs / "b").unlink()
    assert simdocs.dedupe(index, jobs=jobs).skipped.by_reason == {"unverified": [("docs/b", "gone")]}
    # Back again, with the same text but other times.
    (docs / "b").write_bytes(A1.upper())
    assert by_row(simdocs.dedupe(index, jobs=jobs)) == [(0, 1)]


def test_workers_start_after_lines_were_read(docs):
    """Those that begin with what this process has open."""
    name = "lines.jsonl.gz"
    data = b"".join(
        json.dumps({"id": at, "text": text.decode()}).encode() + b"\n" for at, text in enumerate((A, A1, B))
    )
    Path(name).write_bytes(gzip.compress(data))
    for jobs in (1, 2, 1, 2):
        found = simdocs.dedupe(name, "docs", jobs=jobs)
        assert by_row(found) == [(0, 1), (0, 3), (0, 4), (2, 5)]
        assert found.skipped.counts == {}
    assert names(found, [0, 1, 5]) == [f"{name}#0", f"{name}#1", "docs/c"]


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


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no list of what is open here")
def test_no_file_stays_open(docs):
    Path("lines.jsonl").write_text("".join(json.dumps({"text": text.decode()}) + "\n" for text in (A, A1, B)))
    before = os.listdir("/proc/self/fd")
    assert by_row(simdocs.dedupe("lines.jsonl")) == [(0, 1)]
    assert len(os.listdir("/proc/self/fd")) == len(before)
