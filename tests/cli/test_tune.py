"""tune: what bands find in general and among documents, and the command that comes next."""

from __future__ import annotations

import json
import random
import re

import pytest

import simdocs as library
from simdocs.commands import tuner
from tests.cli.corpus import A, lay
from tests.cli.program import finished, simdocs, started
from tests.twins.similarity import jaccard


def shingles(text: str) -> set[int]:
    return {hash(text[at : at + 9]) for at in range(len(text) - 8)}


def test_pairs_of_a_few_documents_are_counted_exactly_with_the_least_similar_of_each_row(tmp_path):
    chance, texts = random.Random(4), list[str]()
    words = ["".join(chance.choices("abcdefghijklmnopqrst", k=6)) for _ in range(400)]
    for number in range(30):  # each third is like the one before it
        made = texts[-1].split() if number % 3 == 2 else chance.choices(words, k=30)
        texts.append(" ".join([f"new{number}", *("edited" if chance.random() < 0.05 else word for word in made)]))
    lay(tmp_path, {f"docs/{number:04}": text.encode() for number, text in enumerate(texts)})
    sets = list(map(shingles, texts))
    similar = {(a, b): jaccard(sets[a], sets[b]) for b in range(30) for a in range(b)}
    done = simdocs("tune", "docs", "-t", "0.6", "--header", "-q", "--summary-json", "note", cwd=tmp_path)
    head, *rows = [[cell.decode() for cell in row] for row in done.rows]
    for row in (dict(zip(head, each, strict=True)) for each in rows):
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
    facts = json.loads((tmp_path / "note").read_bytes())
    assert (facts["texts"], facts["similar"]) == (30, sum(s >= 0.6 for s in similar.values()))


def test_odd_names_can_be_pasted(here):
    name = b"tab\tline\n\xff\x1b'"
    (here / "odd").mkdir()
    (here.joinpath("odd", name.decode("utf-8", "surrogateescape"))).write_bytes(A)
    done = simdocs("tune", b"odd/" + name, "docs", "-o", "answer", cwd=here)
    command = done.err.splitlines()[-1].removeprefix("simdocs: next: ")
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
