"""What was not compared is counted and named: at once, or with -v."""

from __future__ import annotations

import json
import os
import socket

import pytest

from tests.cli.corpus import A1, A, B, lay
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


def test_the_summary_counts_what_is_passed_by(odd):
    lay(odd, {"docs/large": A * 2})
    simdocs("dedupe", "docs", "docs/a.txt", "--max-size", str(len(A1)), "--summary-json", "note", "-q", cwd=odd)
    facts = json.loads((odd / "note").read_bytes())
    assert facts["skipped"] == {
        "binary": 1, "hidden": 2, "link": 1, "special": 2, "again": 1, "artifact": 2, "oversized": 1
    }  # fmt: skip
    assert (facts["documents"], facts["empty"]) == (4, 1)


@pytest.fixture
def closed(here):
    """Fifteen files that cannot be read."""
    for at in range(15):
        lay(here, {f"docs/closed{at:02}": B})
        os.chmod(here / f"docs/closed{at:02}", 0)
    return here


def test_only_the_first_ten_of_each_reason_are_named(closed):
    lay(closed, {f"docs/large{at:02}": A * 3 for at in range(11)})
    ask = ("dedupe", "docs", "--max-size", str(2 * len(A)))
    done = simdocs(*ask, cwd=closed, before=bound_by_modes)
    assert (done.status, done.names) == (3, [("docs/a.txt", "docs/b.txt")])
    lines = done.err.splitlines()
    assert lines[10] == "simdocs: and 5 more: cannot be read (-v names all)"
    assert lines[21] == "simdocs: and 1 more: larger than --max-size (-v names all)"
    named = [line.split(": ")[1] for line in lines if "skipped" in line]
    assert named == [f"docs/closed{at:02}" for at in range(10)] + [f"docs/large{at:02}" for at in range(10)]
    verbose = simdocs(*ask, "-v", cwd=closed, before=bound_by_modes)
    assert verbose[:2] == done[:2]
    assert [verbose.err.count(what) for what in ("docs/closed", "docs/large", "more:")] == [15, 11, 0]


def test_quiet_names_nothing_that_was_skipped(closed):
    done = simdocs("dedupe", "docs", "-q", cwd=closed, before=bound_by_modes)
    assert (done.status, done.err, len(done.rows)) == (3, "", 1)


@pytest.mark.reliability("escape sequences, control and format characters in names")
def test_names_of_what_is_skipped_are_harmless(tmp_path):
    name = b"\x1b]0;x\x07 \n\r\xff " + "\u202e\x9b".encode()
    lay(tmp_path, {"docs/" + os.fsdecode(name): A})
    done = simdocs("dedupe", "docs", "--max-size", "1", cwd=tmp_path)
    assert done.status == 3
    assert len(done.err.splitlines()) == 1
    assert done.err.isascii()
    assert done.err[:-1].isprintable()


def test_an_include_that_matches_nothing_is_warned_about(here):
    """A slip of the pen must not look like an answer."""
    done = simdocs("dedupe", "docs", "--include", "docs/*.txt", cwd=here)
    why = "no file matches --include 'docs/*.txt': a pattern with a slash is compared with the path below the directory"
    assert done == (0, b"", f"simdocs: warning: {why}\n")
    done = simdocs("dedupe", "docs", "--include", "*.rst", "--include", "*.txt", cwd=here)
    assert (done.status, done.err) == (0, "simdocs: warning: no file matches --include '*.rst'\n")
    assert done.out == simdocs("dedupe", "docs", cwd=here).out


def test_names_on_standard_input_are_hardly_a_document(here):
    names = b"".join(b"docs/%b\n" % os.fsencode(name) for name in os.listdir(here / "docs"))
    said = "simdocs: warning: -: each line is the name of a file: did you mean --files-from -?\n"
    done = simdocs("dedupe", "-", cwd=here, stdin=names)
    assert (done.status, done.out, said in done.err) == (0, b"", True)
    assert said not in simdocs("dedupe", "-", cwd=here, stdin=b"docs/a.txt\nis a file\n").err
    assert said not in simdocs("dedupe", "--files-from", "-", cwd=here, stdin=names).err


BELOW = "a pattern with a slash is compared with the path below the directory"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("docs/more/*.txt", f"nothing matches --exclude 'docs/more/*.txt': {BELOW}: write '/more/*.txt'"),
        ("docs/inner", ""),
        ("old/*.bak", ""),
    ],
)
def test_an_exclude_that_is_a_printed_path_and_matches_nothing_is_warned_about(here, pattern, said):
    lay(here, {"docs/more/d.txt": A, "docs/docs/inner": A})
    done = simdocs("dedupe", "docs", "--exclude", pattern, cwd=here)
    assert (done.status, done.err) == (0, said and f"simdocs: warning: {said}\n")


def test_a_named_directory_without_documents_is_warned_about(here):
    """A disk may not be mounted."""
    lay(here, {"empty/.hidden": A})
    (here / "bare").mkdir()
    done = simdocs("dedupe", "docs", "empty", "bare", cwd=here)
    said = "simdocs: warning: {}: no documents were found in this directory\n"
    assert (done.status, len(done.rows), done.err) == (0, 1, said.format("empty") + said.format("bare"))
    assert simdocs("dedupe", "bare", "-q", cwd=here) == (0, b"", "")
    assert simdocs("dedupe", "--files-from", "-", cwd=here, stdin=b"docs\nbare\n").err == ""
