"""Updates after changes that meet one special case each: they have the bytes of a build from scratch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simdocs.storage import syscalls
from tests.commands.building import opened
from tests.commands.test_update import HOUR, OPTIONS, Clock, chain_is_the_same, the_same

TEXTS = {
    "a": b"the quick brown fox jumps over the lazy dog",
    "b": b"the quick brown fox jumps over the lazy dog",
    "c": b"a cow of the ox is slow, and a cow of the ox is late",
}


@pytest.fixture(autouse=True)
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three old documents in the directory docs, of which two are copies."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(syscalls, "sync", lambda descriptor: None)
    Clock(monkeypatch).ahead = HOUR
    os.mkdir("docs")
    for name, text in TEXTS.items():
        Path(f"docs/{name}").write_bytes(text)


@pytest.mark.parametrize("kind", ["signatures", "index"])
def test_a_document_that_was_touched_has_the_signature_of_its_text(kind: str) -> None:
    target = Path(f"x.{kind}")
    the_same(target, **OPTIONS)
    os.utime("docs/c")
    the_same(target, **OPTIONS)


def test_a_copy_is_in_the_buckets_when_its_original_has_another_text() -> None:
    target = Path("x.index")
    the_same(target, **OPTIONS)
    Path("docs/a").write_bytes(TEXTS["c"] + b" now")
    the_same(target, **OPTIONS)


def test_token_sets_that_are_signed_already_keep_the_number_of_tokens_that_are_left_out() -> None:
    Path("template").write_bytes(b"the quick brown fox")
    for name in ("d", "e"):
        chain_is_the_same(**OPTIONS, template=("template",))
        assert opened(Path("x.index")).documents.facts["ignored"].tolist()[:3] == [3, 3, 0]
        Path(f"docs/{name}").write_bytes(b"one more text about " + name.encode())
