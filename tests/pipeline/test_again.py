"""Documents are read again: where they are, or from copies of those that have no place of their own."""

from __future__ import annotations

import errno
import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import simdocs
from simdocs.engines.engine import Run
from simdocs.engines.local import Local
from simdocs.errors import OutputError
from simdocs.matching.corpus import Corpus
from simdocs.options.families import COMPRESSIONS, CONTAINERS
from simdocs.pipeline import copies
from simdocs.pipeline.again import reload_texts
from simdocs.reading.formats import lines
from tests.packing import packed
from tests.reading.test_containers import READABLE, SAMPLES

ROWS = [{"id": None if at % 3 else f"id{at}", "text": f"text number {at}, and more"} for at in range(40)]
TEXTS = [row["text"] for row in ROWS]


def corpus_of(path: Path) -> Corpus:
    return Corpus.of_artifact(simdocs.signature(path, unit="word", k=2))


def read_again(corpus: Corpus, rows: list[int] | None = None) -> dict[int, str]:
    """The texts of these rows, by row, or why there is none."""
    some = np.arange(len(corpus)) if rows is None else np.array(rows)
    ((_, request),) = corpus.readings(some)
    texts, skips = reload_texts(request, corpus.recipe.shingling)
    names = corpus.names(some)
    lost = {int(some[names.index(skip.name)]): f"{skip.reason}: {skip.detail}" for skip in skips}
    return {int(some[place]): text.decode() for place, text in texts} | lost


def each_place() -> list[Any]:
    """A way to write documents to a file, for each format, and for each compression that it may have."""
    ways: list[Any] = []
    for name in READABLE:
        form, suffix, write = SAMPLES[name]
        if form not in CONTAINERS:  # a toy
            continue
        ways.append(pytest.param((suffix, write), id=name))
        if CONTAINERS[form].may_be_compressed:
            for kind, member in COMPRESSIONS.items():
                ending = f"{suffix}{member.suffix.decode()}"
                ways.append(
                    pytest.param((ending, lambda some, kind=kind, write=write: packed(kind, write(some))), id=ending)
                )
    return ways


@pytest.fixture(params=each_place())
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Callable[[Any], bytes]]:
    suffix, write = request.param
    path = tmp_path / f"x{suffix}"
    path.write_bytes(write(ROWS))
    return path, write


def test_each_document_is_read_again(written) -> None:
    path, _ = written
    corpus = corpus_of(path)
    assert read_again(corpus, [7, 31]) == {at: TEXTS[at] for at in (7, 31)}
    assert read_again(corpus) == dict(enumerate(TEXTS))


def test_a_text_that_stayed_the_same_in_a_changed_file_is_found(written) -> None:
    path, write = written
    corpus = corpus_of(path)
    others = [{"id": None, "text": "text number 5, but more"}, {"id": "new", "text": "other"}]
    path.write_bytes(write([*ROWS[:5], others[0], *ROWS[6:9], others[1]]))
    assert read_again(corpus) == {
        at: text if at < 9 and at != 5 else "unverified: changed" for at, text in enumerate(TEXTS)
    }


def test_a_file_that_is_gone_or_no_file_any_more_is_named(written) -> None:
    path, _ = written
    corpus = corpus_of(path)
    path.unlink()
    assert set(read_again(corpus, [3, 4]).values()) == {"unverified: gone"}
    path.mkdir()
    assert set(read_again(corpus, [3, 5]).values()) <= {"unverified: gone", "unverified: changed"}


def many(path: Path, rows: int) -> None:
    lines = b"".join(json.dumps({"text": f"text number {at} of them"}).encode() + b"\n" for at in range(rows))
    path.write_bytes(gzip.compress(lines))


def test_a_pass_ends_after_the_last_document_that_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    many(path, 40_000)
    corpus, seen = corpus_of(path), list[int]()
    usual = lines.FileLines.batch

    def taking(*some: Any) -> Any:
        batch = usual(*some)
        seen.append(batch.count)
        return batch

    with mock.patch.object(lines.FileLines, "batch", taking):
        assert read_again(corpus, [3, 4_000]) == {at: f"text number {at} of them" for at in (3, 4_000)}
    assert 4_001 < sum(seen) < 30_000


def test_documents_are_copied_together_in_one_pass_over_each_file_in_workers(tmp_path: Path) -> None:
    for number in range(4):
        many(tmp_path / f"{number}.jsonl.gz", 50)
    corpus, said = corpus_of(tmp_path), list[str]()
    with Local(2) as engine:
        run = Run(engine, explain=lambda line, **_: said.append(line))
        corpus.copy(np.arange(0, 200, 3), run)
        assert len(engine._workers) == 2
        corpus.copy(np.arange(0, 200, 3), run)
    assert said == ["copied 67 texts of 4 files that may be compared: 1 KB"]
    with mock.patch.object(copies, "_copied", None):
        found = read_again(corpus, list(range(0, 200, 3)))
    assert found == {at: f"text number {at % 50} of them" for at in range(0, 200, 3)}


def test_each_document_without_a_copy_has_the_reason_of_its_file(tmp_path: Path) -> None:
    for number in range(3):
        many(tmp_path / f"{number}.jsonl.gz", 9)
    corpus = corpus_of(tmp_path)
    (tmp_path / "0.jsonl.gz").unlink()
    many(tmp_path / "1.jsonl.gz", 1)
    reasons = {
        0: "unverified: gone",
        9: "text number 0 of them",
        10: "unverified: changed",
        18: "text number 0 of them",
    }
    assert read_again(corpus, list(reasons)) == reasons


def test_a_full_disk_ends_the_run(tmp_path: Path) -> None:
    many(tmp_path / "x.jsonl.gz", 9)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with mock.patch.object(copies, "write_at", side_effect=full), pytest.raises(OutputError, match="set TMPDIR"):
        read_again(corpus_of(tmp_path))


@pytest.mark.parametrize(
    ("name", "write"),
    [("x.jsonl.gz", gzip.compress), ("x.csv", None), ("x.jsonl", lambda data: data.decode().encode("utf-16"))],
    ids=["gzip", "CSV", "UTF-16"],
)
def test_texts_without_a_place_give_the_answers_of_those_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, write: Callable[[bytes], bytes] | None
) -> None:
    """Though tokens of words are held when they are compared, and passages need the texts."""
    monkeypatch.chdir(tmp_path)
    words = [" ".join(f"w{at * at % 89}" for at in range(begin, begin + 60)) for begin in (0, 0, 3, 900, 4, 930)]
    data = b"".join(b'{"text": "%b"}\n' % text.encode() for text in words)
    Path("plain.jsonl").write_bytes(data)
    Path(name).write_bytes(write(data) if write else "\n".join(["text", *words]).encode())
    answers = list[Any]()
    for path in ("plain.jsonl", name):
        index = simdocs.index(path, unit="word", k=2, threshold=0.5)
        ways = (
            simdocs.dedupe(path, unit="word", k=2, threshold=0.5),
            simdocs.dedupe(index),
            simdocs.dedupe(path, exact=True, unit="word", k=2, threshold=0.5),
            simdocs.query(index, path, passages=True, min_passage=40),
        )
        found = [list(way.rows()) for way in ways]
        assert all(found)
        answers.append(repr(found).replace(path, "x"))
    assert answers[0] == answers[1]
