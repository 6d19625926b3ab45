"""act and undo with journals and answers that others made, or that were edited: nothing is done to any file."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simdocs as library
from tests.artifacts.test_answer_file import forge
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs
from tests.storage.acting import JOURNAL, answered, undo

Line = dict[str, Any]

STRANGER = 65534

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to other users")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a document, a copy of it in another directory, and others, and the answer."""
    monkeypatch.chdir(tmp_path)
    lay(tmp_path, {"docs/a": A, "docs/deep/b": A, "docs/y": B, "docs/z": A1[::-1], "other/thesis": B})
    answered("docs")
    return tmp_path


def act(yes: bool = True, **action: Any) -> object:
    return library.act("x.answer", yes=yes, **(action or {"move": "away"}))


def tree(root: Path) -> dict[str, bytes | None]:
    """Every path below a directory, and the bytes of files."""
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(root.rglob("*"))}


def refused(error: type[Exception], why: str, *runs: Callable[[], object]) -> None:
    """Each run ends with this error, and nothing is changed."""
    before = tree(Path())
    for run in runs or (undo, lambda: library.undo(JOURNAL)):
        with pytest.raises(error, match=why):
            run()
        assert tree(Path()) == before


def rewrite(journal: Path, change: Callable[[list[Line]], object]) -> None:
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    change(lines)
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))


STEPS: dict[str, tuple[str, Line]] = {
    "no digest": ("--move", {"sha256": ""}),
    "a digest in capital letters": ("--move", {"sha256": "A" * 64}),
    "a path that leads up": ("--move", {"path": "../other/thesis"}),
    "a target that leads up": ("--move", {"target": "../other/thesis"}),
    "a path with two slashes": ("--move", {"path": "docs//deep/b"}),
    "an absolute target": ("--move", {"target": "/other/thesis"}),
    "a target of a link": ("--hardlink", {"target": "thesis", "target_root": "/other"}),
    "a root of the target of a link": ("--hardlink", {"target_root": "/other"}),
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
    "a field that act does not write": ("--move", {"more": 1}),
    "an unknown action": ("--move", {"action": "copy"}),
    "another action": ("--move", {"action": "hardlink"}),
}


@pytest.mark.reliability("a damaged answer or journal")
@pytest.mark.parametrize("what", STEPS)
def test_a_journal_with_a_step_that_act_does_not_write_is_refused(place: Path, what: str) -> None:
    action, fields = STEPS[what]
    act(**({"move": "away"} if action == "--move" else {"hardlink": True}))
    rewrite(place / JOURNAL, lambda lines: lines[1].update(fields))
    refused(library.ArtifactError, "damaged: line 2 is not one that simdocs writes: nothing was changed")


@pytest.mark.reliability("a damaged answer or journal")
@pytest.mark.parametrize(
    ("number", "fields"), [(1, {"run": None}), (1, {"run": "1"}), (3, {"state": "gone"}), (3, {"step": 7})]
)
def test_a_journal_with_another_line_that_act_does_not_write_is_refused(place: Path, number: int, fields: Line) -> None:
    act()
    rewrite(place / JOURNAL, lambda lines: lines[number - 1].update(fields))
    refused(library.ArtifactError, f"damaged: line {number} is not one that simdocs writes: nothing was changed")


AGAIN: tuple[Callable[[], object], ...] = (
    lambda: act(hardlink=True),
    lambda: act(hardlink=True, yes=False),
    undo,
    lambda: library.undo(JOURNAL),
)


def test_a_directory_that_a_forged_journal_calls_the_file_is_not_put_back(place: Path) -> None:
    act()
    moved = place / "away/docs/deep/b"
    moved.unlink()
    moved.mkdir()
    now = moved.stat()
    same = {"inode": now.st_ino, "size": now.st_size, "mtime_ns": now.st_mtime_ns}
    rewrite(place / JOURNAL, lambda lines: lines[1].update(same))
    assert undo().skipped.counts == {"left": 1}
    assert (moved.is_dir(), (place / "docs/deep/b").exists()) == (True, False)


@as_root
@pytest.mark.reliability("a journal of another user")
def test_a_journal_of_another_user_is_neither_written_nor_obeyed(place: Path) -> None:
    act()
    os.chown(place / JOURNAL, STRANGER, STRANGER)
    (place / JOURNAL).chmod(0o666)
    refused(library.SimdocsError, f"{JOURNAL}: belongs to another user", *AGAIN)


@pytest.mark.reliability("a journal of another user")
def test_a_journal_that_is_a_link_is_not_followed(place: Path) -> None:
    act()
    (place / JOURNAL).rename(place / "elsewhere")
    (place / JOURNAL).symlink_to("elsewhere")
    refused(library.SimdocsError, f"{JOURNAL}: this is a link, which is not followed", *AGAIN)


LIMIT = {resource.RLIMIT_AS: (3 << 29, 3 << 29)}
"""Memory in which no large file can be held, but the program and its libraries can."""


@pytest.mark.parametrize(("command", "begin"), [("act", "rows"), ("report", "nothing"), ("undo", "first line")])
def test_what_goes_on_for_many_gigabytes_is_refused_in_little_memory(place: Path, command: str, begin: str) -> None:
    act()
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
    refused(library.ArtifactError, "x.answer: ", lambda: library.report("x.answer"), act)


def test_undo_of_a_link_leaves_no_temporary_file_if_the_kept_file_was_replaced(place: Path) -> None:
    act(hardlink=True)
    (place / "new").write_bytes(B)
    (place / "new").rename(place / "docs/a")
    assert undo().skipped.counts == {}
    assert (place / "docs/deep/b").read_bytes() == A
    assert os.listdir(place / "docs/deep") == ["b"]
