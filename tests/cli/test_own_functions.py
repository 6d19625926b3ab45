"""Hash functions that are stated, by --functions and --permutation-file, and what reads signatures that have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.corpus import lay
from tests.cli.lectures import OF_LETTERS, laid, refused, shown, signed
from tests.cli.program import simdocs


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return laid(tmp_path)


def test_the_same_artifact_is_made_from_documents_token_sets_and_by_several_workers(here):
    simdocs("shingle", "letters", "--unit", "line", "-o", "x.shingles", cwd=here)
    made = []
    for source, *options in (
        ("letters", "--unit", "line", "-j1"),
        ("letters", "--unit", "line", "-j2"),
        ("x.shingles",),
    ):
        done = simdocs("signature", source, *options, "--functions", OF_LETTERS, "-o", "x.signatures", cwd=here)
        assert done == (0, b"", "")
        made.append((here / "x.signatures" / "manifest.json").read_bytes())
    assert made[0] == made[1] == made[2]
    assert simdocs("check", "x.signatures", cwd=here) == (0, b"", "")
    facts = dict(row[:2] for row in simdocs("info", "x.signatures", cwd=here).rows)
    assert [facts[name] for name in (b"scheme", b"num_perm", b"functions", b"items")] == [
        *(b"functions", b"2", OF_LETTERS.encode(), b"a, b, c, d, e")
    ]


def test_an_update_takes_over_what_is_unchanged_and_numbers_new_shingles(here):
    options = ("--unit", "line", "--functions", OF_LETTERS, "-o", "x.signatures", "--summary")
    simdocs("signature", "letters", *options, cwd=here)
    again = simdocs("signature", "letters", *options, cwd=here)
    assert "4 unchanged, 0 changed" in again.err
    assert "rebuilt" not in again.err
    (here / "letters" / "D2").write_text("f")
    other = simdocs("signature", "letters", *options, cwd=here)
    assert "rebuilt from scratch: the documents have other shingles now, which are numbered again" in other.err
    assert "warning" not in other.err
    assert shown(here, "x.signatures") == [[1, 1, 0, 1], [0, 1, 0, 0]]
    said = refused(here, "signature", "letters", "--unit", "line", "--num-perm", "4", "-o", "x.signatures")
    assert said.startswith(f"x.signatures was built with --functions {OF_LETTERS}: ")


def test_an_index_finds_pairs_in_buckets_of_stated_functions_and_warns(here):
    signed(here, "letters", "--functions", OF_LETTERS)
    warning = "the hash functions were stated, so pairs may be missed more often than the bands would miss them"
    done = simdocs("index", "x.signatures", "--bands", "1", "--rows", "2", "-o", "x.index", cwd=here)
    assert done.status == 0
    assert warning in done.err
    assert simdocs("show", "x.index", "--buckets", cwd=here).out == b"1\t1\tletters/D1\n1\t1\tletters/D4\n"
    pair = b"letters/D1\tletters/D4\t0.666667\t1.000000\n"
    for asked in (("dedupe", "x.index"), ("query", "x.index", "letters/D1")):
        done = simdocs(*asked, "-t", "0.5", cwd=here)
        assert (done.status, done.out) == (0, pair)
        assert warning in done.err
    direct = simdocs("index", "letters", "--unit", "line", "--functions", OF_LETTERS, "-o", "y.index", cwd=here)
    assert (direct.status, direct.err) == (0, f"simdocs: warning: {warning}\n")
    assert shown(here, "y.index") == shown(here, "x.index")


def test_a_query_needs_shingles_that_the_index_has(here):
    simdocs("index", "letters", "--unit", "line", "--functions", OF_LETTERS, "-o", "x.index", cwd=here)
    lay(here, {"new": b"d\na\n", "other": b"a\nz\nq\n"})
    assert simdocs("query", "x.index", "new", "-t", "0.9", cwd=here).out == b"new\tletters/D1\t1.000000\t1.000000\n"
    assert simdocs("dedupe", "new", "--against", "x.index", "-t", "0.9", cwd=here).out == (
        b"letters/D1\tnew\t1.000000\t1.000000\n"
    )
    said = "a document has a shingle that is not one of the 5 for which the hash functions are defined"
    simdocs("shingle", "new", "other", "--unit", "line", "-o", "x.shingles", cwd=here)
    for asked in (
        ("query", "x.index", "new", "other"),
        ("query", "x.index", "x.shingles"),
        ("dedupe", "new", "other", "--against", "x.index"),
    ):
        assert refused(here, *asked).startswith(said)


def signed_alone(where: Path, name: str, *documents: str) -> bytes:
    """The manifest of an artifact of these documents."""
    paths = (f"letters/{document}" for document in documents)
    options = ("--unit", "line", "--functions", OF_LETTERS, "-o", name)
    assert simdocs("signature", *paths, *options, cwd=where) == (0, b"", "")
    return (where / name / "manifest.json").read_bytes()


def test_artifacts_merge_if_they_have_the_same_shingles(here):
    lay(here, {"letters/D5": b"a\nb\nc\nd\ne", "letters/D6": b"e\nd\nc\nb\na"})
    signed_alone(here, "a.signatures", "D1", "D3")
    signed_alone(here, "b.signatures", "D2", "D4")
    said = (
        "a.signatures and b.signatures have different shingles, which their hash functions number: sign all documents"
    )
    assert refused(here, "merge", "a.signatures", "b.signatures", "-o", "m.signatures", status=4).startswith(said)
    signed_alone(here, "c.signatures", "D1", "D5")
    signed_alone(here, "d.signatures", "D3", "D6")
    assert simdocs("merge", "c.signatures", "d.signatures", "-o", "m.signatures", cwd=here) == (0, b"", "")
    whole = signed_alone(here, "e.signatures", "D1", "D5", "D3", "D6")
    assert (here / "m.signatures" / "manifest.json").read_bytes() == whole


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            "index x.signatures --functions x%5 -o x.index",
            f"x.signatures was built with --functions {OF_LETTERS}, not x mod 5: rebuild it, or leave the option out",
        ),
        (
            "index drawn.signatures --functions x%5 -o x.index",
            "drawn.signatures was built without --functions: rebuild it, or leave the option out",
        ),
        (
            "index ordered.signatures --permutation-file backwards -o x.index",
            "ordered.signatures was built with another --permutation-file: rebuild it",
        ),
    ],
)
def test_what_does_not_fit_an_artifact_is_refused(here, arguments, said):
    signed(here, "letters", "--functions", OF_LETTERS)
    signed(here, "letters", "--num-perm", "4", name="drawn.signatures")
    signed(here, "matrix", "--permutation-file", "orders", name="ordered.signatures")
    (here / "backwards").write_text("7 6 5 4 3 2 1\n")
    assert refused(here, *arguments.split()).startswith(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--functions", "x*x mod 5"), "not 'x*x mod 5'"),
        (("--permutation-file", "binary"), "binary: a binary file (a NUL byte in the first 8 KiB)"),
        (("--permutation-file", "latin"), "--permutation-file: permutation 2: '\\udcff' is not among the 7 shingles"),
        (("--permutation-file", "short"), "--permutation-file: permutation 2: '7' is missing"),
        (("--permutation-file", "orders", "--template", "short"), "--permutation-file and --template cannot be"),
    ],
)
def test_bad_functions_and_permutations_are_one_line(here, options, said):
    lay(here, {"binary": bytes(10), "short": b"1 2 3 4 5 6 7\n1 2 3 4 5 6\n", "latin": b"1 2 3 4 5 6 7\n\xff"})
    for command in (
        ("signature", "matrix", "-o", "x.signatures"),
        ("compare", *(f"matrix/S{n}" for n in (1, 2, 3, 4))),
    ):
        assert said in refused(here, *command, "--unit", "line", *options)
    assert not (here / "x.signatures").exists()


def test_shingles_that_come_first_in_a_later_batch_are_numbered(tmp_path):
    texts = [*(" ".join(map(str, range(at % 7, 200))) for at in range(2000)), "777"]
    lay(tmp_path, {"x.jsonl": "\n".join(f'{{"text": "{text}"}}' for text in texts).encode()})
    words = ("--unit", "word", "-k", "1", "--functions", "(x+1) mod 997", "-o", "x.signatures")
    assert simdocs("signature", "x.jsonl", *words, cwd=tmp_path) == (0, b"", "")
