"""dedupe and query with --changed: what is new or changed in an index, and what is said about it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs

NEWS = "1 document is new or changed; only pairs with one of them were looked for"


@pytest.fixture
def tonight(here, monkeypatch):
    """An index of docs/, in which a.txt and b.txt are similar, and c.txt has a copy, which is what is new."""
    lay(here, {"docs/copy.txt": B})
    monkeypatch.chdir(here)
    assert simdocs("index", "docs", "-o", "docs.index", cwd=here).status == 0
    only(here, "3")
    return here


def only(here: Path, changed: str) -> None:
    """Say in the index that these rows are new or changed."""
    path = here / "docs.index/run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"changed": changed}))


def asked(here: Path, *words: str) -> tuple[int, list[bytes], list[str]]:
    """The exit status, the answer, and the lines of the summary without the time."""
    done = simdocs(*words, "--summary", "--exit-code", cwd=here)
    lines = [re.sub(r", in \d+\.\d\d s", "", line) for line in done.err.splitlines()]
    return done.status, done.out.splitlines(), lines


def test_pairs_with_a_new_document_are_listed_and_the_summary_says_that_others_are_not(tonight):
    status, out, lines = asked(tonight, "dedupe", "docs.index", "--changed")
    assert (status, out) == (1, [b"docs/c.txt\tdocs/copy.txt\t1.000000\t1.000000"])
    size = sum(map(len, (A, A1, B, B)))
    assert lines[:2] == [f"4 documents, {size} bytes", NEWS]
    kept = "1 duplicate of 1 document, 0 new or changed ones kept; deleting the duplicates frees"
    assert lines[-1] == f"{kept} {len(B)} bytes"
    assert simdocs("dedupe", "docs.index", "--changed", "--summary-json", "note", cwd=tonight).status == 0
    assert json.loads((tonight / "note").read_bytes())["changed"] == 1


def test_new_documents_of_an_index_are_looked_up_in_it(tonight):
    status, out, lines = asked(tonight, "query", "docs.index", "--changed")
    assert (status, out) == (1, [b"docs/copy.txt\tdocs/c.txt\t1.000000\t1.000000"])
    assert lines[:2] == [f"1 document, {len(B)} bytes, against 4 documents", NEWS]
    assert lines[-1] == "1 match for 1 document"


@pytest.mark.parametrize("command", ["dedupe", "query"])
def test_a_night_without_changes_is_quiet(tonight, command):
    only(tonight, "")
    status, out, lines = asked(tonight, command, "docs.index", "--changed")
    assert (status, out) == (0, [])
    assert lines[0] == "nothing was compared: no document is new or changed"
    assert not any("looked for" in line for line in lines)


@pytest.mark.parametrize("command", ["dedupe", "query"])
def test_an_index_that_does_not_say_what_has_changed_is_refused(tonight, command):
    only(tonight, "4")  # rows are 0 to 3
    unknown = "docs.index/run.json does not say which documents are new or changed"
    done = simdocs(command, "docs.index", "--changed", cwd=tonight)
    assert done == (4, b"", f"simdocs: error: {unknown}: build the index again\n")
