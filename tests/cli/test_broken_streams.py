"""Standard output that is full, closed, or read no further."""

from __future__ import annotations

import os
import resource
import signal

import pytest

from tests.cli.corpus import A
from tests.cli.every import BUILDING, EVERY, WRITING
from tests.cli.program import finished, in_shell, running, simdocs

HELP = ["--version", "--help", "dedupe --help", "shingle --help"]
SHINGLES = "shingle --show docs/a.txt"


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """Documents whose answer is larger than a pipe holds."""
    root = tmp_path_factory.mktemp("copies")
    (root / "docs").mkdir()
    for at in range(1500):
        (root / "docs" / f"{at:04}{'-' * 50}").write_bytes(A)
    return root


@pytest.mark.parametrize("what", ["-j1", "--pairs -j2", "--list kept -0", "--format table"])
def test_a_full_disk(here, what):
    done = in_shell(f"simdocs dedupe docs {what} > /dev/full", cwd=here)
    assert done.status == 2
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith("simdocs: error: ")
    assert "No space left on device" in done.err


@pytest.mark.parametrize("what", [*HELP, SHINGLES])
def test_a_full_disk_for_anything_else(here, what):
    done = in_shell(f"simdocs {what} > /dev/full", cwd=here)
    assert (done.status, len(done.err.splitlines())) == (2, 1)
    assert done.err.startswith("simdocs: error: ")
    assert "No space left on device" in done.err
    assert "unexpected" not in done.err


@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk_or_a_closed_output_for_every_command(shelved, command):
    for where, why in (("/dev/full", "No space left on device"), ("&-", "Bad file descriptor")):
        done = in_shell(f'simdocs "$@" >{where}', *EVERY[command], cwd=shelved)
        assert done == (2, b"", f"simdocs: error: standard output: write error: {why}\n")


@pytest.mark.parametrize("command", BUILDING)
def test_no_artifact_without_its_summary(shelved, command):
    done = simdocs(*EVERY[command], "--summary-json", "/dev/full", cwd=shelved)
    assert done == (2, b"", "simdocs: error: /dev/full: write error: No space left on device\n")
    assert not [name for name in os.listdir(shelved) if "new" in name or "tmp" in name]


def test_no_answer_without_its_summary(here):
    (here / "out").write_bytes(b"old")
    assert in_shell("simdocs dedupe docs -o out --summary-json /dev/full", cwd=here).status == 2
    assert (here / "out").read_bytes() == b"old"


@pytest.mark.parametrize("command", ["index", "query", "dedupe"])
def test_a_standard_error_that_is_full_or_closed_is_nobodys_loss(shelved, command):
    expected = simdocs(*EVERY[command], cwd=shelved)
    for where in ("/dev/full", "&-"):
        assert in_shell(f'simdocs "$@" -v 2>{where}', *EVERY[command], cwd=shelved) == expected


def test_a_full_disk_for_all_that_was_asked(here):
    for output in ("-o /dev/full", "--summary-json /dev/full"):
        done = in_shell(f"simdocs dedupe docs {output}", cwd=here)
        assert (done.status, len(done.err.splitlines())) == (2, 1)
    done = in_shell("simdocs dedupe docs --exit-code -v 2> /dev/full", cwd=here)
    assert (done.status, len(done.rows)) == (1, 1)


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_closed_standard_output(here, jobs):
    done = in_shell(f"simdocs dedupe docs {jobs} >&-", cwd=here)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    assert done.err.startswith("simdocs: error: standard output: ")


@pytest.mark.parametrize("what", [*HELP, SHINGLES])
def test_closed_for_anything_else(here, what):
    done = in_shell(f"simdocs {what} >&-", cwd=here)
    assert (done.status, len(done.err.splitlines())) == (2, 1)


def test_closed_when_there_is_nothing_to_say(here):
    assert in_shell("simdocs dedupe docs -o out >&-", cwd=here) == (0, b"", "")


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_what_is_opened_next_does_not_take_the_place_of_a_closed_one(here, closed, answer):
    done = in_shell(f"simdocs dedupe docs -j2 {closed}", cwd=here)
    assert done[:2] == ((2, b"") if " >&-" in f" {closed}" else (0, answer))
    done = in_shell(f"simdocs dedupe docs -j2 -o out --summary-json note {closed}", cwd=here)
    assert done == (0, b"", "")
    assert (here / "out").read_bytes() == answer
    assert (here / "note").read_bytes().startswith(b"{")


@pytest.mark.parametrize("what", ["--pairs -j1", "-j2", "--list duplicates --format jsonl"])
def test_a_reader_that_has_seen_enough(copies, what):
    with running("dedupe", "docs", *what.split(), cwd=copies) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE


def test_head_in_a_shell(copies):
    done = in_shell("{ simdocs dedupe docs --pairs; echo $? >&2; } | head -1", cwd=copies)
    assert (done.status, len(done.rows), done.err) == (0, 1, "141\n")


def small_files() -> None:
    """Before the program starts: no file may grow beyond 10,000 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))


def test_an_answer_larger_than_files_may_be(copies):
    (copies / "out").write_bytes(b"old")
    done = simdocs("dedupe", "docs", "-o", "out", cwd=copies, before=small_files)
    assert (done.status, done.err) == (2, "simdocs: error: out: write error: File too large\n")
    assert (copies / "out").read_bytes() == b"old"
    assert sorted(os.listdir(copies)) == ["docs", "out"]


def test_a_reader_that_was_never_there(copies):
    with running("dedupe", "docs", cwd=copies) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE


@pytest.mark.parametrize("command", WRITING)
def test_no_reader_for_any_command(shelved, command):
    with running(*EVERY[command], cwd=shelved) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE


def test_help_that_nobody_reads():
    with running("dedupe", "--help") as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE


def test_all_of_it_where_somebody_reads(copies):
    with running("dedupe", "docs", "--pairs", cwd=copies) as process:
        done = finished(process)
    assert (done.status, done.err, len(done.rows)) == (0, "", 1499)
