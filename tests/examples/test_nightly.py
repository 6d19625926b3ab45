"""examples/nightly.sh updates an index and prints which new documents resemble others, when cron runs it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.artifacts.tiny import writing
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import PROGRAM, Argument, Done, bound_by_modes, finished, started
from tests.cli.stand_in import stand_in
from tests.report_pages import ReportPage

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/nightly.sh"
CRON = {"PATH": "/usr/bin:/bin"}

C = b"Of the two clocks in the hall the taller one is late, by a quarter of an hour in winter and by more in summer."


def nightly(*arguments: Argument, before: Callable[[], object] | None = None, **variables: str) -> Done:
    """Run the script as cron does, with a stand-in for the program unless variables name another."""

    def as_cron() -> None:
        os.umask(0o077)
        if before:
            before()

    program = {"SIMDOCS": stand_in(bound=before is not None), "LC_ALL": "C.UTF-8"}
    env = CRON | program | variables
    with started([EXAMPLE, *arguments], cwd="/", env=env, before=as_cron) as process:
        return finished(process)


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    """The paths of an archive and of its index."""
    lay(tmp_path / "the archive", {"a.txt": A, "deep/b.txt": B})
    (tmp_path / "lib").mkdir()
    paths = [tmp_path / "the archive", tmp_path / "lib/archive.index"]
    assert nightly(*paths) == (0, b"", "")
    return paths


def matches(done: Done) -> list[list[bytes]]:
    """Return the names in each line that was printed, when nothing else was said."""
    assert (done.status, done.err) == (0, "")
    return names(done)


def names(done: Done) -> list[list[bytes]]:
    """Return the names in each line that was printed, below the sentence and the header."""
    above, rows = done.rows[:2], done.rows[2:]
    if above:
        assert b"and what they resemble:" in above[0][0]
        assert list(above[1])[:2] == [b"query", b"match"]
    return [list(row[:2]) for row in rows]


def test_the_nightly_script_lists_each_new_document_with_what_it_resembles(two):
    archive = two[0]
    lay(archive, {"0 0.txt": A1, "new.txt": C})
    assert matches(nightly(*two, SIMDOCS=PROGRAM)) == [[bytes(archive / "0 0.txt"), bytes(archive / "a.txt")]]
    assert matches(nightly(*two)) == [], "they are not new the next night"
    lay(archive, {"new.txt": B})
    (archive / "a.txt").unlink()
    assert matches(nightly(*two)) == [[bytes(archive / "new.txt"), bytes(archive / "deep/b.txt")]]


def test_a_report_shows_the_new_documents_of_each_night(two):
    page = two[1].with_name("new.html")
    lay(two[0], {"new.txt": A1})
    done = nightly(*two, REPORT=str(page))
    assert len(matches(done)) == 1
    shown = [pair[:2] for pair in ReportPage(page.read_bytes()).pairs]
    assert shown == [(str(two[0] / "a.txt"), str(two[0] / "new.txt"))]
    assert nightly(*two, REPORT=str(page)) == (0, b"", "")
    assert ReportPage(page.read_bytes()).pairs == []
    gone = nightly(*two, REPORT=f"{page}/is/no/directory")
    assert (gone.status, gone.out, len(gone.err.splitlines())) == (2, b"", 1)


def test_an_archive_that_is_not_mounted_is_reported_and_its_index_stays(two):
    archive, index = two
    before = (index / "run.json").read_bytes()
    archive.rename(archive.with_name("disk"))
    archive.mkdir()
    done = nightly(*two)
    assert (done.status, done.out) == (2, b"")
    assert f"{archive} had 2 documents at the last build and has 0 now, so it is not replaced" in done.err
    assert [" ".join(line.split()[:2]) for line in done.err.splitlines()] == ["simdocs: warning:", "simdocs: error:"]
    assert (index / "run.json").read_bytes() == before
    archive.rmdir()
    archive.with_name("disk").rename(archive)
    assert matches(nightly(*two)) == []


def test_unreadable_documents_are_reported_and_the_others_compared(two):
    archive = two[0]
    lay(archive, {"closed.txt": C, "new.txt": A1})
    (archive / "closed.txt").chmod(0)
    done = nightly(*two, before=bound_by_modes)
    assert done.status == 3
    assert names(done) == [[bytes(archive / "new.txt"), bytes(archive / "a.txt")]]
    assert str(archive / "closed.txt") in done.err
    assert len(done.err.splitlines()) == 1


def test_another_run_that_writes_the_index_is_reported(two):
    with writing(two[1], "index"):
        done = nightly(*two, LOCK_WAIT="0.1")
    assert (done.status, done.out) == (75, b"")
    assert len(done.err.splitlines()) == 1
    assert "is being written" in done.err


def test_the_nightly_script_finds_the_program_by_path_or_on_path(two, tmp_path):
    nowhere = nightly(*two, SIMDOCS=f"{tmp_path}/no such")
    assert (nowhere.status, nowhere.out) == (2, b"")
    assert "there is no program" in nowhere.err
    (tmp_path / "a bin").mkdir()
    (tmp_path / "a bin/simdocs").symlink_to(PROGRAM)
    assert nightly(*two, SIMDOCS="", PATH=f"{tmp_path}/a bin:/usr/bin:/bin") == (0, b"", "")


@pytest.mark.parametrize("arguments", [["/"], ["/", "/", "/"], ["-x", "/", "/"]])
def test_wrong_arguments_of_the_nightly_script_are_refused(arguments):
    done = nightly(*arguments)
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("nightly.sh: ")
    assert done.err.endswith("usage: nightly.sh ARCHIVE NAME.index [OPTIONS OF simdocs index]\n")
