"""Row order, names, and which of several copies is kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simdocs.reading.file_list import Found, Reached
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
