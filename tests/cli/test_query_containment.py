"""query --measure containment: which documents does this excerpt come from?"""

from __future__ import annotations

import pytest

from tests.cli.corpus import A1, A, B, jaccard, lay
from tests.cli.program import simdocs

EXCERPT = A[:100]


def containment(part: bytes, whole: bytes, k: int = 9) -> str:
    """The containment of an ASCII text in another as the program prints it."""
    a, b = ({text[at : at + k].lower() for at in range(len(text) - k + 1)} for text in (part, whole))
    return f"{len(a & b) / len(a):.6f}"


@pytest.fixture
def asked(here):
    lay(here, {"docs/copy.txt": A.upper(), "docs/long.txt": A + b" " + B, "docs/empty": b"", "part": EXCERPT})
    assert simdocs("index", "docs", "-o", "x.index", cwd=here) == (0, b"", "")
    return here


def found(where, *arguments, status=0, err=""):
    done = simdocs("query", "x.index", *arguments, "--measure", "containment", cwd=where)
    assert (done.status, done.err) == (status, err)
    return [tuple(field.decode() for field in (*row[:3], row[4])) for row in done.rows]


OF_EXCERPT = [
    ("part", name, jaccard(EXCERPT, text), containment(EXCERPT, text))
    for name, text in [
        ("docs/a.txt", A),
        ("docs/copy.txt", A),
        ("docs/long.txt", A + b" " + B),
        ("docs/b.txt", A1),
    ]
]


def test_all_documents_that_contain_an_excerpt_are_found(asked):
    assert simdocs("query", "x.index", "part", cwd=asked) == (0, b"", "")
    wanted = [row for row in OF_EXCERPT if float(row[3]) >= 0.8]
    assert sorted(found(asked, "part")) == sorted(wanted)
    assert [row[3] for row in found(asked, "part")] == sorted((row[3] for row in wanted), reverse=True)
    assert found(asked, "part", "--top", "1") == found(asked, "part")[:1]
    assert found(asked, "part", "--exact") == found(asked, "part")


def test_the_containment_is_that_of_the_document_asked_about(asked):
    lay(asked, {"whole": A + b" " + B})
    rows = {row[1]: row[3] for row in found(asked, "whole", "--threshold", "0.5")}
    assert rows["docs/long.txt"] == "1.000000"
    assert rows["docs/a.txt"] == containment(A + b" " + B, A) < "0.7"


def test_token_sets_take_the_place_of_documents_that_are_gone(asked):
    assert simdocs("shingle", "docs", "-o", "x.shingles", cwd=asked) == (0, b"", "")
    before = found(asked, "part")
    for path in (asked / "docs").iterdir():
        path.unlink()
    assert found(asked, "part", "--shingles", "x.shingles") == before


def test_with_a_sketch_only_candidates_are_read_and_the_summary_says_so(asked):
    lay(asked, {"long": A + b" " + B, "tiny": A[:30]})
    before = found(asked, "long", "tiny")
    assert simdocs("index", "docs", "--containment", "--rebuild", "-o", "x.index", cwd=asked).status == 0
    assert sorted(found(asked, "long", "tiny")) == sorted(before)
    done = simdocs("query", "x.index", "long", "tiny", "--measure", "containment", "-v", cwd=asked)
    assert "reading all 4 texts of the index again, because 1 document is too short for its sketch\n" in done.err
    found_by = "the sketch finds at least 95.00% of pairs at 0.8, more above; 1 document compared with every text"
    assert f"\n{found_by}; " in done.err
    every = simdocs("query", "x.index", "long", "--measure", "containment", "--exact", "-v", cwd=asked)
    assert "every pair is found" in every.err
