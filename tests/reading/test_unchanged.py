"""Which files an update reads: those that may have changed, and no others. Each is judged by its size, times, inode."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import simdocs
from simdocs.model.documents import Documents
from simdocs.options.recipes import Updating
from simdocs.pipeline import signing
from simdocs.reading import file_list, files
from simdocs.reading.formats import lines
from simdocs.reading.unchanged import Earlier
from tests import strategies as some
from tests.cli.forged import exchange, signed_anew
from tests.commands.building import built, content, opened
from tests.reading.small_chunks import cut_small
from tests.runs import without_sync

HOUR = 3600 * 10**9
LINES = [b'{"text": "the text of line %d"}\n' % number for number in range(40)]
TWICE = [b'{"id": "x", "text": "once"}\n', b'{"id": "x", "text": "twice"}\n']
EVERY = {"docs/a", "docs/b", "docs/sub/c", "docs/lines.jsonl"}


def earlier_of(documents: Documents, files: NDArray[np.void]) -> Earlier:
    """An artifact of these documents, as if they came from these files."""
    artifact: Any = SimpleNamespace(documents=replace(documents, files=files))
    return Earlier(artifact, time.time_ns(), 1 << 20, Updating())


class Watch:
    """What was read since it was asked last: the names of files, where lines were parsed, and texts."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.files, self.lines, self.texts = set[str](), list[int](), list[bytes]()
        patch.setattr(files, "open_file", self._opening(files.open_file))
        batch_of, shingled = lines.FileLines.batch, signing.shingled

        def parsing(some: lines.FileLines, *more: Any) -> Any:
            self.lines.append(some.start)
            return batch_of(some, *more)

        def shingling_texts(raws: list[bytes], *more: Any) -> Any:
            self.texts += filter(None, raws)
            return shingled(raws, *more)

        patch.setattr(lines.FileLines, "batch", parsing)
        patch.setattr(signing, "shingled", shingling_texts)

    def _opening(self, open_file: Callable[..., Any]) -> Callable[..., Any]:
        def opening(name: bytes, **more: Any) -> Any:
            self.files.add(os.fsdecode(name))
            return open_file(name, **more)

        return opening


class Case:
    """A tree of old documents, and an artifact of them that is updated."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        os.makedirs("docs/sub")
        for name in ("docs/a", "docs/b", "docs/sub/c"):
            Path(name).write_bytes(b"the text of " + name.encode())
        Path("docs/lines.jsonl").write_bytes(b"".join(LINES))
        self.ahead = HOUR
        patch.setattr(files, "now", lambda: time.time_ns() + self.ahead)
        without_sync(patch)
        cut_small(patch, 256)
        built(Path("x.shingles"), ["docs"])

    def update(self, *arguments: str, **options: Any) -> Watch:
        """Update the artifact, and return what was read. It must be what a build from scratch is."""
        with pytest.MonkeyPatch.context() as patch:
            watch = Watch(patch)
            built(Path("x.shingles"), list(arguments or ["docs"]), allow_shrink=True, **options)
        shutil.rmtree("fresh.shingles", ignore_errors=True)
        fresh = {name: value for name, value in options.items() if name in ("max_size", "follow")}
        built(Path("fresh.shingles"), list(arguments or ["docs"]), **fresh)
        assert content(Path("x.shingles")) == content(Path("fresh.shingles"))
        return watch


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.chdir(tmp_path)
    return Case(monkeypatch)


def test_nothing_is_read_where_nothing_has_changed(case: Case) -> None:
    assert case.update().files == set()


def test_every_file_is_read_with_checksum_but_no_text_is_shingled(case: Case) -> None:
    watch = case.update(checksum=True)
    assert (watch.files, watch.lines, watch.texts) == (EVERY, [], [])


def test_documents_below_a_renamed_directory_are_not_read(case: Case) -> None:
    os.rename("docs/sub", "docs/other")
    assert case.update().files == set()


def test_a_file_that_could_not_be_read_to_its_end_is_read_again(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its stamp is the same, and no line of it was skipped."""

    read_at = files.read_at

    def broken(file: Any, size: int, at: int) -> bytes:
        if at >= 3 * 256:
            raise OSError(errno.EIO, "broken")
        return read_at(file, size, at)

    with monkeypatch.context() as patch:
        patch.setattr(files, "read_at", broken)
        assert 3 < built(Path("x.shingles"), ["docs"], rebuild=True, allow_shrink=True).n_documents < 43
        Path("empty").touch()
        found = simdocs.dedupe("docs", "empty", jobs=1)
        assert found.warnings == ("empty: this document is empty, so it matches nothing",)
    assert case.update().files == {"docs/lines.jsonl"}


def test_two_files_with_one_inode_number_are_told_apart(case: Case) -> None:
    """They are on two devices, of which one may be a copy of the other, with the same times. Both were renamed."""
    documents = opened(Path("x.shingles")).documents
    files = documents.files.copy()
    assert files["file_size"][0] == files["file_size"][1]
    for name in ("mtime_ns", "ctime_ns", "inode"):
        files[name][:2] = files[name][0]
    earlier = earlier_of(documents, files)
    found = file_list.FileList.of([b"new/a", b"new/b"], [0, 0], {}, texts=False)
    for name, recorded in (("size", "file_size"), ("mtime_ns", "mtime_ns"), ("ctime_ns", "ctime_ns")):
        found.stamps[name] = files[recorded][:2]
    found.met["inode"], found.met["device"] = files["inode"][:2], (1, 2)
    unchanged = earlier.unchanged(found, some.sequences(), 1 << 20)
    assert (unchanged.same.tolist(), unchanged.likely.tolist()) == ([-1, -1], [-1, -1])


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda: os.rename("docs/a", "docs/new"), "docs/new"),
        (lambda: os.link("docs/a", "elsewhere"), "docs/a"),
        (lambda: os.chmod("docs/a", 0o600), "docs/a"),
    ],
)
def test_a_file_whose_inode_was_changed_is_read(case: Case, change: Callable[[], None], name: str) -> None:
    change()
    watch = case.update()
    assert (watch.files, watch.texts) == ({name}, [])


@pytest.mark.parametrize(
    ("one", "other", "data"),
    [
        ("docs/x.jsonl", "docs/x.txt", b"".join(LINES)),
        ("docs/x.txt", "docs/x.jsonl", b"".join(LINES)),
        ("docs/x.gz", "docs/x.txt", gzip.compress(b"a text", mtime=0)),
    ],
)
def test_a_file_is_read_again_in_another_way_if_its_name_asks_for_that(
    case: Case, one: str, other: str, data: bytes
) -> None:
    """A link to it is renamed, so its own times are the same."""
    Path("aside").write_bytes(data)
    os.symlink("../aside", one)
    case.update(follow=True)
    os.rename(one, other)
    assert case.update(follow=True).files == {other}


def test_files_with_other_inodes_and_equal_times_are_read(case: Case) -> None:
    """As on a file system that numbers its files anew whenever it is mounted."""
    signed_anew(Path("x.shingles"), lambda arrays: np.add(inodes := arrays["files"]["inode"], 1 << 40, out=inodes))
    watch = case.update()
    assert (watch.files, watch.texts) == (EVERY, [])


@pytest.mark.parametrize("name", ["docs/a", "docs/lines.jsonl"])
def test_a_touched_file_is_read_and_not_shingled_again(case: Case, name: str) -> None:
    os.utime(name, ns=(1, 1))
    watch = case.update()
    assert (watch.files, watch.lines, watch.texts) == ({name}, [], [])


def test_a_file_with_new_text_of_the_same_size_and_time_is_read(case: Case) -> None:
    """Its ctime cannot be put back."""
    times = os.stat("docs/a")
    Path("docs/a").write_bytes(b"the next of docs/a")
    os.utime("docs/a", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert os.stat("docs/a").st_size == times.st_size
    watch = case.update()
    assert (watch.files, watch.texts) == ({"docs/a"}, [b"the next of docs/a"])


@pytest.mark.parametrize(("age", "again"), [(1.5, True), (2.5, False)])
@pytest.mark.parametrize("touched", [False, True])
def test_a_file_that_was_recent_when_it_was_read_is_read_again(
    case: Case, age: float, again: bool, touched: bool
) -> None:
    """Perhaps it was changed once more in the same tick of the clock."""
    if touched:  # so that only its ctime is recent
        os.utime("docs/a", ns=(1, 1))
    status = os.stat("docs/a")
    case.ahead = status.st_ctime_ns + int(age * 1e9) - time.time_ns()
    case.update(rebuild=True)
    case.ahead = HOUR
    assert ("docs/a" in case.update().files) == again
    assert case.update().files == set()


def test_an_artifact_whose_files_do_not_fit_their_rows_is_built_from_scratch(case: Case) -> None:
    """Nobody wrote it so, but its checksums are right."""
    signed_anew(Path("x.shingles"), lambda arrays: exchange(arrays["files"]["row"], 0, 1))
    assert case.update().files == EVERY


def test_a_file_from_the_future_is_always_read(case: Case) -> None:
    os.utime("docs/a", ns=(0, time.time_ns() + 2 * HOUR))
    for _ in range(3):
        watch = case.update()
        assert watch.files == {"docs/a"}
    assert watch.texts == []


def append(data: bytes) -> None:
    with Path("docs/lines.jsonl").open("ab") as stream:
        stream.write(data)


def test_only_the_end_of_a_file_is_parsed_if_lines_were_appended(case: Case) -> None:
    append(b'{"text": "one more"}\n')
    watch = case.update()
    assert (watch.files, watch.texts) == ({"docs/lines.jsonl"}, [b"one more"])
    assert watch.lines[0] == sum(map(len, LINES))


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n \n"])
def test_a_last_line_without_an_end_is_parsed_again_when_the_file_has_grown(case: Case, end: bytes) -> None:
    append(b'{"text": "no end"}')
    case.update()
    append(end + b'  \n{"text": "another"}')
    watch = case.update()
    assert watch.texts[-1] == b"another"
    assert b"no end" in watch.texts
    append(b", and more")
    case.update()


def test_a_file_that_begins_otherwise_is_read_again_whether_or_not_it_has_grown(case: Case) -> None:
    more = b'{"text": "one more"}\n'
    changed = LINES[7].replace(b"line 7", b"line X")
    for rows in ([*LINES[:7], changed, *LINES[8:], more], [*LINES[:20], more, *LINES[20:]], LINES[1:]):
        Path("docs/lines.jsonl").write_bytes(b"".join(rows))
        assert len(case.update().texts) == len(rows)


def test_lines_of_a_renamed_file_are_not_parsed_again(case: Case) -> None:
    os.rename("docs/lines.jsonl", "docs/sub/other.ndjson")
    watch = case.update()
    assert (watch.files, watch.lines) == ({"docs/sub/other.ndjson"}, [])


def test_a_file_with_a_repeated_id_is_read_and_the_line_reported_each_time(case: Case) -> None:
    Path("docs/lines.jsonl").write_bytes(b"".join([*LINES[:10], *TWICE, *LINES[10:]]))
    case.update()
    for turn in range(2):
        append(b'{"text": "turn %d"}\n' % turn)
        case.update()
        assert json.loads(Path("x.shingles/run.json").read_bytes())["skipped"] == {"malformed": 1}
    assert opened(Path("x.shingles")).documents.files["skipped"].tolist() == [0, 0, 1, 0]


def test_a_row_whose_id_is_the_number_of_a_copy_is_reported_as_in_a_build_from_scratch(case: Case) -> None:
    Path("docs/lines.jsonl").write_bytes(2 * TWICE[0])
    case.update()
    append(b'{"id": "2", "text": "other"}\n')
    case.update()
    assert json.loads(Path("x.shingles/run.json").read_bytes())["skipped"] == {"malformed": 1}


def test_what_came_from_no_file_is_never_unchanged(case: Case) -> None:
    """The text of a FIFO has no times and no inode, as an empty file of 1970 has if neither counts."""
    documents = opened(Path("x.shingles")).documents
    files = documents.files.copy()
    for name in ("file_size", "mtime_ns", "ctime_ns", "inode"):
        files[name][0] = 0
    earlier = earlier_of(documents, files)
    found = file_list.FileList.of([b"docs/a"], [0], {}, texts=False)
    found.met["inode"] = 7
    assert earlier.unchanged(found, some.sequences(), 1 << 20).same.tolist() == [-1]


@pytest.mark.parametrize(
    "forged",
    [
        *({"read_ns": value} for value in (None, -1, 1 << 62, 1 << 70)),
        *({"max_size": value} for value in ("1", -1)),
    ],
    ids=repr,
)
def test_no_forged_run_makes_a_recent_or_too_large_file_unchanged(case: Case, forged: dict[str, Any]) -> None:
    if "read_ns" in forged:
        case.ahead = 0
        Path("docs/a").write_bytes(b"recent")
        case.update()
    path = Path("x.shingles/run.json")
    path.write_text(json.dumps(json.loads(path.read_bytes()) | forged))
    watch = case.update(**({"max_size": 5} if "max_size" in forged else {}))
    assert "docs/a" in watch.files


# What is read again since the largest size of a document is another one now.


def test_what_is_too_large_now_is_not_taken_over(case: Case) -> None:
    Path("docs/small.gz").write_bytes(gzip.compress(b"z" * 5000))
    assert os.stat("docs/small.gz").st_size < 60
    for limit in (5000, 4999, 60):
        case.update(max_size=limit)
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
