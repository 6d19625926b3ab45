"""The lines of a summary: what was compared, what was found, and what the duplicates take."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.conftest import FILES
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs
from tests.cli.terminal import on_terminal
from tests.similar_texts import family

TEXTS = "docs", "new"

ASKS = {
    "groups": ("dedupe", "docs", "new"),
    "longest": ("dedupe", "docs", "new", "--keep", "longest"),
    "estimate": ("dedupe", "docs", "new", "--verify", "estimate"),
    "exact": ("dedupe", "docs", "new", "--exact"),
    "components": ("dedupe", "docs", "new", "--cluster", "components"),
    "pairs": ("pairs", "docs", "new"),
    "all copies": ("pairs", "docs", "new", "--all-copies"),
    "exact pairs": ("pairs", "docs", "new", "--exact"),
    "an index": ("dedupe", "docs.index"),
    "pairs of an index": ("pairs", "docs.index", "--all-copies"),
    "against": ("dedupe", "new", "--against", "docs.index"),
    "query": ("query", "docs.index", "new"),
    "top": ("query", "docs.index", "new", "--top", "1"),
    "nearest": ("query", "docs.index", "new", "--nearest", "3"),
    "query by estimate": ("query", "docs.index", "new", "--verify", "estimate"),
}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directories of similar texts with many copies, and an index of one."""
    texts = family(5, 60)
    files = {f"{TEXTS[at % 3 == 0]}/{at:03}": text.data for at, text in enumerate(texts + texts[::2] + texts[::3])}
    root = lay(tmp_path_factory.mktemp("large"), files)
    words = ("--unit", "word", "-k", "2", "-t", "0.5")
    assert simdocs("index", "docs", *words, "-q", "-o", "docs.index", cwd=root).status == 0
    return root


@pytest.mark.parametrize("ask", [*list(ASKS)[::3], *slow(*list(ASKS)[1::3], *list(ASKS)[2::3])])
def test_verified_pairs_are_some_of_the_candidates(large, ask):
    words = ("--unit", "word", "-k", "2", "-t", "0.5") if ASKS[ask][1:3] == ("docs", "new") else ()
    done = simdocs(*ASKS[ask], *words, "-q", "-o", "/dev/null", "--summary-json", "/dev/stdout", cwd=large)
    assert done.status == 0
    note = json.loads(done.out)
    assert 0 <= note["verified"] <= note["candidates"]
    assert note["candidates"] > 20
    assert (note["verified"] == 0) == ("estimate" in ASKS[ask])


def lines(where: Path, *arguments: str) -> list[str]:
    """The summary, the time that it took left out."""
    done = simdocs(*arguments, "--summary", "-o", "answer", cwd=where)
    assert done.status == 0
    return [re.sub(r", in \d+\.\d\d s", "", line) for line in done.err.splitlines()]


def test_the_summary_has_the_bytes_that_deleting_the_duplicates_frees(here):
    lay(here, {"docs/copy.txt": A, "large/a": b"word " * 5000, "large/b": b"Word " * 5000})
    *_, last = lines(here, "dedupe", "docs")
    assert last == f"2 duplicates of 1 document, 2 kept; deleting the duplicates frees {len(A1 + A)} bytes"
    *_, last = lines(here, "dedupe", "large")
    assert last == "1 duplicate of 1 document, 1 kept; deleting the duplicates frees 24.4 KiB"
    assert simdocs("dedupe", "large", "--summary-json", "note", cwd=here).status == 0
    assert json.loads((here / "note").read_bytes())["duplicate_bytes"] == 25000


def freed(where: Path, docs: str) -> tuple[str, tuple[int, int, int]]:
    """The end of the last line of the summary; and text, files and freed bytes of the duplicates as in the JSON."""
    *_, last = lines(where, "dedupe", docs, "--summary-json", "note")
    note = json.loads((where / "note").read_bytes())
    return last.rpartition("; ")[2], (note["duplicate_bytes"], note["duplicate_files"], note["freed_bytes"])


def test_compressed_duplicates_count_with_their_size_on_disk(here):
    packed = gzip.compress(b"word " * 5000, mtime=0)
    lay(here, {"packed/a": b"word " * 5000, "packed/b.gz": packed})
    says = f"deleting the duplicates frees {len(packed)} bytes, they have 24.4 KiB of text"
    assert freed(here, "packed") == (says, (25000, 1, len(packed)))


def test_a_duplicate_with_other_names_frees_nothing(here):
    """A walk reads a file once, under its first name. The other names keep the file when that one is deleted."""
    lay(here, {"links/a": B, "links/b": B})
    os.link(here / "links/b", here / "links/c")
    says = f"deleting the duplicates frees 0 bytes, they have {len(B)} bytes of text"
    assert freed(here, "links") == (says, (len(B), 1, 0))


def test_duplicate_lines_are_no_files_and_have_only_text(here):
    row = json.dumps({"text": B.decode()}).encode()
    lay(here, {"rows/a.jsonl": row + b"\n" + row + b"\n"})
    assert freed(here, "rows") == (f"the duplicates have {len(B)} bytes of text", (len(B), 0, 0))
    lay(here, {"rows/b.txt": B})
    says = f"deleting those that are files frees {len(B)} bytes, all duplicates have {2 * len(B)} bytes of text"
    assert freed(here, "rows") == (says, (2 * len(B), 1, len(B)))
    symbolic = here / "linked"
    lay(here, {"linked/a": B})
    os.symlink("../rows/b.txt", symbolic / "z")
    *_, last = lines(here, "dedupe", "linked", "--follow")
    assert "deleting the duplicates frees 0 bytes" in last


def test_an_answer_without_rows_is_said_in_words(here):
    """Never `0 matches for 0 documents`."""
    lay(here, {"other": B[::-1], "empty/e": b""})
    assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 0
    for arguments, said in {
        ("dedupe", "docs/a.txt", "docs/c.txt"): "no duplicates",
        ("dedupe", "empty"): "no duplicates",
        ("dedupe", "other", "--against", "x.index"): "no duplicates",
        ("query", "x.index", "other"): "no matches",
        ("query", "x.index", "empty"): "no matches",
    }.items():
        summary = lines(here, *arguments)
        assert said in summary
        assert not re.search(r"\b0 (matches|duplicates|documents)\b", "\n".join(summary[summary.index(said) :]))


TOO_FEW = {
    ("dedupe", "docs/a.txt"): "there is only one document",
    ("pairs", "docs/a.txt"): "there is only one document",
    ("dedupe", "one.index"): "there is only one document",
    ("dedupe", "docs/a.txt", "empty"): "there is only one document",
    ("dedupe", "empty"): "all documents are empty",
    ("dedupe", "empty", "--against", "x.index"): "all documents are empty",
    ("query", "x.index", "empty"): "all documents are empty",
}
ENOUGH = [
    ("dedupe", "docs/a.txt", "docs/c.txt"),
    ("dedupe", "new/d", "--against", "x.index"),
    ("query", "x.index", "docs/a.txt"),
]


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with docs, an empty document, an index of docs, and one of a single document."""
    root = lay(tmp_path_factory.mktemp("few"), FILES | {"empty/e": b"", "new/d": b"a text that no other resembles"})
    for source, target in (("docs", "x.index"), ("docs/a.txt", "one.index")):
        assert simdocs("index", source, "-o", target, cwd=root).status == 0
    return root


@pytest.mark.parametrize("arguments", [*TOO_FEW, *ENOUGH], ids=" ".join)
def test_too_few_documents_are_said_in_one_line_to_who_looks(few, arguments):
    expected = [f"nothing was compared: {TOO_FEW[arguments]}"] if arguments in TOO_FEW else []
    quiet = simdocs(*arguments, cwd=few)
    assert (quiet.status, quiet.err) == (0, "")
    looked = on_terminal(*arguments, which=["stderr"], cwd=few)
    for done in (looked, simdocs(*arguments, "-v", cwd=few), simdocs(*arguments, "--summary", cwd=few)):
        assert [line for line in done.err.splitlines() if "nothing was compared" in line] == expected
        assert done.out == quiet.out
    assert on_terminal(*arguments, "-q", which=["stderr"], cwd=few).err == ""


def test_the_summary_alone_explains_nothing_else(here):
    """--summary without -v names nothing that was passed by."""
    lay(here, {"docs/binary": b"\0", "docs/d.txt": A2})
    summary = simdocs("dedupe", "docs", "--summary", cwd=here)
    verbose = simdocs("dedupe", "docs", "-v", cwd=here)
    assert "docs/binary" not in summary.err
    assert "docs/binary" in verbose.err
    assert len(summary.err.splitlines()) == 3
    assert simdocs("dedupe", "docs", "--summary", "-q", cwd=here).status == 2
