"""Documents of an artifact that are gone or have changed are no duplicates, matches or kept ones of anything."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.corpus import A, lay
from tests.cli.program import simdocs

COPIES = {"d/a": A, "d/b": A}


@pytest.fixture
def indexed(here):
    lay(here, COPIES | {"new": A})
    assert simdocs("index", "d", "-o", "d.index", cwd=here) == (0, b"", "")
    return here


@pytest.mark.reliability("documents changed or gone since the build")
@pytest.mark.parametrize("ask", [("dedupe", "d.index"), ("query", "d.index", "new")])
def test_a_copy_that_has_changed_is_named_and_in_no_answer(indexed, ask):
    assert b"d/b" in simdocs(*ask, cwd=indexed).out
    (indexed / "d/b").write_bytes(b"a text that is nowhere else, and must not be taken for a copy")
    done = simdocs(*ask, cwd=indexed)
    assert (done.status, done.err.count("d/b: skipped: its text has changed since it was read")) == (3, 1)
    assert b"d/b" not in done.out
    assert simdocs(*ask, "--strict", cwd=indexed)[:2] == (2, b"")


def outdated(said: str) -> str:
    return f"simdocs: warning: {said}: build it again\n"


def nothing_found_in(root: Path, missing: Path) -> str:
    why = f"no document of d.index was found in {root}, because {missing} is missing"
    if missing == root:
        return f"simdocs: warning: {why}: if it was moved or renamed, give its new name with --root\n"
    moved = "if it was moved, give the directory where it is now with --root"
    return f"simdocs: warning: {why}: {moved}; if it was renamed, build the artifact again\n"


@pytest.mark.reliability("documents changed or gone since the build")
def test_lists_name_only_documents_that_are_still_there(indexed):
    """Those that are similar to none are looked at, too."""
    texts = {"d/c": b"a text by itself", "d/e": b"and yet another one", "d/f": b"the last of them"}
    lay(indexed, texts | {"d/g/h": b"below a directory"})
    assert simdocs("index", "d", "-o", "d.index", cwd=indexed).status == 0
    (indexed / "d/c").write_bytes(b"a text by itself that has changed")
    (indexed / "d/e").unlink()
    (indexed / "d/f").touch()
    shutil.rmtree(indexed / "d/g")
    (indexed / "d/g").touch()
    done = simdocs("dedupe", "d.index", "--list", "kept", cwd=indexed)
    assert (done.status, done.out) == (3, b"d/a\nd/f\n")
    changed, gone = "d/c: skipped: its text has changed since it was read", "d/e: skipped: its file is gone"
    also = gone.replace("d/e", "d/g/h")
    assert done.err == f"simdocs: {changed}\nsimdocs: {gone}\nsimdocs: {also}\n" + outdated(
        "3 of 6 documents are gone or have changed since d.index was built"
    )
    answer = simdocs("dedupe", "d.index", "--summary-json", "note", cwd=indexed)
    assert (answer.status, answer.err.count("skipped")) == (3, 2)
    assert answer.err.startswith(f"simdocs: {gone}\nsimdocs: {also}\n")
    assert json.loads((indexed / "note").read_bytes())["kept"] == len("acf")
    taken = simdocs("dedupe", "d.index", "--list", "kept", "--verify", "estimate", cwd=indexed)
    assert taken == (0, b"d/a\nd/c\nd/e\nd/f\nd/g/h\n", "")


@pytest.mark.reliability("documents changed or gone since the build")
def test_an_exact_join_names_a_document_that_is_gone_though_it_resembles_no_other(indexed):
    """Its tokens are needed to know that."""
    lay(indexed, {"d/c": b"a text by itself"})
    assert simdocs("index", "d", "-o", "d.index", cwd=indexed).status == 0
    (indexed / "d/c").unlink()
    done = simdocs("dedupe", "d.index", "--exact", cwd=indexed)
    assert done.status == 3
    assert done.err.startswith("simdocs: d/c: skipped: its file is gone\n")


@pytest.mark.reliability("documents changed or gone since the build")
@pytest.mark.parametrize("ask", [("dedupe", "d.index"), ("query", "d.index", "new")])
def test_one_line_says_what_to_do_after_a_directory_was_renamed(indexed, ask):
    (indexed / "d").rename(indexed / "renamed")
    assert simdocs(*ask, cwd=indexed) == (3, b"", nothing_found_in(indexed, indexed / "d"))
    below = indexed / "below"
    below.mkdir()
    (indexed / "renamed").rename(below / "d")
    (indexed / "d.index").rename(below / "d.index")
    (indexed / "new").rename(below / "new")
    assert simdocs(*ask, "--root", below, cwd=below).status == 0
    (indexed / "d").mkdir()
    done = simdocs(*ask, cwd=below)
    assert done.status == 3
    assert "d/a: skipped: its file is gone" in done.err
    assert "build it again, or give the directory where they are now with --root" in done.err


@pytest.mark.reliability("documents changed or gone since the build")
def test_one_line_says_what_to_do_after_the_root_was_renamed(tmp_path):
    lay(tmp_path, {"a/d/1": A, "a/d/2": A})
    root = (tmp_path / "a").resolve()
    assert simdocs("index", "d", "-o", "d.index", cwd=root).status == 0
    root.rename(tmp_path / "b")
    assert simdocs("dedupe", "d.index", cwd=tmp_path / "b") == (3, b"", nothing_found_in(root, root))
    done = simdocs("dedupe", "d.index", "--root", ".", cwd=tmp_path / "b")
    assert (done.status, done.err) == (0, "")


@pytest.mark.reliability("moved documents or artifacts, another working directory")
def test_touched_and_moved_documents_with_the_same_text_are_used(indexed):
    before = simdocs("dedupe", "d.index", cwd=indexed)
    (indexed / "d/b").touch()
    assert simdocs("dedupe", "d.index", cwd=indexed) == before
    (indexed / "elsewhere").mkdir()
    shutil.copytree(indexed / "d", indexed / "elsewhere/d")
    shutil.rmtree(indexed / "d")
    moved = simdocs("dedupe", "d.index", "--root", "elsewhere", cwd=indexed)
    assert moved == before._replace(out=before.out.replace(b"d/", b"elsewhere/d/"))


@pytest.mark.reliability("an artifact that does not know its directory any more")
@pytest.mark.reliability("a damaged run.json")
def test_root_says_where_the_documents_are(indexed):
    done = simdocs("dedupe", "d.index", "--root", "nowhere", cwd=indexed)
    assert (done.status, done.err) == (2, "simdocs: error: nowhere: --root is not a directory\n")
    (indexed / "d.index/run.json").write_text("{")
    assert simdocs("check", "d.index", cwd=indexed).status == 4
    lost = simdocs("dedupe", "d.index", cwd=indexed)
    assert (lost.status, lost.out) == (4, b"")
    assert "d.index/run.json does not say where its documents are: give their directory with --root" in lost.err
    assert simdocs("dedupe", "d.index", "--root", ".", cwd=indexed).status == 0
    assert simdocs("dedupe", "d.index", "--verify", "estimate", cwd=indexed).status == 0


B = A.replace(b"e", b"E", 1).replace(b"a", b"o", 1)
ASKS = [
    ("dedupe", "d.index"),
    ("dedupe", "d.index", "--keep", "longest"),
    ("pairs", "d.index", "--all-copies"),
    ("dedupe", "d.signatures"),
    ("query", "d.index", "near"),
    ("dedupe", "same", "--against", "d.index"),
]


def build(where):
    for command, artifact in (("signature", "d.signatures"), ("index", "d.index")):
        assert simdocs(command, "d", "-o", artifact, cwd=where).status == 0


@pytest.fixture(scope="module", params=["d/a", "d/b"])
def lost(request, tmp_path_factory):
    """The name of a document; a directory with artifacts of copies of which this one is gone; one without it."""
    before, after = (tmp_path_factory.mktemp(name) for name in ("before", "after"))
    for where in (before, after):
        lay(where, {"d/a": A, "d/b": A, "d/c": A, "d/near": B, "near": A.replace(b"e", b"EE", 1), "same": A})
        if where == after:
            (where / request.param).unlink()
        build(where)
    (before / request.param).unlink()
    return request.param, before, after


@pytest.mark.parametrize("ask", ASKS, ids=" ".join)
def test_another_copy_takes_the_place_of_one_that_is_gone(lost, ask):
    """The answer is that about documents without the one that is gone, and it alone is named."""
    name, before, after = lost
    done = simdocs(*ask, cwd=before)
    why = "skipped: its file is gone"
    artifact = next(word for word in ask if word.startswith("d."))
    said = outdated(f"1 of 4 documents is gone or has changed since {artifact} was built")
    assert done.err == f"simdocs: {name}: {why}\n{said}"
    assert done.status == 3
    assert simdocs(*ask, cwd=after)[:2] == (0, done.out)
    assert done.out
