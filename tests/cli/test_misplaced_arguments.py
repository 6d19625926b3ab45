"""Arguments in the wrong place bring the command that was meant; no message advises to remove anything."""

from __future__ import annotations

import re

import pytest

from tests.cli.corpus import A1, A, lay
from tests.cli.program import simdocs

MIXED = "an artifact cannot be mixed with other arguments: name one artifact, or only documents; simdocs merge puts"
NO_INDEX = "this is not an index: build one with simdocs index"
NO_OUTPUT = "-o NAME.index is missing: name the artifact to write, which is a directory"
FIRST = "this is not an index: the index comes first, and then the documents"

MEANT = {
    "query docs more/d.txt": f"docs: {NO_INDEX} docs -o docs.index",
    "query docs/a.txt docs": f"docs/a.txt: {NO_INDEX} docs/a.txt -o docs/a.txt.index",
    "dedupe x.signatures --against docs/": f"docs/: {NO_INDEX} docs/ -o docs.index",
    "dedupe x.index more": MIXED,
    "query gone.index more": "gone.index: no such artifact",
    "query more/d.txt x.index": f"more/d.txt: {FIRST}",
    "index x.index more": NO_OUTPUT,
    "index more x.index": NO_OUTPUT,
    "index docs -o out.idx": "out.idx: the name of an index must end in .index: use -o out.index",
    "index docs -o docs": "docs: the name of an index must end in .index: use -o docs.index",
    "shingle more -o docs": "docs: the name of a shingles artifact must end in .shingles: use -o docs.shingles",
}


@pytest.mark.parametrize("line", MEANT)
def test_arguments_in_the_wrong_place_bring_what_was_meant(built, line):
    before = sorted(str(path) for path in built.rglob("*"))
    done = simdocs(*line.split(), cwd=built)
    assert (done[:2], done.err[: len(MEANT[line]) + 16]) == ((2, b""), f"simdocs: error: {MEANT[line]}")
    assert not re.search(r"\b(remove|delete|rm)\b", done.err)
    assert sorted(str(path) for path in built.rglob("*")) == before
    assert (built / "docs/a.txt").read_bytes() == A


def test_the_command_in_the_message_works(here):
    lay(here, {"f": A1})
    said = simdocs("query", "docs", "f", cwd=here).err.partition("build one with ")[2].split()
    assert simdocs(*said[1:], cwd=here) == (0, b"", "")
