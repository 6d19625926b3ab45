"""What an update keeps although it cannot be read, and what it does not keep."""

from __future__ import annotations

import errno
import gzip
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.corpora.containers import lines as of_lines
from simdocs.kernels import native
from simdocs.model.documents import STAMP_FIELDS
from simdocs.model.skipped import DocumentSkipped
from simdocs.pipeline import read_documents
from tests.cli.corpus import lay
from tests.cli.program import unprivileged
from tests.commands.building import built, standard_input
from tests.commands.test_keep_unreadable import closed
from tests.corpora.test_unchanged import LINES, Case, Watch

X = Path("x.shingles")
LINED = [f"docs/lines.jsonl#{number}" for number in range(1, 41)]


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.chdir(tmp_path)
    return Case(monkeypatch)


def names() -> list[str]:
    """The names of the documents of the artifact."""
    documents = simdocs.open(X).documents
    return [documents.name(row) for row in range(len(documents))]


def update(*arguments: str, **options: Any) -> simdocs.DryRun:
    """Update the artifact, and return what a dry run said before. The update skips the same documents."""
    given = arguments or ("docs",)
    told = simdocs.shingle(*given, output=X, dry_run=True, keep_unreadable=True, **options)
    built(X, list(given), keep_unreadable=True, **options)
    run = json.loads((X / "run.json").read_bytes())
    assert run["skipped"] == told.skipped.counts
    assert (run["changed"] == "") == (len(told.new) == len(told.changed) == 0)
    return told


def kept(told: simdocs.DryRun) -> list[str]:
    """The names of the documents that are kept. They are in the artifact, and counted."""
    found = [name for status, name in told.rows() if status == "kept"]
    assert set(found) <= set(names())
    assert told.counts.kept == len(found)
    return found


def watched(*arguments: str, **options: Any) -> set[str]:
    """Update the artifact, and return the names of the files that are read."""
    with pytest.MonkeyPatch.context() as patch:
        watch = Watch(patch)
        built(X, list(arguments) or ["docs"], keep_unreadable=True, **options)
    return watch.files


@pytest.mark.reliability("unreadable documents with --keep-unreadable")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("docs/a", ["docs/a"]),
        ("docs/sub", ["docs/sub/c"]),
        ("docs/lines.jsonl", LINED),
        ("docs", ["docs/a", "docs/b", *LINED, "docs/sub/c"]),
    ],
)
def test_documents_that_cannot_be_read_are_kept_only_with_the_option(
    case: Case, path: str, expected: list[str]
) -> None:
    before, stamps = names(), simdocs.open(X).documents.sources.files[list(STAMP_FIELDS)].tolist()
    with closed({path}):
        assert kept(update()) == expected
        assert simdocs.open(X).documents.sources.files[list(STAMP_FIELDS)].tolist() == stamps
        assert kept(update(checksum=True)) == expected
        assert kept(update(ignore_inode=True)) == expected
        assert names() == before
        built(X, ["docs"], allow_shrink=True)
        assert names() == [name for name in before if name not in expected]


def test_files_below_a_directory_that_was_closed_are_not_read_when_it_is_open_again(case: Case) -> None:
    with closed({"docs"}):
        assert len(kept(update())) == 43
    assert watched() == set()


def test_a_kept_file_that_was_recent_when_it_was_read_is_read_again(case: Case) -> None:
    """Perhaps it was changed once more in the same tick of the clock, and only then became unreadable."""
    case.ahead = 0
    lay(Path(), {"docs/sub/d": b"recent", "docs/sub/lines.jsonl": b"".join(LINES)})
    built(X, ["docs"])
    case.ahead += 3600 * 10**9
    for _ in range(2):
        with closed({"docs/sub"}):
            assert len(kept(update())) == 42
    assert watched() == {"docs/sub/c", "docs/sub/d", "docs/sub/lines.jsonl"}
    assert watched() == set()


def test_a_file_that_was_recent_and_then_failed_is_read_again(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its times are still those that it had. So a change in the same tick of the clock would never be found."""
    texts = ["docs/a", "docs/b", "docs/sub/c"]
    case.ahead = 0
    built(X, ["docs"], rebuild=True)
    case.ahead += 3600 * 10**9
    with monkeypatch.context() as patch, native.using("numpy"):
        patch.setattr(read_documents, "read", fail(DocumentSkipped("unreadable")))
        assert kept(update()) == texts
    assert watched() == set(texts)
    assert watched() == set()


def test_lines_that_were_skipped_from_a_kept_file_are_reported_when_it_can_be_read_again(case: Case) -> None:
    Path("docs/lines.jsonl").write_bytes(b"".join([*LINES[:20], b"{\n", *LINES[20:]]))
    assert update().skipped.counts == {"malformed": 1}
    for path in ("docs", "docs/lines.jsonl"):
        with closed({path}):
            assert len(kept(update())) >= 40
        assert update().skipped.counts == {"malformed": 1}


def test_entries_of_a_directory_that_can_be_listed_but_not_searched_are_kept(case: Case) -> None:
    os.chmod("docs/sub", 0o400)

    with unprivileged():
        assert kept(update()) == ["docs/sub/c"]
    os.chmod("docs/sub", 0o700)


def remove() -> None:
    os.remove("docs/a")


def empty() -> None:
    Path("docs/a").write_bytes(b"")


def binary() -> None:
    Path("docs/a").write_bytes(b"\0")


def fifo() -> None:
    os.remove("docs/a")
    os.mkfifo("docs/a")


def large() -> None:
    Path("docs/a").write_bytes(b"a" * 5000)


@pytest.mark.parametrize("change", [remove, empty, binary, fifo, large])
def test_documents_that_are_gone_or_can_be_judged_are_not_kept(case: Case, change: Callable[[], None]) -> None:
    change()
    told = update(max_size=4999)
    assert kept(told) == []
    assert (told.counts.removed, told.counts.changed) == ((0, 1) if change is empty else (1, 0))


def fail(error: Exception) -> Callable[..., Any]:
    def failing(*_: Any) -> Any:
        raise error

    return failing


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (DocumentSkipped.of(OSError(errno.EIO, os.strerror(errno.EIO))), os.strerror(errno.EIO)),
        (DocumentSkipped.of(OSError(errno.ESTALE, os.strerror(errno.ESTALE))), os.strerror(errno.ESTALE)),
        (DocumentSkipped("changed"), "changed while it was read"),
        (DocumentSkipped("changed", "replaced after it was found"), "replaced after it was found"),
    ],
)
def test_a_document_that_fails_or_changes_while_it_is_read_is_kept(
    case: Case, monkeypatch: pytest.MonkeyPatch, error: Exception, detail: str
) -> None:
    for name in ("docs/a", "docs/b"):
        os.utime(name)
    monkeypatch.setattr(read_documents, "read", fail(error))
    with native.using("numpy"):
        told = update()
    assert (kept(told), told.skipped.by_reason) == (
        ["docs/a", "docs/b"],
        {"kept": [("docs/a", detail), ("docs/b", detail)]},
    )


def test_a_new_file_that_cannot_be_read_is_skipped_between_kept_ones(case: Case) -> None:
    lay(Path(), {"docs/aa": b"new", "docs/c": b"another"})
    with closed({"docs/a", "docs/aa", "docs/b"}):
        told = update()
    assert kept(told) == ["docs/a", "docs/b"]
    assert told.skipped.counts == {"unreadable": 1, "kept": 2}
    assert ("new", "docs/c") in told.rows()


def test_a_file_that_was_renamed_and_cannot_be_read_is_not_kept_under_its_old_name(case: Case) -> None:
    os.rename("docs/a", "docs/z")
    with closed({"docs/z"}):
        told = update()
    assert (kept(told), told.skipped.counts, "docs/a" in names()) == ([], {"unreadable": 1}, False)


def test_a_file_that_another_one_replaced_is_kept_with_the_text_that_it_had(case: Case) -> None:
    """It has the name of the one and the inode of the other."""
    before = simdocs.open(X).documents.facts["digest"][0].tolist()
    os.rename("docs/b", "docs/a")
    with closed({"docs/a"}):
        assert kept(update()) == ["docs/a"]
    assert simdocs.open(X).documents.facts["digest"][0].tolist() == before


def test_lines_from_standard_input_are_not_kept_because_a_file_named_like_it_cannot_be_read(case: Case) -> None:
    for name, expected in (("-", LINED[:30]), ("later", LINED[:20])):
        Path(name).write_bytes(b"".join(LINES[: len(expected)]))
        with standard_input(Path(name)), closed({"-"}):
            built(X, ["-"], jsonl=True, keep_unreadable=True, allow_shrink=True)
        assert names() == [each.replace("docs/lines.jsonl", "-") for each in expected]


def failing_after(pieces: int, error: Exception) -> Callable[..., Any]:
    """Content that cannot be read after so many pieces."""
    real = of_lines.chunks

    def chunks(*arguments: Any, **more: Any) -> Iterator[Any]:
        for number, chunk in enumerate(real(*arguments, **more)):
            if number == pieces:
                raise error
            yield chunk

    return chunks


@pytest.mark.parametrize("pieces", [0, 1, 3])
@pytest.mark.parametrize("name", ["docs/lines.jsonl", "docs/lines.jsonl.gz"])
def test_all_lines_of_a_file_are_kept_if_it_cannot_be_read_to_its_end(
    case: Case, monkeypatch: pytest.MonkeyPatch, pieces: int, name: str
) -> None:
    data = b"".join(LINES)
    os.remove("docs/lines.jsonl")
    Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    update()
    before = names()
    Path(name).write_bytes(gzip.compress(data[40:] * 2) if name.endswith(".gz") else data[40:] * 2)
    monkeypatch.setattr(of_lines, "chunks", failing_after(pieces, OSError(errno.EIO, "broken")))
    told = update()
    assert kept(told) == [each for each in before if "#" in each]
    assert [name for name, _ in told.skipped.by_reason["kept"]] == [name]
    assert names() == before


def test_a_file_of_lines_that_only_grows_while_it_is_read_is_read(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it had at first can be read, so there is nothing to keep."""
    with Path("docs/lines.jsonl").open("ab") as stream:
        stream.write(b'{"text": "new"}\n')
    monkeypatch.setattr(of_lines, "chunks", grows_at_the_end(of_lines.chunks))
    told = update()
    assert (kept(told), told.skipped.counts, told.counts.new) == ([], {"changed": 1}, 1)


def grows_at_the_end(real: Callable[..., Any]) -> Callable[..., Any]:
    def chunks(*arguments: Any, **more: Any) -> Iterator[Any]:
        yield from real(*arguments, **more)
        raise DocumentSkipped("changed")

    return chunks


def test_a_kept_document_is_in_the_place_of_its_argument(case: Case) -> None:
    lay(Path(), {"one/x/a": b"a", "one/x.txt": b"b", "one/xy": b"c", "two/x": b"d", "three": b"e"})
    arguments = ("two", "one", "three", "docs")
    update(*arguments)
    before = names()
    for paths in ({"one/x"}, {"one"}, {"two", "docs/sub"}, {"one/x", "two", "docs", "three"}):
        with closed(paths):
            assert len(kept(update(*arguments))) > 0
            assert names() == before
    given = json.loads((X / "run.json").read_bytes())["given"]
    assert given == [["two", 1], ["one", 3], ["three", 1], ["docs", 43]]


def test_kept_documents_follow_the_arguments_whose_order_is_another_one_now(case: Case) -> None:
    lay(Path(), {"one/x/a": b"a", "one/x/b": b"b", "two/x": b"c"})
    update("one", "docs", "two")
    with closed({"one", "docs/sub", "two"}):
        assert kept(update("two", "docs", "one")) == ["two/x", "docs/sub/c", "one/x/a", "one/x/b"]
    assert names() == ["two/x", "docs/a", "docs/b", *LINED, "docs/sub/c", "one/x/a", "one/x/b"]


def test_a_kept_document_belongs_to_the_list_that_named_its_directory(case: Case) -> None:
    Path("list").write_bytes(b"docs/sub\ndocs/a\n")
    for _ in range(2):
        told = simdocs.shingle(files_from="list", output=X, dry_run=True, keep_unreadable=True, allow_shrink=True)
        built(X, [], files_from="list", keep_unreadable=True, allow_shrink=True)
        assert names() == ["docs/a", "docs/sub/c"]
        os.chmod("docs/sub", 0)

        with unprivileged():
            told = simdocs.shingle(files_from="list", output=X, dry_run=True, keep_unreadable=True)
        os.chmod("docs/sub", 0o700)
        assert list(told.rows()) == [("kept", "docs/sub/c")]


def test_a_file_that_was_moved_out_of_a_closed_directory_is_not_kept_there(case: Case) -> None:
    """It can be read under its new name. Its directory was renamed, so its times are the same."""
    os.rename("docs/sub", "docs/moved")
    os.mkdir("docs/sub")
    for how in ({}, {"checksum": True}):
        with closed({"docs/sub"}):
            told = update(**how)
        assert (kept(told), told.skipped.counts) == ([], {"unreadable": 1})
        assert names()[-1] == "docs/moved/c"


def test_a_file_that_an_earlier_argument_gave_and_is_found_now_is_not_kept_too(case: Case) -> None:
    Path("docs/sub/c").write_bytes(b"another text")
    os.chmod("docs/sub", 0o300)

    with unprivileged():
        told = update("docs", "docs/sub/c")
    os.chmod("docs/sub", 0o700)
    assert (kept(told), names().count("docs/sub/c")) == ([], 1)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"exclude": ("c",)}, ["docs/sub/.d/e"]),
        ({"exclude": ("sub/.d",)}, ["docs/sub/c"]),
        ({"include": ("e",)}, ["docs/sub/.d/e"]),
        ({"hidden": False}, ["docs/sub/c"]),
        ({}, ["docs/sub/.d/e", "docs/sub/c"]),
    ],
)
def test_what_a_walk_would_leave_out_now_is_not_kept(case: Case, options: dict[str, Any], expected: list[str]) -> None:
    lay(Path(), {"docs/sub/.d/e": b"hidden"})
    update(hidden=True)
    with closed({"docs/sub"}):
        told = update(**({"hidden": True, "allow_shrink": True} | options))
    assert kept(told) == expected


def test_documents_with_relative_names_are_kept_only_where_they_were_read(case: Case) -> None:
    lay(Path(), {"other/docs/a": b"another", "other/docs/sub/c": b"another"})
    os.chdir("other")
    with closed({"docs/sub", "docs/a"}):
        told = simdocs.shingle("docs", output=Path("..") / X, dry_run=True, keep_unreadable=True, allow_shrink=True)
    assert (told.counts.kept, told.counts.removed, told.skipped.counts) == (0, 43, {"unreadable": 2})


def test_documents_with_absolute_names_are_kept_wherever_the_update_runs(case: Case) -> None:
    docs, artifact = str(Path("docs").absolute()), X.absolute()
    built(X, [docs])
    os.mkdir("other")
    os.chdir("other")
    with closed({f"{docs}/sub", f"{docs}/a"}):
        told = simdocs.shingle(docs, output=artifact, dry_run=True, keep_unreadable=True)
    assert list(told.rows()) == [("kept", f"{docs}/a"), ("kept", f"{docs}/sub/c")]


def test_a_run_that_keeps_documents_is_not_strict(case: Case) -> None:
    before = (X / "run.json").read_bytes()
    with closed({"docs/a"}), pytest.raises(simdocs.UnjudgedError):
        built(X, ["docs"], keep_unreadable=True, strict=True)
    assert (X / "run.json").read_bytes() == before


def test_nothing_can_be_kept_by_a_rebuild() -> None:
    with pytest.raises(simdocs.UsageError, match="keep_unreadable and rebuild cannot be combined"):
        simdocs.index("docs", keep_unreadable=True, rebuild=True)
