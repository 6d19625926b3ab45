"""--include and --exclude match names, or paths below the argument if the pattern contains a slash."""

from __future__ import annotations

import os

import pytest

from simdocs.model.skipped import Skipped
from tests.reading.finding import found_by

FILES = ["a.txt", "b.md", "g.txt/h", "notes/a.txt", "notes/c.TXT", "notes/deep/d.txt"]


@pytest.fixture
def docs(tmp_path, monkeypatch):
    for name in (*FILES, ".hidden.txt"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "docs"


def found(*names: str, **walking: object) -> list[str]:
    skipped = Skipped()
    names_found = found_by(*names, skipped=skipped, **walking).names
    assert set(skipped.counts) <= {"hidden"}
    return [os.fsdecode(name) for name in names_found]


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
def test_include_and_exclude_take_files_by_name(docs, include, exclude, taken):
    assert found("docs", include=tuple(include), exclude=tuple(exclude)) == [f"docs/{FILES[at]}" for at in taken]


def test_patterns_apply_to_walks_and_not_to_named_files(docs):
    assert found("docs/b.md", "docs/notes", include=("*.txt",)) == [
        "docs/b.md",
        "docs/notes/a.txt",
        "docs/notes/deep/d.txt",
    ]


@pytest.mark.parametrize("root", ["docs", "docs/", "./docs", "docs//", "."])
def test_patterns_with_a_slash_match_paths_below_the_argument(docs, root):
    pattern = "/docs/a.txt" if root == "." else "/a.txt"
    assert len(found(root, include=(pattern,))) == 1
    assert len(found(root, exclude=(pattern,))) == 5


def test_a_pattern_that_matches_nothing_brings_a_hint(docs):
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
