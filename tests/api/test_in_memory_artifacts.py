"""Artifacts in memory and on disk: show, info and check of objects, what was skipped, and builds that fail."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import simdocs
from tests.api.asking import BUILD, KINDS
from tests.cli.corpus import A1, A, B, lay

TEXTS = [A, A1, B, b""]


def test_a_text_in_memory_is_shown_as_the_file_with_its_bytes(tmp_path):
    keywords = {"unit": "word", "k": 2}
    (tmp_path / "text").write_bytes(A)
    expected = list(simdocs.show(tmp_path / "text", **keywords))
    assert list(simdocs.show(text=A, **keywords)) == list(simdocs.show(text=A.decode(), **keywords)) == expected
    assert expected


@pytest.mark.parametrize("kind", KINDS)
def test_info_says_the_same_of_an_artifact_in_memory_and_on_disk(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    lay(tmp_path, {f"docs/{number}": text for number, text in enumerate(TEXTS)})
    made, path = BUILD[kind]("docs"), f"x.{kind}"
    opened = BUILD[kind]("docs", output=path)
    told = [[fact for fact in simdocs.info(one) if fact[0] != "start"] for one in (made, opened, path)]
    assert told[0] == told[1] == told[2]
    assert dict(told[0])["documents"] == len(TEXTS)


@pytest.mark.parametrize("kind", KINDS)
def test_artifacts_in_memory_are_undamaged_until_an_array_is_changed(tmp_path, kind):
    made = BUILD[kind](texts=TEXTS)
    opened = BUILD[kind](texts=TEXTS, output=tmp_path / f"x.{kind}")
    assert not simdocs.check(made, opened, tmp_path / f"x.{kind}")
    column = {"shingles": "tokens", "signatures": "ignored", "index": "band_keys"}[kind]
    array = made[column].all()
    if column == "ignored":
        made.columns[column].array = np.array([1], np.uint32)
    else:
        array.reshape(-1)[:] = array.reshape(-1)[::-1].copy()
    found = [line for _, line in simdocs.check(made)]
    assert found and all(f"the {kind} given/" in line and ": damaged: " in line for line in found)


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
