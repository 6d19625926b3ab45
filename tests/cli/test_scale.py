"""Many copies, crowded buckets, forged signatures, one template for all: what it costs, and what is said."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.corpus import A, B, lay
from tests.cli.forged import Arrays, signed_anew
from tests.cli.program import simdocs

COPY = b'{"text": "%s"}\n' % A


def many_copies(where: Path, number: int) -> None:
    """Every command on so many copies of one text, each of which would take forever if it compared them in pairs."""
    lay(where, {"docs/x.jsonl": COPY * number, "more/y.jsonl": COPY * 20})

    def ask(*words: str) -> list[list[bytes]]:
        done = simdocs(*words, cwd=where)
        assert (done.status, done.err) == (0, "")
        return done.rows

    first, rest = b"docs/x.jsonl#1", range(2, number + 1)
    same = [b"1.000000", b"1.000000"]
    groups = [[first, b"docs/x.jsonl#%d" % at, *same] for at in rest]
    assert ask("dedupe", "docs") == groups
    assert ask("dedupe", "docs", "--cluster", "components") == groups
    assert ask("pairs", "docs") == [
        [b"docs/x.jsonl#%d" % (at - 1), *row[1:]] for at, row in zip(rest, groups, strict=True)
    ]
    assert ask("dedupe", "docs", "--list", "kept") == [[first]]
    assert ask("index", "docs", "-o", "x.index") == []
    assert ask("dedupe", "x.index") == groups
    assert ask("dedupe", "more", "--against", "x.index") == [
        [first, b"more/y.jsonl#%d" % at, *same] for at in range(1, 21)
    ]
    assert ask("query", "x.index", "more", "--list", "matches") == [[first], *([row[1]] for row in groups)]
    best = sorted([first, *(row[1] for row in groups)])[:2]
    asked = [b"more/y.jsonl#%d" % at for at in range(1, 21)]
    assert ask("query", "x.index", "more", "--top", "2") == [[name, match, *same] for name in asked for match in best]


@pytest.mark.reliability("100,000 copies of one text")
@pytest.mark.reliability("a query with 100,000 matches")
@pytest.mark.parametrize("number", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_many_copies_among_lines_are_found_in_linear_time(tmp_path, number):
    many_copies(tmp_path, number)


@pytest.mark.reliability("100,000 copies of one text")
@pytest.mark.parametrize("directories", [10, pytest.param(1000, marks=pytest.mark.slow)])
def test_many_copies_among_files_are_not_read_again(tmp_path, directories):
    """A hundred in each directory: none is read a second time."""
    lay(tmp_path, {f"docs/{at // 100}/{at % 100}": A for at in range(100 * directories)})
    done = simdocs("dedupe", "docs", "--list", "kept", "--summary-json", "note", cwd=tmp_path)
    assert done == (0, b"docs/0/0\n", "")
    facts = json.loads((tmp_path / "note").read_bytes())
    assert (facts["duplicates"], facts["candidates"], facts["verified"]) == (100 * directories - 1, 0, 0)


def unlike(number: int) -> bytes:
    """So many documents that have nothing in common."""
    dice = random.Random(1)
    texts = (" ".join(f"w{dice.randrange(10**6)}" for _ in range(40)) for _ in range(number))
    return b"".join(b'{"text": "%s"}\n' % text.encode() for text in texts)


def forged(where: Path, documents: bytes, change: Callable[[Arrays], object]) -> None:
    """x.signatures of these documents, with other signatures than theirs; and x.index of those."""
    lay(where, {"docs/x.jsonl": documents})
    assert simdocs("signature", "docs", "-o", "x.signatures", cwd=where).status == 0
    signed_anew(where / "x.signatures", change)
    assert simdocs("index", "x.signatures", "-o", "x.index", cwd=where).status == 0


def crowded(arrays: Arrays) -> None:
    """All agree in one band, and nowhere else."""
    arrays["signatures"][:, :7] = 5


def alike(arrays: Arrays) -> None:
    """All agree everywhere."""
    arrays["signatures"][:] = arrays["signatures"][0]


@pytest.mark.reliability("20,000 unrelated documents in one bucket")
@pytest.mark.parametrize(("number", "most"), [(2000, 100), pytest.param(20_000, 1000, marks=pytest.mark.slow)])
def test_a_crowded_bucket_is_capped_and_its_documents_named(tmp_path, number, most):
    forged(tmp_path, unlike(number), crowded)
    for words in (["x.signatures"], ["x.index"]):
        limit = ["--max-candidates", str(most), "--summary-json", "note"]
        done = simdocs("dedupe", *words, *limit, cwd=tmp_path)
        assert (done.status, done.out) == (3, b"")
        lines = done.err.splitlines()
        assert len(lines) == 11
        assert all("not compared with all documents kept before it (--max-candidates)" in line for line in lines)
        facts = json.loads((tmp_path / "note").read_bytes())
        assert facts["skipped"] == {"capped": number - most - 1}  # the next after those has met all of them
        assert facts["candidates"] <= most * number
        # None of them could be similar, by their signatures: so not one is read again.
        assert facts["verified"] == 0


@pytest.mark.reliability("forged signatures")
def test_forged_signatures_make_nothing_similar(tmp_path):
    """An estimate may be forged: what is reported has been compared."""
    forged(tmp_path, unlike(60) + COPY, alike)
    lay(tmp_path, {"new/a": A.replace(b"half", b"a third"), "new/b": B})
    for words in (["dedupe", "x.signatures"], ["pairs", "x.index"], ["query", "x.index", "docs"]):
        assert simdocs(*words, cwd=tmp_path) == (0, b"", "")
    estimated = simdocs("dedupe", "x.signatures", "--verify", "estimate", cwd=tmp_path)
    assert len(estimated.rows) == 60
    # And hide nothing but themselves.
    real = simdocs("dedupe", "docs", "new", "--list", "duplicates", cwd=tmp_path)
    assert real == (0, b"new/a\n", "")


@pytest.mark.reliability("patterns meant to be slow")
@pytest.mark.parametrize("pattern", ["*a" * 20 + "*b", "[a-z]*" * 20 + "b", "**/" * 20 + "*b"])
def test_patterns_made_to_be_slow_are_matched_quickly(tmp_path, pattern):
    lay(tmp_path, {f"docs/{'a' * 60}/{'a' * 250}": A})
    done = simdocs("dedupe", "docs", "--include", pattern, "--exclude", pattern, "--list", "kept", cwd=tmp_path)
    assert (done.status, done.out, done.err.count("no file matches --include")) == (0, b"", 1)


@pytest.mark.reliability("a template that makes four in ten documents duplicates")
def test_a_group_of_four_documents_in_ten_is_mentioned(tmp_path):
    """Where four documents of ten are alike but for a name, somebody should have a look."""
    texts = [B * 4 + A[at : at + 9] for at in range(48)] + [
        random.Random(at).randbytes(200).hex().encode() for at in range(69)
    ]
    texts += [texts[0], texts[0], B * 5 + A[:9]]  # two copies, and another text with the same shingles
    lay(tmp_path, {f"docs/{at:03}": text for at, text in enumerate(texts)})
    done = simdocs("dedupe", "docs", "-v", "--summary-json", "note", cwd=tmp_path)
    assert done.status == 0
    advice = (
        "47 of 47 pairs of different texts are in chains of 20 or more documents, the largest of 51 documents (42% of"
        " all), such as docs/000: if they share only a template, leave it out with"
        " --template FILE or --ignore-common F (simdocs tune DOCS looks for F), or try --unit line"
    )
    assert f"\n{advice}\n" in done.err
    facts = json.loads((tmp_path / "note").read_bytes())
    assert facts["largest_group"] == {"kept": "docs/000", "duplicates": 50}
    assert facts["advice"] == [advice]


@pytest.mark.reliability("a template that makes most of the pairs")
@pytest.mark.parametrize("how", [["pairs"], ["dedupe", "--cluster", "components"]])
def test_a_common_skeleton_of_few_documents_is_mentioned(tmp_path, how):
    """Where 24 of 400 documents share a skeleton, and 10 pairs are near-duplicates otherwise."""
    others = [random.Random(1000 + at).randbytes(200).hex().encode() for at in range(366)]
    copies = [text + b"." for text in others[:10]]
    skeletons = [A + random.Random(at).randbytes(80).hex().encode() for at in range(24)]
    texts = [*skeletons, *others, *copies]
    lay(tmp_path, {f"docs/{at:03}": text for at, text in enumerate(texts)})
    done = simdocs(*how, "docs", "-t", "0.3", "-v", "--summary-json", "note", cwd=tmp_path)
    assert done.status == 0
    [line] = [line for line in done.err.splitlines() if "template" in line]
    pairs = 24 * 23 // 2 if how == ["pairs"] else 23
    assert line.startswith(f"{pairs} of {pairs + 10} pairs of different texts are in chains of 20 or more documents, ")
    assert "24 documents (6% of all), such as docs/000" in line
    assert json.loads((tmp_path / "note").read_bytes())["advice"] == [line]
    assert "template" not in simdocs(*how, "docs", "-v", cwd=tmp_path).err
