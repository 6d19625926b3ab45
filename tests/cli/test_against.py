"""dedupe --against: what an index holds is kept, and only new documents are duplicates."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import simdocs as library
from tests.cli.corpus import A2, A, B, lay
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


def found(*documents: str, index: str = "docs.index", **options: object) -> list[tuple[str, str]]:
    """The documents in each row of the answer."""
    return [row[:2] for row in library.dedupe(*documents, against=index, **options).rows()]


FOUND = [("docs/a.txt", "new/x"), ("docs/c.txt", "new/z"), ("new/y", "new/y1")]


@pytest.mark.reliability("documents that the --against index holds")
def test_documents_that_are_all_in_the_index_already_are_a_warning(archive):
    said = "nothing was compared: the index of --against has all 3 documents already, so compare documents before you"
    done = simdocs("dedupe", "docs", "--against", "docs.index", cwd=archive)
    assert done == (0, b"", f"simdocs: warning: {said} add them to it\n")
    assert library.dedupe("docs", "new", against="docs.index").skipped.counts == {"known": 3}
    assert found("docs", "new") == FOUND
    assert simdocs("dedupe", "docs", "new", "--against", "docs.index", cwd=archive).err == ""


@pytest.mark.reliability("documents that the --against index holds")
@pytest.mark.parametrize("verify", ["exact", "estimate"])
def test_a_file_put_in_the_place_of_one_of_the_index_is_new_if_its_text_is(archive, verify):
    """The same text is known. Another is new, and no duplicate of what its own file held."""
    built(Path("docs.index"), ["docs"], threshold=0.6, rebuild=True)
    Path("copy").write_bytes(A)
    os.replace("copy", "docs/a.txt")
    assert found("docs", verify=verify) == []
    for write in (Path.write_bytes, replaced):
        write(Path("docs/a.txt"), A2)
        done = library.dedupe("docs", against="docs.index", verify=verify)
        assert [row[:2] for row in done.rows()] == [("docs/b.txt", "docs/a.txt")]
        assert done.skipped.counts == {"known": 2}
        write(Path("docs/a.txt"), C)
        assert found("docs", verify=verify) == []


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
    Path("more/1").write_bytes(A)
    assert found("more/1", "new/y", index="more.index", verify="estimate") == [("more/2", "new/y")]


OTHERS = {
    "shingles": {"k": ({"k": 5}, "5, not 9"), "nfkc": ({"nfkc": True}, "True, not False")},
    "signatures": {
        "scheme": ({"scheme": "permutation"}, "'permutation', not 'fss'"),
        "num_perm": ({"num_perm": 64}, "64, not 128"),
    },
    "index": {"unit": ({"unit": "word"}, "'word', not 'char'"), "seed": ({"seed": 7}, "7, not 0")},
}


@pytest.mark.reliability("artifacts with different parameters")
@pytest.mark.parametrize("kind", OTHERS)
def test_artifacts_of_other_parameters_are_refused(archive, kind):
    for field, (options, values) in OTHERS[kind].items():
        built(Path(f"new.{kind}"), ["new"], rebuild=True, **options)
        done = simdocs("dedupe", f"new.{kind}", "--against", "docs.index", cwd=archive)
        assert (done.status, done.out, done.err.count("\n")) == (4, b"", 1)
        assert f"new.{kind}: does not have the parameters of docs.index: " in done.err
        assert f"{field} is {values}" in done.err


@pytest.mark.reliability("documents changed or gone since the build")
@pytest.mark.reliability("moved documents or artifacts, another working directory")
def test_nothing_is_a_duplicate_of_a_document_of_the_index_that_is_gone(archive):
    built(Path("docs.shingles"), ["docs"])
    os.rename("docs", "moved")
    ask = ("dedupe", "new", "--against", "docs.index")
    done = simdocs(*ask, cwd=archive)
    # Nothing is a duplicate of what may not be there any more, not even a copy.
    assert (done.status, done.names) == (3, FOUND[2:])
    assert f"no document of docs.index was found in {archive}, because {archive}/docs is missing" in done.err
    assert simdocs(*ask, "--strict", cwd=archive)[:2] == (2, b"")
    assert found("new", shingles="docs.shingles") == FOUND
    built(Path("new.shingles"), ["new"])
    assert found("new.shingles", shingles="docs.shingles") == FOUND
    Path("elsewhere").mkdir()
    os.rename("moved", "elsewhere/docs")
    elsewhere = [(left.replace("docs/", "elsewhere/docs/"), right) for left, right in FOUND]
    assert simdocs(*ask, "--root", "elsewhere", cwd=archive).names == elsewhere
