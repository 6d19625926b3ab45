"""Arguments in the wrong place bring the command that was meant; no message advises to remove anything."""

from __future__ import annotations

import os
import re

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs

ADD = "an index is built from all of its documents at once: to add documents, name the old and the new ones"
MIXED = "x.index: an index cannot be mixed with documents: to compare documents with it, use"
NO_INDEX = "this is not an index: build one with simdocs index"
FIRST = "the index comes first: simdocs query"

MEANT = {
    "query docs more/d.txt": f"docs: {NO_INDEX} docs -o docs.index",
    "query docs/ more/d.txt": f"docs/: {NO_INDEX} docs/ -o docs.index",
    "query docs/a.txt docs": f"docs/a.txt: {NO_INDEX} docs/a.txt -o docs/a.txt.index",
    "dedupe more --against docs": f"docs: {NO_INDEX} docs -o docs.index",
    "dedupe x.signatures --against docs/": f"docs/: {NO_INDEX} docs/ -o docs.index",
    "dedupe x.index more": f"{MIXED} simdocs dedupe more --against x.index",
    "dedupe more docs x.index": f"{MIXED} simdocs dedupe more docs --against x.index",
    "query gone.index more": "gone.index: no such artifact",
    "query gone more": "gone: no such artifact",
    "dedupe more --against gone": "gone: no such artifact",
    "query more/d.txt x.index": f"{FIRST} x.index more/d.txt",
    "query more docs x.index": f"{FIRST} x.index more",
    "index x.index more": f"{ADD} (simdocs index OLD NEW -o x.index)",
    "index more x.index": f"-o is missing: simdocs index more -o x.index; {ADD} (simdocs index OLD NEW -o x.index)",
    "index docs docs.index": "-o is missing: simdocs index docs -o docs.index",
    "shingle docs more new.shingles": "-o is missing: simdocs shingle docs more -o new.shingles",
    "index docs -o out.idx": "out.idx: the name of an index must end in .index: use -o out.index",
    "signature docs -o x.sig": "x.sig: the name of a signatures artifact must end in .signatures: use -o x.signatures",
    "index x.index more -o new.index": f"{ADD} (simdocs index OLD NEW -o x.index)",
    "index docs -o docs": "docs: the name of an index must end in .index: use -o docs.index",
    "index docs/a.txt -o docs/a.txt": "docs/a.txt: the name of an index must end in .index: use -o docs/a.txt.index",
    "shingle more -o docs": "docs: the name of a shingles artifact must end in .shingles: use -o docs.shingles",
}


@pytest.mark.parametrize("line", MEANT)
def test_arguments_in_the_wrong_place_bring_what_was_meant(built, line):
    before = sorted(str(path) for path in built.rglob("*"))
    done = simdocs(*line.split(), cwd=built)
    assert done == (2, b"", f"simdocs: error: {MEANT[line]}\n")
    assert not re.search(r"\b(remove|delete|rm)\b", done.err)
    assert sorted(str(path) for path in built.rglob("*")) == before
    assert (built / "docs/a.txt").read_bytes() == A


def test_the_commands_in_the_messages_work(here):
    lay(here, {"f": A1, "new/g": B})
    said = simdocs("query", "docs", "f", cwd=here).err.partition("build one with ")[2].split()
    assert simdocs(*said[1:], cwd=here) == (0, b"", "")
    said = simdocs("query", "f", "docs.index", cwd=here).err.split(": ")[-1].split()
    assert [row[:2] for row in simdocs(*said[1:], cwd=here).rows] == [[b"f", b"docs/b.txt"], [b"f", b"docs/a.txt"]]
    said = re.search(r"\(simdocs (.*)\)", simdocs("index", "docs.index", "new", cwd=here).err)
    assert said
    words = said[1].replace("OLD", "docs").replace("NEW", "new").split()
    warned = "simdocs: warning: docs.index was built from other directories: new is new\n"
    assert simdocs(*words, cwd=here) == (0, b"", warned)
    assert [b"documents", b"4"] in simdocs("info", "docs.index", cwd=here).rows
    assert sorted(os.listdir(here)) == ["docs", "docs.index", "f", "new"]
