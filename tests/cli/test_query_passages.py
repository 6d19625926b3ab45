"""simdocs query --passages: which documents of an index have passages in common with others, and where."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.cli.program import Done, simdocs
from tests.cli.terminal import on_terminal

WORDS = ("bridge", "lamp", "river", "copper", "letter", "nine", "quiet", "harbour", "under", "seven", "paper", "wind")


def page(seed: int, words: int = 400) -> str:
    rng = random.Random(seed)
    return " ".join(f"{rng.choice(WORDS)}{rng.randrange(10_000)}" for _ in range(words))


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for number in range(12):
        (tmp_path / "docs" / f"{number:02}.txt").write_text(page(number))
    quote, other = page(7)[901:1401], page(3)[200:500]
    (tmp_path / "letter").write_text(f"{page(100, 60)}\n\n“{quote}”\n\nand {other}\n{page(101, 60)}\n")
    return tmp_path


def built(here: Path, *options: str) -> None:
    assert simdocs("index", "docs", "-o", "x.index", *options, cwd=here).status == 0


def query(here: Path, *arguments: str) -> Done:
    return simdocs("query", "x.index", *arguments, "--passages", cwd=here)


def named(done: Done) -> list[tuple[str, str]]:
    return [(row[0].decode(), row[4].decode()) for row in done.rows]


@pytest.mark.parametrize("options", [(), ("--containment",)])
def test_quotes_are_found_with_their_places_the_longest_first(here, options):
    built(here, *options)
    done = query(here, "letter")
    assert (done.status, done.err) == (0, "")
    assert named(done) == [("letter", "docs/07.txt"), ("letter", "docs/03.txt")]
    letter = (here / "letter").read_text()
    for row, seed, begin, end in zip(done.rows, (7, 3), (901, 200), (1401, 500), strict=True):
        a_begin, a_end, _, b_begin, b_end, b_line, units = map(int, (*row[1:4], *row[5:]))
        assert letter[a_begin:a_end] == page(seed)[b_begin:b_end]
        assert (b_begin, b_end, b_line) == (begin, end, 1)
        assert units == end - begin
    assert [int(row[3]) for row in done.rows] == [3, 5]
    assert query(here, "letter", "--exact").out == done.out


def test_the_answer_does_not_depend_on_the_number_of_workers_and_queries(here):
    built(here, "--containment")
    (here / "second").write_text(page(5)[300:900])
    both = query(here, "letter", "second", "-j1")
    assert both.out == query(here, "letter", "second", "-j2").out
    assert both.out == query(here, "letter").out + query(here, "second").out


@pytest.mark.parametrize("options", [(), ("--containment",)])
def test_documents_that_are_gone_or_have_changed_are_named_and_the_others_searched(here, options):
    built(here, *options)
    (here / "docs" / "07.txt").unlink()
    done = query(here, "letter")
    assert named(done) == [("letter", "docs/03.txt")]
    assert done.status == 3
    assert "docs/07.txt: skipped: its file is gone\n" in done.err
    assert "1 of 12 documents is gone or has changed since x.index was built: build it again" in done.err
    (here / "docs" / "07.txt").write_text("something else")
    done = query(here, "letter")
    assert (done.status, named(done)) == (3, [("letter", "docs/03.txt")])
    assert "docs/07.txt: skipped: its text has changed since it was read" in done.err
    assert "1 of 12 documents is gone or has changed since x.index was built: build it again" in done.err
    assert query(here, "letter", "--strict").status == 2


def test_people_see_passages_and_how_they_were_found(here):
    built(here, "--containment")
    done = on_terminal("query", "x.index", "letter", "--passages", which=("stdout",), colored=False, cwd=here)
    lines = done.out.decode().splitlines()
    assert lines[0].startswith("500 characters: letter:3 (")
    assert lines[0].endswith(") = docs/07.txt:1 (901-1401)")
    assert lines[1].startswith("“[=")
    summary = query(here, "letter", "-v").err
    assert "the sketch may miss short passages, --exact misses none; " in summary
    assert "2 passages of 60 characters or more for 1 document, in " in summary
    assert "every passage is found; 12 texts read again" in query(here, "letter", "-v", "--exact").err


def test_documents_without_passages_have_none(here):
    (here / "empty").write_bytes(b"")
    (here / "short").write_text("two words")
    built(here, "--containment")
    for name in ("empty", "short"):
        done = query(here, name)
        assert (done.status, done.out) == (0, b"")
        assert query(here, name, "--exit-code", "-q").status == 0
    assert query(here, "letter", "--exit-code", "-q").status == 1
