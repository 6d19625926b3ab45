"""act and undo with journals and answers that others made, or that were edited: nothing is done to any file."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.artifacts.test_answer_file import forge
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import Done, simdocs
from tests.cli.test_act import JOURNAL
from tests.cli.test_saved_answers import saved

Line = dict[str, Any]

STRANGER = 65534

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to other users")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A document, a copy of it in another directory, and others, with the answer about them, and a file beside them."""
    lay(tmp_path, {"docs/a": A, "docs/deep/b": A, "docs/y": B, "docs/z": A1[::-1], "other/thesis": B})
    saved(tmp_path, "docs")
    return tmp_path


def act(cwd: Path, *options: str) -> Done:
    return simdocs("act", "x.answer", *(options or ("--move", "away")), "--yes", "-q", cwd=cwd)


def tree(root: Path) -> dict[str, bytes | None]:
    """Every path below a directory, and the bytes of files."""
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(root.rglob("*"))}


def refused(cwd: Path, status: int, why: str, *commands: tuple[str, ...]) -> None:
    """Each command ends with this status and nothing is changed."""
    before = tree(cwd)
    for command in commands or (("undo", JOURNAL), ("undo", JOURNAL, "--yes")):
        done = simdocs(*command, cwd=cwd)
        assert (done.status, done.out, why in done.err) == (status, b"", True), (command, done)
        assert tree(cwd) == before, command


def rewrite(journal: Path, change: Callable[[list[Line]], object]) -> None:
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    change(lines)
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))


STEPS: dict[str, tuple[str, Line]] = {
    "no digest": ("--move", {"sha256": ""}),
    "a digest in capital letters": ("--move", {"sha256": "A" * 64}),
    "a path that leads up": ("--move", {"path": "../other/thesis"}),
    "a target that leads up": ("--move", {"target": "../other/thesis"}),
    "an absolute target": ("--move", {"target": "/other/thesis"}),
    "a target of a link": ("--hardlink", {"target": "thesis", "target_root": "/other"}),
    "no target of a move": ("--move", {"target": "", "target_root": "", "made": []}),
    "a relative root": ("--move", {"root": "docs"}),
    "a relative root of the target": ("--move", {"target_root": "other"}),
    "a directory that is not above the target": ("--move", {"made": [{"name": "other"}]}),
    "a truth value for a number": ("--move", {"uid": True}),
    "a fraction": ("--move", {"size": 1.0}),
    "a negative size": ("--move", {"size": -1}),
    "a mode that no file has": ("--move", {"mode": 1 << 12}),
    "a user that there cannot be": ("--move", {"uid": 1 << 40}),
    "a time that no file has": ("--move", {"mtime_ns": 1 << 200}),
    "an attribute that is not in hexadecimal": ("--move", {"attributes": [["user.origin", "x"]]}),
    "an attribute without a name": ("--move", {"attributes": [["", "00"]]}),
    "a field that act does not write": ("--move", {"more": 1}),
    "an unknown action": ("--move", {"action": "copy"}),
    "another action": ("--move", {"action": "hardlink"}),
}


@pytest.mark.reliability("a damaged answer or journal")
@pytest.mark.parametrize("what", STEPS)
def test_a_journal_with_a_step_that_act_does_not_write_is_refused(place: Path, what: str) -> None:
    action, fields = STEPS[what]
    act(place, *(("--move", "away") if action == "--move" else (action,)))
    rewrite(place / JOURNAL, lambda lines: lines[1].update(fields))
    refused(place, 4, "damaged: line 2 is not one that simdocs writes: nothing was changed")


def test_a_directory_in_the_place_of_a_moved_file_is_not_put_back(place: Path) -> None:
    act(place)
    (place / "away/docs/deep/b").unlink()
    lay(place, {"away/docs/deep/b/secret": B})
    done = simdocs("undo", JOURNAL, "--yes", cwd=place)
    assert (done.status, "is another file now" in done.err) == (3, True)
    assert (place / "away/docs/deep/b/secret").exists()


def test_undo_lists_every_path_that_it_would_touch(place: Path) -> None:
    act(place)
    done = simdocs("undo", JOURNAL, "--format", "jsonl", cwd=place)
    assert [tuple(json.loads(line).values()) for line in done.out.splitlines()] == [
        ("undo move", "docs/deep/b", "away/docs/deep/b"),
        ("remove if empty", None, "away/docs/deep"),
        ("remove if empty", None, "away/docs"),
        ("remove if empty", None, "away"),
    ]


@as_root
@pytest.mark.reliability("a journal of another user")
def test_a_journal_of_another_user_is_neither_written_nor_obeyed(place: Path) -> None:
    act(place)
    os.chown(place / JOURNAL, STRANGER, STRANGER)
    (place / JOURNAL).chmod(0o666)
    again = ("act", "x.answer", "--hardlink")
    commands = (again, (*again, "--yes"), ("undo", JOURNAL), ("undo", JOURNAL, "--yes"))
    refused(place, 2, f"{JOURNAL}: belongs to another user", *commands)


@pytest.mark.reliability("a journal of another user")
def test_a_journal_that_is_a_link_is_not_followed(place: Path) -> None:
    act(place)
    (place / JOURNAL).rename(place / "elsewhere")
    (place / JOURNAL).symlink_to("elsewhere")
    again = ("act", "x.answer", "--hardlink")
    commands = (again, (*again, "--yes"), ("undo", JOURNAL), ("undo", JOURNAL, "--yes"))
    refused(place, 2, f"{JOURNAL}: this is a link, which is not followed", *commands)


LIMIT = {resource.RLIMIT_AS: (3 << 29, 3 << 29)}
"""Memory in which no large file can be held, but the program and its libraries can."""


@pytest.mark.parametrize("begin", ["nothing", "first line", "rows"])
@pytest.mark.parametrize("command", ["act", "report", "undo"])
def test_what_goes_on_for_many_gigabytes_is_refused_in_little_memory(place: Path, command: str, begin: str) -> None:
    act(place)
    name = JOURNAL if command == "undo" else "x.answer"
    path = place / name
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes({"nothing": b"", "first line": lines[0][:50], "rows": b"".join(lines[:2])}[begin])
    os.truncate(path, 20 << 30)
    options = {"act": ("--move", "m"), "report": ("-o", "r.html"), "undo": ()}[command]
    done = simdocs(command, name, *options, cwd=place, limits=LIMIT)
    assert (done.status, done.out) == (4, b""), done


PARAMETERS: dict[str, Callable[[list[Line]], object]] = {
    "bands that are no number": lambda lines: lines[0]["parameters"]["banding"].update(bands="x"),
    "a negative number of rows": lambda lines: lines[0]["parameters"]["banding"].update(rows=-1),
    "no banding": lambda lines: lines[0]["parameters"].pop("banding"),
    "a way to group that there is not": lambda lines: lines[0]["parameters"]["grouping"].update(cluster="x"),
    "a list in place of what is kept": lambda lines: lines[0]["parameters"]["grouping"].update(keep=[]),
    "a threshold of 0": lambda lines: lines[0].update(threshold=0.0),
}


@pytest.mark.reliability("a damaged answer or journal")
@pytest.mark.parametrize("what", PARAMETERS)
def test_an_answer_with_parameters_that_there_cannot_be_is_refused(place: Path, what: str) -> None:
    forge(place / "x.answer", PARAMETERS[what])
    refused(
        place, 4, "x.answer: ", ("report", "x.answer", "-o", "r.html"), ("act", "x.answer", "--move", "away", "--yes")
    )


def test_undo_of_a_link_leaves_no_temporary_file_if_the_kept_file_was_replaced(place: Path) -> None:
    act(place, "--hardlink")
    (place / "new").write_bytes(B)
    (place / "new").rename(place / "docs/a")
    assert simdocs("undo", JOURNAL, "--yes", "-q", cwd=place).status == 0
    assert (place / "docs/deep/b").read_bytes() == A
    assert os.listdir(place / "docs/deep") == ["b"]
