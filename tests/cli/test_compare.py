"""simdocs compare: how similar texts are, and why."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import unicodedata
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model.figures import percentage
from tests.cli.program import Done, in_shell, simdocs
from tests.cli.stand_in import stand_in
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


EMPTY = "this text has no shingles to compare, so it matches nothing"
MANY = "these texts have no shingles to compare, so they match nothing"
SHORT = "this text is shorter than a shingle, so it matches only the same text"
ENCODED = (
    "not UTF-8: in another encoding a text does not match its UTF-8 copy: name it with --encoding, such as latin-1"
)
NOTES = {
    "empty a.txt": f"empty: {EMPTY}",
    "signs a.txt --unit word": f"signs: {EMPTY}",
    "empty signs blank --unit word": f"empty, signs, blank: {MANY}",
    "empty signs blank a.txt empty2 --unit word": f"empty, signs, blank and 1 more: {MANY}",
    "cat a.txt": f"cat: {SHORT}",
    "cat dog": "cat, dog: these texts are shorter than a shingle, so they match only the same text",
    "cat cats": "",
    "cat a.txt -k 6": "",
    "utf-8 latin-1": f"latin-1 is {ENCODED}",
    "latin-1 utf-8 iso8859-1": f"latin-1, iso8859-1 are {ENCODED}",
    "latin-1 iso8859-1": "",
    "utf-8 utf-16": "",
    "NFC NFD": "these texts differ only in their Unicode form, such as NFC and NFD: --nfkc makes them the same",
    "NFC NFD --nfkc": "",
    "NFC NFD a.txt": "",
    "NFC NFD -q": "",
}
SENTENCE = "Le pont a été fermé de six à trois heures."


def test_a_note_says_why_texts_match_nothing_or_less_than_expected(here):
    texts = {
        "empty": "",
        "empty2": "",
        "blank": " \n",
        "signs": "!?",
        "cat": "A cat.",
        "cats": "a  cat.",
        "dog": "A dog.",
    }
    for name, text in texts.items():
        (here / name).write_text(text)
    for encoding in ("utf-8", "latin-1", "iso8859-1", "utf-16"):
        (here / encoding).write_text(SENTENCE, encoding=encoding)
    for form in ("NFC", "NFD"):
        (here / form).write_text(unicodedata.normalize(form, SENTENCE))
    for asked, note in NOTES.items():
        assert simdocs("compare", *asked.split(), cwd=here).err == (note and f"simdocs: {note}\n")


def test_the_tokens_of_a_template_are_left_out(here):
    form = "Name of the bridge, date and hour of its failure, cost in the local currency: "
    for name, text in (("form", form), ("d.txt", f"{form} {A}"), ("e.txt", f"{form} {B}")):
        (here / name).write_text(text)
    how = ("d.txt", "e.txt", "--unit", "word", "-k", "3")
    plain, without = (measures(simdocs("compare", *how, *more, cwd=here)) for more in ((), ("--template", "form")))
    assert float(plain["jaccard"]) > float(without["jaccard"]) > 0


def test_standard_input_is_one_of_the_texts(here):
    assert measures(simdocs("compare", "a.txt", "-", cwd=here, stdin=A.upper().encode()))["jaccard"] == "1.000000"


def test_compressed_texts_and_lines_are_compared(here):
    (here / "a.txt.gz").write_bytes(gzip.compress(A.encode()))
    lines = [{"id": "one#1", "text": A}, {"text": B}]
    (here / "d.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (here / "d#.jsonl.gz").write_bytes(gzip.compress((here / "d.jsonl").read_bytes()))
    expected = measures(simdocs("compare", "a.txt", "b.txt", cwd=here))
    for a, b in (("a.txt.gz", "b.txt"), ("d.jsonl#one#1", "d#.jsonl.gz#2")):
        found = measures(simdocs("compare", a, b, cwd=here))
        assert found == expected | {"a": a, "b": b}
    done = simdocs("compare", "d.jsonl#3", "a.txt", cwd=here)
    assert done == (2, b"", "simdocs: error: d.jsonl#3: d.jsonl has no document of this name\n")
    done = simdocs("compare", "d.jsonl", "a.txt", cwd=here)
    assert done.status == 2 and "each line of this file is a document: name one of them, as in d.jsonl#ID" in done.err
    assert simdocs("compare", "d.jsonl", "a.txt", "--input-format", "text", cwd=here).status == 0
    for keyed in (("d.jsonl#one#1", "--id-field", "id"), ("d.jsonl#1", "--id-field", "")):
        assert measures(simdocs("compare", "a.txt", *keyed, cwd=here))["jaccard"] == "1.000000"
    (here / "prose.csv").write_text(A)
    os.mkfifo(here / "fifo")
    Thread(target=(here / "fifo").write_text, args=[A]).start()
    for a in ("prose.csv", "fifo"):
        assert measures(simdocs("compare", a, "b.txt", cwd=here)) == expected | {"a": a}


REFUSED = {
    "bad.jsonl.gz a.txt": "bad.jsonl.gz: malformed (not a gzip file, but text: ",
    "cut.jsonl.gz#7 a.txt": "cut.jsonl.gz: malformed (a gzip file cut short)",
    "d.jsonl#1 a.txt --id-field key": "d.jsonl: no line has an id in the field 'key' (--id-field); the first has",
    "x.pdf a.txt": "x.pdf: a PDF document: convert it with pdftotext",
    "a#c.txt a.txt": "a#c.txt: No such file",
    "a.txt#1 b.txt": "a.txt#1: No such file",
    "a.txt binary": "binary: a binary file (a NUL byte in the first 8 KiB)",
    "a.txt /dev/null": "/dev/null: this is a device or socket",
    "a.txt b.txt -o x.svg": "cannot write .svg here: use ",
    "a.txt b.txt --max-size 10": "a.txt: larger than --max-size",
    "a.txt b.txt --unit lines": "did you mean line?",
    "a.txt - --template -": "- names standard input, which can be read only once",
    "- -": "- names standard input, which can be read only once",
}


def test_what_cannot_be_compared_is_one_line(here):
    (here / "binary").write_bytes(b"a\0b")
    (here / "bad.jsonl.gz").write_text("no gzip")
    (here / "cut.jsonl.gz").write_bytes(gzip.compress(b'{"text": "one"}\n')[:-8])
    (here / "d.jsonl").write_text('{"text": "one"}')
    (here / "x.pdf").write_bytes(b"%PDF-")
    for asked, said in REFUSED.items():
        done = simdocs("compare", *asked.split(), cwd=here)
        assert (done.status, done.out, done.err.count("\n"), said in done.err) == (2, b"", 1, True), done


@pytest.mark.parametrize("words", ["f ./f", "a.txt f --template f"])
def test_a_fifo_that_is_named_twice_is_refused_before_it_is_read(here, words):
    os.mkfifo(here / "f")
    done = simdocs("compare", *words.split(), cwd=here)
    why = "this is a FIFO, which can be read only once: name it once"
    assert done == (2, b"", f"simdocs: error: {'./' * ('./f' in words)}f: {why}\n")


def test_the_status_says_whether_texts_are_similar(here):
    (here / "excerpt").write_text(A[10:50])
    for words, status in (
        (("a.txt", "b.txt", "-t", "0.5"), 1),
        (("a.txt", "b.txt", "-t", "0.95"), 0),
        (("a.txt", "c.txt", "b.txt", "-t", "0.5"), 1),
        (("a.txt", "excerpt"), 0),
    ):
        assert simdocs("compare", *words, "--exit-code", cwd=here).status == status
        assert simdocs("compare", *words, cwd=here).status == 0


def test_an_output_never_replaces_a_text(here):
    done = simdocs("compare", "a.txt", "b.txt", "-o", "b.txt", cwd=here)
    assert done.status == 2 and "would replace it" in done.err
    assert (here / "b.txt").read_text() == B
    done = in_shell("simdocs compare a.txt - -o b.txt < b.txt", cwd=here, program=stand_in())
    assert done.status == 2 and "would replace it" in done.err


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
        found = on_terminal("compare", "a.txt", other, "--diff", mode, colored=False, cwd=here)
        assert screen(found)[1] == line.decode()


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
        ((A, f" {A.title()}"), (), "The same text, except for case and spaces: near-duplicates at 0.8"),
        ((A, f"{A}."), ("--strip-punctuation",), "100% alike: near-duplicates at 0.8"),
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


@given(st.floats(0, 1), st.floats(0.01, 1))
def test_a_percentage_shows_on_which_side_of_the_threshold_it_is(share, threshold):
    shown = float(percentage(share, threshold).removesuffix("%")) / 100
    assert abs(shown - share) <= 0.0005
    if abs(share - threshold) > 1e-8:
        assert (shown >= threshold) == (share >= threshold)
    assert shown < 1 or share > 1 - 1e-8
    assert shown > 0 or share < 1e-8


def test_a_terminal_shows_the_first_places_and_says_how_many_more_there_are(here):
    lines = [f"The same sentence, which is number {number}, ends here.\n" for number in range(60)]
    changed = [line.replace("ends", "stops") if number < 21 else line for number, line in enumerate(lines)]
    for name, text in (("a.txt", lines), ("b.txt", changed)):
        (here / name).write_text("".join(text))
    text = screen(on_terminal("compare", "a.txt", "b.txt", colored=False, cwd=here))[1]
    assert text.count("[-ends-]{+stops+}") == 20
    assert text.endswith("[1 of 21 places that differ are not shown: --diff words shows all]\n")
    whole = on_terminal("compare", "a.txt", "b.txt", "--diff", "words", colored=False, cwd=here).out.decode()
    assert "not shown" not in whole and whole.count("stops") == 21


@pytest.mark.parametrize("mode", ["words", "unified"])
def test_a_difference_does_no_harm_to_a_terminal(here, mode):
    name = "\x1b[31mred"
    (here / name).write_bytes("shared \x1b]0;x\x07\n\u202e one \x9b\n".encode() + b"\xff")
    (here / "b.txt").write_bytes("shared \x1b]0;x\x07\n\u202e two \x9b\n".encode() + b"\xff")
    done = on_terminal("compare", name, "b.txt", "--diff", mode, colored=False, cwd=here)
    assert done.status == 0
    assert not set("\x1b\x07\u202e\x9b") & set(done.out.decode())
    assert b"\\xff" in done.out
    assert b"\xff" in simdocs("compare", name, "b.txt", "--diff", mode, cwd=here).out
