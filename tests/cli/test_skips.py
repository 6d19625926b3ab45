"""What was not compared is counted and named: at once if it was an argument or could not be read, or with -v."""

from __future__ import annotations

import os
import socket

import pytest

from tests.cli.corpus import A, B, lay
from tests.cli.program import bound_by_modes, simdocs


@pytest.fixture
def odd(here):
    """What a walk passes by, of every kind that settles the matter."""
    lay(here, {"docs/.hidden": A, "docs/.git/x": A, "docs/p.bin": b"\0" + A, "docs/empty": b"", "docs/old.index/x": A})
    lay(here, {"docs/.simdocs-tmp-0123456789abcdef.1.0": A})
    os.symlink("a.txt", here / "docs/link")
    os.mkfifo(here / "docs/fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(here / "docs/socket"))
    return here


@pytest.mark.reliability("a FIFO, socket or device in a directory")
@pytest.mark.reliability("symbolic links")
@pytest.mark.reliability("artifacts and temporary files in a directory")
def test_verbose_names_what_is_passed_by(odd):
    done = simdocs("dedupe", "docs", "docs/a.txt", "-v", cwd=odd)
    assert done.status == 0
    lines = done.err.splitlines()
    for name, why in {
        "docs/.hidden": "--hidden",
        "docs/.git": "--hidden",
        "docs/p.bin": "NUL",
        "docs/link": "--follow",
        "docs/fifo": "FIFO",
        "docs/socket": "socket",
        "docs/a.txt": "a file that was already read",
        "docs/old.index": "artifact",
        "docs/.simdocs-tmp-0123456789abcdef.1.0": "temporary file",
    }.items():
        assert [line for line in lines if line.startswith(f"simdocs: {name}: skipped: ") and why in line], name
    assert "4 documents" in done.err
    assert "1 empty" in done.err


@pytest.fixture
def closed(here):
    """Fifteen files that cannot be read."""
    for at in range(15):
        lay(here, {f"docs/closed{at:02}": B})
        os.chmod(here / f"docs/closed{at:02}", 0)
    return here


def test_only_the_first_ten_of_each_reason_are_named(closed):
    lay(closed, {f"docs/large{at:02}": A * 3 for at in range(10)})
    ask = ("dedupe", "docs", "--max-size", str(2 * len(A)))
    done = simdocs(*ask, cwd=closed, before=bound_by_modes)
    assert (done.status, done.names) == (3, [("docs/a.txt", "docs/b.txt")])
    lines = done.err.splitlines()
    assert lines[10] == "simdocs: and 5 more: cannot be read (-v names all)"
    assert done.err.count("more:") == 1
    named = [line.split(": ")[1] for line in lines if "skipped" in line]
    assert named == [f"docs/closed{at:02}" for at in range(10)] + [f"docs/large{at:02}" for at in range(10)]
    verbose = simdocs(*ask, "-v", cwd=closed, before=bound_by_modes)
    assert verbose[:2] == done[:2]
    assert [verbose.err.count(what) for what in ("docs/closed", "docs/large", "more:")] == [15, 10, 0]


@pytest.mark.reliability("escape sequences, control and format characters in names")
def test_names_of_what_is_skipped_are_harmless(tmp_path):
    name = b"\x1b]0;x\x07 \n\r\xff " + "\u202e\x9b".encode()
    lay(tmp_path, {"docs/" + os.fsdecode(name): A})
    done = simdocs("dedupe", "docs", "--max-size", "1", cwd=tmp_path)
    assert done.status == 3
    assert len(done.err.splitlines()) == 1
    assert done.err.isascii()
    assert done.err[:-1].isprintable()
