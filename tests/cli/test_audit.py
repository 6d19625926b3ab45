"""audit: how many of the similar pairs the bands find."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.corpus import A, lay
from tests.cli.program import Done, simdocs
from tests.cli.terminal import on_terminal
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
    assert int(told["similar_pairs"]) == len(similar) > 20
    assert int(told["found"]) == len(found & similar.keys())
    assert int(told["missed"]) == len(similar) - int(told["found"]) > 0
    assert float(told["recall"]) == pytest.approx(int(told["found"]) / len(similar), abs=1e-6)
    assert (told["stated_recall"], told["sampled"]) == ("0.950000", "0")
    low, recall, high = (float(told[key]) for key in ("recall_low", "recall", "recall_high"))
    assert 0 < low < recall < high < 1


def test_a_sample_of_all_texts_counts_the_same_pairs(many):
    told = facts(simdocs("audit", "docs", *MEANS, "--sample", "2000", cwd=many))
    assert told == {**facts(simdocs("audit", "docs", *MEANS, cwd=many)), "sampled": told["distinct_texts"]}


def test_a_recall_that_is_not_reached_is_said_first(many):
    told = facts(simdocs("audit", "docs", *MEANS, cwd=many))
    recall, low, high = (f"{float(told[key]):.4f}" for key in ("recall", "recall_low", "recall_high"))
    line = f"the recall asked for, 0.95, is not reached: {recall} (95% interval: {low} to {high}; "
    assert line in simdocs("audit", "docs", *MEANS, "--summary", cwd=many).err
    enough = simdocs("audit", "docs", *MEANS[:6], "--summary", cwd=many).err
    assert "not reached" not in enough


@pytest.mark.parametrize("kind", ["shingle", "signature", "index"])
def test_an_artifact_has_the_same_audit_as_its_documents(here, kind):
    expected = simdocs("audit", "docs", "-t", "0.6", cwd=here)
    options = ("-t", "0.6") if kind == "index" else ()
    assert simdocs(kind, "docs", "-o", f"x.{kind}s".replace("indexs", "index"), *options, cwd=here).status == 0
    name = f"x.{kind}s".replace("indexs", "index")
    assert simdocs("audit", name, *(() if options else ("-t", "0.6")), cwd=here) == expected


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
@pytest.mark.parametrize("sample", [(), ("--sample", "5")])
def test_a_recall_needs_two_texts(tmp_path, files, why, sample):
    lay(tmp_path, files)
    done = simdocs("audit", "docs", *sample, "--summary", "--exit-code", cwd=tmp_path)
    assert (done.status, facts(done)["recall"]) == (0, "")
    assert f"nothing was compared: {why}, so there is no recall to measure" in done.err.splitlines()
    assert "no pair" not in done.err


@pytest.mark.parametrize(("bands", "status"), [("4", 1), ("128", 0)])
def test_the_exit_status_says_whether_the_recall_is_below_what_is_stated(many, bands, status):
    means = ("--unit", "word", "-k", "2", "-t", "0.5", "--bands", bands, "--rows", "1" if bands == "128" else "4")
    done = simdocs("audit", "docs", *means, "--exit-code", cwd=many)
    assert done.status == status
    assert (float(facts(done)["recall_high"]) < 0.95) == bool(status)
    assert simdocs("audit", "docs", *means, cwd=many).status == 0


def test_all_formats_have_the_same_facts(here):
    expected = facts(simdocs("audit", "docs", cwd=here))
    header = simdocs("audit", "docs", "--header", cwd=here).out
    assert header.startswith(b"key\tvalue\ndocuments\t")
    lines = simdocs("audit", "docs", "--format", "jsonl", cwd=here).out.splitlines()
    assert {line["key"]: line["value"] for line in map(json.loads, lines)} == {
        key: json.loads(value) if value else None for key, value in expected.items()
    }
    assert simdocs("audit", "docs", "-o", "x.csv", cwd=here) == (0, b"", "")
    assert (here / "x.csv").read_bytes().startswith(b"key,value\r\ndocuments,")
    table = on_terminal("audit", "docs", cwd=here).out
    assert b"similar_pairs" in table
    assert b"''" not in table  # a value that is not defined is empty


def test_the_summary_has_the_recall_and_its_interval(here):
    done = simdocs("audit", "docs", "--summary", "--summary-json", "note", cwd=here)
    note = json.loads((here / "note").read_bytes())
    assert (note["recall"], note["recall_high"]) == (1, 1)
    assert "1 similar pair, 1 found by 18 bands of 7 rows; 0 missed" in done.err
    assert re.search(r"^recall: 1\.0000 \(95% interval: 0\.2065 to 1\.0000; .* count as 1\)$", done.err, re.MULTILINE)


def test_an_audit_that_does_not_fit_in_memory_is_of_a_sample(many):
    expected = simdocs("audit", "docs", *MEANS, "--sample", "2000", cwd=many)
    done = simdocs("audit", "docs", *MEANS, "--max-memory", "10", cwd=many)
    sampled = "the tokens of all texts do not fit in memory at once: a sample of the texts is compared with all others"
    assert done == (0, expected.out, f"simdocs: warning: {sampled}\n")
    assert facts(done)["sampled"] == facts(done)["distinct_texts"]
    # Who wants explanations reads it before the work begins, and once.
    loud = simdocs("audit", "docs", *MEANS, "--max-memory", "10", "-v", cwd=many)
    assert [line for line in loud.err.splitlines() if sampled in line] == [f"simdocs: {sampled}"]
    assert simdocs("audit", "docs", *MEANS, "--max-memory", "10", "-q", cwd=many).err == ""


def test_a_sample_has_an_interval_of_the_recall(many):
    done = simdocs("audit", "docs", *MEANS, "--sample", "20", "--summary", "--exit-code", cwd=many)
    told = facts(done)
    assert (tuple(told), told["sampled"]) == (KEYS, "20")
    low, recall, high = (float(told[key]) for key in ("recall_low", "recall", "recall_high"))
    assert low < recall < high
    assert done.status == (high < 0.95)
    assert f"{told['similar_pairs']} similar pairs of 20 drawn texts, {told['found']} found by" in done.err
    assert "pairs of one family are found or missed together" in done.err
    assert simdocs("audit", "docs", *MEANS, "--sample", "20", cwd=many).out == done.out


def test_a_sample_without_similar_pairs_has_no_recall(here):
    done = simdocs("audit", "docs/a.txt", "docs/c.txt", "--sample", "1", "--summary", "--exit-code", cwd=here)
    told = facts(done)
    assert (done.status, told["sampled"], told["recall"], told["recall_high"]) == (0, "1", "", "")
    assert "no pair of 1 drawn text is similar at 0.8, so there is no recall to measure" in done.err


def test_options_that_contradict_an_index_are_refused(here):
    assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 0
    done = simdocs("audit", "x.index", "--bands", "3", cwd=here)
    assert done.status == 2
    assert "x.index was built with" in done.err
