"""Standard output that is full, closed, or read no further."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.corpus import A, lay
from tests.cli.every import EVERY
from tests.cli.program import Done, in_shell, running, simdocs
from tests.cli.stand_in import stand_in
from tests.cli.traps import with_workers

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
@pytest.mark.parametrize("what", ["dedupe docs -j2", "dedupe docs --list kept -0", "--version", "dedupe --help"])
def test_a_full_disk_at_standard_output_is_one_line_and_status_2(here, what):
    done = into_a_full_disk(*what.split(), cwd=here)
    assert (done.status, len(done.err.splitlines())) == (2, 1)
    assert done.err.startswith("simdocs: error: ")
    assert "No space left on device" in done.err
    assert "unexpected" not in done.err


@pytest.mark.reliability("a full standard output")
@pytest.mark.parametrize("command", ["query", "passages", "info", "report", "index --dry-run"])
def test_every_command_reports_a_full_standard_output(built, command):
    said = "simdocs: error: standard output: write error: No space left on device\n"
    assert into_a_full_disk(*EVERY[command], cwd=built) == (2, b"", said)


@pytest.mark.reliability("a summary that cannot be written")
@pytest.mark.parametrize("command", ["index"])
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
@pytest.mark.parametrize("command", ["query", *slow("index")])
def test_a_full_or_closed_standard_error_changes_no_answer(built, command):
    expected = simdocs(*EVERY[command], cwd=built)
    with Path("/dev/full").open("wb") as full:
        assert simdocs(*EVERY[command], "-v", cwd=built, stderr=full) == expected
    assert in_shell('simdocs "$@" -v 2>&-', *EVERY[command], cwd=built) == expected


@pytest.mark.reliability("a closed standard output")
def test_a_closed_standard_output_matters_if_something_is_printed(here):
    said = "simdocs: error: standard output: Bad file descriptor\n"
    for what in ("dedupe docs", "--version"):
        done = in_shell(f"simdocs {what} >&-", cwd=here)
        assert done._replace(err=done.err.replace("write error: ", "")) == (2, b"", said)
    assert in_shell("simdocs dedupe docs -o out >&-", cwd=here) == (0, b"", "")


@pytest.mark.reliability("a closed standard output")
@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", *slow("2>&-", "<&-", "<&- >&-")])
def test_a_file_opened_later_does_not_take_the_place_of_a_closed_stream(here, closed, answer):
    env = with_workers(lay(here, {"docs/binary": b"\0"}))  # about which -v says something
    done = in_shell(f"simdocs dedupe docs -v -j2 {closed}", cwd=here, env=env)
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


@pytest.mark.reliability("a reader that stops early")
@pytest.mark.parametrize("command", ["query", "passages", "info", "report", "index --dry-run"])
def test_every_command_ends_by_sigpipe_if_nobody_reads(built, command):
    with running(*EVERY[command], cwd=built) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE
