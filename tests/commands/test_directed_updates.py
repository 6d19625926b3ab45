"""Updates after changes that meet one special case each: they have the bytes of a build from scratch."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.commands.building import opened
from tests.commands.test_update import HOUR, OPTIONS, Clock, chain_is_the_same, the_same
from tests.reading.small_chunks import cut_small
from tests.runs import without_sync

TEXTS = {
    "a": b"the quick brown fox jumps over the lazy dog",
    "b": b"the quick brown fox jumps over the lazy dog",
    "c": b"a cow of the ox is slow, and a cow of the ox is late",
}


@pytest.fixture(autouse=True)
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three old documents in the directory docs, of which two are copies."""
    monkeypatch.chdir(tmp_path)
    without_sync(monkeypatch)
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


ONE_SET: dict[str, Any] = OPTIONS | {"k": 1}
"""With single words, texts of the same words in another order or number have the same token set."""


def write_all(**texts: str) -> None:
    for name, text in texts.items():
        Path(f"docs/{name}").write_text(text)


def test_several_new_texts_may_have_the_token_set_of_one_old_document() -> None:
    chain_is_the_same(**ONE_SET)
    words = TEXTS["c"].decode()
    write_all(bb=f"{words} a cow", d=f"cow {words}", e=f"ox {words}")
    chain_is_the_same(**ONE_SET)
    write_all(aa="dog lazy the over jumps fox brown quick the", f=f"late {words}")
    os.remove("docs/d")
    chain_is_the_same(**ONE_SET)


def test_texts_with_one_token_set_may_change_places() -> None:
    write_all(d="dog lazy the over jumps fox brown quick the", e=f"cow {TEXTS['c'].decode()}")
    chain_is_the_same(**ONE_SET)
    for one, other in (("a", "c"), ("d", "e"), ("b", "e")):
        os.rename(f"docs/{one}", "aside")
        os.rename(f"docs/{other}", f"docs/{one}")
        os.rename("aside", f"docs/{other}")
        chain_is_the_same(**ONE_SET)


def lines_of(words: str) -> bytes:
    return b"".join(b'{"text": "%s %d"}\n' % (words.encode(), number) for number in range(3))


def test_a_file_that_joins_two_files_gives_its_lines_their_own_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last chunk of one file and the first of the next follow each other in the artifact, but not in a file."""
    cut_small(monkeypatch, 64)
    first, second = lines_of("the quick brown fox jumps"), lines_of("over the lazy dog")
    Path("docs/x.jsonl").write_bytes(first)
    Path("docs/y.jsonl").write_bytes(second)
    the_same(Path("x.shingles"), **OPTIONS)
    Path("docs/x.jsonl").write_bytes(first + second)
    the_same(Path("x.shingles"), **OPTIONS)
    names = [name for name in opened(Path("x.shingles")).documents.names if name.tobytes().startswith(b"docs/x")]
    assert [name.tobytes().decode() for name in names] == [f"docs/x.jsonl#{number}" for number in range(1, 7)]
