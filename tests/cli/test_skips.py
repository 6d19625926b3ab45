"""What was not compared is counted and named: at once if it was an argument or could not be read, or with -v."""

from __future__ import annotations

import os
import socket
from pathlib import Path

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


def test_a_named_directory_without_documents_is_warned_about(here):
    """A disk may not be mounted."""
    lay(here, {"empty/.hidden": A})
    (here / "bare").mkdir()
    done = simdocs("dedupe", "docs", "empty", "bare", cwd=here)
    said = "simdocs: warning: {}: no documents were found in this directory\n"
    assert (done.status, len(done.rows), done.err) == (0, 1, said.format("empty") + said.format("bare"))
    assert simdocs("dedupe", "bare", "-q", cwd=here) == (0, b"", "")
    assert simdocs("dedupe", "--files-from", "-", cwd=here, stdin=b"docs\nbare\n").err == ""
    (here / "bare/link").symlink_to("gone")
    done = simdocs("dedupe", "bare", "--follow", cwd=here)
    assert (done.status, done.err.count("\n"), "bare/link: skipped" in done.err) == (3, 1, True)


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Two near-duplicates, a binary file, and an empty one, in a directory."""
    return lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/photo": b"\0\1" * 50, "docs/empty": b""})


def test_a_named_binary_file_is_reported_with_status_3(there: Path) -> None:
    done = simdocs("dedupe", "docs/a", "docs/b", "docs/photo", cwd=there)
    assert (done.status, len(done.rows)) == (3, 1)
    assert done.err == "simdocs: docs/photo: skipped: a binary file (a NUL byte in the first 8 KiB)\n"


def test_a_binary_file_in_a_directory_or_a_list_is_passed_by(there: Path) -> None:
    assert simdocs("dedupe", "docs", cwd=there)[::2] == (0, "")
    listed = simdocs("dedupe", "--files-from", "-", cwd=there, stdin=b"docs/a\ndocs/b\ndocs/photo\n")
    assert (listed.status, listed.err) == (0, "")


def test_a_named_binary_file_is_reported_whatever_reached_it_first(there: Path) -> None:
    for arguments in (["docs", "docs/photo"], ["docs/photo", "docs"]):
        done = simdocs("dedupe", *arguments, cwd=there)
        assert done.status == 3
        assert done.err == "simdocs: docs/photo: skipped: a binary file (a NUL byte in the first 8 KiB)\n"


def test_a_named_empty_file_is_reported_with_status_0(there: Path) -> None:
    done = simdocs("dedupe", "docs/a", "docs/empty", cwd=there)
    assert (done.status, done.err) == (
        0,
        "simdocs: warning: docs/empty: this document is empty, so it matches nothing\n",
    )
    assert simdocs("dedupe", "docs", cwd=there).err == ""
    assert simdocs("dedupe", "docs/a", "docs/empty", "-q", cwd=there).err == ""


def test_other_commands_report_it_too(there: Path) -> None:
    for ask in (("index", "-o", "a.index"), ("query", "a.index")):
        done = simdocs(*ask, "docs/b", "docs/photo", cwd=there)
        assert done.status == 3
        assert "docs/photo: skipped: a binary file" in done.err
