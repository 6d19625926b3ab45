"""audit: how many of the similar pairs the bands find."""

from __future__ import annotations

import pytest

from tests.cli.corpus import A, lay
from tests.cli.program import Done, simdocs
from tests.commands.deduping import write_texts
from tests.similar_texts import family
from tests.twins.answers import Signing
from tests.twins.text_answers import Choices, Twin

KEYS = (
    *("documents", "distinct_texts", "threshold", "bands", "rows", "similar_pairs", "found", "missed", "recall"),
    *("recall_low", "recall_high", "stated_recall", "sampled"),
)
CHOICES = Choices("word", 2, False, 0.5)
MEANS = ("--unit", "word", "-k", "2", "-t", "0.5", "--num-perm", "16", "--bands", "4", "--rows", "4")


def facts(done: Done) -> dict[str, str]:
    return dict(line.split("\t") for line in done.out.decode().splitlines())


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A directory with docs/, which has families of similar texts and copies."""
    place = tmp_path_factory.mktemp("many")
    (place / "docs").mkdir()
    write_texts(place / "docs", family(3, 60))
    return place


def test_pairs_and_those_found_are_those_of_the_twin(many):
    texts = family(3, 60)
    twin = Twin(texts, CHOICES)
    similar = {row[:2]: row[2] for row in twin.pairs() if twin.normalised[row[0]] != twin.normalised[row[1]]}
    found = {row[:2] for row in Twin(texts, CHOICES, 0, Signing("fss", 16, 4, 4)).pairs()}
    done = simdocs("audit", "docs", *MEANS, cwd=many)
    told = facts(done)
    assert (done.status, done.err, tuple(told)) == (0, "", KEYS)
    assert simdocs("index", "docs", *MEANS, "-o", "x.index", cwd=many).status == 0
    assert simdocs("audit", "x.index", cwd=many).out == done.out
    assert int(told["similar_pairs"]) == len(similar) > 20
    assert int(told["found"]) == len(found & similar.keys())
    assert int(told["missed"]) == len(similar) - int(told["found"]) > 0
    assert float(told["recall"]) == pytest.approx(int(told["found"]) / len(similar), abs=1e-6)
    assert (told["stated_recall"], told["sampled"]) == ("0.950000", "0")
    low, recall, high = (float(told[key]) for key in ("recall_low", "recall", "recall_high"))
    assert 0 < low < recall < high < 1


def test_without_similar_pairs_the_recall_is_undefined_and_this_is_said(here):
    done = simdocs("audit", "docs/a.txt", "docs/c.txt", "--summary", "--exit-code", cwd=here)
    told = facts(done)
    assert (done.status, told["similar_pairs"], told["recall"], told["recall_high"]) == (0, "0", "", "")
    assert "no pair is similar at 0.8, so there is no recall to measure" in done.err


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"docs/a": A}, "there is only one document"),
        ({"docs/a": b" "}, "all documents are empty"),
        ({"docs/a": A, "docs/b": A.upper()}, "no two different texts can be read"),
    ],
)
def test_a_recall_needs_two_texts(tmp_path, files, why):
    lay(tmp_path, files)
    done = simdocs("audit", "docs", "--summary", "--exit-code", cwd=tmp_path)
    assert (done.status, facts(done)["recall"]) == (0, "")
    assert f"nothing was compared: {why}, so there is no recall to measure" in done.err.splitlines()
    assert "no pair" not in done.err


@pytest.mark.parametrize(("bands", "status"), [("4", 1), ("128", 0)])
def test_the_exit_status_says_whether_the_recall_is_below_what_is_stated(many, bands, status):
    means = ("--unit", "word", "-k", "2", "-t", "0.5", "--bands", bands, "--rows", "1" if bands == "128" else "4")
    done = simdocs("audit", "docs", *means, "--exit-code", "--summary", cwd=many)
    assert done.status == status
    assert ("the recall asked for, 0.95, is not reached: " in done.err) == bool(status)
    assert (float(facts(done)["recall_high"]) < 0.95) == bool(status)
    assert simdocs("audit", "docs", *means, cwd=many).status == 0


def test_an_audit_that_does_not_fit_in_memory_is_of_a_sample(many):
    expected = simdocs("audit", "docs", *MEANS, "--sample", "2000", cwd=many)
    done = simdocs("audit", "docs", *MEANS, "--max-memory", "10", cwd=many)
    sampled = "the tokens of all texts do not fit in memory at once: a sample of the texts is compared with all others"
    assert done == (0, expected.out, f"simdocs: warning: {sampled}\n")
    assert facts(done)["sampled"] == facts(done)["distinct_texts"]
