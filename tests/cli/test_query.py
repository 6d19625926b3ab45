"""query: which documents of an index are nearly the same as those named."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A2, A, B, jaccard, lay
from tests.cli.program import simdocs
from tests.commands.building import built

COPY = A.upper().replace(b" ", b"\n ")


@pytest.fixture
def indexed(here, monkeypatch):
    """An index of docs/, with a copy and two empty documents; and new/, about which it can be asked."""
    lay(here, {"docs/copy.txt": COPY, "docs/empty": b"", "docs/void": b" ", "new/x": A2, "new/y": B, "new/z": b" "})
    monkeypatch.chdir(here)
    built(Path("docs.index"), ["docs"])
    return here


def matches(done) -> list[tuple[str, ...]]:
    return [tuple(field.decode() for field in fields[:3]) for fields in done.rows]


@pytest.mark.reliability("hard links")
@pytest.mark.parametrize("way", ["./docs/../docs", "link", "other"])
def test_a_document_does_not_match_itself(indexed, way):
    os.symlink("docs", indexed / "link")
    (indexed / "other").mkdir()
    for name in os.listdir(indexed / "docs"):
        os.link(indexed / "docs" / name, indexed / "other" / name)
    # That changes the times of the inodes: the index is to know them as they are.
    built(Path("docs.index"), ["docs"])
    ask = ("query", "docs.index", f"{way}/a.txt", f"{way}/c.txt", "--follow")
    done = simdocs(*ask, cwd=indexed)
    a = f"{way}/a.txt"
    near = (a, "docs/b.txt", jaccard(A, A1))
    assert (done.status, done.err, matches(done)) == (0, "", [(a, "docs/copy.txt", "1.000000"), near])
    c = (f"{way}/c.txt", "docs/c.txt", "1.000000")
    itself = (a, "docs/a.txt", "1.000000")
    assert matches(simdocs(*ask, "--self", cwd=indexed)) == [itself, *matches(done), c]


@pytest.mark.reliability("artifacts with different parameters")
def test_shingles_of_other_documents_are_refused(indexed):
    built(Path("new.shingles"), ["new"])
    built(Path("other.shingles"), ["docs"], k=8)
    for name in ("new.shingles", "other.shingles", "docs.index"):
        done = simdocs("query", "docs.index", "new", "--shingles", name, cwd=indexed)
        assert (done.status, done.out, done.err.count("\n")) == (4, b"", 1)
        assert name in done.err


@pytest.mark.reliability("moved documents or artifacts, another working directory")
def test_documents_are_found_from_the_directory_of_the_build_or_from_root(indexed, tmp_path_factory):
    expected = simdocs("query", "docs.index", "new", cwd=indexed)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(indexed / "new", elsewhere / "new")
    shutil.move(indexed / "docs.index", elsewhere / "moved")
    joined = expected._replace(out=expected.out.replace(b"\tdocs/", b"\t%s/docs/" % os.fsencode(indexed)))
    assert simdocs("query", "moved", "new", cwd=elsewhere) == joined
    assert simdocs("query", elsewhere / "moved", "new", cwd=indexed) == expected
    shutil.move(indexed / "docs", elsewhere / "docs")
    assert simdocs("query", "moved", "new", cwd=elsewhere).status == 3
    for root in (".", elsewhere):
        assert simdocs("query", "moved", "new", "--root", root, cwd=elsewhere) == expected


@pytest.mark.reliability("documents changed or gone since the build")
def test_documents_of_the_index_that_have_changed_are_named_and_never_match(indexed):
    expected = simdocs("query", "docs.index", "new/x", cwd=indexed)
    os.utime(indexed / "docs/a.txt")
    shutil.copy(indexed / "docs/b.txt", indexed / "b")
    os.replace(indexed / "b", indexed / "docs/b.txt")
    assert simdocs("query", "docs.index", "new/x", cwd=indexed) == expected
    lay(indexed, {"docs/a.txt": A.replace(b"Tickets", b"No tickets")})
    done = simdocs("query", "docs.index", "new/x", cwd=indexed)
    assert done.status == 3
    assert "docs/a.txt: skipped: its text has changed since it was read" in done.err
    assert ("new/x", "docs/b.txt") in done.names
    os.remove(indexed / "docs/b.txt")
    again = simdocs("query", "docs.index", "new/x", "-v", cwd=indexed)
    # Its copy is judged instead, until that is gone, too.
    assert (again.status, again.names) == (3, [("new/x", "docs/copy.txt")])
    assert "docs/b.txt: skipped: its file is gone" in again.err
    os.remove(indexed / "docs/copy.txt")
    assert simdocs("query", "docs.index", "new/x", "-v", cwd=indexed)[:2] == (3, b"")


@pytest.mark.reliability("a document of an artifact that came from a FIFO")
def test_a_document_of_the_index_from_standard_input_matches_only_its_copies(indexed):
    assert simdocs("index", "-", "new/y", "-o", "x.index", cwd=indexed, stdin=A) == (0, b"", "")
    assert simdocs("query", "x.index", "-", cwd=indexed, stdin=A).names == [("-", "-")]
    lost = simdocs("query", "x.index", "new", cwd=indexed)
    assert (lost.status, lost.names) == (3, [])
    assert "simdocs: -: skipped: its text cannot be read again (it came from no file)" in lost.err
    said = "1 of 2 documents of x.index came from memory, standard input or a FIFO, and cannot be read again"
    assert f"simdocs: warning: {said} to be compared: give their token sets with --shingles" in lost.err.splitlines()
    quoted = simdocs("query", "x.index", "new", "--passages", cwd=indexed)
    assert f"simdocs: warning: {said} to be compared" in quoted.err.splitlines()
