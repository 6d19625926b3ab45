"""Lists of names: --files-from and --files0-from."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.cli.corpus import A, lay
from tests.cli.program import finished, running, simdocs

ENDS = {"--files-from": b"\n", "--files0-from": b"\0"}


@pytest.fixture(params=ENDS)
def option(request) -> str:
    return request.param


def listed(option: str, *names: bytes) -> bytes:
    return b"".join(name + ENDS[option] for name in names)


@pytest.mark.reliability("a last entry without its line feed or NUL")
def test_the_last_entry_of_a_list_may_lack_its_end(here, option):
    names = listed(option, b"docs/b.txt", b"docs/a.txt")[:-1]
    assert simdocs("dedupe", option, "-", stdin=names, cwd=here).names == [("docs/b.txt", "docs/a.txt")]


@pytest.mark.reliability("an empty entry")
def test_an_empty_entry_is_named_by_its_number(here, option):
    names = [b"docs/a.txt", b"", b"docs/b.txt"]
    done = simdocs("dedupe", option, "-", stdin=listed(option, *names), cwd=here)
    assert (done.status, done.names) == (3, [("docs/a.txt", "docs/b.txt")])
    assert done.err == "simdocs: -: skipped: entry 2 is empty: leave it out\n"
    strict = simdocs("dedupe", option, "-", "--strict", stdin=listed(option, *names), cwd=here)
    assert strict[:2] == (2, b"")


@pytest.mark.reliability("NUL bytes given to --files-from")
def test_a_list_of_lines_with_nul_bytes_is_refused(here):
    done = simdocs("dedupe", "--files-from", "-", stdin=b"docs/a.txt\ndocs/b.txt\0docs/c.txt\n", cwd=here)
    assert done == (2, b"", "simdocs: error: -: this list has NUL bytes: read it with --files0-from\n")


@pytest.mark.reliability("an entry that is not a file, directory or FIFO")
def test_an_entry_that_does_not_exist_is_an_error(here, option):
    done = simdocs("dedupe", option, "-", stdin=listed(option, b"docs/a.txt", b"gone\x1b"), cwd=here)
    assert (done.status, done.out) == (2, b"")
    why = "gone\\x1b: No such file or directory: correct the entry or remove it"
    assert done.err == f"simdocs: error: -: entry 2: {why}\n"


@pytest.mark.reliability("lines given to --files0-from")
def test_a_list_of_lines_given_as_nul_ended_names_the_right_option(here):
    """The whole list is one name, and named by its number alone: it may be long."""
    lay(here, {"list": listed("--files-from", b"docs/a.txt", *[b"docs/b.txt"] * 9999)})
    done = simdocs("index", "--files0-from", "list", "-o", "x.index", cwd=here)
    why = "entry 1 has line feeds and is not the name of a file"
    remedy = "if the list has one name on each line, read it with --files-from"
    assert done == (2, b"", f"simdocs: error: list: {why}: {remedy}\n")


@pytest.mark.reliability("names too long for a file")
def test_names_too_long_for_a_file_are_shortened_in_the_error(here, option):
    for name in (b"x" * 256, b"x/" * 9999):
        done = simdocs("dedupe", option, "-", stdin=listed(option, b"docs", name), cwd=here)
        assert (done.status, done.err.count("\n"), f"entry 2: {name[:80].decode()}" in done.err) == (2, 1, True)
        assert "File name too long" in done.err
        assert len(done.err) < 5000


@pytest.mark.reliability("names that begin with a dash")
def test_entries_may_hold_any_bytes(here, option):
    names = [b"\xff", b" space ", b"-x", b"back\\slash", b"tab\t", "é".encode(), b'"q"', b"\r"]
    if option == "--files0-from":
        names.append(b"new\nline")
    for name in names:
        (here / os.fsdecode(name)).write_bytes(A)
    done = simdocs("dedupe", option, "-", "--list", "duplicates", "-0", stdin=listed(option, *names), cwd=here)
    assert (done.status, done.err) == (0, "")
    assert done.out.split(b"\0")[:-1] == [{b"-x": b"./-x"}.get(name, name) for name in names[1:]]


@pytest.mark.reliability("a list that cannot be read")
@pytest.mark.parametrize("name", ["gone", "docs"])
def test_a_list_that_cannot_be_read_is_an_error(here, option, name):
    done = simdocs("dedupe", option, name, cwd=here)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    assert done.err.startswith(f"simdocs: error: {name}: ")


@pytest.mark.reliability("a file named -")
@pytest.mark.reliability("- in a list on standard input")
def test_a_dash_in_a_list_on_standard_input_is_malformed(here, option):
    """There is nothing left of standard input to be a document."""
    lay(here, {"-": A})
    names = listed(option, b"docs/a.txt", b"-", b"./-")
    done = simdocs("dedupe", option, "-", stdin=names, cwd=here)
    assert (done.status, done.names) == (3, [("docs/a.txt", "./-")])
    assert done.err.startswith("simdocs: -: skipped: entry 2 is -, but standard input is the list")


@pytest.mark.reliability("a list that the answer would overwrite")
@pytest.mark.reliability("an output that is an input")
def test_a_list_is_an_input_and_never_overwritten(here, option):
    names = listed(option, b"docs/a.txt", b"docs/b.txt")
    lay(here, {"list": names})
    for where in ("-o", "--summary-json"):
        done = simdocs("dedupe", option, "list", where, "list", cwd=here)
        assert (done.status, (here / "list").read_bytes()) == (2, names)


@pytest.mark.reliability("an entry of more than 1,048,576 bytes, or 100,000,000 entries")
def test_a_list_without_end_on_standard_input_is_an_error(here, option):
    """The program reads it while it is written, and stops."""
    letters = subprocess.Popen(["sh", "-c", r"tr '\0' x < /dev/zero"], stdout=subprocess.PIPE)
    with letters, running("dedupe", option, "-", cwd=here, stdin=letters.stdout) as process:
        assert letters.stdout is not None
        letters.stdout.close()
        done = finished(process)
    why = "entry 1: longer than 1,048,576 bytes: correct the entry or remove it"
    assert done == (2, b"", f"simdocs: error: -: {why}\n")
