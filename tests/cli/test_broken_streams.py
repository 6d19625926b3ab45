"""Standard output that is full, closed, or read no further."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.corpus import A
from tests.cli.every import BUILDING, EVERY, WRITING
from tests.cli.program import Done, in_shell, running, simdocs
from tests.cli.stand_in import stand_in
from tests.cli.traps import with_workers

HELP = ["--version", "--help", "dedupe --help", "shingle --help"]
SHINGLES = "show docs/a.txt"


COPIES = 300


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """Documents whose answer is larger than a pipe holds."""
    root = tmp_path_factory.mktemp("copies")
    (root / "docs").mkdir()
    for at in range(COPIES):
        (root / "docs" / f"{at:04}{'-' * 240}").write_bytes(A)
    return root


def into_a_full_disk(*arguments, cwd) -> Done:
    """Run the program with /dev/full as standard output."""
    with Path("/dev/full").open("wb") as full:
        return simdocs(*arguments, cwd=cwd, stdout=full)


@pytest.mark.reliability("a full standard output")
@pytest.mark.parametrize("what", ["dedupe -j1", "pairs -j2", "dedupe --list kept -0", "dedupe --format table"])
def test_a_full_disk_at_standard_output_is_one_line_and_status_2(here, what):
    done = into_a_full_disk(*what.split(), "docs", cwd=here)
    assert done.status == 2
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith("simdocs: error: ")
    assert "No space left on device" in done.err


@pytest.mark.reliability("a full standard output")
@pytest.mark.parametrize("what", [*HELP, SHINGLES])
def test_help_version_and_shingles_on_a_full_disk_are_one_line_and_status_2(here, what):
    done = into_a_full_disk(*what.split(), cwd=here)
    assert (done.status, len(done.err.splitlines())) == (2, 1)
    assert done.err.startswith("simdocs: error: ")
    assert "No space left on device" in done.err
    assert "unexpected" not in done.err


@pytest.mark.reliability("a full standard output")
@pytest.mark.parametrize("command", WRITING)
def test_every_command_reports_a_full_standard_output(built, command):
    said = "simdocs: error: standard output: write error: No space left on device\n"
    assert into_a_full_disk(*EVERY[command], cwd=built) == (2, b"", said)


@pytest.mark.reliability("a closed standard output")
@pytest.mark.parametrize("command", ["query", *slow("dedupe", "info", "show", "pairs", "dedupe --against")])
def test_every_command_reports_a_closed_standard_output(built, command):
    closed = in_shell('simdocs "$@" >&-', *EVERY[command], cwd=built)
    assert closed == (2, b"", "simdocs: error: standard output: write error: Bad file descriptor\n")


@pytest.mark.reliability("a summary that cannot be written")
@pytest.mark.parametrize("command", BUILDING)
def test_no_artifact_is_published_if_its_summary_cannot_be_written(built, command):
    done = simdocs(*EVERY[command], "--summary-json", "/dev/full", cwd=built)
    assert done == (2, b"", "simdocs: error: /dev/full: write error: No space left on device\n")
    assert not [name for name in os.listdir(built) if "new" in name or "tmp" in name]


@pytest.mark.reliability("a summary that cannot be written")
def test_no_answer_is_published_if_its_summary_cannot_be_written(here):
    (here / "out").write_bytes(b"old")
    assert simdocs("dedupe", "docs", "-o", "out", "--summary-json", "/dev/full", cwd=here).status == 2
    assert (here / "out").read_bytes() == b"old"


@pytest.mark.reliability("a full or closed standard error")
@pytest.mark.parametrize("command", ["query", *slow("index", "dedupe")])
def test_a_full_or_closed_standard_error_changes_no_answer(built, command):
    expected = simdocs(*EVERY[command], cwd=built)
    with Path("/dev/full").open("wb") as full:
        assert simdocs(*EVERY[command], "-v", cwd=built, stderr=full) == expected
    assert in_shell('simdocs "$@" -v 2>&-', *EVERY[command], cwd=built) == expected


def test_a_full_device_as_output_or_summary_is_status_2(here):
    for output in ("-o /dev/full", "--summary-json /dev/full"):
        done = simdocs("dedupe", "docs", *output.split(), cwd=here)
        assert (done.status, len(done.err.splitlines())) == (2, 1)
    with Path("/dev/full").open("wb") as full:
        done = simdocs("dedupe", "docs", "--exit-code", "-v", cwd=here, stderr=full)
    assert (done.status, len(done.rows)) == (1, 1)


@pytest.mark.reliability("a closed standard output")
@pytest.mark.parametrize("jobs", ["-j2", *slow("-j1")])
def test_a_closed_standard_output_is_one_line_and_status_2(here, jobs):
    done = in_shell(f"simdocs dedupe docs {jobs} >&-", cwd=here, env=with_workers(here))
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    assert done.err.startswith("simdocs: error: standard output: ")


@pytest.mark.reliability("a closed standard output")
@pytest.mark.parametrize("what", [HELP[0], SHINGLES, *slow(*HELP[1:])])
def test_help_version_and_shingles_on_a_closed_output_are_one_line_and_status_2(here, what):
    done = in_shell(f"simdocs {what} >&-", cwd=here)
    assert (done.status, len(done.err.splitlines())) == (2, 1)


@pytest.mark.reliability("a closed standard output")
def test_a_closed_standard_output_does_not_matter_if_nothing_is_printed(here):
    assert in_shell("simdocs dedupe docs -o out >&-", cwd=here) == (0, b"", "")


@pytest.mark.reliability("a closed standard output")
@pytest.mark.parametrize("closed", ["2>&-", "<&- >&- 2>&-", *slow("<&-", "<&- >&-")])
def test_a_file_opened_later_does_not_take_the_place_of_a_closed_stream(here, closed, answer):
    env = with_workers(here)
    done = in_shell(f"simdocs dedupe docs -j2 {closed}", cwd=here, env=env)
    assert done[:2] == ((2, b"") if " >&-" in f" {closed}" else (0, answer))
    done = in_shell(f"simdocs dedupe docs -j2 -o out --summary-json note {closed}", cwd=here, env=env)
    assert done == (0, b"", "")
    assert (here / "out").read_bytes() == answer
    assert (here / "note").read_bytes().startswith(b"{")


@pytest.mark.reliability("more pairs than memory holds")
@pytest.mark.reliability("a reader that stops early")
@pytest.mark.parametrize("what", ["pairs -j1", "dedupe -j2", "dedupe --list duplicates --format jsonl"])
def test_a_reader_that_stops_ends_the_program_by_sigpipe(copies, what):
    with running(*what.split(), "docs", cwd=copies) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE


@pytest.mark.reliability("a reader that stops early")
def test_head_in_a_shell_ends_the_program_with_141(copies):
    done = in_shell("{ simdocs pairs docs; echo $? >&2; } | head -1", cwd=copies, program=stand_in())
    assert (done.status, len(done.rows), done.err) == (0, 1, "141\n")


@pytest.mark.reliability("a quota or limit on file sizes")
def test_an_answer_larger_than_files_may_be_keeps_the_old_one(copies):
    (copies / "out").write_bytes(b"old")
    done = simdocs("dedupe", "docs", "-o", "out", cwd=copies, limits={resource.RLIMIT_FSIZE: (10_000, 10_000)})
    assert (done.status, done.err) == (2, "simdocs: error: out: write error: File too large\n")
    assert (copies / "out").read_bytes() == b"old"
    assert sorted(os.listdir(copies)) == ["docs", "out"]


def test_an_answer_that_nobody_reads_ends_the_program_by_sigpipe(copies):
    with running("dedupe", "docs", cwd=copies) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE


@pytest.mark.reliability("a reader that stops early")
@pytest.mark.parametrize("command", WRITING)
def test_every_command_ends_by_sigpipe_if_nobody_reads(built, command):
    with running(*EVERY[command], cwd=built) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE


@pytest.mark.reliability("a reader that stops early")
def test_help_that_nobody_reads_ends_by_sigpipe():
    with running("dedupe", "--help") as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE


def test_an_answer_larger_than_a_pipe_is_read_to_its_end(copies):
    done = simdocs("pairs", "docs", cwd=copies)
    assert (done.status, done.err, len(done.rows)) == (0, "", COPIES - 1)
    assert len(done.out) > 2 * 65536
