"""An index can be made of an index: its signatures stay, and its bands are chosen anew."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.program import simdocs
from tests.commands.building import content


@pytest.mark.parametrize("options", [("--bands", "20", "--rows", "6", "-q"), ("--threshold", "0.5"), ()])
def test_an_index_of_an_index_is_one_of_the_documents_with_those_bands(built, options):
    assert simdocs("index", "docs", "-o", "x.index", cwd=built) == (0, b"", "")
    assert simdocs("index", "docs", *options, "-o", "expected.index", cwd=built) == (0, b"", "")
    assert simdocs("index", "docs", "-t", "0.6", "--bands", "9", "--rows", "3", "-o", "y.index", cwd=built).status == 0
    shutil.rmtree(built / "docs")  # nothing is read again
    expected = content(built / "expected.index")
    for given, target in (("x.index", "new.index"), ("y.index", "new.index"), ("x.index", "x.index")):
        assert simdocs("index", given, *options, "-o", target, cwd=built) == (0, b"", "")
        assert content(built / target) == expected
    assert simdocs("check", "x.index", "new.index", cwd=built) == (0, b"", "")


def test_an_index_of_an_index_keeps_its_signatures(built):
    """A shorter signature would need the documents."""
    done = simdocs("index", "x.index", "--num-perm", "64", "-o", "new.index", cwd=built)
    assert done[:2] == (2, b"")
    assert done.err.startswith("simdocs: error: x.index was built with --num-perm 128, not 64: ")
    assert not (built / "new.index").exists()


@pytest.mark.parametrize("kind", ["shingles", "signatures"])
def test_a_query_may_be_an_artifact_of_documents(built, kind):
    """It is answered as the documents are; those that are in the index match others alone."""
    command = {"shingles": "shingle", "signatures": "signature"}[kind]
    assert simdocs("index", "docs", "-o", "x.index", cwd=built) == (0, b"", "")
    assert simdocs(command, "more", "docs", "-o", f"y.{kind}", cwd=built) == (0, b"", "")
    expected = simdocs("query", "x.index", "more", "docs", cwd=built)
    assert (expected.status, len(expected.rows)) == (0, 4)
    for options in ((), ("--nearest", "2"), ("--top", "1"), ("--list", "matches")):
        expected = simdocs("query", "x.index", "more", "docs", *options, cwd=built)
        assert simdocs("query", "x.index", f"y.{kind}", *options, cwd=built) == expected


@pytest.mark.parametrize("kind", ["shingles", "signatures"])
def test_a_query_of_an_artifact_with_other_parameters_is_refused(built, kind):
    command = {"shingles": "shingle", "signatures": "signature"}[kind]
    assert simdocs(command, "more", "-k", "5", "-o", f"y.{kind}", cwd=built).status == 0
    done = simdocs("query", "x.index", f"y.{kind}", cwd=built)
    assert (done.status, done.out, done.err.count("\n")) == (4, b"", 1)
    assert done.err.startswith(f"simdocs: error: y.{kind}: does not have the parameters of x.index: k is 5, not 9: ")
