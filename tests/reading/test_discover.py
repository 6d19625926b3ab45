"""Row order, names, and which of several copies is kept."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import simdocs
from simdocs.reading.file_list import Found, Reached
from simdocs.reading.find import not_found
from tests.reading.finding import found_by

NAMES = ["A", "B/y", "_", "a b", "a-", "a.txt", "a/ ", "a/b", "a/c.d", "a/c/d", "a0", "aa/x", "z!", "z/\x01", "é"]
A = b"The ferry leaves the northern quay at seven every morning except on Sundays, when it leaves at nine."


@pytest.fixture
def docs(tmp_path, monkeypatch):
    for name in NAMES:
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "docs"


def found(*names: str | Path) -> list[str]:
    names_found = found_by(*names).names
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
