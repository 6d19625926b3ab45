"""--diff of dedupe and query shows the difference of each pair below it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import simdocs as program
from tests.cli.terminal import on_terminal

COMMON = "".join(f"Sentence number {number} is in every one of these texts.\n" for number in range(12))


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for name, end in (("a", "good"), ("b", "bad"), ("c", "good")):
        (tmp_path / "docs" / name).write_text(f"{COMMON}The end is {end}.\n")
    (tmp_path / "docs" / "other").write_text("Something else entirely, of some length.\n")
    return tmp_path


def pairs(out: bytes) -> list[tuple[list[str], str]]:
    """The names of each pair, and what stands below them."""
    found = [part.partition("\n") for part in out.decode().removesuffix("\n\n").split("\n\n")]
    return [(head.split("\t")[:2], text.removesuffix("\n") + "\n") for head, _, text in found]


def test_the_difference_of_each_pair_is_below_it(here):
    done = program("dedupe", "docs", "--diff", "words", cwd=here)
    assert (done.status, done.err) == (0, "")
    assert [names for names, _ in pairs(done.out)] == [["docs/a", "docs/b"], ["docs/a", "docs/c"]]
    first, second = (text for _, text in pairs(done.out))
    assert first.startswith("[... ") and first.endswith(" of these texts.\nThe end is [-good-]{+bad+}.\n")
    assert second == "[the texts are equal]\n"
    plain = [row[:2] for row in program("dedupe", "docs", cwd=here).names]
    assert [tuple(names) for names, _ in pairs(done.out)] == plain


def test_a_long_passage_that_only_one_text_has_is_shown_without_its_middle(here):
    book = "".join(f"On page {page} there is something else to read.\n" for page in range(300))
    (here / "book").write_text(f"{book}{COMMON}{book}")
    (here / "quote").write_text(COMMON)
    assert program("index", "book", "-o", "book.index", cwd=here).status == 0
    done = program("query", "book.index", "quote", "--measure", "containment", "--diff", "words", cwd=here)
    ((names, text),) = pairs(done.out)
    assert names == ["quote", "book"]
    assert len(text) < 2000
    assert text.startswith("{+On page 0 there is") and " more characters ...]" in text


def test_matches_have_differences_too(here):
    assert program("index", "docs", "-o", "x.index", cwd=here).status == 0
    (here / "new").write_text(f"{COMMON}The end is near.\n")
    done = program("query", "x.index", "new", "--diff", "words", cwd=here)
    assert [names for names, _ in pairs(done.out)] == [["new", name] for name in ("docs/b", "docs/a", "docs/c")]
    assert pairs(done.out)[0][1].endswith("The end is [-near-]{+bad+}.\n")
    done = program("dedupe", "new", "--against", "x.index", "--diff", "words", cwd=here)
    assert pairs(done.out)[0][1].endswith("{+near+}.\n")


def test_several_queries_have_the_differences_of_their_own_texts(here):
    assert program("index", "docs/a", "-o", "x.index", cwd=here).status == 0
    for name in ("one", "two"):
        (here / name).write_text(f"{COMMON}The end is {name}.\n")
    done = program("query", "x.index", "one", "two", "--diff", "words", cwd=here)
    assert [text.splitlines()[-1] for _, text in pairs(done.out)] == [
        "The end is [-one-]{+good+}.",
        "The end is [-two-]{+good+}.",
    ]


def test_json_lines_have_passages(here):
    lines = program("dedupe", "docs", "--diff", "words", "--format", "jsonl", cwd=here).out.splitlines()
    first = json.loads(lines[0])
    assert list(first) == ["kept", "duplicate", "jaccard", "estimate", "passages"]
    for name, side in (("docs/a", "a"), ("docs/b", "b")):
        assert "".join(passage[side] for passage in first["passages"]) == (here / name).read_text()


@pytest.mark.skipif(not shutil.which("patch"), reason="no patch here")
def test_a_unified_difference_of_a_pair_is_a_patch(here):
    done = program("dedupe", "docs/a", "docs/b", "--diff", "unified", cwd=here)
    subprocess.run(["patch", "-s", "-p0", "docs/a"], input=done.out, cwd=here, check=True)
    assert (here / "docs/a").read_bytes() == (here / "docs/b").read_bytes()


@pytest.mark.parametrize("lost", ["gone", "changed"])
def test_texts_that_are_gone_or_have_changed_are_said(here, lost):
    """They are compared by their signatures, which need no text."""
    assert program("index", "docs", "-o", "x.index", cwd=here).status == 0
    if lost == "gone":
        (here / "docs/b").unlink()
    else:
        (here / "docs/b").write_text("another text")
    options = ("dedupe", "x.index", "--verify", "estimate", "--diff", "words")
    said = {"gone": "docs/b is gone", "changed": "docs/b has changed"}[lost]
    done = program(*options, cwd=here)
    assert f"\n[no difference: {said}]\n\n" in done.out.decode()
    assert "[the texts are equal]" in done.out.decode()
    first = json.loads(program(*options, "--format", "jsonl", cwd=here).out.splitlines()[0])
    assert first["passages"] is None


def test_a_terminal_shows_pairs_and_their_differences_without_harm(here):
    (here / "docs" / "b").write_text(f"{COMMON}The end is \x1b[5mbad\u202e.\n")
    done = on_terminal("dedupe", "docs", "--diff", "words", "-q", colored=False, cwd=here, columns=80)
    assert done.status == 0
    assert "\\x1b" in done.out.decode()
    assert not set("\x1b\u202e") & set(done.out.decode())
    done = on_terminal("dedupe", "docs", "--diff", "words", "-q", cwd=here, columns=80)
    assert b"\x1b[1mdocs/a\tdocs/b\t" in done.out and b"\x1b[31;9mgood" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "csv"], "--diff prints marked texts, which have no place in csv"),
        (["-o", "x.tsv"], "--diff prints marked texts, which have no place in tsv"),
        (["--list", "kept"], "--diff and --list cannot be combined"),
    ],
)
def test_a_difference_has_no_place_in_tables_and_lists(here, words, said):
    done = program("dedupe", "docs", "--diff", "words", *words, cwd=here)
    assert (done.status, done.out) == (2, b"")
    assert said in done.err
