"""examples/trash.py moves duplicates with any names, and nothing else."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.corpus import A1, A, B, lay
from tests.cli.hostile_tree import lay_hostile_tree, removed, state
from tests.cli.program import Done, simdocs
from tests.cli.stand_in import scripted
from tests.docs.executed import DOCS, sessions

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


def recipe(directory: Path, tree: str, *options: str) -> Done:
    """Run the commands of the guide that find, check and move duplicates, for this tree and with these options."""
    steps = [command for command, _ in sessions(DOCS / "guide.md")["Delete duplicates safely"]]
    script = "\n".join(step for step in steps if "simdocs dedupe texts" in step and "answer.jsonl" in step)
    for old, new in (
        ("simdocs dedupe texts", shlex.join(("simdocs", "dedupe", tree, *options))),
        ("python3 examples/trash.py texts", shlex.join((sys.executable, str(EXAMPLE), tree))),
    ):
        assert old in script
        script = script.replace(old, new)
    return scripted(script, directory)


@pytest.mark.reliability("removing what --list duplicates -0 prints")
@pytest.mark.parametrize("tree", ["texts", *slow("./texts", "texts/")])
def test_the_recipe_of_the_guide_moves_only_duplicates_out_of_a_hostile_tree(tmp_path, tree):
    here, away = lay_hostile_tree(tmp_path / "here"), tmp_path / "away"
    before = state(here)
    stopped = recipe(here, tree)
    assert "texts/evil.jsonl, line 1: skipped: " in stopped.err
    assert state(here) == before, "lines with the paths of files stop it"
    assert recipe(here, tree, "--plain") == (0, b"", "")
    (here / "answer.jsonl").unlink()
    (here / "trash").rename(away)
    moved = {b"texts/" + name for name in files(away)}
    assert removed(here, before) == moved
    assert len(moved) == 17
    again = simdocs("dedupe", "texts", "--plain", "--list", "duplicates", cwd=here)
    assert again == (0, b"texts/z-hard.txt\n", ""), "the other name of a file that was moved"
    subprocess.run(["cp", "-a", f"{away}/.", "texts/"], cwd=here, check=True)
    assert state(here) == before, "this is how the guide undoes everything"


@pytest.mark.reliability("names that begin with a dash")
def test_the_recipe_works_in_a_directory_whose_name_begins_with_a_dash(tmp_path):
    lay(tmp_path, {"-rf/a.txt": A, "-rf/-": A1, "-rf/-rf": A})
    assert recipe(tmp_path, "./-rf") == (0, b"", "")
    assert (files(tmp_path / "-rf"), files(tmp_path / "trash")) == ({b"-"}, {b"a.txt", b"-rf"})


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


def test_nothing_is_moved_when_two_answers_keep_each_other(two):
    rows = [json.dumps(dict(zip(("kept", "duplicate"), pair, strict=True))) for pair in PAIRS]
    refused(two, "\n".join(rows).encode(), "and a kept document are one file")


PAIRS = [("texts/a.txt", "texts/deep/b.txt"), ("texts/deep/b.txt", "texts/a.txt")]


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
