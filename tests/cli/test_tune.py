"""tune: what bands find in general and among documents, and the command that comes next."""

from __future__ import annotations

import json
import random
import re
import shlex
from pathlib import Path

import pytest

import simdocs as library
from simdocs.commands import tuner
from tests.cli.corpus import A1, A, lay
from tests.cli.program import Argument, finished, simdocs, started
from tests.twins.bands import least_probability
from tests.twins.similarity import jaccard


def table(where: Path, *arguments: Argument, status: int = 0) -> list[dict[str, str]]:
    """Return the rows that tune prints, each by the names of the columns."""
    done = simdocs("tune", *arguments, "--header", "-q", cwd=where)
    assert (done.status, status == 0 and done.err) in ((0, ""), (status, False)), done.err
    head, *rows = [[cell.decode() for cell in row] for row in done.rows]
    return [dict(zip(head, row, strict=True)) for row in rows]


def summary(where: Path, *arguments: Argument) -> dict[str, object]:
    assert simdocs("tune", *arguments, "--summary-json", "note", "-o", "answer", cwd=where).status in (0, 3)
    read: dict[str, object] = json.loads((where / "note").read_bytes())
    return read


def shingles(text: str) -> set[int]:
    return {hash(text[at : at + 9]) for at in range(len(text) - 8)}


def lay_texts(where: Path, texts: list[str]) -> None:
    lay(where, {f"docs/{number:04}": text.encode() for number, text in enumerate(texts)})


def test_the_lectures_curve_of_20_bands_of_5_rows(tmp_path):
    rows = table(tmp_path, "--bands", "20", "--rows", "5")
    found = {float(row["similarity"]): round(float(row["probability"]), 4) for row in rows}
    lectures = {0.2: 0.0064, 0.3: 0.0475, 0.4: 0.1860, 0.5: 0.4701, 0.6: 0.8019, 0.7: 0.9748, 0.8: 0.9996}
    assert found.items() >= lectures.items()
    assert {row[name] for row in rows for name in row if name not in ("similarity", "probability")} == {""}


@pytest.mark.parametrize(
    ("num_perm", "threshold", "recall", "cut", "probability"),
    [
        (128, 0.5, 0.99, (42, 3), 0.9963),
        (128, 0.8, 0.95, (18, 7), 0.9855),
        (256, 0.8, 0.99, (32, 8), 0.9972),
    ],
)
def test_the_bands_have_the_most_rows_that_reach_the_recall(tmp_path, num_perm, threshold, recall, cut, probability):
    facts = summary(tmp_path, "--num-perm", str(num_perm), "-t", str(threshold), "--recall", str(recall))
    assert (facts["bands"], facts["rows"]) == cut
    assert round(float(str(facts["probability"])), 4) == probability
    assert float(least_probability(threshold, num_perm // (cut[1] + 1), cut[1] + 1)) < recall


def test_pairs_of_a_few_documents_are_counted_exactly_with_the_least_similar_of_each_row(tmp_path):
    chance, texts = random.Random(4), list[str]()
    words = ["".join(chance.choices("abcdefghijklmnopqrst", k=6)) for _ in range(400)]
    for number in range(30):  # each third is like the one before it
        made = texts[-1].split() if number % 3 == 2 else chance.choices(words, k=30)
        texts.append(" ".join([f"new{number}", *("edited" if chance.random() < 0.05 else word for word in made)]))
    lay_texts(tmp_path, texts)
    sets = list(map(shingles, texts))
    similar = {(a, b): jaccard(sets[a], sets[b]) for b in range(30) for a in range(b)}
    for row in table(tmp_path, "docs", "-t", "0.6"):
        least = float(row["similarity"])
        here = {pair: s for pair, s in similar.items() if least <= s + 1e-12 and s < least + 0.05 - 1e-12}
        assert int(row["pairs"]) == len(here)
        if least < 0.3 or not here:
            assert row["document"] == row["other"] == row["jaccard"] == row["difference"] == ""
            continue
        pair = min(here, key=lambda each: (here[each], each))
        assert (row["document"], row["other"]) == tuple(f"docs/{number:04}" for number in pair)
        assert float(row["jaccard"]) == pytest.approx(here[pair], abs=1e-6)
        assert re.match(r"(-\S.* )?\+\S", row["difference"])
    facts = summary(tmp_path, "docs", "-t", "0.6")
    assert (facts["texts"], facts["similar"]) == (30, sum(s >= 0.6 for s in similar.values()))


def test_artifacts_give_the_answer_of_their_documents(here):
    expected = simdocs("tune", "docs", "-q", cwd=here)
    for command, kind in (("shingle", "shingles"), ("index", "index")):
        assert simdocs(command, "docs", "-o", f"x.{kind}", cwd=here).status == 0
        assert simdocs("tune", f"x.{kind}", "-q", cwd=here) == expected


def test_an_index_is_judged_by_its_own_bands_unless_others_are_asked_for(here):
    assert simdocs("index", "docs", "-o", "x.index", "-t", "0.5", "--bands", "9", "--rows", "4", cwd=here).status == 0
    facts = summary(here, "x.index")
    assert (facts["bands"], facts["rows"], facts["threshold"]) == (9, 4, 0.5)
    facts = summary(here, "x.index", "-t", "0.8")
    assert (facts["bands"], facts["rows"], facts["threshold"]) == (18, 7, 0.8)


def test_documents_that_are_gone_make_the_status_3(here):
    assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 0
    (here / "docs" / "b.txt").unlink()
    done = simdocs("tune", "x.index", cwd=here)
    assert (done.status, len(done.rows)) == (3, 21)
    assert "docs/b.txt: skipped:" in done.err
    assert "build it again" in done.err
    strict = simdocs("tune", "x.index", "--strict", cwd=here)
    assert (strict.status, strict.out) == (2, b"")


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"docs/a": A, "docs/b": b" "}, "there is only one document"),
        ({"docs/a": A, "docs/b": A.upper()}, "no two different texts can be read"),
    ],
)
def test_a_distribution_needs_two_texts(tmp_path, files, why):
    done = simdocs("tune", "docs", "--summary", cwd=lay(tmp_path, files))
    assert done.status == 0
    assert f"nothing was compared: {why}, so there is no distribution of similarities" in done.err.splitlines()
    assert done.out == simdocs("tune", cwd=tmp_path).out


@pytest.mark.parametrize(
    ("line", "problems"),
    [
        ("-t 0.1 --recall 0.9999 --num-perm 16", ("no bands and rows reach a recall of 0.9999", "use --num-perm 88")),
    ],
)
def test_bad_input_is_refused_with_all_problems(here, line, problems):
    done = simdocs("tune", *line.split(), cwd=here)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    for problem in problems:
        assert problem in done.err


def next_command(where: Path, *arguments: Argument) -> str:
    done = simdocs("tune", *arguments, "--summary", "-o", "answer", cwd=where)
    assert done.status == 0, done.err
    return done.err.splitlines()[-1].removeprefix("simdocs: next: ")


def test_the_command_that_comes_next_runs_as_it_is_printed(here):
    lay(here, {"a 'b' $c/one": A, "a 'b' $c/two": A1})
    command = next_command(here, "a 'b' $c", "-t", "0.5", "--unit", "word", "--include", "[ot]*", "--include", "t*")
    words = shlex.split(command)
    assert words[:2] == ["simdocs", "dedupe"]
    assert simdocs("pairs", *words[2:], cwd=here).rows[0][:2] == [b"a 'b' $c/one", b"a 'b' $c/two"]


def test_bands_that_were_stated_are_left_out_if_the_threshold_changes(tmp_path):
    titles = [" ".join(f"{(at // 2 * 8 + word) ** 5}" for word in range(1, 6 + at % 2)) for at in range(80)]
    lay(tmp_path, {f"docs/{at:02}": title.encode() for at, title in enumerate(titles)})
    command = next_command(tmp_path, "docs", "--bands", "20", "--rows", "6")
    assert ("--threshold" in command, "--bands" in command, "--rows" in command) == (True, False, False)


def test_odd_names_can_be_pasted(here):
    name = b"tab\tline\n\xff\x1b'"
    (here / "odd").mkdir()
    (here.joinpath("odd", name.decode("utf-8", "surrogateescape"))).write_bytes(A)
    command = next_command(here, b"odd/" + name, "docs")
    with started(["/bin/bash", "-c", command.replace("simdocs dedupe", "printf '%s|'", 1)], cwd=here) as shell:
        assert finished(shell).out.startswith(b"odd/" + name + b"|docs|")


def test_documents_are_drawn_from_a_large_collection_and_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(tuner, "SAMPLED", 500)
    monkeypatch.chdir(tmp_path)
    chance = random.Random(8)
    words = ["".join(chance.choices("abcdefghijklmnopqrst", k=6)) for _ in range(4000)]
    lines = []
    for number in range(1000):
        text = lines[-1] + " more" if number % 10 == 9 else " ".join(chance.choices(words, k=12))
        lines.append(text)
    (tmp_path / "x.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    lay(tmp_path, {"a.txt": A})
    found, again = (library.tune("x.jsonl", "a.txt", jobs=jobs) for jobs in (1, 2))
    assert list(found) == list(again)
    facts = found.summary()
    assert facts["similar"] == pytest.approx(100, rel=0.4)
    assert (facts["documents"], facts["of_documents"]) == (500, 1001)
    index = library.index("x.jsonl")
    found, again = library.tune(index), library.tune(index)
    assert list(found) == list(again)
    assert (found.summary()["documents"], found.summary()["of_documents"]) == (500, 1000)


def test_the_fraction_that_leaves_out_a_template_is_found_and_tried_next(tmp_path):
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghijklmnopqrst", k=6)) for _ in range(2000)]
    form = " ".join(chance.choices(words, k=40))
    lay_texts(tmp_path, [f"{form} {' '.join(chance.choices(words, k=20))}" for _ in range(110)])
    line = "share a template: --ignore-common 0.9 leaves it out"
    assert next_command(tmp_path, "docs").startswith("simdocs dedupe docs --ignore-common 0.9")
    assert line in simdocs("tune", "docs", "--summary", cwd=tmp_path).err
    assert simdocs("signature", "docs", "-q", "-o", "x.signatures", cwd=tmp_path).status == 0
    # Signatures have fixed which tokens are left out.
    assert line not in simdocs("tune", "x.signatures", "--summary", cwd=tmp_path).err


def test_an_index_keeps_its_bands_in_the_command_that_comes_next(here):
    assert simdocs("index", "docs", "-t", "0.75", "-o", "x.index", cwd=here).status == 0
    assert next_command(here, "x.index") == "simdocs dedupe x.index"
    assert next_command(here, "x.index", "-t", "0.5", "--recall", "0.9") == "simdocs dedupe x.index --threshold 0.5"


def test_bands_by_hand_that_miss_the_recall_are_reported_and_not_suggested(here):
    line = "10 bands of 10 rows find only 67.89% of the pairs at 0.8, less than the recall of 0.95: leave out"
    by_hand = ("--bands", "10", "--rows", "10")
    assert line in simdocs("tune", "docs", *by_hand, "--summary", cwd=here).err
    assert line in simdocs("tune", *by_hand, "--summary", cwd=here).err
    assert re.fullmatch("simdocs dedupe docs( --threshold 0.75)?", next_command(here, "docs", *by_hand))
    enough = ("--bands", "20", "--rows", "5")
    assert next_command(here, "docs", "-t", "0.7", *enough) == "simdocs dedupe docs --threshold 0.7 --bands 20 --rows 5"
