"""query: which documents of an index are nearly the same as those named."""

from __future__ import annotations

import gzip
import json
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


OF_X = [
    ("new/x", "docs/a.txt", jaccard(A, A2)),
    ("new/x", "docs/copy.txt", jaccard(A, A2)),
    ("new/x", "docs/b.txt", jaccard(A1, A2)),
]


def test_matches_are_sorted_by_document_then_similarity_then_name(indexed):
    done = simdocs("query", "docs.index", "new/z", "new/y", "new", cwd=indexed)
    assert (done.status, done.err) == (
        0,
        "simdocs: warning: new/z: this document is empty, so it matches nothing\n",
    )
    assert matches(done) == [("new/y", "docs/c.txt", "1.000000"), *OF_X]
    assert [len(fields) for fields in done.rows] == [4] * 4
    assert done.rows[0][3] == b"1.000000"


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


def test_verify_estimate_reports_estimates(indexed):
    done = simdocs("query", "docs.index", "new", "--verify", "estimate", cwd=indexed)
    assert (done.status, done.err) == (0, "")
    assert {fields[2] for fields in done.rows} == {b""}
    shutil.rmtree(indexed / "docs")
    assert simdocs("query", "docs.index", "new", "--verify", "estimate", cwd=indexed) == done


def test_a_query_may_have_another_threshold_than_its_index(indexed):
    lower = simdocs("query", "docs.index", "new/x", "-t", "0.5", cwd=indexed)
    assert (lower.status, matches(lower)) == (0, OF_X)
    assert lower.err.count("\n") == 1
    warning = "the index was built for threshold 0.8 and finds only 12% of the pairs at 0.5"
    assert f"simdocs: warning: {warning}: an index with --threshold 0.5 finds more\n" in lower.err
    assert simdocs("query", "docs.index", "new/x", "-t", "0.5", "-q", cwd=indexed) == (0, lower.out, "")
    higher = simdocs("query", "docs.index", "new", "-t", "0.99", cwd=indexed)
    assert (higher.status, higher.err, higher.names) == (0, "", [("new/y", "docs/c.txt")])


def test_shingles_stand_for_documents(indexed):
    expected = simdocs("query", "docs.index", "new", cwd=indexed)
    built(Path("docs.shingles"), ["docs"])
    shutil.rmtree(indexed / "docs")
    assert simdocs("query", "docs.index", "new", "--shingles", "docs.shingles", cwd=indexed) == expected
    lost = simdocs("query", "docs.index", "new/x", cwd=indexed)
    assert (lost.status, lost.out) == (3, b"")
    assert f"no document of docs.index was found in {indexed}, because {indexed}/docs is missing" in lost.err
    assert simdocs("query", "docs.index", "new", "--strict", cwd=indexed).status == 2


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


def test_a_query_may_come_from_standard_input(indexed):
    done = simdocs("query", "docs.index", "-", cwd=indexed, stdin=A2)
    assert (done.status, done.err) == (0, "")
    assert matches(done) == [("-", *one[1:]) for one in OF_X]
    assert [name for _, name in simdocs("query", "docs.index", "-", cwd=indexed, stdin=A).names] == [
        "docs/a.txt",
        "docs/copy.txt",
        "docs/b.txt",
    ]
    listed = simdocs("query", "docs.index", "--files0-from", "-", cwd=indexed, stdin=b"new/y\0new/x")
    assert matches(listed) == [("new/y", "docs/c.txt", "1.000000"), *OF_X]


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


def test_lines_are_looked_up_among_lines(indexed):
    name = "new.jsonl.gz"
    lines = b"".join(
        json.dumps({"body": text.decode(), "key": at}).encode() + b"\n" for at, text in enumerate((A, A2, B, A1))
    )
    lay(indexed, {name: gzip.compress(lines)})
    fields = ("--text-field", "body", "--id-field", "key")
    found = matches(simdocs("query", "docs.index", name, *fields, cwd=indexed))
    assert [one for one in found if one[0] == f"{name}#1"] == [(f"{name}#1", *one[1:]) for one in OF_X]
    assert found[-4:-2] == [(f"{name}#2", "docs/c.txt", "1.000000"), (f"{name}#3", "docs/b.txt", "1.000000")]
    assert simdocs("index", name, *fields, "-o", "lines.index", cwd=indexed) == (0, b"", "")
    # What of a line is text is read from the index, unless it is said.
    own = simdocs("query", "lines.index", name, cwd=indexed)
    assert (own.status, own.err) == (0, "")
    assert all(left != right for left, right in own.names)
    assert len(own.names) == 6
    assert len(simdocs("query", "lines.index", name, "--self", cwd=indexed).rows) == 10
    assert [one[:2] for one in matches(simdocs("query", "lines.index", "new/y", cwd=indexed))] == [
        ("new/y", f"{name}#2")
    ]


def test_the_list_of_matches_names_each_once(indexed):
    lay(indexed, {"docs/tab\there\n": A})
    built(Path("docs.index"), ["docs"])
    listed = simdocs("query", "docs.index", "new", "--list", "matches", cwd=indexed)
    assert listed.out == b"docs/a.txt\ndocs/b.txt\ndocs/c.txt\ndocs/copy.txt\ndocs/tab\\there\\n\n"
    raw = simdocs("query", "docs.index", "new", "--list", "matches", "-0", cwd=indexed)
    assert raw.out == b"docs/a.txt\0docs/b.txt\0docs/c.txt\0docs/copy.txt\0docs/tab\there\n\0"


def test_exit_code_says_whether_anything_matched(indexed):
    for names, status in ((("new/x",), 1), (("new/z",), 0), (("new/x", "--list", "matches"), 1)):
        assert simdocs("query", "docs.index", *names, "--exit-code", cwd=indexed).status == status
    assert simdocs("query", "docs.index", "docs/a.txt", "--self", "-t1", "--exit-code", cwd=indexed).status == 1
    os.remove(indexed / "docs/a.txt")
    assert simdocs("query", "docs.index", "new/x", "--exit-code", "-q", cwd=indexed).status == 3


def test_a_damaged_index_is_refused_and_its_file_named(indexed):
    for name in ("band_keys", "same_as", "signatures", "documents", "names"):
        path = indexed / "docs.index" / f"{name}.npy"
        whole = path.read_bytes()
        path.write_bytes(whole[:-5] + bytes([whole[-5] ^ 4]) + whole[-4:])
        done = simdocs("query", "docs.index", "new", cwd=indexed)
        assert (done.status, done.out, done.err.count("\n")) == (4, b"", 1)
        assert f"docs.index/{name}.npy: damaged: " in done.err
        path.write_bytes(whole)
    assert simdocs("query", "docs.index", "new", cwd=indexed).status == 0
