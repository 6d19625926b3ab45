"""Row order, names, which of several copies is kept, and which files are chosen. Walks hold little memory."""

from __future__ import annotations

import errno
import os
import tracemalloc
from pathlib import Path

import pytest

import simdocs
from simdocs.model.skipped import Skipped
from simdocs.reading import file_list
from simdocs.reading.file_list import Found, Reached
from simdocs.reading.find import not_found
from tests.amounts import slow
from tests.cli.corpus import lay
from tests.reading.finding import found_by

NAMES = ["A", "B/y", "_", "a b", "a-", "a.txt", "a/ ", "a/b", "a/c.d", "a/c/d", "a0", "aa/x", "z!", "z/\x01", "é"]


def laid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str]) -> Path:
    """Lay files out in the directory `docs`, whose parent becomes the working directory."""
    lay(tmp_path / "docs", {name: name.encode() for name in names})
    monkeypatch.chdir(tmp_path)
    return tmp_path / "docs"


@pytest.fixture
def docs(tmp_path, monkeypatch):
    return laid(tmp_path, monkeypatch, NAMES)


def found(*names: str | Path, **walking: object) -> list[str]:
    names_found = found_by(*names, **walking).names
    return [os.fsdecode(name) for name in names_found]


@pytest.mark.reliability("spaces, repeated slashes, . and .. in paths")
@pytest.mark.parametrize("spelt", ["docs", "docs/", "docs//", "./docs", "docs/.", "docs/a/..", "docs/../docs"])
def test_names_are_written_as_they_were_reached(docs, spelt):
    slash = "" if spelt.endswith("/") else "/"
    assert found(spelt) == [f"{spelt}{slash}{name}" for name in NAMES]


@pytest.mark.reliability("spaces, repeated slashes, . and .. in paths")
def test_names_are_relative_or_absolute_as_the_argument_is(docs):
    assert found(".") == [f"./docs/{name}" for name in NAMES]
    assert found(docs) == [f"{docs}/{name}" for name in NAMES]


@pytest.mark.reliability("arguments that overlap")
def test_every_file_is_found_once(docs):
    assert found("docs/a0", "docs/a0", "./docs/a0") == ["docs/a0"]
    assert found("docs", "docs/a/c", "./docs/../docs", "docs/a0", docs) == [f"docs/{name}" for name in NAMES]
    assert found("docs/a/c", "docs")[:2] == ["docs/a/c/d", "docs/A"]


@pytest.mark.reliability("hard links")
def test_hard_links_are_one_document(docs):
    for name in ("docs/0", "docs/zz", "other"):
        os.link(docs / "a0", name)
    assert found("docs") == ["docs/0", *(f"docs/{name}" for name in NAMES if name != "a0")]
    assert found("other", "docs")[:2] == ["other", "docs/A"]


def test_files_of_two_file_systems_with_the_same_inode_are_two():
    reached = Reached()
    reached.add([Found(b"a", 1, 0, 0, device=1, inode=5), Found(b"b", 1, 0, 0, device=2, inode=5)])
    assert list(reached.files(()).names) == [b"a", b"b"]


def test_marks_of_finished_outputs_are_left_out_and_texts_of_the_same_names_are_not(docs):
    for name, text in {"d/_SUCCESS": "", "e/_SUCCESS": "a text", "e/manifest.json": '{"name": "an app"}'}.items():
        (docs / name).parent.mkdir(exist_ok=True)
        (docs / name).write_text(text)
    assert found("docs/d", "docs/e") == ["docs/e/_SUCCESS", "docs/e/manifest.json"]
    assert [name for name in found("docs") if name[5:] not in NAMES] == ["docs/e/_SUCCESS", "docs/e/manifest.json"]
    simdocs.shingle("docs", output="x.shingles")
    os.rename("x.shingles", "f")
    assert "f/manifest.json" in found("f") and "./f/manifest.json" not in found(".")


def test_the_error_about_a_missing_name_has_a_remedy_that_fits():
    def said(name: bytes, number: int = errno.ENOENT, *, listed: bool = False) -> str:
        return str(not_found(name, OSError(number, "gone"), listed=listed))

    assert said(b"http://a/b") == "http://a/b: this is a URL, and simdocs reads files: download it, or give its path"
    assert said(b"d/*.txt") == "d/*.txt: gone: to select files by name, read d with --include '*.txt'"
    assert said(b"?") == "?: gone: to select files by name, read . with --include '?'"
    assert (
        said(b"some words")
        == "some words: gone: if this is a text and not the name of a file, give - for standard input"
    )
    for name in (b"d/some words", b"some words.txt", b"a*/b", b"x" * 255):
        assert said(name) == f"{name.decode()}: gone"
    assert (said(b"*", errno.ENOTDIR), said(b"some words", listed=True)) == ("*: gone", "some words: gone")
    assert said(b"x" * 256) == f"{'x' * 80}...: gone"


FILES = ["a.txt", "b.md", "g.txt/h", "notes/a.txt", "notes/c.TXT", "notes/deep/d.txt"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    return laid(tmp_path, monkeypatch, [*FILES, ".hidden.txt"])


@pytest.mark.parametrize(
    ("include", "exclude", "taken"),
    [
        (["*.txt"], [], [0, 3, 5]),
        (["*.txt", "*.md"], [], [0, 1, 3, 5]),
        (["[ab].*"], [], [0, 1, 3]),
        (["?.txt"], [], [0, 3, 5]),
        (["notes/a.*"], [], [3]),
        (["/a.txt"], [], [0]),
        (["docs/*"], [], []),
        (["*"], [], [0, 1, 2, 3, 4, 5]),
        (["nothing"], [], []),
        (["a.tx"], [], []),
        ([], ["*.txt"], [1, 4]),
        ([], ["notes"], [0, 1, 2]),
        ([], ["deep/"], [0, 1, 2, 3, 4]),
        ([], ["deep", "b.md"], [0, 2, 3, 4]),
        ([], ["notes/deep"], [0, 1, 2, 3, 4]),
        ([], ["/a.txt"], [1, 2, 3, 4, 5]),
        ([], ["*"], []),
        (["*.txt"], ["a.*"], [5]),
        (["[ab].*", "d.txt"], ["deep"], [0, 1, 3]),
    ],
)
def test_include_and_exclude_take_files_by_name(files, include, exclude, taken):
    assert found("docs", include=tuple(include), exclude=tuple(exclude)) == [f"docs/{FILES[at]}" for at in taken]


def test_patterns_apply_to_walks_and_not_to_named_files(files):
    assert found("docs/b.md", "docs/notes", include=("*.txt",)) == [
        "docs/b.md",
        "docs/notes/a.txt",
        "docs/notes/deep/d.txt",
    ]


@pytest.mark.parametrize("root", ["docs", "docs/", "./docs", "docs//", "."])
def test_patterns_with_a_slash_match_paths_below_the_argument(files, root):
    pattern = "/docs/a.txt" if root == "." else "/a.txt"
    assert len(found(root, include=(pattern,))) == 1
    assert len(found(root, exclude=(pattern,))) == 5


def test_a_pattern_that_matches_nothing_brings_a_hint(files):
    nothing = "no file matches --include"
    for patterns, said in {
        ("*.c",): " '*.c'",
        ("txt", "*.c"): " 'txt' or '*.c': to match the end of a name, write '*.txt'",
        (".c",): " '.c': to match the end of a name, write '*.c'",
        ("docs/*",): " 'docs/*': a pattern with a slash is compared with the path below the directory",
        ("docs/b.md",): " 'docs/b.md': this is a file; the shell may have expanded a pattern: quote it, as in '*.md'",
    }.items():
        skipped = Skipped()
        found_by("docs", skipped=skipped, include=patterns)
        assert skipped.warnings == [nothing + said]


def walked(root: Path) -> tuple[list[bytes], int]:
    """Return the names found below a directory, and the peak of the memory that the walk held."""
    tracemalloc.start()
    try:
        found = found_by(root)
        return list(found.names), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.reliability("20,000 files in one directory")
@pytest.mark.parametrize("number", [4000, *slow(20_000)])
def test_a_walk_holds_less_than_512_bytes_for_each_file(tmp_path, number):
    """That is less than a signature takes. It includes the name, and holds during the walk, too."""
    names = [f"{tmp_path}/{at * 7919 % number:06}" for at in range(number)]
    for name in names:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    names_found, held = walked(tmp_path)
    assert names_found == sorted(os.fsencode(name) for name in names)
    assert held < 512 * number


@pytest.mark.parametrize("at_once", [1, 2, 3, 1000])
def test_files_are_in_bytewise_order_however_many_are_found_at_once(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(file_list, "_AT_ONCE", at_once)
    files = [b"%b%d" % (letter, at) for letter in (b"a", b"b", b"\xff", "\U0001f600".encode()) for at in range(4)]
    names = sorted([*files, *(b"%b.d/%b" % (name, name) for name in files[::3]), b"a/x", b"a0.d/y/z", b"a0.d/y0"])
    lay(tmp_path, {os.fsdecode(name): name for name in names})
    found = found_by(tmp_path)
    assert list(found.names) == [bytes(tmp_path) + b"/" + name for name in names]
    assert found.met["inode"].tolist() == [os.stat(name).st_ino for name in found.names]
