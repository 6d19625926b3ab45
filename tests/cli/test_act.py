"""act: what it does to files, and above all what it leaves alone."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simdocs as library
from tests.artifacts.test_answer_file import forge
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import Done, bound_by_modes, simdocs
from tests.cli.terminal import on_terminal
from tests.cli.traps import trap
from tests.storage.acting import JOURNAL, answered, undo

ALL = {"max_removed": 1.0}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with two near-duplicates, and two other documents, and the answer about them."""
    monkeypatch.chdir(tmp_path)
    lay(tmp_path, {"docs/a": A, "docs/deep/b": A1, "docs/deep/z": B, "docs/y": B[::-1]})
    answered("docs")
    return tmp_path


def move(**options: Any) -> list[tuple[str, str]]:
    """Move duplicates away: those that are left, and why."""
    done = library.act("x.answer", **{"move": "away", "yes": True} | options)
    return done.skipped.by_reason.get("left", [])


def program(*words: str, **how: Any) -> Done:
    return simdocs(*words, cwd=Path.cwd(), **how)


def left(why: str, name: str = "docs/deep/b", **options: Any) -> None:
    """Nothing is done to the duplicate, and it is named with the reason, also in a dry run."""
    before = {path: path.read_bytes() for path in Path("docs").rglob("*") if path.is_file()}
    for yes in (False, True):
        assert (name, why) in move(yes=yes, **options)
        assert {path: path.read_bytes() for path in Path("docs").rglob("*") if path.is_file()} == before
    assert not Path("away").exists()


def test_a_move_keeps_the_tree_and_everything_about_the_file(place: Path) -> None:
    file = place / "docs/deep/b"
    file.chmod(0o604)
    os.utime(file, ns=(10**18, 10**18 + 7))
    before = file.stat()
    assert move() == []
    after = (place / "away/docs/deep/b").stat()
    for field in ("st_ino", "st_mode", "st_mtime_ns", "st_uid", "st_gid", "st_size"):
        assert getattr(after, field) == getattr(before, field), field
    assert not file.exists()
    assert (place / "docs/a").read_bytes() == A
    assert (place / "away/docs").stat().st_mode & 0o777 == 0o700


def test_undo_is_a_dry_run_too_and_then_puts_everything_back(place: Path) -> None:
    before = (place / "docs/deep/b").stat()
    move()
    assert len(library.undo(JOURNAL)) > 0
    assert not (place / "docs/deep/b").exists()
    undo()
    assert (place / "docs/deep/b").stat().st_ino == before.st_ino
    assert not (place / "away").exists()
    assert program("undo", JOURNAL, "--yes") == (0, b"", "simdocs: nothing is left to put back\n")


def test_directories_that_act_made_go_with_the_last_file_that_comes_back(place: Path) -> None:
    lay(place, {"docs/deep/c": A2, "docs/a2": A})
    (place / "away/docs").mkdir(parents=True)
    answered("docs")
    assert move(**ALL) == []
    lay(place, {"docs/deep/c": b"something new"})
    assert undo().skipped.counts == {"left": 1}
    assert (place / "away/docs/deep/c").read_bytes() == A2
    (place / "docs/deep/c").unlink()
    assert undo().skipped.counts == {}
    assert list((place / "away").rglob("*")) == [place / "away/docs"]


# The duplicate or its kept document is not what it was


def test_other_times_and_inodes_alone_are_no_change(place: Path) -> None:
    for name in ("docs/a", "docs/deep/b"):
        data = (place / name).read_bytes()
        (place / name).unlink()
        (place / name).write_bytes(data)
        os.utime(place / name, (1, 1))
    assert move() == []


def linked(name: str) -> None:
    """Move a file or directory elsewhere, and leave a link to it."""
    Path(name).rename("elsewhere")
    Path(name).symlink_to(Path("elsewhere").absolute())


LINK = "is reached through a link, or is one"
CHANGES: dict[str, tuple[Callable[[], object], str]] = {
    "changed": (
        lambda: Path("docs/deep/b").write_bytes(A1.replace(b"third", b"fifth")),
        "it has changed since the answer",
    ),
    "gone": (lambda: Path("docs/deep/b").unlink(), "it is gone"),
    "a link": (lambda: linked("docs/deep/b"), f"it {LINK}"),
    "a directory that is a link": (lambda: linked("docs/deep"), f"it {LINK}"),
    "kept changed": (
        lambda: Path("docs/a").write_bytes(A.replace(b"seven", b"eight")),
        "its kept document docs/a has changed since the answer",
    ),
    "kept gone": (lambda: Path("docs/a").unlink(), "its kept document docs/a is gone"),
    "kept is a link": (lambda: linked("docs/a"), f"its kept document docs/a {LINK}"),
}


@pytest.mark.reliability("a duplicate or its kept document that has changed")
@pytest.mark.reliability("a link in the place of a file or directory")
@pytest.mark.parametrize("what", CHANGES)
def test_a_duplicate_is_left_if_it_or_its_kept_document_is_not_what_it_was(place: Path, what: str) -> None:
    change, why = CHANGES[what]
    change()
    left(why)
    done = program("act", "x.answer", "--move", "away", "--yes")
    assert (done.status, done.out, done.err) == (3, b"", f"simdocs: docs/deep/b: left as it is: {why}\n")


def test_an_argument_that_is_another_directory_now_is_not_entered(place: Path) -> None:
    shutil.copytree("docs", "copy")
    shutil.rmtree("docs")
    (place / "docs").symlink_to("copy")
    where = f"{place}/docs, which is another directory than the one that was read"
    left(f"its kept document docs/a lies in {where}")
    assert (place / "copy/deep/b").exists()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_regular_file_any_more_is_left(place: Path, make: Callable[[Path], None]) -> None:
    (place / "docs/deep/b").unlink()
    make(place / "docs/deep/b")
    assert move() == [("docs/deep/b", "it is not a regular file any more")]
    assert (place / "docs/deep/b").exists()


def test_a_duplicate_that_is_the_kept_file_now_is_left(place: Path) -> None:
    lay(place, {"docs/copy": A})
    answered("docs", exclude=["deep"])
    (place / "docs/copy").unlink()
    (place / "docs/copy").hardlink_to(place / "docs/a")
    left("it is the same file as its kept document docs/a", name="docs/copy")


@pytest.mark.parametrize("action", [{}, {"move": None, "hardlink": True}], ids=["move", "hardlink"])
def test_a_kept_file_whose_directory_leads_to_the_duplicate_now_is_not_taken_for_another(place, action) -> None:
    lay(place, {"docs/one/a": A[::-1], "docs/two/a": A[::-1]})
    answered("docs")
    shutil.rmtree(place / "docs/one")
    (place / "docs/one").symlink_to("two")
    (place / "docs/deep/b").unlink()
    left(f"its kept document docs/one/a {LINK}", name="docs/two/a", **action)


def test_two_answers_with_opposite_orders_leave_one_of_the_documents(place: Path) -> None:
    lay(place, {"docs/deep/b": A})
    library.write_answer(library.dedupe("docs/deep/b", "docs/a"), "y.answer")
    answered("docs/a", "docs/deep/b")
    assert move(**ALL) == []
    done = library.act("y.answer", move="away", yes=True, **ALL)
    assert done.skipped.by_reason["left"] == [("docs/a", "its kept document docs/deep/b is gone")]
    assert (place / "docs/a").read_bytes() == A


# What is similar


def test_an_estimate_is_not_acted_on(place: Path) -> None:
    answered("docs", threshold=0.3, verify="estimate")
    assert move() == []  # it is compared exactly now
    undo()
    forge(place / "x.answer", lambda lines: lines[0].update(threshold=0.99))
    ((_, why),) = move()
    assert why.endswith("and less than the threshold 0.99")


LINE = b"heartbeat ok\n"


@pytest.mark.reliability("a duplicate that repeats its shingles")
@pytest.mark.parametrize(("unit", "few", "many"), [("char", "77", "51,999"), ("word", "12", "8,000")])
def test_a_text_that_repeats_another_many_times_is_left(place: Path, unit: str, few: str, many: str) -> None:
    lay(place, {"docs/few": LINE * 6, "docs/many": LINE * 4000})
    for kept, duplicate, theirs, mine in (("few", "many", few, many), ("many", "few", many, few)):
        answered(f"docs/{kept}", f"docs/{duplicate}", "docs/y", unit=unit)
        units = {"char": "characters", "word": "words"}[unit]
        lengths = f"it has {mine} {units}, and its kept document docs/{kept} has {theirs}"
        left(f"{lengths}: look at both, or add --any-length to act on it", name=f"docs/{duplicate}", **ALL)
    assert move(any_length=True, **ALL) == []
    assert not (place / "docs/few").exists()


def test_compressed_files_are_compared_by_their_texts(place: Path) -> None:
    lay(place, {"docs/deep/b": b"", "docs/b.gz": gzip.compress(A1, mtime=0)})
    answered("docs")
    lay(place, {"docs/b.gz": gzip.compress(A1, mtime=0)[:-9]})
    assert [name for name, _ in move()] == ["docs/b.gz"]
    lay(place, {"docs/b.gz": gzip.compress(A1, 1, mtime=5)})
    assert move() == []


# What is chosen


def test_what_was_left_out_for_the_answer_is_left_out_again(place: Path) -> None:
    lay(place, {"form": B, "docs/deep/b": A + B})
    answered("docs", template="form")
    assert move() == []
    assert library.act("x.answer", hardlink=True).summary()["journal"] is None


def test_texts_that_came_from_no_file_are_left(place: Path) -> None:
    library.write_answer(library.dedupe(texts=[A, A1]), "x.answer")
    assert move() == [("1", "it came from no file")]
    library.write_answer(library.dedupe("docs/a", against=library.index(texts=[A])), "x.answer")
    assert move(**ALL) == [("docs/a", "its kept document 0 came from no file")]


# Where things go


@pytest.mark.reliability("a name that is taken at the target")
def test_a_name_that_is_taken_gets_a_number(place: Path) -> None:
    lay(place, {"away/docs/deep/b": b"not ours", "away/docs/deep/b.2": b"not ours either"})
    assert move() == []
    assert (place / "away/docs/deep/b.3").read_bytes() == A1
    assert (place / "away/docs/deep/b").read_bytes() == b"not ours"
    long = "n" * 255
    lay(place, {f"docs/{long}": A, f"away/docs/{long}": b"not ours"})
    answered("docs")
    assert move() == []
    assert (place / f"away/docs/{long[:253]}.2").read_bytes() == A


def test_the_target_must_be_a_directory_in_which_one_may_write(place: Path) -> None:
    (place / "locked").mkdir(0o500)
    for away in ("locked", "locked/away"):
        done = program("act", "x.answer", "--move", away, "--yes", before=bound_by_modes)
        assert (done.status, f"{away}: you may not write there" in done.err) == (2, True)
    assert (place / "docs/deep/b").exists()


def test_names_of_any_bytes_and_of_any_length(place: Path) -> None:
    names = [b"caf\xe9", b"line\nfeed", b"-rf", b"tab\t", b'quote"', b"\xf0\x9f\x98\x80", b"n" * 255, b" "]
    lay(place, {f"odd/{os.fsdecode(name)}": A + b"%d" % at for at, name in enumerate([b"0", *names])})
    answered("odd")
    assert move(**ALL) == []
    assert len(os.listdir("odd")) == 1
    undo()
    assert sorted(os.listdir(b"odd")) == sorted([b"0", *names])


def test_documents_of_an_index_are_kept_wherever_they_are(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(place, {"archive/old/a": A, "new/b": A1, "new/z": B})
    monkeypatch.chdir(place / "archive")
    library.index("old", output="x.index")
    monkeypatch.chdir(place)
    answered("new", against="archive/x.index")
    (place / "archive/old/a").write_bytes(B)
    left(f"its kept document {place}/archive/old/a has changed since the answer", name="new/b")
    (place / "archive/old/a").write_bytes(A)
    assert move() == []
    assert not (place / "new/b").exists()


INTERRUPTED = {
    "act x.answer --move away": "the answer is incomplete",
    "act x.answer --move away -o x.tsv": "nothing was written",
    "act x.answer --move away --yes": "",
    "dedupe docs/deep/b.jsonl --kept-rows k": "nothing was written",
}


@pytest.mark.parametrize("words", INTERRUPTED)
def test_an_interruption_says_what_it_has_left_but_for_steps_in_a_journal(place: Path, words: str) -> None:
    lay(place, {"docs/deep/b.jsonl": b'{"text": "one"}\n'})
    env = trap(place, "os.kill(main, 2)", "open", "docs/deep/b") | {"TERM": "xterm"}
    done = on_terminal(*words.split(), which=["stderr"], cwd=place, env=env)
    left = INTERRUPTED[words]
    assert (done.status, done.err) == (-signal.SIGINT, left and f"simdocs: interrupted: {left}\n")


# The journal


def test_a_second_run_refuses_while_another_is_unfinished(place: Path) -> None:
    move()
    lines = (place / JOURNAL).read_bytes().splitlines(keepends=True)
    (place / JOURNAL).write_bytes(b"".join(lines[:-1]))
    for yes in (False, True):
        with pytest.raises(library.OutputError, match="an earlier run was interrupted"):
            move(yes=yes)
    undo()
    assert move() == []


def test_a_line_that_was_cut_off_is_nothing_that_was_done(place: Path) -> None:
    move()
    undo()
    whole = (place / JOURNAL).read_bytes()
    move()
    longer = (place / JOURNAL).read_bytes()
    assert [line["run"] for line in map(json.loads, longer.splitlines()) if "run" in line] == [1, 1, 2, 2, 3, 3]
    begin = longer.index(b'"state": "begin"', len(whole))
    (place / "away/docs/deep/b").rename("docs/deep/b")
    (place / JOURNAL).write_bytes(longer[:begin])
    assert len(undo()) == 0
    assert move() == []


@pytest.mark.reliability("a damaged answer or journal")
def test_a_damaged_journal_is_refused(place: Path) -> None:
    move()
    whole = (place / JOURNAL).read_bytes()
    (place / JOURNAL).write_bytes(whole.replace(b'"step": 1, "state": "begin"', b'"step": 7, "state": "begin"'))
    for command in (("undo", JOURNAL, "--yes"), ("act", "x.answer", "--hardlink", "--yes")):
        done = program(*command)
        assert (done.status, "damaged: line 2 is not one" in done.err) == (4, True), done
    (place / JOURNAL).write_bytes(whole.replace(b'"version": 3', b'"version": 2'))
    with pytest.raises(library.ArtifactError, match="undo it with the version that wrote it"):
        undo()


@pytest.mark.parametrize("content", [b"a note", b"{}\n", b"\0" * 99])
def test_a_file_that_is_no_journal_is_never_changed(place: Path, content: bytes) -> None:
    (place / JOURNAL).write_bytes(content)
    for run in (undo, move):
        with pytest.raises(library.ArtifactError, match="this is not a journal of simdocs act"):
            run()
        assert (place / JOURNAL).read_bytes() == content
    assert (place / "docs/deep/b").exists()


def test_a_run_refuses_while_another_writes_the_journal(place: Path) -> None:
    move()
    with (place / JOURNAL).open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for command in (("undo", JOURNAL, "--yes"), ("act", "x.answer", "--hardlink", "--yes")):
            done = program(*command)
            assert (done.status, "another run is writing this journal" in done.err) == (75, True)


@pytest.mark.reliability("an undo that would overwrite a file")
def test_undo_never_overwrites_and_names_where_the_file_is(place: Path) -> None:
    move()
    lay(place, {"docs/deep/b": b"something new"})
    done = program("undo", JOURNAL, "--yes")
    why = f"something else has its name now: it is {place}/away/docs/deep/b"
    assert done == (3, b"", f"simdocs: docs/deep/b: left as it is: {why}\n")
    assert (place / "docs/deep/b").read_bytes() == b"something new"
    (place / "docs/deep/b").unlink()
    undo()
    assert (place / "docs/deep/b").read_bytes() == A1


def test_what_is_gone_or_in_a_directory_that_is_gone_is_named(place: Path) -> None:
    move()
    shutil.rmtree("docs/deep")
    ((_, why),) = undo().skipped.by_reason["left"]
    assert f"its directory {place}/docs/deep cannot be opened" in why
    (place / "docs/deep").mkdir()
    (place / "away/docs/deep/b").unlink()
    for text in (None, A):
        (place / "docs/deep/b").write_bytes(text) if text else None
        ((_, why),) = undo().skipped.by_reason["left"]
        assert f"neither it nor {place}/away/docs/deep/b is there" in why


@pytest.mark.parametrize(
    ("text", "later", "is_new"), [(A1, 1, True), (A1[::-1], 0, True), (A1[::-1], 1, False), (A1 + b"more", 0, False)]
)
def test_a_moved_file_is_put_back_if_its_bytes_are_the_same(place: Path, text: bytes, later: int, is_new: bool) -> None:
    """Of another file its size, its time and its inode may each be the same, if not all of them."""
    move()
    moved = place / "away/docs/deep/b"
    time = moved.stat().st_mtime_ns
    (place / "new" if is_new else moved).write_bytes(text)
    if is_new:
        (place / "new").replace(moved)
    os.utime(moved, ns=(time, time + later))
    found = undo().skipped.by_reason.get("left", [])
    if text == A1:
        assert (found, (place / "docs/deep/b").read_bytes(), moved.exists()) == ([], A1, False)
    else:
        assert f"{moved} is another file now" in found[0][1]
        assert (moved.read_bytes(), (place / "docs/deep/b").exists()) == (text, False)
