"""An answer and its summary: both are on the disk before either is published, and errors say what was published."""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.artifacts.tiny import draft_of
from tests.cli.corpus import A1, A, B, lay
from tests.commands.building import damages
from tests.storage.faults import FaultyProgram

DEDUPE = ("dedupe", "docs", "-j1", "-q", "-o", "out")
INDEX = ("index", "docs", "-j1", "-q", "-o", "x.index")
SHINGLES = ("shingle", "docs", "-j1", "-q", "-o", "x.shingles")
SIGNATURES = ("signature", "docs", "-j1", "-q", "-o", "x.signatures")


class Place:
    """A directory with docs, in which the program writes an output and its summary over old ones."""

    def __init__(self, root: Path, number: int, arguments: tuple[str, ...]) -> None:
        self.root, self.output = root, arguments[-1]
        self.program = FaultyProgram(root, number, *arguments, "--summary-json", "note")
        lay(root, {"docs/a": A, "docs/b": A1})
        assert self.program.run() == (0, b"", "")
        self._old = self._content()
        lay(root, {"docs/c": B, "docs/d": A1})
        assert self.program.run() == (0, b"", "")
        self._new = self._content()
        self.calls = self.program.calls()

    def _content(self) -> dict[str, bytes]:
        """Return the bytes of the summary, and of the answer or of each file of the artifact."""
        files = [self.root / "note", self.root / self.output, *(self.root / self.output).glob("*")]
        return {str(one.relative_to(self.root)): one.read_bytes() for one in files if one.is_file()}

    def reset(self) -> None:
        """Put the old output and summary back, and remove the draft that the last run left."""
        shutil.rmtree(self.root / draft_of(self.output), ignore_errors=True)
        lay(self.root, self._old)

    def state(self) -> tuple[str, str]:
        """Return which output and which summary there is, "old" or "new", or "mix" if the output is neither."""
        if (self.root / self.output).is_dir():
            assert not damages(self.root / self.output)
        now = self._content()
        assert now["note"].endswith(b"}\n")
        states = {
            state: all(
                now[name] == content[name] for name in content if name not in ("note", f"{self.output}/run.json")
            )
            for state, content in (("old", self._old), ("new", self._new))
        }
        output = next((state for state, same in states.items() if same), "mix")
        return output, "old" if now["note"] == self._old["note"] else "new"

    def late(self) -> list[int]:
        """Return the last calls that write, sync or publish."""
        return [at for at, name in enumerate(self.calls) if name in ("write", "fsync", "rename", "exchange")][-7:]

    def broken_promises(self, faults: Sequence[int]) -> list[object]:
        """Let each of these calls fail, and return what contradicts the documentation."""
        wrong: list[object] = []
        states = set()
        for at in faults:
            self.reset()
            done, state = self.program.run(at), self.state()
            assert self.program.calls()[: at + 1] == self.calls[: at + 1]
            states.add(state)
            said = done.err.startswith("simdocs: error: ") and done.err.count("\n") == 1
            about = f"{self.output}: published, but" in done.err or f"; {self.output} was published\n" in done.err
            allowed = {
                ("old", "old"): done.status == 2
                and said
                and "published" not in done.err.replace("was not published", ""),
                ("new", "old"): done.status == 2 and said and about,
                ("new", "new"): (done.status, done.err) == (0, "")
                or (done.status == 2 and said and "note: published, but" in done.err),
            }
            left = {*os.listdir(self.root)} - {"docs", "note", self.output, "trap"}
            if not allowed.get(state) or not left <= {draft_of(self.output)}:
                wrong.append((at, self.calls[at], state, done, left))
        assert states == {("old", "old"), ("new", "old"), ("new", "new")}
        return wrong


@pytest.mark.reliability("a fault while an answer and its summary are published")
@pytest.mark.parametrize("arguments", [DEDUPE, INDEX], ids=["answer", "artifact"])
def test_a_full_disk_leaves_an_output_and_its_summary_old_or_the_error_says_what_was_published(place, arguments):
    here = Place(place, errno.ENOSPC, arguments)
    assert here.broken_promises(here.late()) == []


@pytest.mark.slow
@pytest.mark.reliability("a fault while an answer and its summary are published")
@pytest.mark.parametrize("arguments", [DEDUPE, INDEX], ids=["answer", "artifact"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS])
def test_an_error_at_any_call_leaves_an_output_and_its_summary_old_or_says_what_was_published(place, arguments, number):
    here = Place(place, number, arguments)
    assert here.broken_promises(range(len(here.calls))) == []


@pytest.mark.reliability("a fault while an answer and its summary are published")
@pytest.mark.reliability("kill -9 at any call that writes")
@pytest.mark.parametrize(("arguments", "every"), [
    (DEDUPE, False), *slow((DEDUPE, True), (SHINGLES, True), (SIGNATURES, True), (INDEX, True)),
])  # fmt: skip
def test_no_kill_leaves_a_new_summary_beside_an_old_output(place, arguments, every):
    here = Place(place, 0, arguments)
    states = []
    for at in range(len(here.calls)) if every else here.late():
        here.reset()
        assert here.program.run(at).status == -signal.SIGKILL, at
        states.append(here.state())
        assert here.program.run() == (0, b"", ""), at
        assert here.state() == ("new", "new"), at
        assert sorted(os.listdir(place)) == sorted(["docs", "note", "trap", here.output]), at
    assert sorted(states, reverse=True) == states, "first both are old, then the output is new, then both are"
    assert set(states) == {("old", "old"), ("new", "old"), ("new", "new")}
