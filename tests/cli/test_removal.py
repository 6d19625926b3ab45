"""Whoever removes what `--list duplicates -0` prints removes duplicates and nothing else, whatever their names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.hostile_tree import NAMES, lay_hostile_tree, removed, state
from tests.cli.program import Done, simdocs
from tests.cli.stand_in import scripted


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    return lay_hostile_tree(tmp_path)


REMOVED = {b"texts/" + name for name in (*NAMES, b"a.txt", b"b.txt", b"c.txt", b"d/-x", b"d/b.txt", b"z-shared.txt")}


@pytest.mark.reliability("removing what --list duplicates -0 prints")
@pytest.mark.parametrize(
    "script",
    [
        "simdocs dedupe texts --list duplicates -0 | xargs -0 rm -f",
        "cd texts && simdocs dedupe . --list duplicates -0 | xargs -0 rm -f",
        "cd texts && simdocs dedupe --list duplicates -0 -- b.txt -rf --help d evil.jsonl | xargs -0 rm -f",
        "simdocs index texts -o x.index; simdocs dedupe x.index --list duplicates -0 | xargs -0 rm -f",
        "simdocs index texts -o x.index; cd outside && simdocs dedupe ../x.index --list duplicates -0 | xargs -0 rm -f",
        "mv texts/evil.jsonl# y; simdocs index texts -o x.index; mv y texts/evil.jsonl#;"
        "cd texts && simdocs dedupe ../x.index --list duplicates -0 | xargs -0 rm -f",
    ],
)
def test_removing_the_listed_duplicates_removes_nothing_else(hostile: Path, script: str) -> None:
    before = state(hostile)
    done = scripted(script, hostile)
    shutil.rmtree(hostile / "x.index", ignore_errors=True)
    assert removed(hostile, before) <= REMOVED
    assert "evil.jsonl" in done.err


@pytest.mark.reliability("removing what --list duplicates -0 prints")
def test_the_listed_duplicates_are_all_removed(hostile: Path) -> None:
    before = state(hostile)
    scripted("simdocs dedupe texts --list duplicates -0 | xargs -0 rm -f", hostile)
    # The file whose name is the first in order is kept.
    assert removed(hostile, before) == REMOVED - {b"texts/\n", b"texts/b.txt", b"texts/z-hard.txt"}


@pytest.mark.reliability("the files of an artifact in a directory of another name")
@pytest.mark.parametrize("named", ["texts", "texts/", "."])
def test_a_directory_that_was_made_an_artifact_lists_no_files_elsewhere(tmp_path: Path, named: str) -> None:
    lay(tmp_path, {"mine/a": A, "mine/b": A})
    assert simdocs("index", tmp_path / "mine", "-o", "texts.index", cwd=tmp_path).status == 0
    (tmp_path / "texts.index").rename(tmp_path / "texts")
    done = simdocs("dedupe", named, "--list", "duplicates", "-0", cwd=tmp_path / ("texts" if named == "." else ""))
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith(f"simdocs: error: {named}: this is an artifact and not a directory of documents: ")


def listed(done: Done) -> list[bytes]:
    return done.out.split(b"\0")[:-1]


ASKS = [
    ("dedupe", "../d", "--list", "duplicates", "-0"),
    ("pairs", "../d", "--all-copies"),
    ("dedupe", "../x.index", "--list", "duplicates", "-0"),
    ("dedupe", "../x.index"),
    ("query", "../x.index", "../sub/x", "--list", "matches", "-0"),
    ("query", "../x.index", "../sub/x", "--nearest", "9", "--all-copies"),
]
"""What is asked in the directory sub."""


@pytest.mark.reliability("a line whose name is a path")
@pytest.mark.parametrize("what", ["file", "hidden file", "directory", "dangling link", "file elsewhere"])
def test_a_line_whose_name_is_a_path_is_in_no_answer(tmp_path: Path, what: str) -> None:
    one = {"hidden file": "/.x", "file elsewhere": "/../../a.txt"}.get(what, "one")
    line = json.dumps({"id": one, "text": A.decode()}).encode()
    lay(tmp_path, {"d/s.jsonl": b'{"text": "%s"}\n%s\n{"text": "%s"}\n' % (A, line, A1), "a.txt": b"x", "sub/x": A})
    assert simdocs("index", "d", "-o", "x.index", cwd=tmp_path) == (0, b"", "")
    path, name = tmp_path / f"d/s.jsonl#{one}", b"d/s.jsonl#" + one.encode()
    before = simdocs(*ASKS[2], cwd=tmp_path / "sub")
    assert (before.status, name in before.out, before.err) == (0, True, "")
    if what == "directory":
        path.mkdir()
    elif what == "dangling link":
        path.symlink_to("nowhere")
    elif what == "file elsewhere":
        (tmp_path / "d/s.jsonl#").mkdir()
    else:
        lay(tmp_path, {f"d/s.jsonl#{one}": b"\0"})
    for ask in ASKS if what == "file" else ASKS[::2]:
        done = simdocs(*ask, cwd=tmp_path / "sub")
        assert (done.status, name in done.out, b"d/s.jsonl#3" in done.out) == (3, False, True), ask
        assert done.err.count("is also the name of a file") + done.err.count("a file has the name") == 1
    if what == "file":  # where names need no directory before them
        done = simdocs("dedupe", "x.index", cwd=tmp_path)
        assert (done.status, done.names) == (3, [("d/s.jsonl#1", "d/s.jsonl#3")])


@pytest.mark.reliability("names that begin with a dash")
def test_no_printed_name_begins_with_a_dash(tmp_path: Path) -> None:
    lay(tmp_path, {"-a": A, "-d/b": A, "c": A})
    (tmp_path / "-s.jsonl").write_bytes(b'{"text": "%s"}\n' % A)
    done = simdocs("dedupe", "--list", "duplicates", "-0", "--", "c", "-a", "-d", "-s.jsonl", cwd=tmp_path)
    assert listed(done) == [b"./-a", b"./-d/b", b"./-s.jsonl#1"]
    rows = simdocs("dedupe", "--", "c", "-a", "-d", cwd=tmp_path)
    assert rows.names == [("c", "./-a"), ("c", "./-d/b")]


def test_standard_input_is_not_listed_beside_a_file_of_that_name(tmp_path: Path) -> None:
    lay(tmp_path, {"a": A})
    ask = ("dedupe", "a", "-", "--list", "duplicates", "-0")
    assert simdocs(*ask, cwd=tmp_path, stdin=A) == (0, b"-\0", "")
    lay(tmp_path, {"-": B})
    done = simdocs(*ask, cwd=tmp_path, stdin=A)
    assert (done.status, done.out) == (3, b"")
    assert simdocs("dedupe", "-", "a", "--list", "duplicates", cwd=tmp_path, stdin=A) == (0, b"a\n", "")
    assert simdocs("dedupe", "-", "a", cwd=tmp_path, stdin=A).names == [("-", "a")]
    assert simdocs("dedupe", "a", "-", cwd=tmp_path, stdin=A).names == []
