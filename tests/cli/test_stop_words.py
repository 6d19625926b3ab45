"""--ignore-stop-words and --stop-words: which words count, in every command, and which lists are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from simdocs.options.recipes import MOST_STOP_WORDS
from tests.cli.corpus import lay
from tests.cli.program import Done, simdocs

DOCS = {
    "docs/a": b"The cow jumped over the moon and the stars of the night",
    "docs/b": b"A cow jumped over a moon, and some stars of a night",
    "docs/c": b"Una vaca era encima de la luna",
    "docs/only": b"to be or not to be",
}

LISTS = {
    "list": b"\xef\xbb\xbf# ours\r\nthe | an article\r\na some\n\n  The  \n",
    "same": b"some\nthe The a",
    "mac": b"# ours\rthe | an article\ra some\rThe",
    "other": b"moon\n",
    "empty": b"",
    "signs": b"!\n--\n",
    "latin": b"the\ncaf\xe9\n",
    "binary": b"the\0a",
}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = lay(tmp_path_factory.mktemp("stop"), DOCS | LISTS)
    for built in ("plain.index", "ignoring.index --ignore-stop-words", "list.index --stop-words list"):
        assert run(root, f"index docs --unit word -k 2 -o {built}").status == 0
    assert run(root, "shingle docs --unit word -k 2 --stop-words list -o list.shingles").status == 0
    return root


def run(where: Path, line: str, stdin: bytes = b"") -> Done:
    return simdocs(*line.split(), cwd=where, stdin=stdin)


@pytest.mark.parametrize("how", ["--ignore-stop-words", "--stop-words list"])
def test_texts_that_differ_in_stop_words_alone_are_the_same_without_them(here, how):
    assert run(here, f"dedupe docs --unit word -k 2 {how}").out == b"docs/a\tdocs/b\t1.000000\t1.000000\n"
    assert run(here, "dedupe docs --unit word -k 2").out == b""


def test_the_words_that_are_left_follow_each_other(here):
    done = run(here, "show docs/a --unit word -k 2 --ignore-stop-words")
    assert [shingle for shingle, _ in done.rows] == [b"cow jumped", b"jumped moon", b"moon stars", b"stars night"]
    done = run(here, "show - --unit word -k 2 --stop-words list", DOCS["docs/b"])
    assert [shingle for shingle, _ in done.rows][:3] == [b"cow jumped", b"jumped over", b"over moon"]
    done = run(here, "show docs/a --unit stopword -k 2 --stop-words other")
    assert [shingle for shingle, _ in done.rows] == [b"moon and"]


@pytest.mark.parametrize(
    "line",
    [
        "dedupe list.index --stop-words same",
        "dedupe list.index --stop-words mac",
        "dedupe list.shingles --stop-words list",
        "dedupe list.index --exact --shingles list.shingles",
    ],
)
def test_an_artifact_keeps_its_list(here, line):
    assert run(here, line).out == b"docs/a\tdocs/b\t1.000000\t1.000000\n"


def test_documents_of_a_query_are_cut_as_those_of_the_index(here):
    lay(here, {"new": b"some cow jumped over the moon and stars of the night"})
    for index in ("ignoring", "list"):
        assert [row[1:3] for row in run(here, f"query {index}.index new").rows] == [
            [b"docs/a", b"1.000000"],
            [b"docs/b", b"1.000000"],
        ]
    assert run(here, "query plain.index new").out == b""
    assert run(here, "dedupe new --against list.index --list duplicates").out == b"new\n"


REFUSED = {
    "dedupe docs --ignore-stop-words": (2, "--ignore-stop-words needs --unit word"),
    "index docs --unit word --language de -o x.index": (2, "needs --unit stopword, or --ignore-stop-words"),
    "show docs/a --unit word --language de --stop-words list": (2, "--language and --stop-words cannot be combined"),
    "dedupe docs --unit word --stop-words empty": (2, "empty: this list has no words: give one word on each line"),
    "audit docs --unit word --stop-words signs": (2, "signs: this list has no words"),
    "dedupe docs --unit word --stop-words latin": (2, "latin, line 2: this list is not in UTF-8: convert it first"),
    "dedupe docs --unit word --stop-words binary": (2, "binary: a binary file (a NUL byte in the first 8 KiB)"),
    "dedupe plain.index --stop-words list": (2, "plain.index was built without --stop-words: rebuild it, or leave"),
    "dedupe list.index --stop-words other": (
        2,
        "list.index was built with another --stop-words: rebuild it",
    ),
    "query plain.index list.shingles": (
        4,
        "ignore_stop_words is True, not False; stop_word_list is 'The a some the', not ''",
    ),
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_done_is_refused_with_a_reason(here, line):
    status, said = REFUSED[line]
    done = run(here, line)
    assert (done.status, done.out) == (status, b"")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_an_update_with_another_list_needs_rebuild(tmp_path):
    lay(tmp_path, DOCS | LISTS)
    build = "index docs --unit word -k 2 -o x.index"
    assert run(tmp_path, f"{build} --stop-words list") == (0, b"", "")
    assert run(tmp_path, f"{build} --stop-words same") == (0, b"", "")
    for more in ("--stop-words other", "--ignore-stop-words", ""):
        refused = run(tmp_path, f"{build} {more}")
        assert (refused.status, refused.out) == (2, b"")
        assert "--rebuild" in refused.err and "stop-words" in refused.err


def words_of(letter: str, size: int) -> bytes:
    """Different words that begin with this letter, one on each line: as many bytes as wanted."""
    lines = "".join(f"{letter}{number}\n" for number in range(size // 4))
    return lines.encode()[:size].decode(errors="ignore").encode().ljust(size, b" ")


@pytest.mark.parametrize("letter", ["ж", "\1"])
def test_the_longest_list_that_is_allowed_can_be_used_updated_and_queried(tmp_path, letter):
    """A manifest spells letters with escapes, of which the longest take six bytes for each byte."""
    lay(tmp_path, DOCS | {"list": words_of(letter, MOST_STOP_WORDS)})
    build = "index docs --unit word -k 2 --stop-words list -o x.index"
    assert run(tmp_path, build) == (0, b"", "")
    assert "4 unchanged" in run(tmp_path, f"{build} --summary").err
    assert run(tmp_path, "check x.index").status == 0
    assert run(tmp_path, "query x.index - --list matches", DOCS["docs/a"]).out == b"docs/a\n"


@pytest.mark.reliability("--stop-words of more than 256 KiB")
def test_a_longer_list_is_refused_before_the_documents_are_read(tmp_path):
    lay(tmp_path, {"list": words_of("x", MOST_STOP_WORDS + 1)})
    done = run(tmp_path, "index docs -o x.index --unit word --stop-words list")
    size = f"{MOST_STOP_WORDS + 1:,} bytes, and {MOST_STOP_WORDS:,} are allowed"
    remedy = "leave out comments and rare words"
    assert done == (2, b"", f"simdocs: error: list: this list of stop words has {size}: {remedy}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["list"]


def test_a_document_of_stop_words_alone_is_not_called_empty(here):
    (here / "void").touch()
    done = run(here, "dedupe void docs/only docs/a --unit word --ignore-stop-words")
    assert "void: this document is empty, so it matches nothing" in done.err
    assert "docs/only: this document has no words left without stop words, so it matches nothing" in done.err
    assert "docs/only: this document" not in run(here, "dedupe docs/only docs/a --unit word").err
