"""audit: how many of the similar pairs the bands find."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from tests.cli.corpus import A, lay
from tests.cli.program import Done, simdocs
from tests.cli.terminal import on_terminal
from tests.commands.deduping import write_texts
from tests.similar_texts import family
from tests.twins.answers import Signing
from tests.twins.bands import chance
from tests.twins.text_answers import Choices, Twin

KEYS = (
    *("documents", "distinct_texts", "threshold", "bands", "rows", "similar_pairs", "found", "missed", "recall"),
    *("stated_recall", "predicted_recall", "seeds", "mean_recall", "mean_recall_low", "mean_recall_high"),
    *("candidates", "precision", "sampled", "recall_low", "recall_high", "missed_family"),
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
    assert float(told["precision"]) == pytest.approx(int(told["found"]) / int(told["candidates"]), abs=1e-6)
    predicted = np.mean([chance(jaccard, 4, 4) for jaccard in similar.values()])
    assert float(told["predicted_recall"]) == pytest.approx(predicted, abs=1e-6)
    assert told["stated_recall"] == "0.950000"
    low, mean, high = (float(told[f"mean_recall{end}"]) for end in ("_low", "", "_high"))
    assert low <= predicted <= high
    assert 0 < low < mean < high < 1


@pytest.mark.parametrize("columns", [59, 60, 100])
def test_a_wide_terminal_shows_what_each_key_means(many, columns):
    shown = on_terminal("audit", "docs", *MEANS, colored=False, cwd=many, columns=columns)
    head, _, *rows = [line for line in shown.out.decode().splitlines() if line.strip()]
    assert head.split() == ["key", "value", *(["meaning"] if columns >= 60 else [])]
    told = {key: value for key, value in facts(simdocs("audit", "docs", *MEANS, cwd=many)).items() if value}
    assert columns < 100 or len(rows) == len(told)  # without empty ones, and none takes two lines
    for key, value in told.items():
        (row,) = [row for row in rows if f"{row} ".startswith(f" {key} ")]
        assert row.split()[1] == value
        assert (len(row.split()) > 2) == (columns >= 60)


def test_a_table_marks_the_counts_that_a_sample_estimates(many):
    told = facts(simdocs("audit", "docs", *MEANS, "--sample", "20", cwd=many))
    shown = on_terminal("audit", "docs", *MEANS, "--sample", "20", colored=False, cwd=many, columns=100).out.decode()
    for key in ("similar_pairs", "missed"):
        assert re.search(rf"^ {key} +about {told[key]} ", shown, re.MULTILINE)
    assert re.search(rf"^ found +{told['found']} ", shown, re.MULTILINE)
    assert re.search(rf"^ missed_family +{told['missed_family']} +largest family .* overlook", shown, re.MULTILINE)


def test_a_sample_of_all_texts_says_so(many):
    means = ("audit", "docs", *MEANS, "--sample", "2000")
    told = facts(simdocs(*means, cwd=many))
    err = simdocs(*means, "--summary", cwd=many).err
    assert f"the sample has all {told['distinct_texts']} texts, and {told['missed']} missed pairs: " in err
    shown = on_terminal(*means, colored=False, cwd=many, columns=100).out.decode()
    assert re.search(rf"^ similar_pairs +{told['similar_pairs']} ", shown, re.MULTILINE)
    assert re.search(r"^ sampled +\d+ +all texts were compared$", re.sub(" +$", "", shown, flags=re.M), re.MULTILINE)


def test_a_recall_that_is_not_reached_is_said_first(many):
    told = facts(simdocs("audit", "docs", *MEANS, cwd=many))
    low, mean, high = (f"{float(told[f'mean_recall{end}']):.4f}" for end in ("_low", "", "_high"))
    assert (
        f"the recall asked for, 0.95, is not reached: {mean} on average with 20 other hash functions"
        f" ({low} to {high} expected)" in simdocs("audit", "docs", *MEANS, "--summary", cwd=many).err
    )
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
    assert (done.status, told["similar_pairs"], told["recall"], told["mean_recall_high"]) == (0, "0", "", "")
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
    assert (float(facts(done)["mean_recall_high"]) < 0.95) == bool(status)
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
    assert note["recall"]["low"] <= note["recall"]["mean"] <= note["recall"]["high"] == 1
    assert "1 similar pair, 1 found by 18 bands of 7 rows (1.0000); 1 candidate" in done.err
    # The lower end, 0.83, only says how few pairs there are, and is below what is stated.
    line = (
        r"^all similar pairs were found with each of 20 other hash functions, too \(predicted: .+; stated: 0.95 .*\)$"
    )
    assert re.search(line, done.err, re.MULTILINE)
    assert round(note["recall"]["low"], 4) == 0.8316


def test_an_audit_that_does_not_fit_in_memory_is_of_a_sample(many):
    expected = simdocs("audit", "docs", *MEANS, "--sample", "2000", cwd=many)
    done = simdocs("audit", "docs", *MEANS, "--max-memory", "10", cwd=many)
    sampled = (
        "all texts and their similar pairs do not fit in memory at once: a sample of them is compared with all others"
    )
    assert done == (0, expected.out, f"simdocs: warning: {sampled}\n")
    told = facts(done)
    assert (tuple(told), told["sampled"], told["seeds"], told["mean_recall"]) == (KEYS, told["distinct_texts"], "0", "")
    assert told["recall_low"] == told["recall"] == told["recall_high"]
    # Who wants explanations reads it before the work begins, and once.
    loud = simdocs("audit", "docs", *MEANS, "--max-memory", "10", "-v", cwd=many)
    assert [line for line in loud.err.splitlines() if sampled in line] == [f"simdocs: {sampled}"]
    assert simdocs("audit", "docs", *MEANS, "--max-memory", "10", "-q", cwd=many).err == ""


def test_similar_pairs_that_do_not_fit_in_memory_are_audited_by_a_sample(tmp_path):
    """The token sets fit into 700 KB, and 125,000 similar pairs do not."""
    lines = (f'{{"id": {at}, "text": "{" ".join(str(word) for word in range(20) if word != at % 20)} {at}x"}}\n'
             for at in range(500))  # fmt: skip
    (tmp_path / "x.jsonl").write_text("".join(lines))
    words = ("audit", "x.jsonl", "--unit", "word", "-k", "1", "-t", ".5")
    every = simdocs(*words, "--max-memory", "2M", cwd=tmp_path)
    assert (every.err, facts(every)["similar_pairs"]) == ("", str(500 * 499 // 2))
    done = simdocs(*words, "--max-memory", "900K", cwd=tmp_path)
    assert done.out == simdocs(*words, "--sample", "2000", cwd=tmp_path).out
    assert done.err.startswith("simdocs: warning: all texts and their similar pairs do not fit in memory at once: ")


def test_a_sample_has_an_interval_of_the_recall(many):
    exact = facts(simdocs("audit", "docs", *MEANS, cwd=many))
    done = simdocs("audit", "docs", *MEANS, "--sample", "20", "--summary", "--exit-code", cwd=many)
    told = facts(done)
    assert (tuple(told), told["sampled"], told["found"]) == (KEYS, "20", exact["found"])
    low, recall, high = (float(told[key]) for key in ("recall_low", "recall", "recall_high"))
    assert low < recall < high
    assert done.status == (high < 0.95)
    assert int(told["similar_pairs"]) == int(told["found"]) + int(told["missed"])
    assert (exact["sampled"], exact["recall_low"], exact["recall_high"], exact["missed_family"]) == ("0", "", "", "")
    assert int(told["missed_family"]) >= 2
    assert f"such a sample misses a family of {told['missed_family']} similar documents" in done.err
    missed = "" if high >= 0.95 else "the recall asked for, 0.95, is not reached: "
    assert (
        f"from a sample of 20, about {told['missed']} missed: {missed}{recall:.4f} ({low:.4f} to {high:.4f})"
        in done.err
    )
    assert simdocs("audit", "docs", *MEANS, "--sample", "20", cwd=many).out == done.out


def test_a_sample_without_similar_pairs_has_no_recall(here):
    done = simdocs("audit", "docs/a.txt", "docs/c.txt", "--sample", "1", "--summary", "--exit-code", cwd=here)
    told = facts(done)
    assert (done.status, told["sampled"], told["recall"], told["recall_high"]) == (0, "1", "", "")
    assert "no pair in the sample is similar at 0.8, so there is no recall to measure" in done.err


def test_options_that_contradict_an_index_are_refused(here):
    assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 0
    done = simdocs("audit", "x.index", "--bands", "3", cwd=here)
    assert done.status == 2
    assert "x.index was built with" in done.err
