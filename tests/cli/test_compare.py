"""simdocs compare: how similar texts are, and why."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.commands.similarities import MEANINGS
from simdocs.model.figures import percentage
from simdocs.options.families import FORMATS, UNITS
from tests.cli.program import Done, bound_by_modes, environment, finished, simdocs, started
from tests.cli.terminal import on_terminal

A = "The bridge stood open from six until three, as a pin sheared off.\nNobody was hurt.\nThe cost is put at 4,200.\n"
B = "The bridge stood open from six until four, as a pin sheared off.\nNobody was hurt.\nThe cost is put at 5,400.\n"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(A)
    (tmp_path / "b.txt").write_text(B)
    (tmp_path / "c.txt").write_text("something else entirely\n")
    return tmp_path


def measures(done: Done) -> dict[str, str]:
    assert (done.status, done.err) == (0, "")
    return {name.decode(): value.decode() for name, value in done.rows}


def test_measures_are_printed_as_names_and_values(tmp_path):
    for name in ("nadal", "nadia"):
        (tmp_path / name).write_text(name)
    found = measures(simdocs("compare", "nadal", "nadia", "-k", "2", cwd=tmp_path))
    assert list(found) == list(MEANINGS)
    assert (found["a"], found["b"], found["unit"], found["k"]) == ("nadal", "nadia", "char", "2")
    assert (found["intersection"], found["union"], found["jaccard"]) == ("2", "6", "0.333333")
    assert (found["lcs"], found["edit_distance"], found["edit_similarity"]) == ("4", "2", "0.800000")
    csv = simdocs("compare", "nadal", "nadia", "--format", "csv", cwd=tmp_path).out
    assert csv.startswith(b"measure,value\r\na,nadal\r\n")


def test_measures_that_are_not_defined_are_empty(here):
    (here / "empty").write_bytes(b"")
    found = measures(simdocs("compare", "empty", "a.txt", "-q", cwd=here))
    assert (found["jaccard"], found["containment_a"], found["containment_b"]) == ("0.000000", "", "0.000000")
    lines = simdocs("compare", "empty", "a.txt", "--format", "jsonl", cwd=here).out.splitlines()
    assert json.loads(lines[10]) == {"measure": "bag_jaccard", "value": 0.0}
    assert json.loads(lines[12]) == {"measure": "containment_a", "value": None}


def test_a_text_without_shingles_is_named(here):
    for name in ("1", "2", "3", "4"):
        (here / name).write_bytes(b"")
    empty = "simdocs: {}: this text has no shingles to compare, so it matches nothing\n"
    many = "simdocs: {}: these texts have no shingles to compare, so they match nothing\n"
    assert simdocs("compare", "1", "a.txt", cwd=here).err == empty.format("1")
    assert simdocs("compare", "2", "a.txt", "3", "1", "4", cwd=here).err == many.format("2, 3, 1 and 1 more")
    assert simdocs("compare", "1", "a.txt", "-q", cwd=here).err == ""
    (here / "1").write_text("!?")
    (here / "2").write_text(" \n")
    assert simdocs("compare", "1", "a.txt", "--unit", "word", cwd=here).err == empty.format("1")
    both = simdocs("compare", "1", "2", "--unit", "word", "--format", "jsonl", cwd=here)
    assert both.err == many.format("1, 2")
    notes = [line["note"] for line in map(json.loads, both.out.splitlines()) if "note" in line]
    assert [f"simdocs: {note}" for note in notes] == both.err.splitlines()


def test_a_text_that_is_shorter_than_a_shingle_is_named(here):
    for name, text in (("1", "A cat."), ("2", "a  cat."), ("3", "A cat, yes"), ("4", "A dog."), ("5", "\xe9" * 20)):
        (here / name).write_text(text)
    one = "simdocs: 1: this text is shorter than a shingle, so it matches only the same text\n"
    assert simdocs("compare", "1", "a.txt", cwd=here).err == one
    assert simdocs("compare", "1", "4", cwd=here).err == (
        "simdocs: 1, 4: these texts are shorter than a shingle, so they match only the same text\n"
    )
    for texts in (("1", "2"), ("3", "a.txt"), ("5", "a.txt"), ("1", "a.txt", "-k", "6"), ("1", "a.txt", "-q")):
        assert simdocs("compare", *texts, cwd=here).err == ""
    assert simdocs("compare", "1", "a.txt", "--unit", "word", "-k", "3", cwd=here).err == one
    assert simdocs("compare", "1", "3", "a.txt", "-k", "9", cwd=here).err == one


def test_a_text_in_another_encoding_than_the_others_is_named(here):
    for name, encoding in (("u.txt", "utf-8"), ("l.txt", "latin-1"), ("m.txt", "latin-1"), ("w.txt", "utf-16")):
        (here / name).write_text("Le pont a été fermé de six à trois heures.", encoding=encoding)
    copy = "in another encoding a text does not match its UTF-8 copy"
    hint = f"not UTF-8: {copy}: name it with --encoding, such as latin-1\n"
    assert simdocs("compare", "u.txt", "l.txt", cwd=here).err == f"simdocs: l.txt is {hint}"
    assert simdocs("compare", "m.txt", "u.txt", "l.txt", cwd=here).err == f"simdocs: m.txt, l.txt are {hint}"
    for texts in (("l.txt", "m.txt"), ("u.txt", "w.txt"), ("u.txt", "l.txt", "-q")):
        assert simdocs("compare", *texts, cwd=here).err == ""


def test_texts_that_differ_only_in_their_unicode_form_are_named(here):
    for form in ("NFC", "NFD"):
        (here / form).write_text(unicodedata.normalize(form, "Le pont a été fermé de six à trois heures."))
    hint = "simdocs: these texts differ only in their Unicode form, such as NFC and NFD: --nfkc makes them the same\n"
    assert simdocs("compare", "NFC", "NFD", cwd=here).err == hint
    for more in (("--nfkc",), ("--strip-accents",), ("a.txt",), ("-q",)):
        assert simdocs("compare", "NFC", "NFD", *more, cwd=here).err == ""


def test_the_tokens_of_a_template_are_left_out(here):
    form = "Name of the bridge, date and hour of its failure, cost in the local currency: "
    for name, text in (("form", form), ("d.txt", f"{form} {A}"), ("e.txt", f"{form} {B}")):
        (here / name).write_text(text)
    how = ("d.txt", "e.txt", "--unit", "word", "-k", "3")
    plain, without = (measures(simdocs("compare", *how, *more, cwd=here)) for more in ((), ("--template", "form")))
    assert float(plain["jaccard"]) > float(without["jaccard"]) > 0
    done = simdocs("compare", "form", "d.txt", "--template", "form", cwd=here)
    assert done.err == "simdocs: form: this text has no shingles to compare, so it matches nothing\n"


def test_standard_input_is_one_of_the_texts(here):
    assert measures(simdocs("compare", "a.txt", "-", cwd=here, stdin=A.upper().encode()))["jaccard"] == "1.000000"
    done = simdocs("compare", "-", "-", cwd=here)
    assert (done.status, done.out) == (2, b"")


def test_compressed_texts_and_lines_are_compared(here):
    (here / "a.txt.gz").write_bytes(gzip.compress(A.encode()))
    lines = [{"id": "one#1", "text": A}, {"text": B}]
    (here / "d.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (here / "d.jsonl.gz").write_bytes(gzip.compress((here / "d.jsonl").read_bytes()))
    expected = measures(simdocs("compare", "a.txt", "b.txt", cwd=here))
    for a, b in (("a.txt.gz", "b.txt"), ("d.jsonl#one#1", "d.jsonl.gz#2")):
        found = measures(simdocs("compare", a, b, cwd=here))
        assert found == expected | {"a": a, "b": b}
    done = simdocs("compare", "d.jsonl#3", "a.txt", cwd=here)
    assert done == (2, b"", "simdocs: error: d.jsonl#3: d.jsonl has no document of this name\n")
    done = simdocs("compare", "d.jsonl", "a.txt", cwd=here)
    assert done.status == 2 and "each line of this file is a document: name one of them, as in d.jsonl#ID" in done.err
    assert simdocs("compare", "d.jsonl", "a.txt", "--input-format", "text", cwd=here).status == 0


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["a.txt", "gone"], 2, "gone: No such file or directory"),
        (["a.txt", "."], 2, ".: this is a directory: name one text"),
        (["a.txt", "binary"], 2, "binary: a binary file (a NUL byte in the first 8 KiB)"),
        (["a.txt", "/dev/null"], 2, "/dev/null: this is a device or socket"),
        (["a.txt"], 2, "there is nothing to compare this text with: give two texts, or more"),
        ([], 2, "nothing to read: give two files, or - for standard input"),
        (
            ["a.txt", "b.txt", "-o", "x.svg"],
            2,
            f"cannot write .svg here: use {', '.join(f'.{name}' for name in FORMATS)} or .html",
        ),
        (["a.txt", "b.txt", "--max-size", "10"], 2, "a.txt: larger than --max-size"),
        (["a.txt", "b.txt", "--unit", "word,lines"], 2, f"--unit must be one of {', '.join(UNITS)}, not"),
        (["a.txt", "b.txt", "--unit", "lines"], 2, "did you mean line?"),
        (["a.txt", "b.txt", "-k", "3,0"], 2, "-k must be a whole number from 1 to 1000, not"),
        (["a.txt", "b.txt", "c.txt", "--diff", "words"], 2, "--diff shows the difference of two texts, not of more"),
        (
            ["a.txt", "b.txt", "--diff", "words", "--format", "csv"],
            2,
            "which have no place in csv: use --format jsonl",
        ),
        (["a.txt", "b.txt", "--template", "changed"], 2, "changed: this template is empty, so it has no tokens"),
        (["a.txt", "-", "--template", "-"], 2, "- names standard input, which can be read only once"),
        (["a.txt", "below"], 2, "below: this is a directory: name one text"),
    ],
)
def test_what_cannot_be_compared_is_one_line(here, words, status, said):
    (here / "binary").write_bytes(b"a\0b")
    (here / "changed").touch()
    (here / "below").mkdir()
    done = simdocs("compare", *words, cwd=here)
    assert (done.status, done.out, done.err.count("\n")) == (status, b"", 1)
    assert said in done.err


def test_a_text_that_may_not_be_read_is_an_error(here):
    (here / "b.txt").chmod(0)
    done = simdocs("compare", "a.txt", "b.txt", cwd=here, before=bound_by_modes)
    assert done == (2, b"", "simdocs: error: b.txt: cannot be read (Permission denied)\n")


def test_a_text_is_compared_with_itself(here):
    assert measures(simdocs("compare", "a.txt", "a.txt", cwd=here))["edit_distance"] == "0"


@pytest.mark.parametrize("words", ["f f", "f ./f", "a.txt f --template f", "a.txt f --unit word --stop-words f"])
def test_a_fifo_that_is_named_twice_is_refused_before_it_is_read(here, words):
    os.mkfifo(here / "f")
    done = simdocs("compare", *words.split(), cwd=here)
    again = "./f" if "./f" in words else "f"
    why = "this is a FIFO, which can be read only once: name it once"
    assert done == (2, b"", f"simdocs: error: {again}: {why}\n")


def test_the_status_says_whether_texts_are_similar(here):
    (here / "excerpt").write_text(A[10:50])
    for words, status in (
        (("a.txt", "b.txt", "-t", "0.5"), 1),
        (("a.txt", "b.txt", "-t", "0.95"), 0),
        (("a.txt", "c.txt"), 0),
        (("a.txt", "c.txt", "b.txt", "-t", "0.5"), 1),
        (("a.txt", "excerpt"), 0),
    ):
        assert simdocs("compare", *words, "--exit-code", cwd=here).status == status
        assert simdocs("compare", *words, cwd=here).status == 0


@pytest.mark.parametrize(
    ("options", "similar", "meaning"),
    [
        (("-t", "0.5"), "yes", "whether jaccard >= threshold"),
        (("-t", "0.95"), "no", "whether jaccard >= threshold"),
        (("-t", "0.5", "--multiset"), "yes", "whether bag_jaccard >= threshold"),
    ],
)
def test_the_last_measure_says_whether_the_texts_are_similar(here, options, similar, meaning):
    found = measures(simdocs("compare", "a.txt", "b.txt", *options, cwd=here))
    assert list(found)[-2:] == ["threshold", "similar"]
    assert (float(found["threshold"]), found["similar"]) == (float(options[1]), similar)
    measure = meaning.split()[1]
    assert (float(found[measure]) >= float(found["threshold"])) == (similar == "yes")
    assert simdocs("compare", "a.txt", "b.txt", *options, "--exit-code", cwd=here).status == (similar == "yes")
    shown = on_terminal("compare", "a.txt", "b.txt", *options, "-v", colored=False, cwd=here).out.decode()
    (row,) = [line.split(maxsplit=2) for line in shown.splitlines() if line.startswith(" similar ")]
    assert row == ["similar", similar, meaning]


def test_more_than_two_texts_give_a_matrix(here):
    done = simdocs("compare", "a.txt", "b.txt", "c.txt", cwd=here)
    assert [row[:2] for row in done.rows] == [[b"1", b"a.txt"], [b"2", b"b.txt"], [b"3", b"c.txt"]]
    values = np.array([row[2:] for row in done.rows], float)
    assert (values == values.T).all() and (values.diagonal() == 1).all()


def test_an_output_never_replaces_a_text(here):
    done = simdocs("compare", "a.txt", "b.txt", "-o", "b.txt", cwd=here)
    assert done.status == 2 and "would replace it" in done.err
    assert (here / "b.txt").read_text() == B
    done = simdocs("compare", "a.txt", "b.txt", "--template", "c.txt", "-o", "c.txt", cwd=here)
    assert done.status == 2 and "would replace it" in done.err
    assert (here / "c.txt").stat().st_size


def test_a_difference_is_the_text_with_marks(here):
    done = simdocs("compare", "a.txt", "b.txt", "--diff", "words", cwd=here)
    assert (done.status, done.err) == (0, "")
    assert done.out.decode() == (
        "The bridge stood open from six until [-three-]{+four+}, as a pin sheared off.\n"
        "Nobody was hurt.\nThe cost is put at [-4-]{+5+},[-200-]{+400+}.\n"
    )


@pytest.mark.parametrize("mode", ["words", "unified"])
def test_one_line_says_that_nothing_differs(here, mode):
    (here / "other").write_text(A.replace("stood", "Stood ").replace("\n", " \r\n"))
    for other, line in (
        ("a.txt", b"[the texts are equal]\n"),
        ("other", b"[the texts differ only in what is not compared, such as spaces]\n"),
    ):
        expected = b"" if mode == "unified" else line  # patch reads the latter
        assert simdocs("compare", "a.txt", other, "--diff", mode, cwd=here) == (0, expected, "")
        sentence = "The same text" if other == "a.txt" else "The same text, except for case and spaces"
        for options, shown in ((), "\n"), (("--diff", mode), line.decode()):
            found = on_terminal("compare", "a.txt", other, *options, colored=False, cwd=here)
            assert screen(found)[:2] == (f"{sentence}: near-duplicates at 0.8", shown)
    lines = simdocs("compare", "a.txt", "other", "--diff", mode, "--format", "jsonl", cwd=here).out.splitlines()
    (passage,) = (line for line in map(json.loads, lines) if "passage" in line)
    assert passage == {"passage": "shared", "a": A, "b": (here / "other").read_bytes().decode()}


def test_lines_that_differ_only_in_blank_lines_are_said_to_differ_in_nothing_else(here):
    (here / "other").write_text(A.replace("\n", "\n\n"))
    line = b"[the texts differ only in what is not compared, such as spaces]\n"
    assert simdocs("compare", "a.txt", "other", "--diff", "words", cwd=here) == (0, line, "")
    assert b"\n+\n" in simdocs("compare", "a.txt", "other", "--diff", "unified", cwd=here).out


SAYS_WHEN_EDITS_ARE_COMPUTED = """
import sys
import unicodedata
from simdocs import cli
from simdocs.commands import similarities
edit_measures = similarities.edit_measures
similarities.edit_measures = lambda *given: (print("edits", file=sys.stderr), edit_measures(*given))[1]
cli.main()
"""


@pytest.mark.parametrize(
    ("words", "computed"),
    [
        (("--diff", "words", "--format", "jsonl"), True),
        (("--diff", "words"), False),
    ],
)
def test_the_edit_distance_is_computed_only_if_it_is_shown(here, words, computed):
    program = [sys.executable, "-c", SAYS_WHEN_EDITS_ARE_COMPUTED, "compare", "a.txt", "b.txt", *words]
    with started(program, cwd=here) as process:
        done = finished(process)
    assert (done.status, done.err) == (0, "edits\n" * computed)


@pytest.mark.skipif(not shutil.which("patch"), reason="no patch here")
@pytest.mark.parametrize("end", ["\n", ""])
def test_a_unified_difference_is_a_patch(tmp_path, end):
    lines = [f"line {number}" for number in range(40)]
    other = [*lines[:2], "new", *lines[3:20], *lines[22:38], "changed", "last"]
    (tmp_path / "a").write_text("\n".join(lines) + end)
    (tmp_path / "b").write_text("\n".join(other) + end)
    done = simdocs("compare", "a", "b", "--diff", "unified", cwd=tmp_path)
    assert done.out.startswith(b"--- a\n+++ b\n@@ -1,6 +1,6 @@\n line 0\n line 1\n-line 2\n+new\n")
    assert done.out.count(b"@@ -") == 3
    subprocess.run(["patch", "-s", "a"], input=done.out, cwd=tmp_path, check=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_json_lines_have_the_measures_and_the_difference(here):
    assert simdocs("compare", "a.txt", "b.txt", "-o", "x.jsonl", cwd=here) == (0, b"", "")
    lines = [json.loads(line) for line in (here / "x.jsonl").read_text().splitlines()]
    assert [line["measure"] for line in lines if "measure" in line] == list(MEANINGS)
    passages = [line for line in lines if "passage" in line]
    assert "".join(passage["a"] for passage in passages) == A
    assert "".join(passage["b"] for passage in passages) == B
    assert {passage["passage"] for passage in passages} == {"shared", "differs"}


OF_WORDS = ("--unit", "word", "-k", "1")


def screen(done: Done) -> tuple[str, str, str]:
    """Return the sentence, the difference and the table that a terminal shows."""
    sentence, _, rest = done.out.decode().partition("\n\n")
    difference, _, table = rest.rpartition("\n\n")
    return sentence, f"{difference}\n", table


@pytest.mark.parametrize(
    ("texts", "options", "sentence"),
    [
        ((A, B), ("-t", "0.6"), "68.6% alike: near-duplicates at 0.6"),
        ((A, B), (), "68.6% alike: not near-duplicates at 0.8"),
        ((A, B), ("-t", "0.6863"), "68.64% alike: near-duplicates at 0.6863"),
        ((A, A.upper()), (), "The same text, except for case: near-duplicates at 0.8"),
        ((A, A.replace(" ", "\n  ")), (), "The same text, except for spaces: near-duplicates at 0.8"),
        ((A, f" {A.title()}"), (), "The same text, except for case and spaces: near-duplicates at 0.8"),
        ((A, f"{A}."), ("--strip-punctuation",), "100% alike: near-duplicates at 0.8"),
        ((A, ""), (), "0% alike: not near-duplicates at 0.8"),
        (("one two", "two three"), OF_WORDS, "33.3% alike: not near-duplicates at 0.8"),
        ((A[10:50], A), (), "31.0% alike: not near-duplicates at 0.8\nAll of a.txt is in b.txt"),
        (
            ("a b c d e f g h", "a b c d x"),
            OF_WORDS,
            "44.4% alike: not near-duplicates at 0.8\n80.0% of b.txt is in a.txt",
        ),
        (
            ("a a b", "a b b"),
            (*OF_WORDS, "--multiset"),
            "50.0% alike, repeated shingles counted: not near-duplicates at 0.8",
        ),
    ],
)
def test_a_table_begins_with_one_sentence_that_agrees_with_the_exit_status(tmp_path, texts, options, sentence):
    for name, text in zip(("a.txt", "b.txt"), texts, strict=True):
        (tmp_path / name).write_text(text)
    done = simdocs("compare", "a.txt", "b.txt", *options, "--format", "table", "--exit-code", "-q", cwd=tmp_path)
    assert screen(done)[0] == sentence
    assert done.status == (": not " not in sentence)
    piped = simdocs("compare", "a.txt", "b.txt", *options, "-v", cwd=tmp_path)
    sentences = [line for line in piped.err.splitlines() if not line.startswith("simdocs: ")]
    assert sentences == sentence.splitlines()


@given(st.floats(0, 1), st.floats(0.01, 1))
def test_a_percentage_shows_on_which_side_of_the_threshold_it_is(share, threshold):
    shown = float(percentage(share, threshold).removesuffix("%")) / 100
    assert abs(shown - share) <= 0.0005
    if abs(share - threshold) > 1e-8:
        assert (shown >= threshold) == (share >= threshold)
    assert shown < 1 or share > 1 - 1e-8
    assert shown > 0 or share < 1e-8


def test_a_table_has_the_main_measures_and_with_verbose_all(here):
    every = measures(simdocs("compare", "a.txt", "b.txt", cwd=here))
    plain = ("compare", "a.txt", "b.txt")
    found = [screen(on_terminal(*plain, *more, cwd=here, colored=False)) for more in ((), ("-v",))]
    brief, whole = (dict(line.split()[:2] for line in table.splitlines()[2:]) for _, _, table in found)
    assert found[0][:2] == found[1][:2]
    assert whole == every
    assert list(brief) == ["jaccard", "containment_a", "containment_b", "edit_distance", "estimate"]
    assert brief.items() <= every.items()
    both = on_terminal("compare", "a.txt", "b.txt", "-q", "-v", cwd=here)
    assert (both.status, "-q cannot be combined with -v" in both.err) == (2, True)


@pytest.mark.parametrize("columns", [40, 80])
def test_a_terminal_shows_the_measures_and_the_difference_without_what_is_far_from_it(here, columns):
    far = "".join(f"The same sentence, number {number}.\n" for number in range(30))
    (here / "a.txt").write_text(far + A)
    (here / "b.txt").write_text(far + B)
    done = on_terminal("compare", "a.txt", "b.txt", colored=False, cwd=here, columns=columns)
    assert (done.status, done.err) == (0, "")
    _, text, table = screen(done)
    assert max(map(len, table.splitlines())) <= columns
    assert ("meaning" in table) == (columns == 80)
    assert " jaccard " in table
    assert "number 3." not in text and "equal characters" in text
    assert "six until [-three-]{+four+}, as a pin" in text.replace("\n", " ")
    whole = on_terminal("compare", "a.txt", "b.txt", "--diff", "words", colored=False, cwd=here, columns=columns)
    assert screen(whole)[1].startswith(far)


@pytest.mark.parametrize("places", [20, 21])
def test_a_terminal_shows_the_first_places_and_says_how_many_more_there_are(here, places):
    lines = [f"The same sentence, which is number {number}, ends here.\n" for number in range(60)]
    changed = [line.replace("ends", "stops") if number < places else line for number, line in enumerate(lines)]
    for name, text in (("a.txt", lines), ("b.txt", changed)):
        (here / name).write_text("".join(text))
    line = "[1 of 21 places that differ are not shown: --diff words shows all]\n" if places > 20 else ""
    text = screen(on_terminal("compare", "a.txt", "b.txt", colored=False, cwd=here))[1]
    assert text.count("[-ends-]{+stops+}") == 20
    assert text.endswith(line) and ("not shown" in text) == bool(line)
    for mode in ("words", "unified"):
        whole = on_terminal("compare", "a.txt", "b.txt", "--diff", mode, colored=False, cwd=here).out.decode()
        assert "not shown" not in whole and whole.count("stops") >= places
    done = simdocs("compare", "a.txt", "b.txt", "--format", "table", cwd=here)
    assert done.out.decode().count("[-ends-]{+stops+}") == 20


def test_a_terminal_shows_how_long_passages_begin_and_end(here):
    for name, word in (("a.txt", "left"), ("b.txt", "right")):
        (here / name).write_text(" ".join(f"{word}{number}" for number in range(1000)))
    text = screen(on_terminal("compare", "a.txt", "b.txt", colored=False, cwd=here))[1]
    assert len(text) < 800
    assert text.startswith("[-left0 left1 ") and " left999-]{+right0 " in text and text.endswith(" right999+}\n")
    assert text.count(" more characters ...]") == 2
    whole = simdocs("compare", "a.txt", "b.txt", "--diff", "words", cwd=here).out.decode()
    assert "left500" in whole and "right500" in whole


@pytest.mark.parametrize("options", [(), ("--diff", "words")])
@pytest.mark.parametrize("columns", [40, 79])
def test_a_terminal_shows_a_difference_in_lines_that_fit(here, options, columns):
    for name, text in (("a.txt", A), ("b.txt", B)):
        (here / name).write_text(text.replace("\n", " ") * 3)
    done = on_terminal("compare", "a.txt", "b.txt", *options, colored=False, cwd=here, columns=columns)
    assert done.status == 0 and b"sheared" in done.out
    text = re.sub(r"\x1b[^m]*m", "", screen(done)[1])
    assert max(map(len, text.splitlines())) <= columns
    piped = simdocs("compare", "a.txt", "b.txt", "--diff", "words", cwd=here)
    assert piped.out.count(b"\n") == 1
    if options == ("--diff", "words"):
        assert text.split() == piped.out.decode().split()


def test_a_terminal_shows_a_difference_in_colours(here):
    done = on_terminal("compare", "a.txt", "b.txt", cwd=here)
    assert b"\x1b[31;9mthree\x1b[0m\x1b[32;4mfour\x1b[0m" in done.out
    assert b"[-" not in done.out
    done = on_terminal("compare", "a.txt", "b.txt", "--diff", "unified", cwd=here)
    assert b"\x1b[31m-The bridge" in done.out


@pytest.mark.parametrize("mode", ["words", "unified"])
def test_a_difference_does_no_harm_to_a_terminal(here, mode):
    (here / "a.txt").write_bytes("shared \x1b]0;x\x07\n\u202e one \x9b\n".encode() + b"\xff")
    (here / "b.txt").write_bytes("shared \x1b]0;x\x07\n\u202e two \x9b\n".encode() + b"\xff")
    done = on_terminal("compare", "a.txt", "b.txt", "--diff", mode, colored=False, cwd=here)
    assert done.status == 0
    assert not set("\x1b\x07\u202e\x9b") & set(done.out.decode())
    assert b"\\xff" in done.out
    assert b"\xff" in simdocs("compare", "a.txt", "b.txt", "--diff", mode, cwd=here).out


def test_names_do_no_harm_to_a_terminal(here):
    os.rename(here / "a.txt", here / "\x1b[31mred")
    done = on_terminal("compare", "\x1b[31mred", "b.txt", "--diff", "unified", colored=False, cwd=here)
    assert b"\x1b" not in done.out


def test_no_number_of_a_matrix_is_cut_in_two_on_a_narrow_terminal(here):
    rows = simdocs("compare", "a.txt", "b.txt", "c.txt", cwd=here).rows
    narrow = simdocs("compare", "a.txt", "b.txt", "c.txt", "--format", "table", cwd=here, env=environment(COLUMNS="20"))
    assert [line.split()[-3:] for line in narrow.out.splitlines()[-3:]] == [list(row[2:]) for row in rows]


def test_a_matrix_is_the_same_in_every_format(here):
    rows = simdocs("compare", "a.txt", "b.txt", "c.txt", cwd=here).rows
    lines = simdocs("compare", "a.txt", "b.txt", "c.txt", "--format", "jsonl", cwd=here).out.splitlines()
    for row, line in zip(rows, map(json.loads, lines), strict=True):
        assert list(line) == ["number", "document", "1", "2", "3"]
        assert [f"{line[name]:.6f}".encode() for name in "123"] == row[2:]
