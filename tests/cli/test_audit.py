"""audit: how many of the similar pairs the bands find."""

from __future__ import annotations

import pytest

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
