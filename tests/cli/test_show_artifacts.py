"""show of artifacts: token sets, the characteristic matrix, signatures, buckets, and candidate pairs."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import mmh3
import pytest

import simdocs as library
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import Argument, simdocs
from tests.twins import bands as twin
from tests.twins.similarity import estimate, jaccard

LINES = {
    "docs/S1": b"the plane\nroses are\n",
    "docs/S2": b"alice and\n",
    "docs/S3": b"the cow j\nroses are\n",
    "docs/S4": b"roses are\nthe plane\n",
}
NAMES = sorted(LINES)


def token_of(line: bytes) -> int:
    return mmh3.hash(mmh3.hash(line, 0, signed=False).to_bytes(4, "little"), 0, signed=False)


SETS = {name: {token_of(line) for line in text.split(b"\n") if line} for name, text in LINES.items()}


@pytest.fixture(scope="module")
def lectures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Columns of a lecture as documents whose lines are their shingles, and their artifacts."""
    root = lay(tmp_path_factory.mktemp("lectures"), LINES)
    for command, source, *options in (
        ("shingle", "docs", "--unit", "line"),
        ("signature", "x.shingles", "--num-perm", "12"),
        ("index", "x.signatures", "--bands", "6", "--rows", "2", "-t", "0.8"),
    ):
        kind = {"shingle": "shingles", "signature": "signatures", "index": "index"}[command]
        assert simdocs(command, source, *options, "-o", f"x.{kind}", cwd=root) == (0, b"", "")
    return root


def rows(where: Path, *arguments: Argument, status: int = 0) -> list[list[str]]:
    done = simdocs("show", *arguments, cwd=where)
    assert (done.status, status == 0 and done.err) in ((0, ""), (status, False)), done.err
    return [[cell.decode() for cell in row] for row in done.rows]


def test_the_characteristic_matrix_has_a_1_where_a_document_has_a_shingle(lectures):
    texts = {name: set(text.decode().splitlines()) for name, text in LINES.items()}
    every = sorted(set().union(*texts.values()))
    expected = [
        [line, str(token_of(line.encode())), *(str(int(line in texts[name])) for name in NAMES)] for line in every
    ]
    assert rows(lectures, "x.shingles", "--matrix", "--header") == [["shingle", "token", *NAMES], *expected]
    columns = rows(lectures, "x.shingles", "docs/S1", "docs/S3")
    assert [row[0] for row in columns] == ["roses are", "the cow j", "the plane"]
    assert rows(lectures, "x.shingles", "./docs/../docs/S1", lectures / "docs/S3") == columns
    assert rows(lectures / "docs", "../x.shingles", "S1", "./S3") == columns
    # One row is of type (1, 1), and two are (1, 0) or (0, 1).
    assert sorted(row[2:] for row in columns) == [["0", "1"], ["1", "0"], ["1", "1"]]


def test_rows_of_a_matrix_are_in_the_order_of_numbers_and_one_for_each_repeat_of_a_multiset(tmp_path):
    lay(tmp_path, {"docs/a": b"10\n9\n9\n", "docs/b": b"9\n100\n"})
    assert simdocs("shingle", "docs", "--unit", "line", "--multiset", "-o", "x.shingles", cwd=tmp_path).status == 0
    found = [(row[0], *row[2:]) for row in rows(tmp_path, "x.shingles", "--matrix")]
    assert [*sorted(found[:2]), *found[2:]] == [("9", "1", "0"), ("9", "1", "1"), ("10", "1", "0"), ("100", "0", "1")]


def test_signatures_are_columns_of_a_matrix(lectures):
    signatures = library.open(lectures / "x.signatures").signatures.tolist()
    expected = [[str(place + 1), *(str(row[place]) for row in signatures)] for place in range(12)]
    for artifact in ("x.signatures", "x.index"):
        assert rows(lectures, artifact, "--header") == [["place", *NAMES], *expected]


def test_two_signatures_show_where_they_agree(lectures):
    shown = rows(lectures, "x.signatures", "docs/S1", "docs/S3")
    assert [row[3] for row in shown] == ["yes" if row[1] == row[2] else "no" for row in shown]
    signatures = library.open(lectures / "x.signatures").signatures.tolist()
    assert sum(row[3] == "yes" for row in shown) / 12 == estimate(signatures[0], signatures[2])


def test_buckets_are_those_that_documents_share(lectures):
    signatures = library.open(lectures / "x.signatures").signatures.tolist()
    shown = rows(lectures, "x.index", "--buckets")
    found: dict[tuple[str, str], list[str]] = {}
    for band, bucket, name in shown:
        found.setdefault((band, bucket), []).append(name)
    expected = [tuple(NAMES[row] for row in members) for members in twin.buckets(signatures, 6, 2)]
    assert sorted(map(tuple, found.values())) == sorted(expected) != []
    one = {(band, bucket) for band, bucket, name in shown if name == "docs/S2"}
    assert rows(lectures, "x.index", "--buckets", "docs/S2") == [row for row in shown if (row[0], row[1]) in one]


def test_candidates_have_everything_that_decides_them(tmp_path):
    lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/c": A2, "docs/d": B, "docs/e": A2[:150], "docs/f": A})
    assert (
        simdocs("index", "docs", "--bands", "64", "--rows", "2", "-t", "0.85", "-o", "x.index", cwd=tmp_path).status
        == 0
    )
    index = library.open(tmp_path / "x.index")
    signatures = index.signatures.tolist()
    texts = [text.lower() for text in (A, A1, A2, B, A2[:150])]
    sets = [{hash(text[at : at + 9]) for at in range(len(text) - 8)} for text in texts]
    expected = []
    for left, right in combinations(range(5), 2):
        bands = sum(signatures[left][at : at + 2] == signatures[right][at : at + 2] for at in range(0, 128, 2))
        if bands:
            exact = jaccard(sets[left], sets[right])
            figures = (f"{estimate(signatures[left], signatures[right]):.6f}", f"{exact:.6f}")
            names = (f"docs/{'abcde'[side]}" for side in (left, right))
            expected.append([*names, str(bands), *figures, "yes" if exact >= 0.85 else "no"])
    shown = rows(tmp_path, "x.index", "--candidates", "--header")
    assert shown == [["document", "other", "bands", "estimate", "jaccard", "similar"], *expected]
    assert {row[5] for row in expected} == {"yes", "no"}
    with_e = [row for row in expected if "docs/e" in row[:2]]
    assert rows(tmp_path, "x.index", "--candidates", "docs/e") == with_e
    for view in ("--candidates", "--buckets"):  # f is a copy of a, which stands for both
        assert rows(tmp_path, "x.index", view, "docs/f") == rows(tmp_path, "x.index", view, "docs/a") != []
