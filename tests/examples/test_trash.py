"""examples/trash.py moves duplicates with any names, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/trash.py"
NAMES = [
    b"-rf",
    b"a b.txt",
    b"line\nfeed",
    b"tab\t",
    b"quote'\"",
    b"caf\xe9.txt",
    b"deep/ */x",
    b"back\\slash",
    b"end\n",
]


def answer(directory: Path, *options: str) -> bytes:
    """Return the answer of `simdocs dedupe` about the texts in a directory."""
    done = simdocs("dedupe", "texts", "--strict", "--format", "jsonl", *options, cwd=directory)
    assert (done.status, done.err) == (0, "")
    return done.out


def trash(directory: Path, rows: bytes, *arguments: str) -> tuple[int, str]:
    """Run the script, and return its exit status and messages."""
    command = [sys.executable, EXAMPLE, *(arguments or ("texts", "trash"))]
    done = subprocess.run(command, cwd=directory, input=rows, capture_output=True, check=False)
    assert done.stdout == b""
    return done.returncode, done.stderr.decode()


def files(directory: Path) -> set[bytes]:
    """Return the paths of all files below a directory."""
    found = os.walk(os.fsencode(directory))
    return {os.path.relpath(os.path.join(at, name), os.fsencode(directory)) for at, _, names in found for name in names}


def written(directory: Path, names: list[bytes]) -> None:
    """Write copies of the same text under these names."""
    for name in names:
        path = directory / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(A)


def test_duplicates_of_any_name_are_moved_and_keep_their_paths(tmp_path):
    written(tmp_path / "texts", [*NAMES, b"  first"])
    lay(tmp_path / "texts", {"other.txt": B})
    assert trash(tmp_path, answer(tmp_path)) == (0, "")
    assert files(tmp_path / "texts") == {b"  first", b"other.txt"}
    assert files(tmp_path / "trash") == set(NAMES)


def refused(directory: Path, rows: bytes, reason: str, *arguments: str) -> None:
    before = files(directory)
    status, message = trash(directory, rows, *arguments)
    assert status == 1 and message.startswith("trash.py: nothing was moved: ") and reason in message
    assert files(directory) == before
    assert not (directory / "trash").exists()


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A directory in which one of two texts is a duplicate."""
    lay(tmp_path, {"texts/a.txt": A, "texts/deep/b.txt": A1})
    return tmp_path


def test_a_directory_that_became_a_link_is_not_followed(two):
    rows = answer(two)
    (two / "texts/deep").rename(two / "elsewhere")
    (two / "texts/deep").symlink_to(two / "elsewhere")
    refused(two, rows, "deep")


def test_a_link_is_not_moved(two):
    rows = answer(two)
    (two / "texts/deep/b.txt").rename(two / "b.txt")
    (two / "texts/deep/b.txt").symlink_to(two / "b.txt")
    refused(two, rows, "is not a regular file")


def test_nothing_is_moved_when_a_kept_document_is_gone(two):
    rows = answer(two)
    (two / "texts/a.txt").unlink()
    refused(two, rows, "No such file or directory")


def test_nothing_is_moved_when_both_names_are_one_file(two):
    rows = answer(two)
    (two / "texts/deep/b.txt").unlink()
    (two / "texts/deep/b.txt").hardlink_to(two / "texts/a.txt")
    refused(two, rows, "are one file")


@pytest.mark.parametrize("path", ["elsewhere/a.txt", "texts/../a.txt", "/etc/passwd", "texts", "texts/"])
def test_a_name_outside_the_tree_is_refused(two, path):
    rows = json.dumps({"kept": "texts/a.txt", "duplicate": path}).encode()
    refused(two, rows, "is not in 'texts'")


def test_an_answer_that_is_not_from_dedupe_is_refused(two):
    refused(two, b'{"query": "texts/a.txt"}\n', "kept")


def test_a_trash_inside_the_tree_is_refused(two):
    refused(two, answer(two), "is inside", "texts", "texts/trash")


def test_an_existing_trash_is_not_used(two):
    (two / "trash").mkdir()
    before = files(two)
    status, message = trash(two, answer(two))
    assert status == 2 and message == "trash.py: nothing was moved: trash already exists; name a new directory\n"
    assert files(two) == before
