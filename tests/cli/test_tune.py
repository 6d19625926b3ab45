"""tune: what bands find in general and among documents, and the command that comes next."""

from __future__ import annotations

import json
import random
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import Argument, environment, finished, simdocs, started
from tests.cli.terminal import on_terminal
from tests.twins.bands import chance, least_probability
from tests.twins.similarity import jaccard

SVG = "{http://www.w3.org/2000/svg}"


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


def corpus(where: Path, texts: int) -> list[str]:
    """Write texts of random words, each third like one before it. Return them in row order."""
    chance = random.Random(4)
    words = ["".join(chance.choices("abcdefghijklmnopqrst", k=6)) for _ in range(400)]
    made: list[str] = []
    for number in range(texts):
        text = chance.choices(words, k=30)
        if number % 3 == 2:
            text = [
                f"new{number}",
                *(chance.choice(words) if chance.random() < 0.05 else word for word in made[-1].split()),
            ]
        made.append(" ".join(text))
    return list(lay_texts(where, made))


def lay_texts(where: Path, texts: list[str]) -> list[str]:
    lay(where, {f"docs/{number:04}": text.encode() for number, text in enumerate(texts)})
    return texts


def test_the_lectures_curve_of_20_bands_of_5_rows(tmp_path):
    rows = table(tmp_path, "--bands", "20", "--rows", "5")
    found = {float(row["similarity"]): round(float(row["probability"]), 4) for row in rows}
    lectures = {0.2: 0.0064, 0.3: 0.0475, 0.4: 0.1860, 0.5: 0.4701, 0.6: 0.8019, 0.7: 0.9748, 0.8: 0.9996}
    assert found.items() >= lectures.items()
    assert {row[name] for row in rows for name in row if name not in ("similarity", "probability")} == {""}


@pytest.mark.parametrize(
    ("num_perm", "threshold", "recall", "cut", "probability"),
    [
        (64, 0.8, 0.95, (10, 6), 0.9522),
        (128, 0.5, 0.99, (42, 3), 0.9963),
        (128, 0.7, 0.99, (32, 4), 0.9998),
        (128, 0.8, 0.95, (18, 7), 0.9855),
        (128, 0.9, 0.95, (10, 12), 0.9638),
        (256, 0.8, 0.99, (32, 8), 0.9972),
    ],
)
def test_the_bands_have_the_most_rows_that_reach_the_recall(tmp_path, num_perm, threshold, recall, cut, probability):
    facts = summary(tmp_path, "--num-perm", str(num_perm), "-t", str(threshold), "--recall", str(recall))
    assert (facts["bands"], facts["rows"]) == cut
    assert round(float(str(facts["probability"])), 4) == probability
    assert float(least_probability(threshold, num_perm // (cut[1] + 1), cut[1] + 1)) < recall


def test_tune_states_what_index_states_and_draws_the_formula(here):
    bands = ("--bands", "8", "--rows", "16")
    assert simdocs("index", "docs", *bands, "-o", "x.index", cwd=here).status == 0
    stated = dict(simdocs("info", "x.index", cwd=here).rows)[b"probability"].decode()
    probability = summary(here, *bands)["probability"]
    assert (float(stated), probability) == pytest.approx((0.1795, 0.1795), abs=5e-5)
    told = simdocs("tune", *bands, "--summary", cwd=here).err
    assert "8 bands of 16 rows find at least 17.95% of pairs at 0.8, more above" in told
    curve = {row["similarity"]: row["probability"] for row in table(here, *bands)}
    assert float(curve["0.800000"]) == pytest.approx(chance(0.8, 8, 16), abs=1e-6)
    drawn = simdocs("tune", *bands, "--format", "table", cwd=here).out.decode()
    assert re.search(r"^0\.80 .* 0\.2042 +threshold$", drawn, re.MULTILINE)
    assert "S-curve 1 - (1 - s^r)^b: chance of being found" in drawn


def test_pairs_of_a_few_documents_are_counted_exactly_with_the_least_similar_of_each_row(tmp_path):
    texts = corpus(tmp_path, 30)
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


def test_a_larger_corpus_is_sampled_with_the_same_bytes_on_every_run(tmp_path):
    texts = corpus(tmp_path, 202)
    sets = list(map(shingles, texts))
    similar = sum(jaccard(sets[a], sets[b]) >= 0.6 for b in range(202) for a in range(b))
    facts = summary(tmp_path, "docs", "-t", "0.6", "-j1")
    assert simdocs("tune", "docs", "-t", "0.6", "-j2", cwd=tmp_path).out == (tmp_path / "answer").read_bytes()
    assert facts["similar"] == similar


def test_skipped_documents_do_not_count_as_a_draw(here):
    lines = [json.dumps({"text": A.decode()}), "", "not JSON", json.dumps({"text": B.decode()})]
    (here / "x.jsonl").write_text("\n".join(lines))
    lay(here, {"docs/binary": b"\0"})
    done = simdocs("tune", "x.jsonl", "docs", "--summary", cwd=here)
    assert "drawn" not in done.err
    assert "5 documents, " in done.err


def test_artifacts_give_the_answer_of_their_documents(here):
    expected = simdocs("tune", "docs", "-q", cwd=here)
    for command, kind in (("shingle", "shingles"), ("signature", "signatures"), ("index", "index")):
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
        ({}, "there is no document"),
        ({"docs/a": A}, "there is only one document"),
        ({"docs/a": A, "docs/b": b" "}, "there is only one document"),
        ({"docs/a": b" "}, "all documents are empty"),
        ({"docs/a": A, "docs/b": A.upper()}, "no two different texts can be read"),
    ],
)
def test_a_distribution_needs_two_texts(tmp_path, files, why):
    (tmp_path / "docs").mkdir()
    lay(tmp_path, files)
    line = f"nothing was compared: {why}, so there is no distribution of similarities"
    done = simdocs("tune", "docs", "--summary", "--summary-json", "note", "--header", cwd=tmp_path)
    assert done.status == 0
    assert line in done.err.splitlines()
    note = json.loads((tmp_path / "note").read_bytes())
    assert note["similar"] == 0
    rows = table(tmp_path, "docs", "-q")
    assert {row[name] for row in rows for name in row if name not in ("similarity", "probability")} == {""}
    drawn = simdocs("tune", "docs", "--format", "table", cwd=tmp_path).out
    assert drawn == simdocs("tune", "--format", "table", cwd=tmp_path).out


def test_there_is_no_distribution_if_all_texts_are_gone(here):
    assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 0
    for path in (here / "docs").iterdir():
        path.unlink()
    done = simdocs("tune", "x.index", "--summary", cwd=here)
    assert done.status == 3
    assert "no two different texts can be read, so there is no distribution of similarities" in done.err
    assert {field for row in done.rows for field in row[2:]} == {b""}


@pytest.mark.parametrize(
    ("line", "problems"),
    [
        ("--unit word --recall 0.9 -k 3", ("--unit", "-k", "documents")),
        (
            "--bands 3 --recall 0.9 --rule nearest -q -v",
            ("--bands, --recall and --rule cannot be combined", "-q cannot be combined with -v"),
        ),
        ("--bands 20 --rows 50", ("20 bands of 50 rows need --num-perm 1000 or more, not 128",)),
        ("--threshold 0 --bands x", ("--threshold must be", "--bands must be")),
        ("-t 0.1 --recall 0.9999 --num-perm 16", ("no bands and rows reach a recall of 0.9999", "use --num-perm 88")),
        ("-o x.png.html", ("simdocs cannot write .html",)),
        ("gone", ("gone: No such file or directory",)),
        ("docs docs.index", ("an artifact cannot be mixed with other arguments",)),
        ("docs.index --num-perm 64", ("docs.index was built", "--num-perm")),
        ("docs --root .", ("--root needs an artifact, not documents",)),
    ],
)
def test_bad_input_is_refused_with_all_problems(here, line, problems):
    assert simdocs("index", "docs", "-o", "docs.index", cwd=here).status == 0
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


def test_odd_names_can_be_pasted(here):
    name = b"tab\tline\n\xff\x1b'"
    (here / "odd").mkdir()
    (here.joinpath("odd", name.decode("utf-8", "surrogateescape"))).write_bytes(A)
    command = next_command(here, b"odd/" + name, "docs")
    with started(["/bin/bash", "-c", command.replace("simdocs dedupe", "printf '%s|'", 1)], cwd=here) as shell:
        assert finished(shell).out.startswith(b"odd/" + name + b"|docs|")


def test_templates_are_named_in_the_command_that_comes_next(here):
    lay(here, {"a form": B[:80]})
    command = next_command(here, "docs", "--template", "a form")
    assert command.startswith("simdocs dedupe docs --template 'a form'")
    assert simdocs(*shlex.split(command)[1:], cwd=here).status == 0


def test_the_command_that_comes_next_has_the_k_that_suits_the_lengths(tmp_path):
    corpus(tmp_path, 9)
    assert re.fullmatch(r"simdocs dedupe docs -k 3", next_command(tmp_path, "docs", "-k", "2"))
    assert next_command(tmp_path, "docs", "-k", "3") == "simdocs dedupe docs -k 3"


def test_short_texts_get_a_smaller_k_and_a_lower_threshold(tmp_path):
    lay(
        tmp_path,
        {f"docs/{number}": f"short text {number:02} of one sentence, and no more".encode() for number in range(9)},
    )
    said = simdocs("tune", "docs", "--summary", "-o", "answer", cwd=tmp_path).err.splitlines()
    (line,) = [line for line in said if "is large for short texts" in line]
    assert line.endswith("-k 3 --threshold 0.6 finds such variants")
    assert said[-1] == "simdocs: next: simdocs dedupe docs -k 3 --threshold 0.6"


def test_the_command_that_comes_next_is_the_last_line_in_a_pipe_too(here):
    for arguments in (("-v",), ("-v", "-o", "answer"), ("--summary", "--format", "jsonl")):
        done = simdocs("tune", "docs", *arguments, cwd=here)
        assert done.err.splitlines()[-1].startswith("simdocs: next: simdocs dedupe docs")


def test_a_command_names_no_hundreds_of_files(tmp_path):
    names = [f"docs/{number}.txt" for number in range(60)]
    lay(tmp_path, {name: f"a text {number} of some length {number}".encode() for number, name in enumerate(names)})
    assert next_command(tmp_path, *names).startswith("simdocs dedupe DOCS -k")


def test_documents_are_drawn_from_a_large_collection_and_that_is_said(tmp_path):
    chance = random.Random(8)
    words = ["".join(chance.choices("abcdefghijklmnopqrst", k=6)) for _ in range(4000)]
    lines = []
    for number in range(21_000):
        text = lines[-1] + " more" if number % 10 == 9 else " ".join(chance.choices(words, k=12))
        lines.append(text)
    (tmp_path / "x.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    done = simdocs("tune", "x.jsonl", "a.txt", "--summary", "--summary-json", "note", cwd=tmp_path)
    assert done.status == 2
    lay(tmp_path, {"a.txt": A})
    done = simdocs("tune", "x.jsonl", "a.txt", "--summary", "--summary-json", "note", "-o", "one", "-j1", cwd=tmp_path)
    assert re.match(r"20,000 documents, [\d,]+ bytes, drawn at random from 21,001; 20,000 different texts", done.err)
    assert simdocs("tune", "x.jsonl", "a.txt", "-o", "two", "-j2", cwd=tmp_path).status == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    facts = json.loads((tmp_path / "note").read_bytes())
    assert facts["similar"] == pytest.approx(2100, rel=0.4)
    assert (facts["documents"], facts["of_documents"]) == (20_000, 21_001)
    assert simdocs("index", "x.jsonl", "-q", "-o", "x.index", cwd=tmp_path).status == 0
    assert "drawn at random from 21,000" in simdocs("tune", "x.index", "--summary", cwd=tmp_path).err


def test_the_fraction_that_leaves_out_a_template_is_found_and_tried_next(tmp_path):
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghijklmnopqrst", k=6)) for _ in range(2000)]
    form = " ".join(chance.choices(words, k=40))
    list(lay_texts(tmp_path, [f"{form} {' '.join(chance.choices(words, k=20))}" for _ in range(110)]))
    line = "share a template: --ignore-common 0.9 leaves it out"
    assert "look alike" not in simdocs("tune", "docs", "--summary", cwd=tmp_path).err
    assert next_command(tmp_path, "docs").startswith("simdocs dedupe docs --ignore-common 0.9")
    assert line in simdocs("tune", "docs", "--summary", cwd=tmp_path).err
    command = next_command(tmp_path, "docs", "--ignore-common", "0.9")
    assert command.startswith("simdocs dedupe docs --ignore-common 0.9")
    for command, kind in (("shingle", "shingles"), ("signature", "signatures")):
        assert simdocs(command, "docs", "-q", "-o", f"x.{kind}", cwd=tmp_path).status == 0
        # Signatures have fixed which tokens are left out.
        assert (line in simdocs("tune", f"x.{kind}", "--summary", cwd=tmp_path).err) == (kind == "shingles")


def test_versions_of_one_text_are_no_template(tmp_path):
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghijklmnopqrst", k=6)) for _ in range(2000)]
    text = chance.choices(words, k=400)
    versions = [
        " ".join(word if chance.random() > 0.005 else chance.choice(words) for word in text) for _ in range(110)
    ]
    list(lay_texts(tmp_path, versions))
    assert next_command(tmp_path, "docs") == "simdocs dedupe docs"


def test_an_index_keeps_its_bands_in_the_command_that_comes_next(here):
    assert simdocs("index", "docs", "-t", "0.75", "-o", "x.index", cwd=here).status == 0
    assert next_command(here, "x.index") == "simdocs dedupe x.index"
    assert next_command(here, "x.index", "-t", "0.5", "--recall", "0.9") == "simdocs dedupe x.index --threshold 0.5"


def test_standard_input_has_no_next_command(tmp_path):
    done = simdocs("tune", "-", "--summary", cwd=tmp_path, stdin=A)
    assert done.status == 0
    assert "next:" not in done.err


@pytest.mark.parametrize("columns", [40, 80])
def test_a_terminal_shows_thresholds_the_curve_and_the_pairs(here, columns):
    shown = on_terminal("tune", "docs", columns=columns, cwd=here, env=environment(TERM="xterm", NO_COLOR="1"))
    assert shown.status == 0
    examples, _, curve = shown.out.decode().partition("S-curve")
    assert max(map(len, shown.out.decode().splitlines())) <= columns
    assert set(examples.split()) >= {"pairs", "example"}
    bars = dict(re.findall(r"^(\d\.\d+) .* (\d\.\d{4})(?: |$)", curve, re.MULTILINE))
    assert bars["0.80"] == "0.9855"
    assert (bars["0.6262"], bars["0.6617"]) == ("0.5000", "0.6426")
    marks = re.findall(r"(half|\(1/b\)\^\(1/r\)|threshold)$", curve, re.MULTILINE)
    assert sorted(marks) == ["(1/b)^(1/r)", "half", "threshold"]
    pairs = shown.out.decode().partition("pairs, by similarity")[2]
    assert len(re.findall(r"^\d\.\d\d .* \d+$", pairs, re.MULTILINE)) == 21


def test_a_terminal_shows_colours_only_if_they_are_wanted(here):
    assert b"\x1b[" in on_terminal("tune", "docs", cwd=here).out
    assert b"\x1b" not in on_terminal("tune", "docs", colored=False, cwd=here).out
    assert b"\x1b" not in on_terminal("tune", cwd=here, env=environment(TERM="dumb")).out


def test_a_threshold_is_not_raised_for_short_texts(tmp_path):
    chance = random.Random(2)
    lay_texts(tmp_path, ["".join(chance.choices("abc", k=19)) for _ in range(30)])
    command = next_command(tmp_path, "docs")
    assert float(re.findall(r"--threshold (\S+)", command)[0]) <= 0.4
    assert re.findall(r"-k (\d)", command)[0] in "23"


def test_a_few_versions_of_a_text_are_not_called_unrelated(tmp_path):
    base = " ".join(f"word{number}" for number in range(200))
    lay_texts(tmp_path, [f"{base} version {number}" for number in range(4)])
    done = simdocs("tune", "docs", "--summary", cwd=tmp_path)
    assert "look alike" not in done.err
    assert re.fullmatch("simdocs: next: simdocs dedupe docs( --threshold .*)?", done.err.splitlines()[-1])


def test_bands_by_hand_that_miss_the_recall_are_reported_and_not_suggested(here):
    line = "10 bands of 10 rows find only 67.89% of the pairs at 0.8, less than the recall of 0.95: leave out"
    by_hand = ("--bands", "10", "--rows", "10")
    assert line in simdocs("tune", "docs", *by_hand, "--summary", cwd=here).err
    assert line in simdocs("tune", *by_hand, "--summary", cwd=here).err
    assert re.fullmatch("simdocs dedupe docs( --threshold 0.75)?", next_command(here, "docs", *by_hand))
    assert "less than the recall" not in simdocs("tune", "docs", *by_hand, "--recall", "0.6", "--summary", cwd=here).err
    enough = ("--bands", "20", "--rows", "5")
    assert next_command(here, "docs", "-t", "0.7", *enough) == "simdocs dedupe docs --threshold 0.7 --bands 20 --rows 5"


@pytest.mark.parametrize(
    ("command", "kind"), [("shingle", "shingles"), ("signature", "signatures"), ("index", "index")]
)
def test_an_artifact_whose_k_does_not_suit_is_to_be_built_again(tmp_path, command, kind):
    lay(tmp_path, {f"docs/{number}": f"short text {number:02}, no more".encode() for number in range(12)})
    assert simdocs(command, "docs", "-q", "-o", f"x.{kind}", cwd=tmp_path).status == 0
    done = simdocs("tune", f"x.{kind}", "--summary", cwd=tmp_path)
    last = done.err.splitlines()[-1]
    assert f"\nx.{kind} cannot change -k: build it again from its documents with -k 3\n" in done.err
    assert last.startswith(f"simdocs: next: simdocs dedupe x.{kind}")


def test_one_document_and_an_empty_one_have_no_next_command(tmp_path):
    lay(tmp_path, {"a.txt": A, "empty.txt": b""})
    done = simdocs("tune", "a.txt", "empty.txt", "--summary", cwd=tmp_path)
    assert "there is only one document" in done.err
    assert "next:" not in done.err


def test_copies_are_one_text(here):
    lay(here, {"docs/copy": A, "docs/capitals": A.upper(), "docs/more": A2, "docs/other": B})
    facts = summary(here, "docs")
    assert facts["documents"] == facts["texts"] + 3  # type: ignore[operator]
