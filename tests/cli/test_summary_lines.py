"""The lines of a summary: what was compared, what was found, and what the duplicates take."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import FILES
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs
from tests.cli.terminal import on_terminal


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


def freed(where: Path, docs: str) -> tuple[str, tuple[int, int, int]]:
    """The end of the last line of the summary; and text, files and freed bytes of the duplicates as in the JSON."""
    *_, last = lines(where, "dedupe", docs, "--summary-json", "note")
    note = json.loads((where / "note").read_bytes())
    return last.rpartition("; ")[2], (note["duplicate_bytes"], note["duplicate_files"], note["freed_bytes"])


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
    packed = gzip.compress(B, mtime=0)
    lay(here, {"rows/b.gz": packed})
    says = f"deleting those that are files frees {len(packed)} bytes, all duplicates have {2 * len(B)} bytes of text"
    assert freed(here, "rows") == (says, (2 * len(B), 1, len(packed)))
    lay(here, {"linked/a": B})
    os.symlink("../rows/b.gz", here / "linked/z.gz")
    *_, last = lines(here, "dedupe", "linked", "--follow")
    assert "deleting the duplicates frees 0 bytes" in last


def test_an_answer_without_rows_is_said_in_words(here):
    """Never `0 matches for 0 documents`."""
    lay(here, {"other": B[::-1]})
    assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 0
    for arguments, said in {
        ("dedupe", "other", "--against", "x.index"): "no duplicates",
        ("query", "x.index", "other"): "no matches",
    }.items():
        summary = lines(here, *arguments)
        assert said in summary
        assert not re.search(r"\b0 (matches|duplicates|documents)\b", "\n".join(summary[summary.index(said) :]))


TOO_FEW = {
    ("pairs", "docs/a.txt"): "there is only one document",
    ("dedupe", "docs/a.txt", "empty"): "there is only one document",
    ("query", "x.index", "empty"): "all documents are empty",
}
ENOUGH = [("dedupe", "docs/a.txt", "docs/c.txt"), ("query", "x.index", "docs/a.txt")]


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with docs, an empty document, and an index of docs."""
    root = lay(tmp_path_factory.mktemp("few"), FILES | {"empty/e": b""})
    assert simdocs("index", "docs", "-o", "x.index", cwd=root).status == 0
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
