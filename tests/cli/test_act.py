"""act: what it does to files, and above all what it leaves alone."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
import stat
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import Done, bound_by_modes, simdocs
from tests.cli.test_saved_answers import saved

JOURNAL = "x.answer.journal.jsonl"

SHORT = b"tiny"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Two near-duplicates, and two other documents, with the answer about them."""
    lay(tmp_path, {"docs/a": A, "docs/deep/b": A1, "docs/deep/z": B, "docs/y": B[::-1]})
    saved(tmp_path, "docs")
    return tmp_path


def act(cwd: Path, *options: str | Path | bytes, yes: bool = True) -> Done:
    return simdocs("act", "x.answer", *options, *(("--yes",) if yes else ()), cwd=cwd)


def left(cwd: Path, *options: str, why: str, name: str = "docs/deep/b") -> None:
    """Nothing is done to the duplicate, it is named with the reason, and the status is 3."""
    before = {path: path.read_bytes() for path in (cwd / "docs").rglob("*") if path.is_file()}
    for yes in (False, True):
        done = act(cwd, *(options or ("--move", "away")), yes=yes)
        assert (done.status, done.out) == (3, b""), done
        assert f"simdocs: {name}: left as it is: {why}" in done.err.splitlines(), done.err
        assert {path: path.read_bytes() for path in (cwd / "docs").rglob("*") if path.is_file()} == before
    assert not (cwd / "away").exists()


def test_by_default_nothing_changes_and_each_action_is_printed(place: Path) -> None:
    before = sorted(place.rglob("*"))
    done = act(place, "--move", "away", "--format", "jsonl", yes=False)
    assert json.loads(done.out) == {
        "action": "move",
        "duplicate": "docs/deep/b",
        "kept": "docs/a",
        "to": "away/docs/deep/b",
        "bytes": len(A1),
    }
    assert (done.status, done.err) == (0, "simdocs: nothing was changed: --yes does what is listed\n")
    assert sorted(place.rglob("*")) == before


def test_a_move_keeps_the_tree_and_everything_about_the_file(place: Path) -> None:
    file = place / "docs/deep/b"
    file.chmod(0o604)
    os.utime(file, ns=(10**18, 10**18 + 7))
    before = file.stat()
    done = act(place, "--move", "away", "--summary")
    assert done.status == 0
    assert f"1 duplicate ({len(A1)} bytes) moved in " in done.err
    after = (place / "away/docs/deep/b").stat()
    for field in ("st_ino", "st_mode", "st_mtime_ns", "st_uid", "st_gid", "st_size"):
        assert getattr(after, field) == getattr(before, field), field
    assert not file.exists()
    assert (place / "docs/a").read_bytes() == A
    assert stat.S_IMODE((place / "away/docs").stat().st_mode) == 0o700


def test_undo_is_a_dry_run_too_and_then_puts_everything_back(place: Path) -> None:
    before = (place / "docs/deep/b").stat()
    act(place, "--move", "away")
    done = simdocs("undo", JOURNAL, cwd=place)
    assert done.rows[0] == [b"undo move", b"docs/deep/b", b"away/docs/deep/b"]
    assert (done.status, done.err) == (0, "simdocs: nothing was changed: --yes does what is listed\n")
    assert not (place / "docs/deep/b").exists()
    assert simdocs("undo", JOURNAL, "--yes", cwd=place).status == 0
    assert (place / "docs/deep/b").stat().st_ino == before.st_ino
    assert not (place / "away").exists()
    for option in [("--yes",), ()]:
        assert simdocs("undo", JOURNAL, *option, cwd=place) == (0, b"", "simdocs: nothing is left to put back\n")


def test_undo_leaves_directories_that_act_did_not_make(place: Path) -> None:
    (place / "away/docs").mkdir(parents=True)
    act(place, "--move", "away")
    assert simdocs("undo", JOURNAL, "--yes", cwd=place).status == 0
    assert list((place / "away").rglob("*")) == [place / "away/docs"]


def test_directories_that_act_made_go_with_the_last_file_that_comes_back(place: Path) -> None:
    lay(place, {"docs/deep/c": A2, "docs/a2": A})
    saved(place, "docs")
    assert len(act(place, "--move", "away", "--max-removed", "1").rows) == 3
    lay(place, {"docs/deep/c": b"something new"})
    assert simdocs("undo", JOURNAL, "--yes", cwd=place).status == 3
    assert (place / "away/docs/deep/c").read_bytes() == A2
    (place / "docs/deep/c").unlink()
    assert simdocs("undo", JOURNAL, "--yes", cwd=place).status == 0
    assert not (place / "away").exists()


def test_after_undo_the_same_answer_can_be_acted_on_again(place: Path) -> None:
    for _ in range(3):
        assert act(place, "--move", "away").status == 0
        assert simdocs("undo", JOURNAL, "--yes", cwd=place).status == 0
    assert (place / "docs/deep/b").read_bytes() == A1


# The duplicate or its kept document is not what it was


@pytest.mark.reliability("a duplicate or its kept document that has changed")
def test_a_changed_duplicate_is_left(place: Path) -> None:
    (place / "docs/deep/b").write_bytes(A1.replace(b"third", b"fifth"))
    left(place, why="it has changed since the answer")


def test_other_times_alone_are_no_change(place: Path) -> None:
    os.utime(place / "docs/deep/b", (1, 1))
    os.utime(place / "docs/a", (2, 2))
    assert act(place, "--move", "away").status == 0


def test_a_file_that_was_written_again_with_the_same_bytes_is_no_change(place: Path) -> None:
    for name in ("docs/a", "docs/deep/b"):
        data = (place / name).read_bytes()
        (place / name).unlink()
        (place / name).write_bytes(data)
    assert act(place, "--move", "away").status == 0


def test_a_missing_duplicate_is_named(place: Path) -> None:
    (place / "docs/deep/b").unlink()
    left(place, why="it is gone")


def test_without_its_kept_document_a_duplicate_is_left(place: Path) -> None:
    (place / "docs/a").unlink()
    left(place, why="its kept document docs/a is gone")


@pytest.mark.reliability("a duplicate or its kept document that has changed")
def test_if_the_kept_document_has_changed_a_duplicate_is_left(place: Path) -> None:
    (place / "docs/a").write_bytes(A.replace(b"seven", b"eight"))
    left(place, why="its kept document docs/a has changed since the answer")


def test_if_the_kept_document_is_a_link_now_a_duplicate_is_left(place: Path) -> None:
    (place / "docs/a").rename(place / "elsewhere")
    (place / "docs/a").symlink_to("../elsewhere")
    left(place, why="its kept document docs/a is reached through a link, or is one")


@pytest.mark.reliability("a link in the place of a file or directory")
def test_a_duplicate_that_is_a_link_now_is_left(place: Path) -> None:
    (place / "docs/deep/b").rename(place / "elsewhere")
    (place / "docs/deep/b").symlink_to(place / "elsewhere")
    left(place, why="it is reached through a link, or is one")
    assert (place / "elsewhere").read_bytes() == A1


@pytest.mark.reliability("a link in the place of a file or directory")
def test_a_directory_that_is_a_link_now_is_not_followed(place: Path) -> None:
    (place / "docs/deep").rename(place / "elsewhere")
    (place / "docs/deep").symlink_to("../elsewhere")
    left(place, why="it is reached through a link, or is one")


def test_an_argument_that_is_another_directory_now_is_not_entered(place: Path) -> None:
    shutil.copytree(place / "docs", place / "copy")
    shutil.rmtree(place / "docs")
    (place / "docs").symlink_to("copy")
    where = f"{place}/docs, which is another directory than the one that was read"
    left(place, why=f"its kept document docs/a lies in {where}")
    assert (place / "copy/deep/b").exists()


@pytest.mark.parametrize("kind", ["fifo", "socket", "directory"])
def test_what_is_no_regular_file_any_more_is_left(place: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "docs/deep/b").unlink()
    if kind == "fifo":
        os.mkfifo(place / "docs/deep/b")
    elif kind == "directory":
        (place / "docs/deep/b").mkdir()
    else:
        monkeypatch.chdir(place)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("docs/deep/b")
    done = act(place, "--move", "away")
    assert (done.status, done.out) == (3, b"")
    assert "docs/deep/b: left as it is: it" in done.err
    assert (place / "docs/deep/b").exists()


def test_a_duplicate_that_is_the_kept_file_now_is_left(place: Path) -> None:
    lay(place, {"docs/copy": A})
    saved(place, "docs", "--exclude", "deep")
    (place / "docs/copy").unlink()
    (place / "docs/copy").hardlink_to(place / "docs/a")
    left(place, why="it is the same file as its kept document docs/a", name="docs/copy")


def test_a_kept_file_whose_directory_leads_to_the_duplicate_now_is_not_taken_for_another(tmp_path: Path) -> None:
    lay(tmp_path, {"docs/one/a": A, "docs/two/a": A, "docs/y": B, "docs/z": B[::-1]})
    saved(tmp_path, "docs")
    shutil.rmtree(tmp_path / "docs/one")
    (tmp_path / "docs/one").symlink_to("two")
    why = "its kept document docs/one/a is reached through a link, or is one"
    for action in (("--move", "away"), ("--hardlink",)):
        left(tmp_path, *action, why=why, name="docs/two/a")


def test_two_answers_with_opposite_orders_leave_one_of_the_documents(place: Path) -> None:
    lay(place, {"docs/deep/b": A})
    for name, order in (("x.answer", ("docs/a", "docs/deep/b")), ("y.answer", ("docs/deep/b", "docs/a"))):
        assert simdocs("dedupe", *order, "-q", "-o", name, cwd=place).status == 0
    for name in ("x.answer", "y.answer"):
        done = simdocs("act", name, "--move", "away", "--max-removed", "1", "--yes", cwd=place)
    assert done.status == 3
    assert "its kept document docs/deep/b is gone" in done.err
    assert (place / "docs/a").read_bytes() == A


def test_a_repeated_run_finds_nothing_to_do(place: Path) -> None:
    assert act(place, "--move", "away").status == 0
    again = act(place, "--move", "away")
    assert (again.status, again.out) == (3, b"")
    assert "docs/deep/b: left as it is: it is gone" in again.err
    assert sorted(path.name for path in (place / "away").rglob("*") if path.is_file()) == ["b"]


# What is similar


def test_in_a_chain_only_what_is_similar_to_the_kept_document_goes(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(230)]
    for at, name in enumerate("abc"):
        lay(tmp_path, {f"docs/{name}": " ".join(words[at * 15 : at * 15 + 200]).encode()})
    head, rows = saved(tmp_path, "docs", "--cluster", "components", "--unit", "word", "-k", "1", threshold="0.8")
    assert [row["duplicate"] for row in rows] == ["docs/b", "docs/c"]
    assert rows[1]["jaccard"] < 0.8 == head["threshold"]
    done = act(tmp_path, "--move", "away", "--max-removed", "1")
    assert done.status == 3
    assert "docs/c: left as it is: its similarity to its kept document docs/a is 0." in done.err
    assert not (tmp_path / "docs/b").exists()


def test_an_estimate_is_not_acted_on(tmp_path: Path) -> None:
    lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/y": B, "docs/z": B[::-1]})
    _, rows = saved(tmp_path, "docs", "--verify", "estimate", threshold="0.3")
    (row,) = rows
    assert row["jaccard"] is None
    assert act(tmp_path, "--move", "away").status == 0  # it is compared exactly now
    text = (tmp_path / "x.answer").read_text().replace('"threshold": 0.3', '"threshold": 0.99')
    assert simdocs("undo", JOURNAL, "--yes", cwd=tmp_path).status == 0
    from tests.artifacts.test_answer_file import forge

    (tmp_path / "x.answer").write_text(text)
    forge(tmp_path / "x.answer", lambda _: None)
    done = act(tmp_path, "--move", "away")
    assert done.status == 3
    assert "and less than the threshold 0.99" in done.err


LINE = b"heartbeat ok\n"


@pytest.mark.reliability("a duplicate that repeats its shingles")
@pytest.mark.parametrize("order", [("few", "many"), ("many", "few")])
@pytest.mark.parametrize("unit", ["char", "word", "line"])
def test_a_text_that_repeats_another_many_times_is_left(tmp_path: Path, unit: str, order: tuple[str, str]) -> None:
    lay(tmp_path, {"docs/few": LINE * 6, "docs/many": LINE * 4000, "docs/y": B, "docs/z": A})
    kept, duplicate = (f"docs/{name}" for name in order)
    _, (row,) = saved(tmp_path, kept, duplicate, "docs", "--unit", unit)
    assert (row["kept"], row["duplicate"], row["jaccard"]) == (kept, duplicate, 1.0)
    options = ("--move", "away", "--max-removed", "1")
    units = {"char": (6 * 13 - 1, 4000 * 13 - 1), "word": (12, 8000), "line": (6, 4000)}[unit]
    theirs, mine = units if order[0] == "few" else reversed(units)
    lengths = f"it has {mine:,} {unit.replace('char', 'character')}s, and its kept document {kept} has {theirs:,}"
    left(tmp_path, *options, why=f"{lengths}: look at both, or add --any-length to act on it", name=duplicate)
    assert act(tmp_path, *options, "--any-length").status == 0
    assert not (tmp_path / duplicate).exists()


@pytest.mark.parametrize(("repeats", "status"), [(8, 0), (9, 3)])
def test_a_text_may_be_as_long_as_the_threshold_allows(tmp_path: Path, repeats: int, status: int) -> None:
    """At the threshold 0.5, 8 lines are twice as many as 4, and 9 are more."""
    lay(tmp_path, {"docs/a": LINE * 4, "docs/b": LINE * repeats, "docs/y": B, "docs/z": A})
    saved(tmp_path, "docs", "--unit", "line")
    assert act(tmp_path, "--move", "away").status == status


def test_a_text_shorter_than_a_shingle_goes_only_if_its_file_is_a_copy(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {"docs/a": SHORT, "docs/b": SHORT.upper(), "docs/c": SHORT, "docs/d": A, "docs/e": B, "docs/f": A[::-1]},
    )
    saved(tmp_path, "docs")
    done = act(tmp_path, "--move", "away")
    assert done.status == 3
    assert "docs/b: left as it is: its text is shorter than a shingle" in done.err
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == ["a", "b", "d", "e", "f"]


def test_tokens_that_were_left_out_are_left_out_again(tmp_path: Path) -> None:
    frame = b"All of these letters begin with the same long sentence about nothing at all. "
    lay(tmp_path, {f"docs/{n}": frame + text for n, text in enumerate((A, A1, B, B[::-1], A[::-1]))})
    _, rows = saved(tmp_path, "docs", "--ignore-common", "0.5")
    assert [row["duplicate"] for row in rows] == ["docs/1"]
    assert act(tmp_path, "--move", "away").status == 0


def test_compressed_files_are_compared_by_their_texts(tmp_path: Path) -> None:
    lay(tmp_path, {"docs/a": A, "docs/b.gz": gzip.compress(A1, mtime=0), "docs/z": B})
    saved(tmp_path, "docs")
    (tmp_path / "docs/b.gz").write_bytes(data := gzip.compress(A1, 1, mtime=5))
    done = act(tmp_path, "--move", "away", "--format", "jsonl")
    assert (done.status, json.loads(done.out)["bytes"]) == (0, len(data))


def test_a_cut_compressed_file_is_left(tmp_path: Path) -> None:
    lay(tmp_path, {"docs/a": A, "docs/b.gz": gzip.compress(A1, mtime=0), "docs/z": B})
    saved(tmp_path, "docs")
    (tmp_path / "docs/b.gz").write_bytes(gzip.compress(A1, mtime=0)[:-9])
    done = act(tmp_path, "--move", "away")
    assert (done.status, (tmp_path / "docs/b.gz").exists()) == (3, True)


# What is chosen


def test_rows_of_data_sets_are_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": str(at), "text": text.decode()}) + "\n" for at, text in enumerate((A, A1)))
    lay(tmp_path, {"docs/x.jsonl": lines.encode(), "docs/y": A2, "docs/z": B})
    saved(tmp_path, "docs")
    done = act(tmp_path, "--move", "away", "--max-removed", "1")
    assert done.status == 3
    of_row = (
        "docs/x.jsonl#1: left as it is: it is a row of docs/x.jsonl, not a file: write the other rows with --kept-rows"
    )
    of_file = "docs/y: left as it is: its kept document docs/x.jsonl#0 is a row of docs/x.jsonl, not a file"
    assert of_row in done.err
    assert of_file in done.err


@pytest.mark.parametrize("glob", ["b", "deep", "docs/deep", "docs/deep/", "deep/b", "docs/*/b", "/docs/deep/b"])
def test_what_is_protected_is_left_out(place: Path, glob: str) -> None:
    for protected in (glob, f"{place}/docs/deep"):
        done = act(place, "--move", "away", "--protect", protected)
        assert (done.status, done.out) == (0, b"")
        assert (place / "docs/deep/b").exists()


@pytest.mark.parametrize(("glob", "moved"), [("b", 1), ("docs/deep/*", 1), ("docs/deep", 1), ("deep/", 1), ("z", 0)])
def test_only_what_matches_is_acted_on(place: Path, glob: str, moved: int) -> None:
    done = act(place, "--move", "away", "--only", glob)
    assert (done.status, len(done.rows)) == (0, moved)
    assert ("none of the duplicates matches --only" in done.err) == (not moved)


def test_undo_says_that_nothing_is_left(place: Path) -> None:
    act(place, "--move", "away")
    said = [simdocs("undo", JOURNAL, "--yes", cwd=place).err for _ in range(2)]
    assert ["nothing is left to put back" in each for each in said] == [False, True]


def test_at_most_a_share_of_an_argument_is_acted_on(tmp_path: Path) -> None:
    lay(tmp_path, {"one/a": A, "two/b": A1, "two/c": A2, "two/z": B})
    saved(tmp_path, "one", "two")
    for yes in (False, True):
        done = act(tmp_path, "--move", "away", yes=yes)
        assert (done.status, done.out) == (2, b"")
        assert "2 of the 3 documents of two are duplicates, more than --max-removed 0.5 allows" in done.err
    assert not (tmp_path / JOURNAL).exists()
    assert act(tmp_path, "--move", "away", "--only", "b").status == 0
    assert simdocs("undo", JOURNAL, "--yes", cwd=tmp_path).status == 0
    assert act(tmp_path, "--move", "away", "--max-removed", "0.7").status == 0


def test_exactly_the_share_is_allowed(tmp_path: Path) -> None:
    lay(tmp_path, {"docs/a": A, "docs/b": A1})
    saved(tmp_path, "docs")
    assert act(tmp_path, "--move", "away").status == 0


# Where things go


@pytest.mark.reliability("a name that is taken at the target")
def test_a_name_that_is_taken_gets_a_number(place: Path) -> None:
    lay(place, {"away/docs/deep/b": b"not ours", "away/docs/deep/b.2": b"not ours either"})
    assert act(place, "--move", "away").status == 0
    assert (place / "away/docs/deep/b.3").read_bytes() == A1
    assert (place / "away/docs/deep/b").read_bytes() == b"not ours"


@pytest.mark.parametrize("away", ["docs/away", "docs", "./docs/../docs/deep", "link", "."])
def test_nothing_is_moved_into_a_directory_that_was_read(place: Path, away: str) -> None:
    (place / "link").symlink_to("docs/deep")
    done = act(place, "--move", away)
    assert (done.status, "where the next run would find them again" in done.err) == (2, True)
    assert (place / "docs/deep/b").exists()


def test_the_target_must_be_a_directory_that_exists_or_can_be_made(place: Path) -> None:
    done = act(place, "--move", "docs/a")
    assert done.status == 2
    lay(place, {"file": b""})
    assert "file: this is not a directory" in act(place, "--move", "file").err
    done = act(place, "--move", "none/away")
    assert (done.status, "create it first" in done.err) == (2, True)
    (place / "locked").mkdir(0o500)
    for away in ("locked", "locked/away"):
        done = simdocs("act", "x.answer", "--move", away, "--yes", cwd=place, before=bound_by_modes)
        assert (done.status, f"{away}: you may not write there" in done.err) == (2, True)
    assert simdocs("index", "docs", "-q", "-o", "x.index", cwd=place).status == 0
    assert "is inside an artifact" in act(place, "--move", "x.index/away").err
    assert "this is an artifact" in act(place, "--move", "x.index").err
    assert (place / "docs/deep/b").exists()


def test_an_absolute_name_keeps_its_whole_path(place: Path, tmp_path: Path) -> None:
    saved(place, str(place / "docs"))
    assert act(place, "--move", "away").status == 0
    assert (place / "away/docs/deep/b").read_bytes() == A1
    assert simdocs("undo", JOURNAL, "--yes", cwd=place).status == 0
    (place / "below").mkdir()
    shutil.copy(place / "x.answer", place / "below/x.answer")
    done = simdocs("dedupe", str(place / "docs"), "-t", "0.5", "-q", "-o", "x.answer", cwd=place / "below")
    assert done.status == 0
    assert act(place / "below", "--move", "away").status == 0
    assert (place / "below/away" / str(place / "docs/deep/b").lstrip("/")).read_bytes() == A1


def test_it_works_from_any_directory_and_prints_names_that_work_there(place: Path) -> None:
    done = simdocs("act", "../x.answer", "--move", "../away", "--yes", "--format", "jsonl", cwd=place / "docs")
    assert json.loads(done.out)["duplicate"] == f"{place}/docs/deep/b"
    assert (place / "away/docs/deep/b").exists()
    done = simdocs("undo", f"../{JOURNAL}", "--yes", cwd=place / "docs")
    assert (done.status, (place / "docs/deep/b").exists()) == (0, True)


def test_names_of_any_bytes_and_of_any_length(tmp_path: Path) -> None:
    long = "n" * 255
    names = [b"caf\xe9", b"line\nfeed", b"-rf", b"tab\t", b'quote"', b"\xf0\x9f\x98\x80", long.encode(), b" "]
    (tmp_path / "docs").mkdir()
    for number, name in enumerate([b"0", *names]):
        text = A.replace(b"dogs", b"dogs%d" % number)
        Path(os.fsdecode(os.path.join(bytes(tmp_path), b"docs", name))).write_bytes(text)
    saved(tmp_path, "docs")
    assert act(tmp_path, "--move", "away", "--max-removed", "1").status == 0
    assert len(os.listdir(tmp_path / "docs")) == 1
    assert simdocs("undo", JOURNAL, "--yes", cwd=tmp_path).status == 0
    assert sorted(os.listdir(bytes(tmp_path / "docs"))) == sorted([b"0", *names])


def test_documents_of_an_index_are_kept_wherever_they_are(tmp_path: Path) -> None:
    lay(tmp_path, {"archive/docs/a": A, "new/b": A1, "new/z": B})
    assert simdocs("index", "docs", "-q", "-o", "x.index", cwd=tmp_path / "archive").status == 0
    saved(tmp_path, "new", "--against", "archive/x.index")
    (tmp_path / "archive/docs/a").write_bytes(B)
    left(tmp_path / ".", why=f"its kept document {tmp_path}/archive/docs/a has changed since the answer", name="new/b")
    (tmp_path / "archive/docs/a").write_bytes(A)
    assert act(tmp_path, "--move", "away").status == 0
    assert not (tmp_path / "new/b").exists()


def test_an_answer_of_an_index_is_acted_on_like_one_of_documents(place: Path) -> None:
    assert simdocs("index", "docs", "-q", "-o", "x.index", cwd=place).status == 0
    saved(place, "x.index")
    assert act(place, "--move", "away").status == 0
    assert (place / "away/docs/deep/b").exists()


def test_a_list_of_names_is_acted_on_and_no_link_is_followed(place: Path) -> None:
    (place / "list").write_text("docs/a\ndocs/deep/b\ndocs/y\n")
    saved(place, "--files-from", "list")
    (place / "docs/deep/b").rename(place / "elsewhere")
    (place / "docs/deep/b").symlink_to("../../elsewhere")
    left(place, why="it is reached through a link, or is one")
    (place / "docs/deep/b").unlink()
    (place / "elsewhere").rename(place / "docs/deep/b")
    assert act(place, "--move", "away").status == 0


# The journal


def test_a_second_run_refuses_while_another_is_unfinished(place: Path) -> None:
    act(place, "--move", "away")
    lines = (place / JOURNAL).read_bytes().splitlines(keepends=True)
    (place / JOURNAL).write_bytes(b"".join(lines[:-1]))
    for yes in (False, True):
        done = act(place, "--move", "away", yes=yes)
        assert (done.status, done.out) == (2, b"")
        assert f"an earlier run was interrupted: undo it with simdocs undo {JOURNAL} --yes, then run again" in done.err
    assert simdocs("undo", JOURNAL, "--yes", cwd=place).status == 0
    assert act(place, "--move", "away").status == 0


def test_a_line_that_was_cut_off_is_nothing_that_was_done(place: Path) -> None:
    act(place, "--move", "away")
    assert simdocs("undo", JOURNAL, "--yes", cwd=place).status == 0
    whole = (place / JOURNAL).read_bytes()
    act(place, "--move", "away")
    longer = (place / JOURNAL).read_bytes()
    begin = longer.index(b'"state": "begin"', len(whole))
    (place / "away/docs/deep/b").rename(place / "docs/deep/b")
    (place / JOURNAL).write_bytes(longer[:begin])
    done = simdocs("undo", JOURNAL, "--yes", cwd=place)
    assert (done.status, done.out) == (0, b"")
    assert act(place, "--move", "away").status == 0


@pytest.mark.reliability("a damaged answer or journal")
def test_a_damaged_journal_is_refused(place: Path) -> None:
    act(place, "--move", "away")
    whole = (place / JOURNAL).read_bytes()
    (place / JOURNAL).write_bytes(whole.replace(b'"step": 1, "state": "begin"', b'"step": 7, "state": "begin"'))
    for command in (("undo", JOURNAL), ("undo", JOURNAL, "--yes"), ("act", "x.answer", "--hardlink", "--yes")):
        done = simdocs(*command, cwd=place)
        assert (done.status, "damaged" in done.err) == (4, True), done
    (place / JOURNAL).write_bytes(whole.replace(b'"version": 2', b'"version": 1'))
    done = simdocs("undo", JOURNAL, cwd=place)
    assert (done.status, "undo it with the version that wrote it" in done.err) == (4, True)
    assert simdocs("undo", "none", cwd=place).status == 2


@pytest.mark.parametrize(
    "content",
    [b"", b"a note", b"a note\n", b"two\nnotes\n", b"{}", b"{}\n", b'{"format": "simdocs.answer"}\n', b"\0" * 99],
)
def test_a_file_that_is_no_journal_is_never_changed(place: Path, content: bytes) -> None:
    for name, command in ((JOURNAL, ("act", "x.answer", "--move", "away")), ("note", ("undo", "note"))):
        (place / name).write_bytes(content)
        for yes in ((), ("--yes",)):
            done = simdocs(*command, *yes, cwd=place)
            if content:
                assert (done.status, "this is not a journal of simdocs act" in done.err) == (4, True), done
            if content or name == "note":
                assert (place / name).read_bytes() == content
    assert (place / "docs/deep/b").exists() == bool(content)


def test_a_run_refuses_while_another_writes_the_journal(place: Path) -> None:
    import fcntl

    act(place, "--move", "away")
    with (place / JOURNAL).open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for command in (("undo", JOURNAL, "--yes"), ("act", "x.answer", "--hardlink", "--yes")):
            done = simdocs(*command, cwd=place)
            assert (done.status, "another run is writing this journal" in done.err) == (75, True)


def test_without_a_place_for_the_journal_nothing_is_done(place: Path) -> None:
    (place / JOURNAL).mkdir()
    done = act(place, "--move", "away")
    assert (done.status, (place / "docs/deep/b").exists(), (place / "away").exists()) == (2, True, False)


@pytest.mark.reliability("an undo that would overwrite a file")
def test_undo_never_overwrites_and_names_where_the_file_is(place: Path) -> None:
    act(place, "--move", "away")
    lay(place, {"docs/deep/b": b"something new"})
    done = simdocs("undo", JOURNAL, "--yes", cwd=place)
    assert done.status == 3
    assert f"docs/deep/b: left as it is: something else has its name now: it is {place}/away/docs/deep/b" in done.err
    assert (place / "docs/deep/b").read_bytes() == b"something new"
    (place / "docs/deep/b").unlink()
    assert simdocs("undo", JOURNAL, "--yes", cwd=place).status == 0
    assert (place / "docs/deep/b").read_bytes() == A1


def test_what_is_gone_or_in_a_directory_that_is_gone_is_named(place: Path) -> None:
    act(place, "--move", "away")
    shutil.rmtree(place / "docs/deep")
    done = simdocs("undo", JOURNAL, "--yes", cwd=place)
    assert (done.status, f"its directory {place}/docs/deep cannot be opened" in done.err) == (3, True)
    (place / "docs/deep").mkdir()
    (place / "away/docs/deep/b").unlink()
    done = simdocs("undo", JOURNAL, "--yes", cwd=place)
    assert (done.status, f"neither it nor {place}/away/docs/deep/b is there" in done.err) == (3, True)


def test_a_moved_file_that_was_changed_is_not_put_back(place: Path) -> None:
    act(place, "--move", "away")
    (place / "away/docs/deep/b").write_bytes(b"edited")
    done = simdocs("undo", JOURNAL, "--yes", cwd=place)
    assert (done.status, "is another file now" in done.err) == (3, True)
    assert (place / "away/docs/deep/b").read_bytes() == b"edited"


@pytest.mark.parametrize("again", ["touched", "written anew", "another of the same size"])
def test_a_moved_file_is_put_back_if_its_bytes_are_the_same(place: Path, again: str) -> None:
    act(place, "--move", "away")
    moved = place / "away/docs/deep/b"
    if again == "touched":
        os.utime(moved, (1, 1))
    else:
        moved.unlink()
        moved.write_bytes(A1 if again == "written anew" else A1[::-1])
    done = simdocs("undo", JOURNAL, "--yes", cwd=place)
    if again == "another of the same size":
        assert (done.status, f"{moved} is another file now" in done.err) == (3, True)
        assert (moved.read_bytes(), (place / "docs/deep/b").exists()) == (A1[::-1], False)
    else:
        assert (done.status, (place / "docs/deep/b").read_bytes(), moved.exists()) == (0, A1, False)


def test_an_answer_that_was_edited_is_damaged(place: Path) -> None:
    lines = (place / "x.answer").read_text().splitlines(keepends=True)
    (place / "x.answer").write_text("".join(lines[:1] + lines[2:]))
    done = act(place, "--move", "away")
    assert (done.status, done.out) == (4, b"")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "say what to do with the duplicates: --move or --hardlink"),
        (("--move", "away", "--hardlink"), "--move and --hardlink cannot be combined: choose one action"),
        (("--hardlink", "--max-removed", "2"), "--max-removed must be a number above 0 and up to 1"),
    ],
)
def test_options_that_make_no_sense(place: Path, options: tuple[str, ...], message: str) -> None:
    done = act(place, *options)
    assert (done.status, message in done.err) == (2, True), done.err


def test_it_works_for_cron(place: Path) -> None:
    done = simdocs(*("act", "x.answer", "--move", "away", "--yes", "-q"), cwd=place, env={"PATH": "/usr/bin:/bin"})
    assert (done.status, done.err) == (0, "")
