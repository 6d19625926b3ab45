"""The laws that every run keeps, for all arguments and all files."""

from __future__ import annotations

import json
import os
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

from tests.cli.program import Done, unprivileged
from tests.fuzz.running import Run
from tests.fuzz.trees import Tree, closed, lay, seen
from tests.twins.program import Ended

LINES = re.compile(
    r"simdocs: (error: .+|warning: .+|.+: (skipped|not compared, and kept): .+|and \d+ more: .+ \(-v names all\))"
)

NOTES = {
    "undo": re.compile(r"simdocs: nothing is left to put back"),  # as of a journal that ended before its first line
    "compare": re.compile(r"simdocs: .+: (this text|these texts) .+, so (it matches|they match) .+"),
}
"""What these commands say without being asked for it, whatever their status is."""

BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

NOT_TOGETHER = re.compile(
    r"cannot be combined|: error: .*\bneeds?\b|writes (JSON Lines|lines) as they are|--jsonl applies to standard input"
    r"|no (line|row) has|this is UTF-16|this is not JSON in UTF-8|the first row has"
)

Seen = Mapping[bytes, tuple[object, ...]]


class World:
    """A directory with a tree in `in`, where the program runs, and outputs in `out`."""

    def __init__(self, root: bytes, run: Run) -> None:
        self.root, self.cwd, self._run = root, os.path.join(root, b"in"), run

    def run(self, command: str, *arguments: bytes, stdin: bytes = b"", outputs: Sequence[bytes] = ()) -> Done:
        """Run the program and check that it keeps the laws. outputs: what it may write if it succeeds."""
        before = seen(self.root)
        done = self._run(command, *arguments, cwd=self.cwd, stdin=stdin)
        may = [
            os.path.relpath(os.path.realpath(os.path.join(self.cwd, path)), os.path.realpath(self.root))
            for path in outputs
        ]
        lawful(command, arguments, done)
        untouched(before, seen(self.root), may if done.status in (0, 1, 3) else [])
        return done

    def ask(self, twin: Callable[..., Ended], *arguments: Any) -> Ended:
        """Return the answer of a twin in the same directory."""
        with unprivileged(), chdir(self.cwd):
            return twin(*arguments)

    def read(self, path: bytes) -> bytes:
        """Return the contents of a file, or nothing if there is no file."""
        path = os.path.join(self.cwd, path)
        return Path(os.fsdecode(path)).read_bytes() if os.path.exists(path) else b""

    def below(self, path: bytes) -> dict[bytes, bytes]:
        """Return all files below a directory by their paths relative to it."""
        root = Path(os.fsdecode(os.path.join(self.cwd, path)))
        return {os.fsencode(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}

    def answer(self, done: Done, output: bytes) -> bytes:
        """Return the answer, which is in the output file or on standard output."""
        assert not output or done.out == b""
        return self.read(output) if output else done.out

    def facts(self, path: bytes) -> dict[str, Any]:
        """Return the facts of a summary."""
        facts: dict[str, Any] = json.loads(self.read(path))
        return facts


@contextmanager
def world(tree: Tree, run: Run) -> Iterator[World]:
    """Create a world with this tree."""
    with tempfile.TemporaryDirectory() as place:
        root = os.fsencode(place)
        for name in ("in", "out"):
            Path(place, name).mkdir()
        lay(os.path.join(root, b"in"), tree)
        with closed(os.path.join(root, b"in"), tree):
            yield World(root, run)


def lawful(command: str, arguments: Sequence[bytes], done: Done) -> None:
    """Check that a run ended with a documented status, and with the messages that belong to it."""
    assert done.status in (0, 1, 2, 3, 4)
    assert done.status != 1 or b"--exit-code" in arguments
    quiet = {b"-q", b"--quiet"} & set(arguments)
    verbose = {b"-v", b"--verbose", b"--summary"} & set(arguments)
    assert "(unexpected: " not in done.err
    if b"--debug" not in arguments:
        assert "Traceback" not in done.err
        harmless(done.err)
        said(command, done, verbose=bool(verbose))
    if quiet and done.status not in (2, 4):
        assert done.err == ""
    if done.status in (2, 4) and b"--pairs" not in arguments:
        assert done.out == b""
    if done.status == 3 and not quiet:
        assert re.search(": (skipped|not compared, and kept): ", done.err)


def refused(done: Done) -> bool:
    """Whether a run was refused because its options cannot be combined, or not with its documents."""
    return done.status == 2 and NOT_TOGETHER.search(done.err) is not None


def said(command: str, done: Done, *, verbose: bool) -> None:
    """Check that errors are the last lines, one line each, and that nothing else is said without being asked for."""
    lines = done.err.splitlines()
    errors = [line for line in lines if line.startswith("simdocs: error: ")]
    if done.status in (2, 4):
        assert errors
        assert errors == lines[-len(errors) :]
    else:
        assert not errors
    for line in lines:
        if not verbose and not (command in NOTES and NOTES[command].fullmatch(line)):
            assert LINES.fullmatch(line), line
            assert done.status > 1 or line.startswith("simdocs: warning: "), line


def harmless(text: str) -> None:
    """Check that a text holds no character that could harm a terminal."""
    for line in text.split("\n"):
        for character in line:
            assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp"), line
            assert character not in BIDI, line
    assert text == "" or text.endswith("\n")


def untouched(before: Seen, after: Seen, outputs: Sequence[bytes]) -> None:
    """Check that nothing has changed except the outputs and what is below them."""

    def apart(found: Seen) -> dict[bytes, tuple[object, ...]]:
        return {
            path: what
            for path, what in found.items()
            if not any(path == output or path.startswith(output + b"/") for output in outputs)
        }

    assert apart(before) == apart(after)
