"""Hash functions that are stated, by --functions and --permutation-file, and what reads signatures that have them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import simdocs as library
from simdocs.model.result import Look, tables_of
from tests.cli.corpus import lay
from tests.cli.lectures import EMPTY, LETTERS, OF_LETTERS, laid, refused, shown, signed
from tests.cli.program import simdocs


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return laid(tmp_path)


# Artifacts that have them


def test_a_number_before_x_multiplies_as_on_slides(here):
    for number, formula in enumerate(("3*x+1 mod 5", "3x+1 mod 5", "(3*x + 1) % 5")):
        functions = ("--functions", f"x+1 mod 5, {formula}")
        assert signed(here, "letters", *functions, name=f"{number}.signatures") == signed(
            here, "letters", "--functions", OF_LETTERS
        )


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


def test_other_artifacts_say_nothing_of_own_functions(here):
    signed(here, "letters", "--num-perm", "8")
    sketching = json.loads((here / "x.signatures" / "manifest.json").read_bytes())["parameters"]["sketching"]
    assert sketching == {"scheme": "fss", "num_perm": 8}
    assert not {b"functions", b"items"} & {row[0] for row in simdocs("info", "x.signatures", cwd=here).rows}


def test_an_empty_set_has_an_empty_signature_and_repeats_count_once(here):
    lay(here, {"few/empty": b"", "few/twice": b"b\nb\na\n"})
    assert signed(here, "few", "--functions", "x+1 mod 5") == [[EMPTY, 1]]
    lay(here, {"none/empty": b" \n"})
    assert signed(here, "none", "--functions", "x mod 5", name="y.signatures") == [[EMPTY]]


def test_sets_that_were_not_cut_at_their_lines_are_noticed(here):
    said = "each document is a single shingle: if it is a set with one item in each line, use --unit line"
    functions = ("--functions", "x mod 5, x+1 mod 5, x+2 mod 5")
    for command, suffix in (("signature", "signatures"), ("index", "index")):
        done = simdocs(command, "letters", *functions, "-o", f"x.{suffix}", cwd=here)
        assert (done.status, said in done.err) == (0, True)
        done = simdocs(command, "letters", "--unit", "line", *functions, "-o", f"y.{suffix}", cwd=here)
        assert (done.status, said in done.err) == (0, False)


def test_documents_of_a_container_and_of_standard_input_are_numbered(here):
    lines = [json.dumps({"id": name, "text": "\n".join(text)}) for name, text in LETTERS.items()]
    (here / "sets.jsonl").write_text("\n".join(lines))
    expected = [[1, 3, 0, 1], [0, 2, 0, 0]]
    assert signed(here, "sets.jsonl", "--functions", OF_LETTERS) == expected
    options = ("--unit", "line", "--functions", OF_LETTERS, "-o", "y.signatures")
    piped = simdocs(
        "signature", "-", "--input-format", "jsonl", *options, cwd=here, stdin=(here / "sets.jsonl").read_bytes()
    )
    assert piped == (0, b"", "")
    assert shown(here, "y.signatures") == expected


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


def test_other_functions_do_not_meet_in_one_comparison(here):
    simdocs("index", "letters", "--unit", "line", "--functions", OF_LETTERS, "-o", "x.index", cwd=here)
    signed(here, "matrix", "--permutation-file", "orders", name="o.signatures")
    said = refused(here, "dedupe", "o.signatures", "--against", "x.index", status=4)
    assert said.startswith("o.signatures: does not have the parameters of x.index: scheme is 'permutation-file', not")
    assert "items" not in said
    signed(here, "matrix", "--functions", OF_LETTERS, name="f.signatures")
    said = refused(here, "dedupe", "f.signatures", "--against", "x.index", status=4)
    assert "items is ('1', '2', '3'," in said
    signed(here, "letters", "--functions", OF_LETTERS)
    done = simdocs("dedupe", "x.signatures", "--against", "x.index", cwd=here)
    assert done.status == 0


def test_nothing_is_said_of_bands_that_are_not_used(here):
    simdocs("index", "letters", "--unit", "line", "--functions", OF_LETTERS, "-o", "x.index", cwd=here)
    for asked in (
        ("dedupe", "x.index", "--exact"),
        ("query", "x.index", "letters/D1", "--exact"),
        ("query", "x.index", "letters/D1", "--measure", "containment"),
    ):
        done = simdocs(*asked, cwd=here)
        assert (done.status, done.err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("tune x.signatures", "x.signatures has hash functions that were stated, and tune is about random ones"),
        ("audit x.signatures", "x.signatures has hash functions that were stated, and audit is about random ones"),
        (
            "index x.signatures --functions x%5 -o x.index",
            f"x.signatures was built with --functions {OF_LETTERS}, not x mod 5: rebuild it, or leave the option out",
        ),
        (
            "index x.signatures --permutation-file orders -o x.index",
            "x.signatures was built without --permutation-file: rebuild it, or leave the option out",
        ),
        (
            "index drawn.signatures --functions x%5 -o x.index",
            "drawn.signatures was built without --functions: rebuild it, or leave the option out",
        ),
        (
            "index ordered.signatures --permutation-file backwards -o x.index",
            "ordered.signatures was built with another --permutation-file than backwards: rebuild it",
        ),
        ("index ordered.signatures --permutation-file letters/D1 -o x.index", "letters/D1: permutation 1: 'a' is not"),
        (
            "index letters --unit line --functions x%5 -o x.index",
            "no bands and rows reach a recall of 0.95 at threshold 0.8 with --num-perm 1 (1 bands of 1 row find 0.8):"
            " state more functions, or set --bands or --rows",
        ),
        ("dedupe letters --scheme functions", "--scheme must be one of fss, permutation, not 'functions'"),
    ],
)
def test_what_does_not_fit_an_artifact_is_refused(here, arguments, said):
    signed(here, "letters", "--functions", OF_LETTERS)
    signed(here, "letters", "--num-perm", "4", name="drawn.signatures")
    signed(here, "matrix", "--permutation-file", "orders", name="ordered.signatures")
    (here / "backwards").write_text("7 6 5 4 3 2 1\n")
    assert refused(here, *arguments.split()).startswith(said)


# Bad input


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--functions", ""), "--functions must be 1 to 50 functions (a*x+b) mod m, such as '(x+1) mod 5, (3*x+1) mod"),
        (("--functions", "x*x mod 5"), "not 'x*x mod 5'"),
        (("--permutation-file", "missing"), "missing: No such file or directory"),
        (("--permutation-file", "matrix"), "matrix: this is a directory: name one text"),
        (("--permutation-file", "binary"), "binary: a binary file (a NUL byte in the first 8 KiB)"),
        (("--permutation-file", "latin"), "--permutation-file: permutation 2: '\\udcff' is not among the 7 shingles"),
        (("--permutation-file", "empty"), "empty: it has 0 permutations"),
        (("--permutation-file", "short"), "--permutation-file: permutation 2: '7' is missing"),
        (("--permutation-file", "matrix/S1"), "--permutation-file: permutation 1: '1' is missing"),
        (("--functions", "x%5", "--permutation-file", "orders"), "--functions and --permutation-file cannot be"),
        (("--functions", "x%5", "--scheme", "fss"), "--functions and --scheme cannot be combined: the functions are"),
        (("--functions", "x%5", "--num-perm", "3"), "--functions and --num-perm cannot be combined: the functions are"),
        (("--functions", "x%5", "--multiset"), "--functions and --multiset cannot be combined: "),
        (("--permutation-file", "orders", "--template", "short"), "--permutation-file and --template cannot be"),
        (("--permutation-file", "-", "--files-from", "-"), "- names standard input, which can be read only once"),
    ],
)
def test_bad_functions_and_permutations_are_one_line(here, options, said):
    permutations = {"empty": b"\n", "short": b"1 2 3 4 5 6 7\n1 2 3 4 5 6\n", "latin": b"1 2 3 4 5 6 7\n\xff"}
    lay(here, {"binary": bytes(10), **permutations})
    folder = () if "--files-from" in options else ("matrix",)
    assert said in refused(here, "signature", *folder, "--unit", "line", *options, "-o", "x.signatures")
    assert not (here / "x.signatures").exists()
    if folder:
        assert said in refused(
            here, "compare", "matrix/S2", "matrix/S3", "matrix/S4", "matrix/S1", "--unit", "line", *options
        )


def test_a_permutation_file_may_be_standard_input(here):
    options = ("--unit", "line", "--permutation-file", "-", "-o", "x.signatures")
    assert simdocs("signature", "matrix", *options, cwd=here, stdin=b"7 6 5 4 3 2 1\n") == (0, b"", "")
    assert shown(here, "x.signatures") == [[2, 2, 1, 3]]


def test_large_sets_are_refused(here):
    lay(here, {"large/a": b"\n".join(b"%d" % number for number in range(1001))})
    said = "--functions: there are more than 1,000 different shingles, or they have more than 64 KiB: --scheme"
    simdocs("shingle", "large", "--unit", "line", "-o", "x.shingles", cwd=here)
    for command in (
        ("signature", "large", "--unit", "line", "-o", "x.signatures"),
        ("signature", "x.shingles", "-o", "x.signatures"),
        ("index", "large", "--unit", "line", "--bands", "1", "-o", "x.index"),
        ("compare", "large/a", "quiz/S1", "--unit", "line"),
    ):
        assert refused(here, *command, "--functions", "x mod 5").startswith(said)
    lay(here, {"large/a": b"\n".join(b"%d" % number for number in range(1000))})
    assert len(signed(here, "large", "--functions", "x+1 mod 7")) == 1


def test_token_sets_whose_documents_are_gone_cannot_be_numbered(here):
    simdocs("shingle", "letters", "--unit", "line", "-o", "x.shingles", cwd=here)
    (here / "letters").rename(here / "elsewhere")
    said = refused(here, "signature", "x.shingles", "--functions", "x mod 5", "-o", "x.signatures")
    assert said == f"{here}/letters/D1: its file is gone: build x.shingles again"
    lay(here, {"bag": b"a\na\n"})
    simdocs("shingle", "bag", "--unit", "line", "--multiset", "-o", "m.shingles", cwd=here)
    said = refused(here, "signature", "m.shingles", "--functions", "x mod 5", "-o", "x.signatures")
    assert said == "--functions: m.shingles has multisets, not sets"


def test_numbers_that_are_the_same_are_refused(here):
    lay(here, {"same": b"7\n007\n"})
    said = refused(here, "signature", "same", "--unit", "line", "--functions", "x mod 5", "-o", "x.signatures")
    assert said == "--functions: 007 and 7 are the same number: write both in the same way"


def test_python_takes_formulas_in_a_list_and_a_path(here, monkeypatch):
    monkeypatch.chdir(here)
    by_list = library.signature("letters", unit="line", functions=["(x+1) mod 5", "(3*x+1) mod 5"])
    by_text = library.signature("letters", unit="line", functions=OF_LETTERS)
    assert np.array_equal(by_list.signatures, by_text.signatures)
    trace = library.compare("quiz/S1", "quiz/S3", unit="line", functions="x+1 mod 4, 3*x+1 mod 4", trace=True)
    _, signatures, _ = tables_of(trace, Look())
    assert [row[1:] for row in signatures] == [(0, 1), (0, 0)]
    with pytest.raises(library.UsageError, match=r"functions must be 1 to 50 functions .* not 'x-1'"):
        library.signature("letters", unit="line", functions="x-1")
