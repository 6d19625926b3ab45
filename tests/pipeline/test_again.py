"""Documents are read again: where they are, or from copies. Those that change or vanish meanwhile are reported."""

from __future__ import annotations

import errno
import gzip
import json
import os
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import simdocs
from simdocs.engines import engine
from simdocs.engines.engine import Run, WorkerState
from simdocs.engines.local import Local
from simdocs.errors import OutputError
from simdocs.matching.corpus import Corpus
from simdocs.options.families import COMPRESSIONS, CONTAINERS
from simdocs.pipeline import again, copies
from simdocs.pipeline.again import reload_texts
from simdocs.reading.formats import lines
from tests.commands.building import built
from tests.commands.deduping import Work, sketched
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
    with Local(2) as local:
        run = Run(local, explain=lambda line, **_: said.append(line))
        corpus.copy(np.arange(0, 200, 3), run)
        assert len(local._workers) == 2
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
    words = [" ".join(f"word{at * at % 89}" for at in range(begin, begin + 60)) for begin in (0, 0, 3, 900, 4, 930)]
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
            simdocs.tune(path, unit="word", k=2),
        )
        found = [list(way.rows()) for way in ways]
        assert all(found)
        answers.append(repr(found).replace(path, "x"))
    assert answers[0] == answers[1]


def test_the_token_sets_that_were_used_least_recently_are_read_again_when_the_cache_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        (tmp_path / name).write_text(f"text {name} of five words")
    corpus, cache, state, asked = corpus_of(tmp_path), again.TokenCache(), WorkerState(), list[int]()
    monkeypatch.setattr(again, "_CACHE_BYTES", again._ENTRY + 16)
    monkeypatch.setattr(engine, "_ROOM_ALONE", again._ENTRY + 16)
    usual = again.reload_token_sets
    monkeypatch.setattr(again, "reload_token_sets", lambda *some: asked.extend(some[1]) or usual(*some))
    for row, is_read in ((0, 1), (1, 1), (0, 0), (2, 1), (0, 0), (1, 1), (0, 0), (2, 1), (1, 1)):
        ((_, request),) = corpus.requests(np.array([row]))
        sets, *_ = cache.token_sets(request, corpus.recipe.shingling, state)
        assert (len(asked), len(sets[0])) == (is_read, 4)
        asked.clear()
    fewer, *_ = cache.token_sets(replace(request, ignored=sets[0][1:2]), corpus.recipe.shingling, state)
    assert fewer[0].tolist() == np.delete(sets[0], 1).tolist()


TEXT = b"a fairly long text about nothing much, so that one word more leaves it similar enough"


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A directory with three near-duplicates: a, b and c."""
    for name, end in ((b"a", b"."), (b"b", b"!"), (b"c", b"?")):
        (tmp_path / os.fsdecode(name)).write_bytes(TEXT + end)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def grouped(work: Work) -> list[tuple[bytes, bytes]]:
    return [row[:2] for row in work.groups()]


def append(path):
    with path.open("ab") as stream:
        stream.write(b".")


def rewrite_in_place(path):
    before = path.stat()
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def put_another_in_its_place(path):
    before = path.stat()
    other = path.with_name("new")
    other.write_bytes(path.read_bytes()[::-1])
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def make_directory(path):
    path.unlink()
    path.mkdir()


def make_fifo(path):
    path.unlink()
    os.mkfifo(path)


def make_binary(path):
    path.write_bytes(b"\0" + path.read_bytes()[1:])


def vanish(path):
    path.unlink()


CHANGES = (append, rewrite_in_place, put_another_in_its_place, make_directory, make_fifo, make_binary, vanish)


@pytest.mark.reliability("a change while a document is verified")
@pytest.mark.reliability("a change before it is verified")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_a_document_that_cannot_be_read_again_is_not_removed(docs, change, name):
    with sketched(["a", "b", "c"]) as work:
        change(docs / name)
        found = grouped(work)
        counts = work.skipped.counts
        skips = work.skipped.kept("unverified")
    others = [one.encode() for one in "abc" if one != name]
    assert found == [(others[0], others[1])]
    assert counts == {"unverified": 1}
    assert [skip.name for skip in skips] == [name.encode()]


@pytest.mark.reliability("a change before it is verified")
@pytest.mark.reliability("a file that became a gzip bomb since the build")
def test_a_file_that_has_become_a_gzip_bomb_is_not_decompressed(docs):
    for name in "abc":
        (docs / f"{name}.gz").write_bytes(gzip.compress((docs / name).read_bytes()))
    index = built(docs / "x.index", ["a.gz", "b.gz", "c.gz"])
    (docs / "b.gz").write_bytes(gzip.compress(b"a" * (1 << 26)))
    # This is the same text, but compressed less.
    (docs / "c.gz").write_bytes(gzip.compress((docs / "c").read_bytes() + b" " * 9999, 0))
    with sketched([index]) as work:
        tracemalloc.start()
        try:
            assert grouped(work) == [(b"a.gz", b"c.gz")]
            assert tracemalloc.get_traced_memory()[1] < 1 << 25
        finally:
            tracemalloc.stop()
    assert work.skipped.by_reason == {"unverified": [("b.gz", "changed")]}


def growing(monkeypatch, path, times: int) -> None:
    """Append to this file after each of the first reads of it. times: the number of those reads."""
    inode, read = path.stat().st_ino, os.pread
    left = [times]

    def and_grow(descriptor, size, at):
        data = read(descriptor, size, at)
        if left[0] and os.fstat(descriptor).st_ino == inode:
            left[0] -= 1
            append(path)
        return data

    monkeypatch.setattr(os, "pread", and_grow)


@pytest.mark.reliability("a change while a file is read")
def test_a_file_that_changes_once_while_it_is_read_is_read_again(docs, monkeypatch):
    growing(monkeypatch, docs / "b", 1)
    with sketched(["a", "b", "c"]) as work:
        assert grouped(work) == [(b"a", b"b"), (b"a", b"c")]
        assert work.skipped.counts == {}
        assert int(work.corpus.documents.facts["size"][1]) == len(TEXT) + 2


@pytest.mark.reliability("a change while it is read again")
def test_a_file_that_keeps_changing_while_it_is_read_is_reported(docs, monkeypatch):
    growing(monkeypatch, docs / "b", 1000)
    with sketched(["a", "b", "c"]) as work:
        assert grouped(work) == [(b"a", b"c")]
        assert work.skipped.by_reason == {"changed": [("b", "")]}


@pytest.mark.reliability("a change while it is read again")
def test_lines_of_a_file_that_grows_while_they_are_read_again_are_read_once_more(tmp_path, monkeypatch):
    path = tmp_path / "x.jsonl"
    path.write_bytes(SAMPLES["jsonl"][2](ROWS[:2]))
    corpus = corpus_of(path)
    for times, found in ((1, dict(enumerate(TEXTS[:2]))), (1000, dict.fromkeys(range(2), "unverified: changed"))):
        with monkeypatch.context() as patch:
            growing(patch, path, times)
            assert read_again(corpus) == found


@pytest.mark.parametrize("change", [make_binary, vanish])
def test_no_document_that_is_lost_counts_as_one_that_was_read_again(docs, change):
    simdocs.index("a", "b", "c", output="x.index")
    change(docs / "b")
    found = simdocs.query("x.index", texts=[TEXT], passages=True, min_passage=40)
    said = "1 of 3 documents is gone or has changed since x.index was built: build it again"
    assert (found.warnings, found.summary()["read_again"], len(found)) == ((said,), 2, 2)
