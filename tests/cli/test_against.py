"""dedupe --against: what an index holds is kept, and only new documents are duplicates."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.corpus import A2, A, B, jaccard, lay
from tests.cli.program import simdocs
from tests.commands.building import built

C = b" ".join(reversed(B.split()))
C1 = C + b" it"


@pytest.fixture
def archive(here, monkeypatch):
    """An index of docs/; and new/, of which x and z are duplicates of what it holds, y1 of y."""
    lay(here, {"new/x": A2, "new/y": C, "new/y1": C1, "new/z": B.upper()})
    monkeypatch.chdir(here)
    built(Path("docs.index"), ["docs"])
    return here


FOUND = [("docs/a.txt", "new/x"), ("docs/c.txt", "new/z"), ("new/y", "new/y1")]


def test_new_documents_similar_to_those_of_the_index_are_duplicates(archive):
    done = simdocs("dedupe", "new", "--against", "docs.index", cwd=archive)
    assert (done.status, done.err, done.names) == (0, "", FOUND)
    assert [fields[2].decode() for fields in done.rows] == [
        jaccard(A, A2),
        "1.000000",
        jaccard(C, C1),
    ]


def test_lists_name_only_new_documents(archive):
    for listed, names in (("kept", b"new/y\n"), ("duplicates", b"new/x\nnew/y1\nnew/z\n")):
        done = simdocs("dedupe", "new", "--against", "docs.index", "--list", listed, cwd=archive)
        assert done == (0, names, "")
    raw = simdocs("dedupe", "new", "--against", "docs.index", "--list", "duplicates", "-0", cwd=archive)
    assert raw.out == b"new/x\0new/y1\0new/z\0"


def test_documents_that_are_all_in_the_index_already_are_a_warning(archive):
    said = "nothing was compared: the index of --against has all 3 documents already, so compare documents before you"
    done = simdocs("dedupe", "docs", "--against", "docs.index", cwd=archive)
    assert done == (0, b"", f"simdocs: warning: {said} add them to it\n")
    some = simdocs("dedupe", "docs", "new/y", "--against", "docs.index", cwd=archive)
    assert (some.status, some.err) == (0, "")
    (archive / "nothing").mkdir()
    none = simdocs("dedupe", "nothing", "--against", "docs.index", cwd=archive)
    assert "nothing was compared" not in none.err


@pytest.mark.reliability("documents that the --against index holds")
def test_files_of_the_index_are_passed_over_as_known(archive):
    done = simdocs("dedupe", "docs", "new", "--against", "docs.index", "--summary-json", "note", cwd=archive)
    assert (done.status, done.err, done.names) == (0, "", FOUND)
    facts = json.loads((archive / "note").read_bytes())
    assert facts["skipped"] == {"known": 3}
    assert facts["duplicates"] == 3
    verbose = simdocs("dedupe", "docs", "--against", "docs.index", "-v", cwd=archive)
    assert verbose[:2] == (0, b"")
    assert verbose.err.count(": skipped: already in the index") == 3


@pytest.mark.reliability("hard links")
def test_links_to_files_of_the_index_are_passed_over_as_known(archive):
    """Linked after the index was built, which changes the times of their inodes."""
    os.link(archive / "docs/a.txt", archive / "new/link")
    os.symlink("../docs/c.txt", archive / "new/symlink")
    done = simdocs("dedupe", "new", "--follow", "--against", "docs.index", "--summary-json", "note", cwd=archive)
    assert (done.status, done.err, done.names) == (0, "", FOUND)
    assert json.loads((archive / "note").read_bytes())["skipped"] == {"known": 2}


@pytest.mark.reliability("documents that the --against index holds")
@pytest.mark.parametrize("verify", ["exact", "estimate"])
def test_a_file_put_in_the_place_of_one_of_the_index_is_new_if_its_text_is(archive, verify):
    """The same text is known. Another is new, and no duplicate of what its own file held."""
    built(Path("docs.index"), ["docs"], threshold=0.6, rebuild=True)
    ask = ("dedupe", "docs", "--against", "docs.index", "--verify", verify)
    (archive / "copy").write_bytes(A)
    os.replace("copy", "docs/a.txt")
    assert simdocs(*ask, "-q", cwd=archive) == (0, b"", "")
    for write in (Path.write_bytes, replaced):
        write(Path("docs/a.txt"), A2)
        done = simdocs(*ask, "--summary-json", "note", cwd=archive)
        assert (done.status, done.names, done.err) == (0, [("docs/b.txt", "docs/a.txt")], "")
        assert json.loads((archive / "note").read_bytes())["skipped"] == {"known": 2}
        write(Path("docs/a.txt"), C)
        assert simdocs(*ask, "--list", "kept", cwd=archive) == (0, b"docs/a.txt\n", "")


def replaced(path: Path, data: bytes) -> None:
    """Write another file and put it in the place of this one."""
    Path("new-file").write_bytes(data)
    os.replace("new-file", path)


@pytest.mark.reliability("documents that the --against index holds")
def test_rewritten_lines_of_a_file_of_the_index_are_new(archive):
    def lines(*texts: bytes) -> bytes:
        return b"".join(b'{"id": "%d", "text": "%s"}\n' % (at, text) for at, text in enumerate(texts))

    lay(archive, {"s.jsonl": lines(A, B)})
    built(Path("s.index"), ["s.jsonl"])
    Path("s.jsonl").write_bytes(lines(A2, B, C))
    done = simdocs("dedupe", "s.jsonl", "--against", "s.index", "--list", "kept", "--format", "tsv", cwd=archive)
    assert done == (0, b"s.jsonl#0\ns.jsonl#2\n", "")


def test_a_duplicate_of_a_rewritten_document_is_reported_under_its_unchanged_copy(archive):
    lay(archive, {"more/1": C, "more/2": C})
    built(Path("more.index"), ["more"])
    (archive / "more/1").write_bytes(A)
    done = simdocs("dedupe", "more/1", "new/y", "--against", "more.index", "--verify", "estimate", cwd=archive)
    assert (done.status, done.names) == (0, [("more/2", "new/y")])


def test_the_threshold_is_that_of_the_index_or_the_one_given(archive):
    built(Path("docs.index"), ["docs"], threshold=0.95, rebuild=True)
    ask = ("dedupe", "new", "--against", "docs.index")
    assert simdocs(*ask, cwd=archive).names == FOUND[1:]
    lower = simdocs(*ask, "-t", "0.8", cwd=archive)
    assert (lower.status, set(lower.names) >= set(FOUND[1:])) == (0, True)
    assert lower.err.count("simdocs: warning: the index was built for threshold 0.95 and finds only ") == 1


@pytest.mark.parametrize("kind", ["shingles", "signatures", "index"])
def test_new_documents_may_be_an_artifact(archive, kind):
    built(Path(f"new.{kind}"), ["new"])
    assert simdocs("dedupe", f"new.{kind}", "--against", "docs.index", cwd=archive).names == FOUND
    assert simdocs("dedupe", f"new.{kind}", "--against", "docs.index", "--keep", "newest", cwd=archive).status == 0


def test_new_documents_may_be_json_lines(archive):
    lay(archive, {"new.jsonl": b"".join(b'{"body": "%s"}\n' % text for text in (A2, C, C1))})
    ask = ("dedupe", "new.jsonl", "--text-field", "body", "--against", "docs.index")
    assert simdocs(*ask, cwd=archive).names == [("docs/a.txt", "new.jsonl#1"), ("new.jsonl#2", "new.jsonl#3")]
    simdocs("index", "docs", "--text-field", "body", "-o", "of.body.index", cwd=archive)
    as_the_index_has_it = simdocs("dedupe", "new.jsonl", "--against", "of.body.index", cwd=archive)
    assert as_the_index_has_it == simdocs(*ask, cwd=archive)
    lines = (archive / "new.jsonl").read_bytes().splitlines(keepends=True)
    assert simdocs(*ask, "--kept-rows", "-", cwd=archive) == (0, lines[1], "")
    assert simdocs(*ask, "--removed-rows", "-", cwd=archive) == (0, lines[0] + lines[2], "")


@pytest.mark.reliability("artifacts with different parameters")
@pytest.mark.parametrize(
    ("options", "field", "values"),
    [
        ({"k": 5}, "k", "5, not 9"),
        ({"unit": "word"}, "unit", "'word', not 'char'"),
        ({"seed": 7}, "seed", "7, not 0"),
        ({"nfkc": True}, "nfkc", "True, not False"),
        ({"multiset": True}, "multiset", "True, not False"),
    ],
)
def test_artifacts_of_other_parameters_are_refused(archive, options, field, values):
    for kind in ("shingles", "index"):
        built(Path(f"new.{kind}"), ["new"], **options)
        done = simdocs("dedupe", f"new.{kind}", "--against", "docs.index", cwd=archive)
        assert (done.status, done.out, done.err.count("\n")) == (4, b"", 1)
        assert f"new.{kind}: does not have the parameters of docs.index: " in done.err
        assert f"{field} is {values}" in done.err


def test_signatures_of_another_scheme_or_size_are_refused(archive):
    for options, what in (({"scheme": "permutation"}, "scheme is 'permutation'"), ({"num_perm": 64}, "num_perm is 64")):
        built(Path("new.signatures"), ["new"], rebuild=True, **options)
        done = simdocs("dedupe", "new.signatures", "--against", "docs.index", cwd=archive)
        assert (done.status, what in done.err) == (4, True)


def test_options_that_contradict_the_index_are_refused(archive):
    done = simdocs("dedupe", "new", "--against", "docs.index", "-k", "5", "--num-perm", "64", cwd=archive)
    assert (done.status, done.out) == (2, b"")
    assert "docs.index was built with -k 9, not 5: rebuild it, or leave the option out" in done.err
    assert "docs.index was built with --num-perm 128, not 64: " in done.err
    assert simdocs("dedupe", "new", "--against", "docs.index", "-k", "9", cwd=archive).names == FOUND
    built(Path("new.shingles"), ["new"])
    ask = ("dedupe", "new.shingles", "--against", "docs.index")
    done = simdocs(*ask, "--num-perm", "64", "--bands", "3", "--rows", "2", cwd=archive)
    assert (done.status, done.out, done.err.count("docs.index was built with ")) == (2, b"", 3)
    assert simdocs(*ask, "--num-perm", "128", cwd=archive).names == FOUND


@pytest.mark.reliability("documents changed or gone since the build")
@pytest.mark.reliability("moved documents or artifacts, another working directory")
def test_nothing_is_a_duplicate_of_a_document_of_the_index_that_is_gone(archive):
    built(Path("docs.shingles"), ["docs"])
    os.rename(archive / "docs", archive / "moved")
    ask = ("dedupe", "new", "--against", "docs.index")
    done = simdocs(*ask, cwd=archive)
    # Nothing is a duplicate of what may not be there any more, not even a copy.
    assert (done.status, done.names) == (3, FOUND[2:])
    assert f"no document of docs.index was found in {archive}, because {archive}/docs is missing" in done.err
    assert simdocs(*ask, "--shingles", "docs.shingles", cwd=archive).names == FOUND
    assert simdocs(*ask, "--strict", cwd=archive)[:2] == (2, b"")
    (archive / "elsewhere").mkdir()
    os.rename(archive / "moved", archive / "elsewhere/docs")
    elsewhere = [(left.replace("docs/", "elsewhere/docs/"), right) for left, right in FOUND]
    assert simdocs(*ask, "--root", "elsewhere", cwd=archive).names == elsewhere


def test_copies_of_a_missing_original_are_still_compared(archive):
    """Of a similar document of the index, or else of the first of them."""
    lay(archive, {"copies/1": A, "copies/2": A, "copies/3": A2})
    ask = ("dedupe", "copies", "--against", "docs.index")
    os.unlink(archive / "docs/a.txt")
    done = simdocs(*ask, cwd=archive)
    assert (done.status, done.names) == (3, [("docs/b.txt", f"copies/{one}") for one in (1, 2, 3)])
    assert simdocs("query", "docs.index", "copies/1", cwd=archive).names == [("copies/1", "docs/b.txt")]
    os.unlink(archive / "docs/b.txt")
    done = simdocs(*ask, cwd=archive)
    assert (done.status, done.names) == (3, [("copies/1", "copies/2"), ("copies/1", "copies/3")])
    assert done.err.count("docs/a.txt: skipped: its file is gone") == 1


def test_components_and_other_artifacts_cannot_be_combined_with_against(archive):
    chains = simdocs("dedupe", "new", "--against", "docs.index", "--cluster", "components", cwd=archive)
    assert chains.status == 2
    built(Path("docs.signatures"), ["docs"])
    assert simdocs("dedupe", "new", "--against", "docs.signatures", cwd=archive).status == 4
    assert simdocs("dedupe", "new", "--against", "gone.index", cwd=archive).status == 2


def test_a_copy_is_found_although_its_bucket_is_full(here):
    words = "the ferry is back in the water and will be running again from monday as the harbour master says today"
    for place, number in (("old", 1), ("old", 2), ("old", 3), ("new", 3)):
        (here / place).mkdir(exist_ok=True)
        (here / place / f"{number}.txt").write_text(f"{words} ({number})")
    assert simdocs("index", "old", "-o", "old.index", cwd=here).status == 0
    done = simdocs("dedupe", "new", "--against", "old.index", "--max-candidates", "1", cwd=here)
    assert (done.status, done.out) == (0, b"old/3.txt\tnew/3.txt\t1.000000\t1.000000\n")
