"""query --measure containment: which documents does this excerpt come from?"""

from __future__ import annotations

import json
import re

import numpy as np
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


def test_the_summary_of_a_build_says_what_the_sketch_takes(asked):
    said = simdocs("index", "docs", "-o", "y.index", "--containment", "--summary", "--summary-json", "note", cwd=asked)
    sketched = len(np.load(asked / "y.index" / "sketch_tokens.npy"))
    line = re.search(
        r"^containment sketch: ([\d,]+) tokens?, [\d.]+ for each document on average; (\d+) byte", said.err, re.M
    )
    assert line is not None
    assert (int(line[1]), int(line[2])) == (sketched, 8 * sketched)
    assert json.loads((asked / "note").read_bytes())["sketch_tokens"] == sketched
    assert "sketch" not in simdocs("index", "docs", "-o", "x.index", "--summary", cwd=asked).err


def test_the_containment_is_that_of_the_document_asked_about(asked):
    lay(asked, {"whole": A + b" " + B})
    rows = {row[1]: row[3] for row in found(asked, "whole", "--threshold", "0.5")}
    assert rows["docs/long.txt"] == "1.000000"
    assert rows["docs/a.txt"] == containment(A + b" " + B, A) < "0.7"


def test_a_column_is_added_in_every_format(asked):
    wanted = ["query", "match", "jaccard", "estimate", "containment"]
    header = simdocs("query", "x.index", "part", "--measure", "containment", "--header", cwd=asked).rows[0]
    assert [field.decode() for field in header] == wanted
    line = simdocs("query", "x.index", "part", "--measure", "containment", "--format", "jsonl", cwd=asked).out
    assert list(json.loads(line.splitlines()[0])) == wanted


def test_a_document_is_not_contained_in_itself_unless_that_is_wanted(asked):
    assert "docs/a.txt" not in [row[1] for row in found(asked, "docs/a.txt")]
    assert "docs/copy.txt" in [row[1] for row in found(asked, "docs/a.txt")]
    assert "docs/a.txt" in [row[1] for row in found(asked, "docs/a.txt", "--self")]


def test_documents_that_are_gone_are_reported_and_the_rest_is_found(asked):
    (asked / "docs/long.txt").unlink()
    (asked / "docs/a.txt").write_bytes(B)
    done = simdocs("query", "x.index", "part", "--measure", "containment", cwd=asked)
    assert done.status == 3
    assert "docs/long.txt: skipped: its file is gone" in done.err
    assert "docs/copy.txt" in [row[1].decode() for row in done.rows]
    assert not {b"docs/a.txt", b"docs/long.txt"} & {row[1] for row in done.rows}


def test_token_sets_take_the_place_of_documents_that_are_gone(asked):
    assert simdocs("shingle", "docs", "-o", "x.shingles", cwd=asked) == (0, b"", "")
    before = found(asked, "part")
    for path in (asked / "docs").iterdir():
        path.unlink()
    assert found(asked, "part", "--shingles", "x.shingles") == before


def test_the_summary_says_that_every_pair_is_found_and_an_excerpt_leads_to_the_option(asked):
    done = simdocs("query", "x.index", "part", "--measure", "containment", "-v", cwd=asked)
    assert re.search("^every pair is found; [0-9]+ verified$", done.err, re.MULTILINE)
    again = "simdocs: reading all 4 texts of the index again, because it has no sketch: to avoid that, build it with"
    remedy = "simdocs index --containment, or give its token sets with --shingles"
    assert done.err.startswith(f"{again} {remedy}\n")
    exact = simdocs("query", "x.index", "part", "--measure", "containment", "--exact", "-v", cwd=asked)
    assert "because --exact compares with every text: to avoid that, give its token sets with --shingles" in exact.err
    assert simdocs("shingle", "docs", "-o", "x.shingles", cwd=asked).status == 0
    shingles = ("--measure", "containment", "--shingles", "x.shingles", "-v")
    assert "reading all" not in simdocs("query", "x.index", "part", *shingles, cwd=asked).err
    plain = simdocs("query", "x.index", "part", "-v", cwd=asked)
    assert "--measure containment finds documents that contain them" in plain.err
    assert simdocs("query", "x.index", "part", "--measure", "cosine", cwd=asked).status == 2


def test_with_a_sketch_only_candidates_are_read_and_the_summary_says_so(asked):
    lay(asked, {"long": A + b" " + B, "tiny": A[:30]})
    before = found(asked, "long", "tiny")
    assert simdocs("index", "docs", "--containment", "--rebuild", "-o", "x.index", cwd=asked).status == 0
    assert sorted(found(asked, "long", "tiny")) == sorted(before)
    done = simdocs("query", "x.index", "long", "tiny", "--measure", "containment", "-v", cwd=asked)
    said = "reading all 4 texts of the index again, because 1 document is too short for its sketch"
    assert f"simdocs: {said}\n" in done.err
    found_by = "the sketch finds at least 95.00% of pairs at 0.8, more above; 1 document compared with every text"
    assert re.search(f"^{found_by}; [0-9]+ candidates?, [0-9]+ verified$", done.err, re.MULTILINE)
    every = simdocs("query", "x.index", "long", "--measure", "containment", "--exact", "-v", cwd=asked)
    again = "reading all 4 texts of the index again, because --exact compares with every text: to avoid that,"
    assert f"simdocs: {again} give its token sets with --shingles\n" in every.err
    assert "every pair is found" in every.err


def test_a_sketch_needs_tokens(asked):
    assert simdocs("signature", "docs", "-o", "x.signatures", cwd=asked) == (0, b"", "")
    for name in ("x.signatures", "x.index"):
        done = simdocs("index", name, "--containment", "-o", "y.index", cwd=asked)
        said = f"{name} has no tokens, which --containment needs: give the documents, or their .shingles"
        assert done == (2, b"", f"simdocs: error: {said}\n")
