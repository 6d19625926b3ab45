"""Answers and rows are written to stores, completely or not at all, with the bytes that files on disk would have."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

import simdocs
from simdocs.cli.program import run
from simdocs.reading import stores
from tests.cli.corpus import lay
from tests.cli.program import PROGRAM, environment, started
from tests.cli.program import simdocs as program
from tests.cluster.documents import restored_signals
from tests.stores.conftest import KEYS, environment_of
from tests.stores.laid import BUCKET, lay_both, sentences
from tests.stores.server import LostError, ObjectStore, Refused
from tests.stores.test_reading import delimited, files_in, json_lines

SOURCE = str(Path(simdocs.__file__).parent.parent)
OUT = "out"


@pytest.fixture
def texts(store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    """A store with an empty bucket for outputs, and texts in the working directory."""
    monkeypatch.chdir(tmp_path)
    lay_both(store, tmp_path, sentences(6))
    lay(tmp_path, {"rows/a.jsonl": json_lines(30), "rows/below/c.csv": delimited(30)})
    store.buckets[OUT] = {}
    store.clear()
    return store


def asked(*arguments: str) -> int:
    """The status of the program in this process, with its signals."""
    documents = "rows" if "--kept-rows" in arguments else "docs"
    with restored_signals():
        return run(["dedupe", documents, "--unit", "word", "--jobs", "1", *arguments])


def objects(store: ObjectStore) -> dict[str, bytes]:
    """What readers see in the bucket for outputs: all objects but the marks of directories."""
    return {key: stored.data for key, stored in store.buckets[OUT].items() if not key.endswith("/")}


@pytest.mark.parametrize("name", ["x.tsv", "deep/x.jsonl.zst", "x.parquet", "x"])
def test_an_object_has_the_bytes_of_the_file(texts: ObjectStore, name: str) -> None:
    Path("deep").mkdir()
    assert asked("-o", name) == asked("-o", f"s3://{OUT}/{name}") == 0
    assert objects(texts) == {name: Path(name).read_bytes()}
    assert not texts.uploads


def test_a_large_object_is_sent_in_pieces_and_seen_at_the_end(texts: ObjectStore) -> None:
    from simdocs.storage.atomic_file import atomic_file

    with atomic_file(f"s3://{OUT}/large") as stream:
        for number in range(30):
            stream.write(bytes([number]) * (1 << 20))
            assert not objects(texts)
            assert texts.counts()["PIECE"] >= number // 10
    assert texts.counts()["PIECE"] == 3
    assert objects(texts)["large"] == b"".join(bytes([number]) * (1 << 20) for number in range(30))


def test_an_object_is_replaced_only_by_a_complete_one(texts: ObjectStore) -> None:
    texts.put(OUT, "x.tsv", b"old")
    texts.before = failing_at(3, lambda: Refused(403, "AccessDenied"))
    assert asked("-o", f"s3://{OUT}/x.tsv") == 2
    assert objects(texts) == {"x.tsv": b"old"}
    texts.before = lambda *_: None
    assert asked("-o", f"s3://{OUT}/x.tsv") == 0
    assert objects(texts)["x.tsv"].count(b"\n") == 6


def failing_at(number: int, why: Callable[[], Exception], times: int = 1 << 30) -> Callable[[str, str, str], None]:
    """Let this request, counted from 1, fail, and as many after it as are said."""
    lock, requests = threading.Lock(), count(1)

    def before(*_: str) -> None:
        with lock:
            if number <= next(requests) < number + times:
                raise why()

    return before


OUTPUTS = {
    "object": ("-o", f"s3://{OUT}/x.tsv"),
    "tree": ("--kept-rows", f"s3://{OUT}/tree/"),
}


@pytest.mark.reliability("a store that fails while an answer is written to it")
@pytest.mark.parametrize("what", OUTPUTS)
@pytest.mark.parametrize("why", ["lost", "denied"])
def test_nothing_looks_finished_whichever_request_fails(
    texts: ObjectStore, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], what: str, why: str
) -> None:
    monkeypatch.setattr(stores, "ATTEMPTS", 1)
    assert asked(*OUTPUTS[what]) == 0
    wanted, requests = objects(texts), len(texts.asked)
    assert requests >= 3
    for number in range(1, requests + 1):
        texts.buckets[OUT].clear()
        error = LostError if why == "lost" else (lambda: Refused(403, "AccessDenied"))
        texts.before = failing_at(number, error)
        assert asked(*OUTPUTS[what]) == 2
        said = capfd.readouterr().err
        assert f"s3://{OUT}/" in said
        assert ("NETWORK_CONNECTION" if why == "lost" else "ACCESS_DENIED") in said
        assert not [secret for secret in KEYS.values() if secret in said]
        assert "tree/_SUCCESS" not in objects(texts)
        assert "x.tsv" not in objects(texts)
        texts.before = lambda *_: None
    texts.buckets[OUT].clear()
    assert asked(*OUTPUTS[what]) == 0
    assert objects(texts) == wanted


@pytest.mark.parametrize("number", range(1, 15))
def test_rows_are_removed_if_the_store_fails_once(
    texts: ObjectStore, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(stores, "ATTEMPTS", 1)
    texts.before = failing_at(number, lambda: Refused(403, "AccessDenied"), 1)
    status = asked(*OUTPUTS["tree"])
    assert status in (0, 2)
    if status:
        assert not objects(texts)
    else:
        assert len(texts.asked) < number
        assert set(objects(texts)) == {"tree/a.jsonl", "tree/below/c.csv", "tree/_SUCCESS"}


def test_a_prefix_that_holds_objects_is_refused(texts: ObjectStore, capfd: pytest.CaptureFixture[str]) -> None:
    texts.put(OUT, "tree/deep/mine", b"")
    assert asked(*OUTPUTS["tree"]) == 2
    assert "there are objects below this prefix" in capfd.readouterr().err
    assert objects(texts) == {"tree/deep/mine": b""}
    texts.buckets[OUT].clear()
    texts.put(OUT, "tree/", b"")
    texts.put(OUT, "tree/deep/", b"")
    assert asked(*OUTPUTS["tree"]) == 0


@pytest.mark.parametrize("output", ["--kept-rows", "--flagged-rows"])
def test_rows_are_written_to_a_store_as_to_a_disk(
    texts: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    lay_both(texts, tmp_path, {"rows/a.jsonl": json_lines(30), "rows/c.csv": delimited(30)})
    with restored_signals():
        for source in ("rows/c.csv", "rows"):
            name = "x.csv" if source != "rows" else "tree"
            assert run(["dedupe", source, "--unit", "word", output, name]) == 0
            assert run(["dedupe", source, "--unit", "word", output, f"s3a://{OUT}/{name}"]) == 0
    assert objects(texts).pop("x.csv") == Path("x.csv").read_bytes()
    tree = {key.removeprefix("tree/"): data for key, data in objects(texts).items() if key.startswith("tree/")}
    assert tree.pop("_SUCCESS") == b""
    on_disk = files_in(Path("tree"))
    on_disk.pop(".simdocs-files.json")
    assert tree == on_disk
    with restored_signals():
        assert run(["dedupe", "rows", "--unit", "word", output, f"s3://{OUT}/tree/"]) == 2


def test_rows_are_not_written_below_a_prefix_that_is_read(
    texts: ObjectStore, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    texts.put(BUCKET, "rows/a.jsonl", json_lines(5))
    for given in (("s3://bucket/rows", "s3a://bucket/rows/clean"), ("s3a://bucket/rows/", "s3://bucket/rows")):
        assert run(["dedupe", given[0], "--kept-rows", given[1]]) == 2
        assert "is read: choose another directory" in capfd.readouterr().err
    assert run(["dedupe", "s3://bucket/rows/a.jsonl", "--kept-rows", "s3a://bucket/rows/a.jsonl"]) == 2
    assert run(["dedupe", "s3://bucket/rows/a.jsonl", "-o", "s3a://bucket/rows/a.jsonl"]) == 2
    assert "this file is read in this run" in capfd.readouterr().err
    assert set(texts.counts()) <= {"LIST", "HEAD", "GET", "BEGIN"}


@pytest.mark.reliability("a signal while an answer is written to a store")
@pytest.mark.parametrize(
    ("stop", "what"), [(signal.SIGINT, "BEGIN"), (signal.SIGINT, "PIECE"), (signal.SIGKILL, "PIECE")]
)
def test_a_run_that_is_ended_leaves_nothing_that_readers_see(
    texts: ObjectStore, tmp_path: Path, stop: signal.Signals, what: str
) -> None:
    reached, ended = threading.Event(), threading.Event()

    def before(kind: str, *_: str) -> None:
        if kind == what:
            reached.set()
            ended.wait(20)

    texts.before = before
    env = environment(PYTHONPATH=SOURCE, **environment_of(texts))
    arguments = [PROGRAM, "dedupe", "rows", *OUTPUTS["tree"]]
    with started(arguments, cwd=tmp_path, env=env) as process:
        assert reached.wait(30)
        process.send_signal(stop)
        if stop == signal.SIGKILL or what == "BEGIN":
            assert process.wait(10) == -stop
        ended.set()
        assert process.wait(30) == -stop
    assert not objects(texts)


def test_an_error_in_the_work_completes_no_upload(texts: ObjectStore, tmp_path: Path) -> None:
    env = environment(PYTHONPATH=SOURCE, **environment_of(texts))
    for output in OUTPUTS.values():
        done = program("dedupe", "rows", "nothing", *output, cwd=tmp_path, env=env)
        assert done.status == 2
    assert not objects(texts)
    assert "COMPLETE" not in texts.counts()


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (f"s3://{OUT}", "write error: this is a prefix: name an object"),
        (f"s3://{OUT}/x/", "write error: this is a prefix: name an object"),
        ("s3://nowhere/x.tsv", "NO_SUCH_BUCKET"),
        (f"s3://{OUT}/a//x.tsv", "// in its name"),
        (f"s3://{OUT}/x.answer", "a .answer file must be on this machine: simdocs act reads it from a disk"),
        (f"s3://KEY:SEC/RET@{OUT}/x.xlsx", "-o must be a path on this machine or in S3 or Google Cloud Storage"),
    ],
)
def test_a_name_that_cannot_be_written_is_refused(
    texts: ObjectStore, capfd: pytest.CaptureFixture[str], target: str, said: str
) -> None:
    assert asked("-o", target) == 2
    err = capfd.readouterr().err
    assert said in err
    assert "SEC" not in err
    assert not objects(texts)
